/* Curves against numbers of 50 digits, and against themselves: round trips, instruction sets,
 * lengths, ends. */
#include "distributions/precision_curve.h"

#include "check.h"

enum { MANY = 700 };

/* recall, prevalence, β; X and x by mpmath (tests/reference/extrapolation.py) */
static const double curve[][5] = {
    {0.75, 0.03, 2.44, 0.050563865995994273, 0.018570966074889001},
    {0.75, 0.03, 833, 0.94902177291680228, 0.76995106045616181},
    {1e-09, 1e-09, 1000000000000.0, 0.99999999999967049, 0.99999999999935218},
    {1e-09, 0.5, 1e-08, 0.66666666644444446, 0.66666666622222224},
    {0.1999, 1e-06, 50.0, 0.000393153536247148, 0.00019835565354413718},
    {0.2, 1e-09, 10000.0, 0.00011632122498155758, 5.0112837224225596e-5},
    {0.5, 0.3, 0.001, 0.36363643755737294, 0.30000000000001632},
    {0.9999999, 0.01, 10000000.0, 0.019801998546370005, 3.1733227601108396e-9},
    {1, 0.2, 30, 0.20000000000000001, 0.011791566738199914},
    {0.0001, 0.001, 1000.0, 0.99717552658785669, 0.99714360076806149},
    {0.6, 0.1, -0.25, 0.11560693641618498, 0.093676814988290405},
    {0.3, 0.01, 1e-20, 0.015302218821729151, 0.012468827930174564},
};
/* recall, precision, prevalence; β */
static const double point[][4] = {
    {0.75, 0.1, 0.03, 6.3671526080034953},     {0.75, 0.5, 0.03, 48.978858967753365},
    {0.75, 0.9, 0.03, 406.20221335700195},     {1e-09, 0.6, 1e-09, 82980.396999381499},
    {0.15, 0.25, 0.2, -0.41176470588235307},   {0.999999, 0.4, 0.1, 3732006.3472843997},
    {0.5, 0.999999, 0.9, 43433.531064886021},  {0.3, 0.100001, 0.1, -0.99996825428571108},
    {0.8, 0.0101, 0.01, -0.89998999899990057},
};
enum { N_CURVES = sizeof curve / sizeof *curve, N_POINTS = sizeof point / sizeof *point };

static int is_near(double found, double expected)
{
    return fabs(found - expected) <= 1e-14 * fabs(expected);
}

static double value_of(enum precision_curve_value value, double recall, double prevalence,
                       double beta)
{
    double result;
    precision_curve_values(value, 1, &recall, &prevalence, &beta, &result, VECTOR_BASELINE);
    return result;
}

static double beta_of(double recall, double precision, double prevalence)
{
    double beta;
    precision_curve_through(1, &recall, &precision, &prevalence, &beta, VECTOR_BASELINE);
    return beta;
}

static void test_known_numbers(void)
{
    for (int i = 0; i < N_CURVES; i++) {
        CHECK(is_near(value_of(PRECISION_CURVE_X, curve[i][0], curve[i][1], curve[i][2]),
                      curve[i][3]));
        CHECK(is_near(value_of(PRECISION_CURVE_x, curve[i][0], curve[i][1], curve[i][2]),
                      curve[i][4]));
    }
    for (int i = 0; i < N_POINTS; i++)
        CHECK(is_near(beta_of(point[i][0], point[i][1], point[i][2]), point[i][3]));
}

/* Points on no curve of finite β, and recall 0 and 1. */
static void test_ends(void)
{
    CHECK(beta_of(.5, .1, .1) == -1 && beta_of(.5, .05, .1) == -1);
    CHECK(beta_of(.5, 1, .1) == INFINITY && beta_of(1, .2, .1) == INFINITY);
    for (int i = 0; i <= 10; i++) {
        double recall = i / 10.0;
        CHECK(is_near(value_of(PRECISION_CURVE_X, recall, .1, -1), .1));
        CHECK(is_near(value_of(PRECISION_CURVE_x, recall, .1, -1), .1));
        CHECK(value_of(PRECISION_CURVE_X, recall, .1, INFINITY)
              == (i < 10 ? 1 : value_of(PRECISION_CURVE_X, 1, .1, 3)));
    }
    CHECK(value_of(PRECISION_CURVE_x, 1, .1, INFINITY) == 0);
    CHECK(is_near(value_of(PRECISION_CURVE_x, 0, .1, 7), value_of(PRECISION_CURVE_X, 0, .1, 7)));
    CHECK(is_near(value_of(PRECISION_CURVE_X, .3, .1, 0), 1 / (1 + 9 * .65)));
    CHECK(isnan(value_of(PRECISION_CURVE_X, .3, .1, NAN)));
}

static double log_odds_against(double recall, double beta)
{
    return log(1 / value_of(PRECISION_CURVE_X, recall, 1e-6, beta) - 1);
}

