/* Bounds of average precision over the labels of open documents, all numbers m of relevant ones in
 * one pass.
 *
 * T is the sum over relevant documents of (relevant ones down to it) / place, so AP = T / R.  One
 * more relevant document in a rank changes T by what it changes inside its rank, and adds 1 to the
 * numerator of every relevant document in lower ranks.  Filling from the top, the lower ranks hold
 * judged documents only; filling from the bottom, all their open documents are relevant already.
 * Either way the sums of 1/place below a rank are known when it is filled.
 */
#include <stddef.h>

#include "open_ranks.h"

/* One rank with c relevant documents above it, r in it, and what it adds to T and to the sum of
 * 1/place: `taken` of its places are not beyond the cut-off. */
typedef struct {
    enum unjudged_rule rule;
    int64_t before, size, taken;
    double above, relevant;
    double places;  /* sum of 1/place over the places taken */
    double ordinal; /* sum of (number of the place in the rank, from 0) / place */
    dd weight;      /* sum of 1/place over relevant documents, unless expected */
    dd total;       /* what it adds to T, unless expected */
} filling;

static double weight_of(const filling *f)
{
    return f->rule == UNJUDGED_EXPECTED ? f->relevant / (double)f->size * f->places
                                        : f->weight.hi + f->weight.lo;
}

/* The mean over orders is (r/g) sum_k (c + 1 + k (r-1)/(g-1)) / (t+1+k), k = 0 .. taken - 1. */
static double added_by(const filling *f)
{
    if (f->rule != UNJUDGED_EXPECTED)
        return f->total.hi + f->total.lo;
    double others = f->size > 1 ? (f->relevant - 1) / (double)(f->size - 1) : 0;
    return f->relevant / (double)f->size * ((f->above + 1) * f->places + others * f->ordinal);
}

/* One more relevant document in the rank, first of all (worst order: the others keep their places
 * and have one more above them) or last of all (best order). */
static void add_relevant(filling *f)
{
    if (f->rule == UNJUDGED_BEST && f->relevant < (double)f->taken) {
        double place = (double)f->before + f->relevant + 1;
        add_to(&f->total, (f->above + f->relevant + 1) / place);
        add_to(&f->weight, 1 / place);
    } else if (f->rule == UNJUDGED_WORST) {
        double inside = (double)f->size - f->relevant;
        add_to(&f->total, f->weight.hi + f->weight.lo);
        if (inside <= (double)f->taken) {
            add_to(&f->total, (f->above + 1) / ((double)f->before + inside));
            add_to(&f->weight, 1 / ((double)f->before + inside));
        }
    }
    f->relevant += 1;
}

static filling begin_rank(const open_ranks *ranks, int64_t rank, int64_t above, int64_t limit)
{
    filling f = {.rule = ranks->rule,
                 .before = ranks->before[rank],
                 .size = ranks->size[rank],
                 .above = (double)above};
    f.taken = limit > f.before ? smaller(f.size, limit - f.before) : 0;
    if (f.rule == UNJUDGED_EXPECTED && ranks->relevant[rank] + ranks->open[rank] > 0) {
        dd places = {0, 0}, ordinal = {0, 0};
        for (int64_t k = 0; k < f.taken; k++) {
            add_to(&places, 1 / (double)(f.before + 1 + k));
            add_to(&ordinal, (double)k / (double)(f.before + 1 + k));
        }
        f.places = places.hi + places.lo;
        f.ordinal = ordinal.hi + ordinal.lo;
    }
    for (int64_t i = 0; i < ranks->relevant[rank]; i++)
        add_relevant(&f);
    return f;
}

/* T of the judged documents alone, and the sum of 1/place over them. */
static dd judged_total(const open_ranks *ranks, int64_t limit, dd *weight)
{
    dd total = {0, 0};
    int64_t above = 0;
    for (int64_t rank = 0; rank < ranks->n_ranks; rank++) {
        if (ranks->relevant[rank] == 0)
            continue;
        filling f = begin_rank(ranks, rank, above, limit);
        add_to(&total, added_by(&f));
        add_to(weight, weight_of(&f));
        above += ranks->relevant[rank];
    }
    return total;
}

typedef struct {
    dd total; /* of all ranks but the one being filled */
    double n_relevant;
    double end_total, end_relevant; /* the end so far is their ratio */
    int greatest;
    double *totals; /* where the next one goes, or NULL */
} precision_scan;

