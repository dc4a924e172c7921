/* Distribution of the number of relevant documents of a segment. The contract is in yield_law.h. */

#include "yields/yield_law.h"

#include <math.h>

enum { NODES = CURVE_DEGREE + 1, LEAST_WIDTH = 8 };

static const double TOLERANCE = 1e-12; /* of a cell's probability, as a part of the whole */

/* From values at Chebyshev's points cos((2 i + 1) π/18) to the coefficients of the powers of t:
 * rows of the inverse of Vandermonde's matrix, whose columns are even or odd. */
static const double EVEN[5][4] = {
    {0, 0, 0, 0},
    {-0.17904710860483970595, 0.66666666666666666667, -1.8540394597453090559,
     8.0330865683501487619},
    {2.202680882591262244, -8, 20.23323776283315968, -38.435918645424421924},
    {-6.323096329496482068, 21.333333333333333333, -40.023861652990750447, 57.013624649153899182},
    {4.9393259425260188118, -14.222222222222222222, 21.789708604273153001, -26.729034546799171813}};
static const double MIDDLE[5] = {1, -13.333333333333333333, 48, -64, 28.444444444444444444};
static const double ODD[4][4] = {
    {-0.17632698070846497347, 0.57735026918962576451, -1.1917535925942099587,
     2.7474774194546222788},
    {2.1692172105876482469, -6.9282032302755091741, 13.0056745377909492, -13.145858403961804011},
    {-6.2270342883311708622, 18.475208614068024464, -25.726842362350667195, 19.499808074019496333},
    {4.8642864828539553144, -12.31680574271201631, 14.006154709506959067, -9.1418682266530037521}};
static const double POINT[4] = {0.98480775301220805937, 0.86602540378443864676,
                                0.64278760968653932632, 0.34202014332566873304};

/* The polynomial through the density in a cell; returns about its error: the last two coefficients
 * of the series in Chebyshev's polynomials, 64 and 128 times smaller than those of the powers, fall
 * on by the same factors. */
static double fit(const yield_source *source, double first, double width, double *p,
                  double *largest)
{
    double middle = (width - 1) / 2, sum[4], difference[4];
    double centre = source->density(source->context, first, middle);
    *largest = centre;
    for (int i = 0; i < 4; i++) {
        double high = source->density(source->context, first, middle + POINT[i] * width / 2);
        double low = source->density(source->context, first, middle - POINT[i] * width / 2);
        sum[i] = high + low;
        difference[i] = high - low;
        *largest = fmax(*largest, fmax(high, low));
    }
    for (int k = 0; k < 5; k++) {
        p[2 * k] = MIDDLE[k] * centre;
        for (int i = 0; i < 4; i++)
            p[2 * k] += EVEN[k][i] * sum[i];
    }
    for (int k = 0; k < 4; k++) {
        p[2 * k + 1] = 0;
        for (int i = 0; i < 4; i++)
            p[2 * k + 1] += ODD[k][i] * difference[i];
    }
    return fabs(p[7]) / 512 + fabs(p[8]) / 128;
}

/* I and Q of a cell but for their constants: I' = -P per document, and Q = I + P/2 - P'/12 +
 * P'''/720 - P'''''/30240
 * + P^(7)/1209600, Euler and Maclaurin's series, which ends as P is a polynomial. */
static void integrate(double *curve, double width)
{
    const double *p = curve;
    double *integral = curve + NODES, *tail = integral + NODES + 1, derivative[NODES];
    const double factor[4] = {-1 / 12.0, 1 / 720.0, -1 / 30240.0, 1 / 1209600.0};
    integral[0] = 0;
    for (int k = 0; k < NODES; k++) {
        integral[k + 1] = -p[k] / (k + 1) * (width / 2);
        derivative[k] = p[k];
    }
    for (int k = 0; k <= NODES; k++)
        tail[k] = integral[k] + (k < NODES ? p[k] / 2 : 0);
    int degree = CURVE_DEGREE;
    for (int order = 1; order <= 7; order++, degree--) {
        for (int k = 0; k < degree; k++)
            derivative[k] = derivative[k + 1] * (k + 1) * (2 / width);
        for (int k = 0; k < degree && order % 2; k++)
            tail[k] += factor[order / 2] * derivative[k];
    }
}