/* d ln H/d ln(1 + β²), or per 1 + β, is that of ln(1/X - 1): against differences. */
static void test_slope(void)
{
    const double recalls[] = {.01, .19, .21, .5, .9, .999},
                 betas[] = {-.9, -.1, .1, 1, 1.5, 10, 1e3, 1e5};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 8; j++) {
            double beta = betas[j], low = beta - 1e-5 * fabs(beta), high = beta + 1e-5 * fabs(beta);
            double run = beta < 0 ? high - low : log1p(high * high) - log1p(low * low);
            double rise = log_odds_against(recalls[i], high) - log_odds_against(recalls[i], low);
            CHECK(fabs(value_of(PRECISION_CURVE_SLOPE, recalls[i], .3, beta) - rise / run) < 2e-6);
        }
        double R = recalls[i],
               limit = -(1 - R) * (5 + 3 * R * (1 - R)) / (6 * (1 + R)); /* of small β */
        CHECK(is_near(value_of(PRECISION_CURVE_SLOPE, R, .3, 1e-7), limit));
        CHECK(fabs(value_of(PRECISION_CURVE_SLOPE, R, .3, 3e-3) - limit) < 1e-5);
        CHECK(fabs(value_of(PRECISION_CURVE_SLOPE, R, .3, 2.1e-4) - limit) < 3e-7);
    }
}

/* Points of both kinds and of none, in arrays around the length of a batch: X of the β found is the
 * precision, and the bits are the same with every instruction set; nothing is written beyond the
 * end. */
static void test_arrays(void)
{
    static double recall[MANY], precision[MANY], prevalence[MANY], beta[3][MANY + 1],
        back[3][MANY + 1];
    const int lengths[] = {0, 1, 7, 63, 64, 65, 128, 129, MANY};
    unsigned long long seed = 3;
    for (int i = 0; i < MANY; i++) {
        double u = (double)(next_random(&seed) >> 11) * 0x1p-53,
               v = (double)(next_random(&seed) >> 11) * 0x1p-53;
        recall[i] = i % 5 == 0 ? exp(-20 * u) : i % 7 == 0 ? 1 - exp(-20 * u) : u;
        prevalence[i] = i % 3 == 0 ? exp(-20 * v) : v;
        precision[i] =
            prevalence[i] + (1 - prevalence[i]) * (double)(next_random(&seed) >> 11) * 0x1p-53;
    }
    for (int k = 0; k < 9; k++) {
        int n = lengths[k], most = (int)widest_instructions();
        for (int level = 0; level <= most; level++) {
            beta[level][n] = back[level][n] = -7;
            precision_curve_through(n, recall, precision, prevalence, beta[level],
                                    (enum vector_instructions)level);
            precision_curve_values(PRECISION_CURVE_X, n, recall, prevalence, beta[level],
                                   back[level], (enum vector_instructions)level);
            CHECK(memcmp(beta[level], beta[0], (size_t)(n + 1) * sizeof(double)) == 0);
            CHECK(memcmp(back[level], back[0], (size_t)(n + 1) * sizeof(double)) == 0);
        }
        for (int i = 0; i < n; i++)
            CHECK(is_near(back[0][i], precision[i]));
    }
}

/* From the least to the greatest doubles that may come: no overflow, and back again. */
static void test_extremes(void)
{
    const double recalls[] = {1e-100, 1e-9, .1, .5, 1 - 0x1p-53},
                 rhos[] = {1e-100, 1e-9, .5, 1 - 0x1p-50};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 1; k < 52; k++) {
                double precision = 1 - ldexp(1 - rhos[j], -k),
                       beta = beta_of(recalls[i], precision, rhos[j]);
                if (precision <= rhos[j] || precision >= 1)
                    continue;
                CHECK(beta > -1 && beta < 1e140);
                CHECK(is_near(value_of(PRECISION_CURVE_X, recalls[i], rhos[j], beta), precision));
            }
}

/* Angles of ratios of all sizes, below 2 ulp. */
static void test_angles(void)
{
    unsigned long long seed = 5;
    for (int i = 0; i < 20000; i++) {
        double u = (double)(next_random(&seed) >> 11) * 0x1p-53,
               v = (double)(next_random(&seed) >> 11) * 0x1p-53;
        double p = i % 2 ? u : exp(-600 * u), q = i % 3 ? v + 0x1p-60 : exp(-600 * v);
        CHECK(fabs(angle_of(p, q) - atan2(p, q)) <= 2 * 0x1p-52 * atan2(p, q));
    }
    CHECK(angle_of(0, 3) == 0 && angle_of(2, 2) == atan(1.0) && angle_of(1, 1e-300) == atan2(1, 0));
}

int main(void)
{
    test_angles();
    test_known_numbers();
    test_ends();
    test_slope();
    test_arrays();
    test_extremes();
    return failures;
}