static inline void take_total(precision_scan *scan, double total)
{
    if (scan->totals)
        *scan->totals++ = total;
    double here = total * scan->end_relevant, there = scan->end_total * scan->n_relevant;
    if (scan->greatest ? here > there : here < there) {
        scan->end_total = total;
        scan->end_relevant = scan->n_relevant;
    }
}

/* Make the open documents of a rank relevant, one after the other; below: the sum of 1/place over
 * relevant documents of lower ranks.  Returns the rank's own such sum. */
static double fill_rank(precision_scan *scan, filling *f, int64_t n_open, double below)
{
    add_to(&scan->total, -added_by(f));
    for (int64_t i = 1; i <= n_open; i++) {
        add_relevant(f);
        scan->n_relevant += 1;
        dd both = dd_two_sum(scan->total.hi, added_by(f) + (double)i * below);
        take_total(scan, both.hi + (both.lo + scan->total.lo));
    }
    add_to(&scan->total, added_by(f));
    add_to(&scan->total, (double)n_open * below);
    return weight_of(f);
}

/* The same of one document that is open and alone in its rank. */
static inline double fill_alone(precision_scan *scan, int64_t place, double above, double below,
                                int64_t limit)
{
    double weight = place <= limit ? 1 / (double)place : 0;
    add_to(&scan->total, (above + 1) * weight + below);
    scan->n_relevant += 1;
    take_total(scan, scan->total.hi + scan->total.lo);
    return weight;
}

static void fill_from_top(const open_ranks *ranks, int64_t limit, dd below, precision_scan *scan,
                          work_watch *watch)
{
    int64_t above = 0;
    for (int64_t rank = 0; rank < ranks->n_ranks; rank++) {
        int64_t relevant = ranks->relevant[rank], open = ranks->open[rank];
        if (watch_stops(watch, ranks->size[rank]))
            break;
        if (relevant + open == 0)
            continue;
        if (ranks->size[rank] == 1 && open == 1) {
            fill_alone(scan, ranks->before[rank] + 1, (double)above, below.hi + below.lo, limit);
        } else {
            filling f = begin_rank(ranks, rank, above, limit);
            add_to(&below, -weight_of(&f));
            fill_rank(scan, &f, open, below.hi + below.lo);
        }
        above += relevant + open;
    }
}

static void fill_from_bottom(const open_ranks *ranks, int64_t limit, precision_scan *scan,
                             work_watch *watch)
{
    dd below = {0, 0};
    int64_t above = 0;
    for (int64_t rank = 0; rank < ranks->n_ranks; rank++)
        above += ranks->relevant[rank];
    for (int64_t rank = ranks->n_ranks - 1; rank >= 0; rank--) {
        int64_t open = ranks->open[rank];
        if (watch_stops(watch, ranks->size[rank]))
            break;
        if (ranks->relevant[rank] + open == 0)
            continue;
        above -= ranks->relevant[rank];
        if (ranks->size[rank] == 1 && open == 1) {
            add_to(&below, fill_alone(scan, ranks->before[rank] + 1, (double)above,
                                      below.hi + below.lo, limit));
        } else {
            filling f = begin_rank(ranks, rank, above, limit);
            add_to(&below, fill_rank(scan, &f, open, below.hi + below.lo));
        }
    }
}

/* Hidden documents that become relevant only lengthen the denominator. */
double open_precision_totals(const measure *m, const open_ranks *ranks, int greatest,
                             double *totals, work_watch *watch)
{
    int64_t limit = smaller(limit_of(m->cutoff), ranks->n_docs);
    dd below = {0, 0};
    precision_scan scan = {.greatest = greatest, .n_relevant = (double)ranks->n_relevant};
    scan.total = judged_total(ranks, limit, &below);
    scan.end_total = scan.total.hi + scan.total.lo;
    scan.end_relevant = scan.n_relevant > 0 ? scan.n_relevant : 1;
    if (totals)
        *totals++ = scan.end_total;
    if (scan.n_relevant == 0 && !greatest && !totals)
        return 0; /* nothing need be relevant */
    if (!greatest) {
        scan.n_relevant += (double)ranks->hidden;
        if (scan.n_relevant > 0)
            take_total(&scan, scan.end_total);
    }
    scan.totals = totals;
    if (greatest)
        fill_from_top(ranks, limit, below, &scan, watch);
    else
        fill_from_bottom(ranks, limit, &scan, watch);
    return scan.end_total / scan.end_relevant;
}

double open_average_precision(const measure *m, const open_ranks *ranks, int greatest,
                              work_watch *watch)
{
    return open_precision_totals(m, ranks, greatest, NULL, watch);
}
