/* Laws of yields: how many documents of a segment are relevant, given samples (Webber 2013,
 * section 2.8).
 *
 * The posterior of a stratum is r + BetaBin(N - n; a, b), a = prior + r, b = prior + n - r.  A law
 * is a row of cells: single documents near the ends of a law and where it is narrow, elsewhere
 * cells of many documents with a polynomial of degree 8 through the probabilities at Chebyshev's
 * points.  A cell is as wide as the last coefficients of its polynomial allow, so that there are
 * some 40 for a law with the shape of a bell and 150 for one whose density is singular at both
 * ends, whatever N.  The laws of one stratum are those of beta_binomial.h.
 */
#ifndef IRBOUNDS_YIELD_LAW_H
#define IRBOUNDS_YIELD_LAW_H

#include <stdint.h>

/* A recurrence over single documents begins anew after RESTART steps, before rounding adds up. */
enum {
    CURVE_DEGREE = 8,
    CURVE_SIZE = 3 * CURVE_DEGREE + 5,
    CELL_ATOMS = 4,
    SINGLES = 256,
    RESTART = 512
};

/* Arrays are the caller's.  Each cell of w documents has a scale t from -1 to 1, half a document
 * before its first to half a document after its last one. On it the curve has the coefficients
 * of three polynomials: P(t), the probabilities; I(t), the integral of P from there to the law's
 * end; Q(t), P(R >= x) at whole x, so that Q(x) - Q(x + 1) = P(x). */
typedef struct {
    int64_t n_cells, n_curves;
    double *left;   /* n_cells + 1: the first count of each cell, and the one after the last */
    double *above;  /* n_cells + 1: P(R >= left) */
    double *weight; /* n_cells: probabilities, sum 1 */
    int32_t *which; /* n_cells: the number of its curve, or -1 for a single document */
    double *curve;  /* n_curves times CURVE_SIZE */
    double mean, std;
} yield_law;

/* A law that is not scaled yet: probabilities of counts as a multiple of the wanted ones, between
 * the counts a smooth curve; the widest cell that may begin at a count, below 8 for a single
 * document; P(x + 1)/P(x), or NULL; how far a cell's polynomial is from the density, or NULL where
 * the polynomial itself tells; the relative error of the density; and about what it sums to, or
 * less. */
typedef struct {
    double (*density)(const void *context, double whole,
                      double rest); /* at their sum, which may lose digits */
    double (*widest)(const void *context, double x);
    double (*step)(const void *context, double x);
    double (*check)(const void *context, double first, double width, const double *probabilities);
    const void *context;
    double noise, total;
} yield_source;

/* Makes the law of the counts from least to most.  Returns what the densities sum to, or 0 if the
 * arrays, of so many cells and curves, were too small. */
double yield_law_build(yield_law *law, int64_t most_cells, int64_t most_curves,
                       const yield_source *source, double least, double most);

/* Single documents: n counts from `first` on, whose weights are there and are scaled to sum 1. */
void yield_law_of_counts(yield_law *law, double first, int64_t n);

/* The probability of every count from the first to the last one. */
void yield_law_masses(const yield_law *law, double *mass);

/* Counts that stand for the law in sums over it, and their probabilities: single documents, and of
 * each other cell the CELL_ATOMS Gauss points for sums over equally spaced counts.  Returns how
 * many. */
int64_t yield_law_atoms(const yield_law *law, double *position, double *weight);

/* P(R >= x) for x real: at whole numbers exact, between them a curve, or a line between single
 * documents. */
double yield_law_above(const yield_law *law, double x);

/* The least count with P(R <= count) >= p. */
double yield_law_quantile(const yield_law *law, double p);

/* Gauss points and weights (as shares) for sums over n >= 4 equally spaced numbers, from the
 * middle, in the unit of their distance: -far, -near, near, far. */
typedef struct {
    double near, far, near_share, far_share;
} gauss_rule;

gauss_rule gauss_rule_of(double n);

static inline int is_all_single(const yield_law *law)
{
    return law->n_curves == 0;
}

/* The cell that holds x, from a cell on that is near it; x is within the law. */
static inline int64_t find_cell(const yield_law *law, int64_t i, double x)
{
    if (law->n_curves == 0)
        return (int64_t)(x - law->left[0]);
    while (x >= law->left[i + 1])
        i++;
    while (x < law->left[i])
        i--;
    return i;
}

static inline double polynomial(const double *coefficient, int degree, double t)
{
    double value = coefficient[degree];
    for (int k = degree - 1; k >= 0; k--)
        value = value * t + coefficient[k];
    return value;
}

static inline const double *probabilities_of(const yield_law *law, int64_t cell)
{
    return law->curve + CURVE_SIZE * (int64_t)law->which[cell];
}

static inline const double *integral_of(const yield_law *law, int64_t cell)
{
    return probabilities_of(law, cell) + CURVE_DEGREE + 1;
}

static inline const double *tail_of(const yield_law *law, int64_t cell)
{
    return probabilities_of(law, cell) + 2 * CURVE_DEGREE + 3;
}

/* The place of x in a cell on the scale of its curve. */
static inline double place_in(const yield_law *law, int64_t cell, double x)
{
    double first = law->left[cell], width = law->left[cell + 1] - first;
    return (2 * (x - first) + 1) / width - 1;
}

#endif