/* The width of the next trial as a multiple of this one's: errors go with its ninth
 * power. */
static double growth(double error, double tolerance)
{
    return 0.9 * pow(tolerance / fmax(error, 1e-6 * tolerance), 1.0 / NODES);
}

/* Scales a law whose weights and curves are multiples of probabilities, and fills in what adds them
 * up. */
static void finish(yield_law *law, double total)
{
    int64_t n = law->n_cells;
    double sum = 0, squares = 0, first = law->left[0];
    law->above[n] = 0;
    for (int64_t i = n - 1; i >= 0; i--) {
        law->weight[i] /= total;
        law->above[i] = law->above[i + 1] + law->weight[i];
    }
    for (int64_t i = 0; i < n; i++) {
        double width = law->left[i + 1] - law->left[i],
               middle = law->left[i] - first + (width - 1) / 2;
        sum += law->weight[i] * middle;
        if (law->which[i] < 0)
            continue;
        double *p = law->curve + CURVE_SIZE * (int64_t)law->which[i], *integral = p + NODES,
               *tail = integral + NODES + 1;
        for (int k = 0; k < CURVE_SIZE; k++)
            p[k] /= total;
        double shift = law->above[i] - polynomial(tail, NODES, 1 / width - 1);
        integral[0] += shift;
        tail[0] += shift;
    }
    for (int pass = 0; pass < 2; pass++) { /* the mean, then squares of distances to it */
        double mean = sum;
        sum = squares = 0;
        for (int64_t i = 0; i < n; i++) {
            double width = law->left[i + 1] - law->left[i],
                   middle = law->left[i] - first + (width - 1) / 2;
            if (law->which[i] < 0) {
                sum += law->weight[i] * middle;
                squares += law->weight[i] * (middle - mean) * (middle - mean);
                continue;
            }
            const double *p = probabilities_of(law, i);
            gauss_rule rule = gauss_rule_of(width);
            for (int k = -2; k <= 2; k++) {
                if (k == 0)
                    continue;
                double x = (k < 0 ? -1 : 1) * (k % 2 ? rule.near : rule.far),
                       share = k % 2 ? rule.near_share : rule.far_share;
                double mass = polynomial(p, CURVE_DEGREE, 2 * x / width) * share * width;
                sum += mass * (middle + x);
                squares += mass * (middle + x - mean) * (middle + x - mean);
            }
        }
    }
    law->mean = first + sum;
    law->std = sqrt(squares);
}

/* A cell of many documents from x on, at most so wide; its width, or 1 if it should be a single
 * document.  `wanted` is the width that the next trial should begin with. */
static double fit_cell(const yield_source *source, double x, double widest, double so_far,
                       double *wanted, double *curve, double *mass)
{
    double largest;
    for (double width = floor(fmin(widest, *wanted)); width >= LEAST_WIDTH;) {
        double error = fit(source, x, width, curve, &largest);
        double tolerance =
            fmax(TOLERANCE * so_far / width, fmax(1e-11, 2 * source->noise) * largest);
        if (error <= tolerance && source->check)
            error = fmax(error, source->check(source->context, x, width, curve) / 2);
        *wanted = width * fmax(0.3, fmin(3, growth(error, tolerance)));
        if (error <= tolerance) {
            integrate(curve, width);
            const double *tail = curve + 2 * NODES + 1;
            *mass = polynomial(tail, NODES, 1 / width - 1) - polynomial(tail, NODES, 1 / width + 1);
            return width;
        }
        width = floor(fmin(*wanted, 0.8 * width));
    }
    *wanted = fmax(*wanted, 2 * LEAST_WIDTH);
    return 1;
}

