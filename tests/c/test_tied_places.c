/* Sums over the documents of a kind in a rank of ties, against sums over their places. */
#include "ties/tied_places.h"

#include <math.h>

#include "ties/cascade.h"
#include "check.h"

enum { MOST = 400 };

/* C(n, k) for small numbers: exact enough as a product. */
static double choose(double n, double k)
{
    double all = 1;
    for (double i = 1; i <= k; i++)
        all *= (n - k + i) / i;
    return k < 0 || k > n ? 0 : all;
}

static double by_places(const double *weight, int most, double n, double g, double t, double m)
{
    double sum = 0;
    for (int i = 1; i <= most; i++)
        for (double k = i; k <= m; k++)
            sum += weight[i] * choose(k - 1, i - 1) * choose(g - k, n - i) / choose(g, n) / (t + k);
    return sum;
}

static void test_sums(void)
{
    unsigned long long seed = 11;
    double weight[MOST + 1], scratch[MOST + 1];
    const double before[] = {0, 1, 7, 300, 1e6};
    for (int trial = 0; trial < 4000; trial++) {
        int g = 1 + (int)(next_random(&seed) % (trial % 2 ? 12 : 60));
        int n = 1 + (int)(next_random(&seed) % (unsigned)g);
        int m = trial % 3 ? g : 1 + (int)(next_random(&seed) % (unsigned)g);
        int most = n < m ? n : m;
        double t = before[next_random(&seed) % 5], last = 1;
        for (int i = 1; i <= most; i++)
            weight[i] = last *= (double)(next_random(&seed) % 100) / 100 + .01;
        double found = tied_places_sum(weight, most, n, g, t, m, m < g ? scratch : NULL);
        double expected = by_places(weight, most, n, g, t, m);
        CHECK(fabs(found - expected) <= 1e-13 * expected);
    }
}

/* One document that may stop the reader: the mean of 1/place over the places taken. */
static void test_one(void)
{
    const double stop[] = {.5};
    double scratch[20];
    CHECK(fabs(cascade_in_rank(stop, 1, 4, 2, 3, scratch, NULL)
               - .5 * (1.0 / 3 + 1.0 / 4 + 1.0 / 5) / 4)
          < 1e-16);
}

/* The reader stops for sure at one of two among three: place 1 with 2/3, else place 2. */
static void test_sure(void)
{
    const double stop[] = {1, 1};
    double scratch[20];
    CHECK(fabs(cascade_in_rank(stop, 2, 3, 0, 3, scratch, NULL) - (2.0 / 3 + 1.0 / 3 / 2)) < 1e-15);
}

int main(void)
{
    test_sums();
    test_one();
    test_sure();
    return failures != 0;
}
