/* Integrals over the real line by the trapezoidal rule. The contract is in line_integral.h. */

#include "numeric/line_integral.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
/* Part of the largest term; the sum ends after two successive terms below it. */
static const double NEGLIGIBLE = 1e-17;
static const double ROUNDING = 4e-16; /* of the sum of all sizes: what two sums may differ by */
static const double LOST = 1e-12;     /* of a value to rounding: f is too large along this line */

enum { MOST_STRIDE = 4 };

/* Sums over the points that are multiples of 1, 2, 3 and 4 steps. */
typedef struct {
    double of[MOST_STRIDE + 1];
} strided;

typedef struct {
    double largest, sizes;
    int calls;
} walk;

static void add_point(strided *sum, double value, int k)
{
    for (int m = 1; m <= MOST_STRIDE; m++)
        if (k % m == 0)
            sum->of[m] += value;
}

/* The remainder of each sum beyond f(k step) = value: a geometric series.  Walks by 2 see odd
 * multiples only. */
static void add_rest(const line_integral *line, strided *sum, double value, int k, int every,
                     double step)
{
    for (int m = 1; m <= MOST_STRIDE; m += every) {
        int stride = every * m, past = (k + stride - (every == 2 ? m : 0)) % stride;
        double fall = line->decay * step;
        sum->of[m] += value * exp(-fall * (stride - past)) / -expm1(-fall * stride);
    }
}

/* f at `step` times first, first + every, … until it is negligible, or known from there on. */
static void walk_from(const line_integral *line, walk *w, strided *sum, int first, int every,
                      double step)
{
    for (int k = first, small = 0; w->calls < line->most; k += every) {
        double t = k * step;
        line_value v = line->f(t, line->context);
        w->calls++;
        w->sizes += v.size;
        if (v.size > w->largest)
            w->largest = v.size;
        add_point(sum, v.value, k < 0 ? -k : k);
        if (every > 0 && t > line->plain) {
            add_rest(line, sum, v.value, k, every, step);
            return;
        }
        small = v.size <= NEGLIGIBLE * w->largest ? small + 1 : 0;
        if (small == 2) /* one alone may be a zero of f */
            return;
    }
}

/* Both sides, or one where f is even. */
static void walk_both(const line_integral *line, walk *w, strided *sum, int every, double step,
                      int is_even)
{
    strided right = {{0}};
    walk_from(line, w, &right, 1, every, step);
    for (int m = 1; m <= MOST_STRIDE; m++)
        sum->of[m] += (is_even ? 2 : 1) * right.of[m];
    if (!is_even)
        walk_from(line, w, sum, -1, -every, step);
}

/* Whether the sums over every 2nd, 3rd and 4th point are as near to the sum over all as its error
 * asks for; `left` is what the error may be. */
static int is_close(const line_integral *line, const double *by, double rounding, double *left)
{
    double unit = fmax(fabs(by[1]), line->least), apart[MOST_STRIDE + 1];
    int close = 1;
    for (int m = 2; m <= MOST_STRIDE; m++) {
        apart[m] = 2 * fabs(by[m] - by[1]);
        /* errors are E^(1/step): that of m steps may be the (2/m)th power of that of two */
        if (!(apart[m] <= fmax(unit * pow(line->tolerance, 2.0 / m), m * rounding))) /* nor nan */
            close = 0;
    }
    /* no less is taken off by the last halving of the step than by the one before */
    double before = fmax(apart[3], apart[4]);
    *left = before > apart[2] ? apart[2] * (apart[2] / before) : apart[2];
    return close && *left <= fmax(unit * pow(line->tolerance, 1.5), 2 * rounding);
}

/* Halves the step until the sums are close.  Points that `most` leaves out would be missing from a
 * sum: the last complete one stands. */
static line_sum settle(const line_integral *line, int is_even)
{
    walk w = {0, 0, 0};
    strided sum = {{0}};
    line_sum result = {0, INFINITY, 0, 0};
    double h = line->step / 2, rounding = 0;
    add_point(&sum, line->f(0, line->context).value, 0);
    walk_both(line, &w, &sum, 1, h, is_even);
    for (;; h /= 2) {
        double by[MOST_STRIDE + 1], left;
        int is_first = result.calls == 0, is_complete = w.calls < line->most;
        result.calls = w.calls;
        if (!is_complete && !is_first)
            return result;
        for (int m = 1; m <= MOST_STRIDE; m++)
            by[m] = h * m * sum.of[m] - 1 / expm1(2 * PI * line->pole / (h * m));
        double unit = fmax(fabs(by[1]), line->least);
        rounding = fmax(rounding, ROUNDING * h * w.sizes); /* of all walks, which share sums */
        int close = is_close(line, by, rounding, &left);
        result.has_settled = is_complete && close && rounding <= LOST * unit;
        result.difference = fmax(left, rounding);
        result.value = by[1];
        if (close || !is_complete) /* halving restores no lost digits */
            return result;
        strided middles = {{0}};
        w.sizes = 0;
        walk_both(line, &w, &middles, 2, h / 2, is_even);
        w.sizes *= 2;
        sum = (strided){
            {0, sum.of[1] + middles.of[1], sum.of[1], sum.of[3] + middles.of[3], sum.of[2]}};
    }
}

line_sum integrate_even(const line_integral *line)
{
    return settle(line, 1);
}

line_sum integrate_line(const line_integral *line)
{
    return settle(line, 0);
}