double yield_law_build(yield_law *law, int64_t most_cells, int64_t most_curves,
                       const yield_source *source, double least, double most)
{
    double so_far = source->total, sum = 0, wanted = INFINITY, before = 0, width;
    law->n_cells = law->n_curves = 0;
    for (double x = least, steps = 0; x <= most; x += width) {
        if (law->n_cells == most_cells || law->n_curves == most_curves)
            return 0;
        double mass = 0;
        width = fit_cell(source, x, fmin(most + 1 - x, source->widest(source->context, x)), so_far,
                         &wanted, law->curve + CURVE_SIZE * law->n_curves, &mass);
        if (width == 1) { /* from the one before, for 512 steps at most */
            int follows = source->step && steps > 0 && steps < RESTART && before > 1e-290;
            mass = follows ? before * source->step(source->context, x - 1)
                           : source->density(source->context, x, 0);
            steps = follows ? steps + 1 : 1;
        } else {
            steps = 0;
        }
        before = mass;
        law->left[law->n_cells] = x;
        law->which[law->n_cells] = width > 1 ? (int32_t)law->n_curves++ : -1;
        law->weight[law->n_cells++] = mass;
        law->left[law->n_cells] = x + width;
        sum += mass;
        so_far = fmax(so_far, sum);
    }
    finish(law, sum);
    return sum;
}

void yield_law_of_counts(yield_law *law, double first, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i <= n; i++)
        law->left[i] = first + (double)i;
    for (int64_t i = 0; i < n; i++) {
        law->which[i] = -1;
        total += law->weight[i];
    }
    law->n_cells = n;
    law->n_curves = 0;
    finish(law, total);
}

void yield_law_masses(const yield_law *law, double *mass)
{
    int64_t n = 0;
    for (int64_t i = 0; i < law->n_cells; i++) {
        if (law->which[i] < 0) {
            mass[n++] = law->weight[i];
            continue;
        }
        for (double x = law->left[i]; x < law->left[i + 1]; x++)
            mass[n++] =
                fmax(0, polynomial(probabilities_of(law, i), CURVE_DEGREE, place_in(law, i, x)));
    }
}

gauss_rule gauss_rule_of(double n)
{
    double square = n * n, b1 = (square - 1) / 12, b2 = (square - 4) / 15,
           b3 = 9 * (square - 9) / 140;
    double half = (b1 + b2 + b3) / 2, root = sqrt(half * half - b1 * b3);
    double far = sqrt(half + root), near = sqrt(half - root);
    /* the weights give the sums of 1 and of x²: far² (2 far_share) + near² (2 near_share) = b1 */
    double far_share = (b1 - near * near) / (4 * root);
    return (gauss_rule){near, far, 0.5 - far_share, far_share};
}

int64_t yield_law_atoms(const yield_law *law, double *position, double *weight)
{
    int64_t atoms = 0;
    for (int64_t i = 0; i < law->n_cells; i++) {
        if (law->which[i] < 0) {
            position[atoms] = law->left[i];
            weight[atoms++] = law->weight[i];
            continue;
        }
        double width = law->left[i + 1] - law->left[i], middle = law->left[i] + (width - 1) / 2;
        gauss_rule rule = gauss_rule_of(width);
        const double place[CELL_ATOMS] = {-rule.far, -rule.near, rule.near, rule.far};
        for (int k = 0; k < CELL_ATOMS; k++) {
            position[atoms] = middle + place[k];
            weight[atoms++] =
                polynomial(probabilities_of(law, i), CURVE_DEGREE, 2 * place[k] / width) * width
                * (k == 0 || k == 3 ? rule.far_share : rule.near_share);
        }
    }
    return atoms;
}

static int64_t cell_of(const yield_law *law, double x)
{
    int64_t low = 0, high = law->n_cells - 1;
    if (is_all_single(law))
        return (int64_t)(x - law->left[0]);
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (law->left[middle] <= x)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

double yield_law_above(const yield_law *law, double x)
{
    if (!(x > law->left[0]))
        return law->above[0];
    if (!(x < law->left[law->n_cells]))
        return 0;
    int64_t i = cell_of(law, x);
    if (law->which[i] < 0)
        return law->above[i] + (x - law->left[i]) * (law->above[i + 1] - law->above[i]);
    return polynomial(tail_of(law, i), NODES, place_in(law, i, x));
}

double yield_law_quantile(const yield_law *law, double p)
{
    double low = law->left[0] - 1, high = law->left[law->n_cells] - 1;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (1 - yield_law_above(law, middle + 1) >= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}
