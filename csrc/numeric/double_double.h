/* Sums and products in twice the precision: a value is hi + lo, |lo| at most half a unit of hi
 * (Dekker 1971, Knuth). Relative error of each operation below 2^-100.  Needs arithmetic without
 * contraction and without excess precision. */
#ifndef IRBOUNDS_DOUBLE_DOUBLE_H
#define IRBOUNDS_DOUBLE_DOUBLE_H

typedef struct {
    double hi, lo;
} dd;

static inline dd dd_two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

static inline dd dd_normal(double hi, double lo) /* |hi| >= |lo| */
{
    double s = hi + lo;
    return (dd){s, lo - (s - hi)};
}

static inline dd dd_two_product(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1 */
    double p = a * b;
    double c = splitter * a, a1 = c - (c - a), a2 = a - a1;
    double d = splitter * b, b1 = d - (d - b), b2 = b - b1;
    return (dd){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline dd dd_add(dd a, dd b)
{
    dd s = dd_two_sum(a.hi, b.hi), t = dd_two_sum(a.lo, b.lo);
    s = dd_normal(s.hi, s.lo + t.hi);
    return dd_normal(s.hi, s.lo + t.lo);
}

static inline dd dd_negative(dd a)
{
    return (dd){-a.hi, -a.lo};
}

static inline dd dd_subtract(dd a, dd b)
{
    return dd_add(a, dd_negative(b));
}

static inline dd dd_multiply(dd a, dd b)
{
    dd p = dd_two_product(a.hi, b.hi);
    return dd_normal(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline dd dd_scale(dd a, double b)
{
    dd p = dd_two_product(a.hi, b);
    return dd_normal(p.hi, p.lo + a.lo * b);
}

#endif
