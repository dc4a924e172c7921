/* Bounds of average precision over the labels of open documents, all numbers m of relevant ones.
 *
 * T is the sum over relevant documents of (relevant ones down to it) / place, so AP = T / R.  Open
 * documents become relevant from the top (greatest) or from the bottom (least).  Those of a rank,
 * or of a stretch of ranks of one document, add a sum that harmonic numbers give at once:
 *
 *   downwards, below p documents, c of them relevant:  sum_j (c + j)/(p + j), j = 1 .. i
 *       = i - (p - c) (H(p + i) - H(p));
 *   upwards, the lowest at place e, c relevant above:  sum_j (c + 1)/(e - j + 1) + (H(e) - H(e - j +
 *       1)) = i - (e - i - c) (H(e) - H(e - i));
 *   in a rank, expected:  r/g ((a + 1) P + (r - 1)/(g - 1) Q),  P = sum_k 1/(t + 1 + k),
 *       Q = sum_k k/(t + 1 + k), k = 0 .. taken - 1
 *
 * and i times the sum of 1/place over the relevant documents below, each of which has i more above
 * it.  All three are convex in i, as each document adds more than the one before it.  So T / (R + i)
 * is greatest at an end of the stretch, and least at an end or where a document begins to add more
 * than the ratio: a binary search.  Differences of harmonic numbers are of nearly equal ones, hence
 * double-double.
 */
#include <stddef.h>

#include "open_ranks.h"

/* Open documents that become relevant one after the other, by the formulas above. */
typedef struct {
    enum { ADDS_NOTHING, ADDS_DOWNWARDS, ADDS_UPWARDS, ADDS_INSIDE } kind;
    int64_t n;          /* open documents */
    int64_t place;      /* p, or e */
    double above;       /* c; of ADDS_INSIDE those above the rank */
    double size;        /* ADDS_INSIDE: documents and relevant ones of the rank, P and Q */
    double relevant;
    dd places, ordinal;
    dd below;           /* the sum of 1/place over the relevant documents below */
} stretch;

typedef struct {
    const open_counts *counts;
    const dd *harmonic;
    int64_t limit;     /* places that count */
    dd total, below;   /* T, and the sum of 1/place over the relevant documents below */
    double n_relevant; /* R */
    double end_total, end_relevant; /* the end so far is their ratio */
    int greatest;
    double *totals; /* where the next one goes, or NULL */
} precision_scan;

static inline dd whole(double x)
{
    return (dd){x, 0};
}

/* The sum of 1/i for i = first + 1 .. last. */
static inline dd between(const precision_scan *scan, int64_t first, int64_t last)
{
    return last > first ? dd_subtract(scan->harmonic[last], scan->harmonic[first]) : whole(0);
}

/* sum_j (c + j)/(p + j), j = 1 .. n, as far as places count. */
static dd sum_downwards(const precision_scan *scan, int64_t p, double c, int64_t n)
{
    n = smaller(n, scan->limit - p);
    if (n <= 0)
        return whole(0);
    dd inverse = between(scan, p, p + n);
    return dd_subtract(whole((double)n), dd_scale(inverse, (double)p - c));
}

static dd inside_rank(const stretch *s, double relevant)
{
    double others = relevant - 1;
    dd sum = dd_scale(s->places, s->above + 1);
    if (s->size > 1)
        sum = dd_add(sum, dd_scale(s->ordinal, others / (s->size - 1)));
    return dd_scale(sum, relevant / s->size);
}

/* What the first i of them add to T, and their sum of 1/place. */
typedef struct {
    dd total, weight;
} filling;

static filling fill_first(const precision_scan *scan, const stretch *s, int64_t i)
{
    filling f = {{0, 0}, {0, 0}};
    if (s->kind == ADDS_NOTHING || i == 0)
        return f;
    if (i == 1 && s->kind != ADDS_INSIDE) {
        double place = (double)(s->place + (s->kind == ADDS_DOWNWARDS));
        f.weight.hi = 1 / place;
        f.total.hi = (s->above + 1) / place;
        f.total = dd_add(f.total, s->below);
        return f;
    }
    if (s->kind == ADDS_INSIDE) {
        f.total = dd_subtract(inside_rank(s, s->relevant + (double)i), inside_rank(s, s->relevant));
        f.weight = dd_scale(s->places, (double)i / s->size);
    } else {
        int64_t first = s->kind == ADDS_DOWNWARDS ? s->place : s->place - i;
        f.weight = dd_subtract(scan->harmonic[first + i], scan->harmonic[first]);
        f.total = dd_scale(f.weight, s->above - (double)first);
        f.total = dd_add(whole((double)i), f.total);
    }
    f.total = dd_add(f.total, dd_scale(s->below, (double)i));
    return f;
}

/* What number i adds, but for rounding. */
static double added_by(const precision_scan *scan, const stretch *s, int64_t i)
{
    double relevant = s->above + (double)i, others = s->relevant + (double)(i - 1);
    switch (s->kind) {
    case ADDS_DOWNWARDS:
        return relevant / (double)(s->place + i) + s->below.hi;
    case ADDS_UPWARDS:
        return (s->above + 1) / (double)(s->place - i + 1) + s->below.hi
               + (scan->harmonic[s->place].hi - scan->harmonic[s->place - i + 1].hi);
    case ADDS_INSIDE:
        return ((s->above + 1) * s->places.hi + 2 * others / (s->size - 1) * s->ordinal.hi)
                   / s->size
               + s->below.hi;
    default:
        return 0;
    }
}

static void take_total(precision_scan *scan, dd added, double n)
{
    double total = scan->total.hi + (added.hi + (scan->total.lo + added.lo));
    double here = total * scan->end_relevant, there = scan->end_total * (scan->n_relevant + n);
    if (scan->greatest ? here > there : here < there) {
        scan->end_total = total;
        scan->end_relevant = scan->n_relevant + n;
    }
}

/* The ratio falls as long as documents add less than it is.  The one that no longer does, by
 * halving; its neighbours are tried too, as rounding may mistake them for it. */
static void take_least(precision_scan *scan, const stretch *s, dd all)
{
    double total = scan->total.hi + all.hi, n = (double)s->n;
    if (added_by(scan, s, s->n) * (scan->n_relevant + n) < total) {
        take_total(scan, all, n);
        return;
    }
    if (added_by(scan, s, 1) * scan->n_relevant > scan->total.hi)
        return;
    int64_t little = 0, much = s->n;
    while (much - little > 1) {
        int64_t middle = little + (much - little) / 2;
        total = scan->total.hi + fill_first(scan, s, middle).total.hi;
        if (added_by(scan, s, middle) * (scan->n_relevant + (double)middle) < total)
            little = middle;
        else
            much = middle;
    }
    for (int64_t i = little > 0 ? little - 1 : 0; i <= much; i++)
        take_total(scan, fill_first(scan, s, i).total, (double)i);
}

/* Make all of them relevant; returns their sum of 1/place. */
static dd fill(precision_scan *scan, const stretch *s)
{
    if (s->n <= 0)
        return whole(0);
    for (int64_t i = 1; scan->totals && i <= s->n; i++)
        *scan->totals++ = dd_add(scan->total, fill_first(scan, s, i).total).hi;
    filling all = fill_first(scan, s, s->n);
    if (scan->greatest)
        take_total(scan, all.total, (double)s->n);
    else
        take_least(scan, s, all.total);
    scan->total = dd_add(scan->total, all.total);
    scan->n_relevant += (double)s->n;
    return all.weight;
}

/* A judged document alone in its rank. */
static inline double inverse_place(const precision_scan *scan, int64_t before)
{
    return before < scan->limit ? 1 / (double)(before + 1) : 0;
}

/* What the judged documents of a tie add to T, and their sum of 1/place; expected: P and Q. */
typedef struct {
    dd total, weight, places, ordinal;
} tie_sums;

static tie_sums sums_of(const precision_scan *scan, const open_block *block, double above)
{
    tie_sums sums = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    int64_t t = block->before, g = block->size, r = block->relevant;
    if (scan->counts->rule == UNJUDGED_EXPECTED) {
        int64_t taken = scan->limit > t ? smaller(g, scan->limit - t) : 0;
        sums.places = between(scan, t, t + taken);
        sums.ordinal = dd_subtract(whole((double)taken), dd_scale(sums.places, (double)(t + 1)));
        stretch rank = {.above = above, .size = (double)g};
        rank.places = sums.places;
        rank.ordinal = sums.ordinal;
        sums.total = inside_rank(&rank, (double)r);
        sums.weight = dd_scale(sums.places, (double)r / (double)g);
    } else if (r > 0) {
        int64_t first = scan->counts->rule == UNJUDGED_WORST ? t + g - r : t;
        sums.total = sum_downwards(scan, first, above, r);
        sums.weight = between(scan, first, smaller(first + r, scan->limit));
    }
    return sums;
}

/* The open documents of a tie with so many relevant ones above it; returns their sum of 1/place. */
static dd fill_tie(precision_scan *scan, const open_block *block, const tie_sums *sums,
                   double above)
{
    int64_t t = block->before, g = block->size, r = block->relevant, open = block->open;
    stretch s = {.n = open, .above = above, .below = scan->below};
    stretch beyond = {.kind = ADDS_NOTHING};
    if (scan->counts->rule == UNJUDGED_EXPECTED) {
        s.kind = ADDS_INSIDE;
        s.size = (double)g;
        s.relevant = (double)r;
        s.places = sums->places;
        s.ordinal = sums->ordinal;
        return fill(scan, &s);
    }
    if (scan->counts->rule == UNJUDGED_BEST) {
        s.kind = ADDS_DOWNWARDS;
        s.place = t + r;
        s.above += (double)r;
        s.n = scan->limit > s.place ? smaller(open, scan->limit - s.place) : 0;
        beyond.n = open - s.n;
        dd weight = fill(scan, &s);
        fill(scan, &beyond);
        return weight;
    }
    s.kind = ADDS_UPWARDS;
    s.place = t + g - r;
    s.below = dd_add(s.below, sums->weight);
    beyond.n = smaller(open, s.place > scan->limit ? s.place - scan->limit : 0);
    s.n -= beyond.n;
    s.place -= beyond.n;
    fill(scan, &beyond);
    return fill(scan, &s);
}

/* Open documents that are ranks of their own; returns their sum of 1/place. */
static dd fill_apart(precision_scan *scan, int64_t before, int64_t n, double above)
{
    stretch s = {.above = above, .below = scan->below, .relevant = 0};
    stretch beyond = {.kind = ADDS_NOTHING};
    s.n = scan->limit > before ? smaller(n, scan->limit - before) : 0;
    beyond.n = n - s.n;
    if (scan->greatest) {
        s.kind = ADDS_DOWNWARDS;
        s.place = before;
        dd weight = fill(scan, &s);
        fill(scan, &beyond);
        return weight;
    }
    s.kind = ADDS_UPWARDS;
    s.place = before + s.n;
    fill(scan, &beyond);
    return fill(scan, &s);
}

/* T of the judged documents alone, and the sum of 1/place over them; returns how many they are. */
static double add_judged(precision_scan *scan, work_watch *watch)
{
    const open_order *order = scan->counts->order;
    double above = 0;
    for (int64_t i = 0; i < order->n_blocks && !watch_stops(watch, 8); i++) {
        if (order->apart[i])
            continue;
        if (order->size[i] == 1) {
            if (order->grade[order->end[i] - 1] >= scan->counts->from) {
                double inverse = inverse_place(scan, order->before[i]);
                above += 1;
                add_to(&scan->total, order->before[i] < scan->limit
                                         ? above / (double)(order->before[i] + 1)
                                         : 0);
                add_to(&scan->below, inverse);
            }
            continue;
        }
        open_block block = open_block_at(scan->counts, i);
        if (block.relevant == 0)
            continue;
        tie_sums sums = sums_of(scan, &block, above);
        scan->total = dd_add(scan->total, sums.total);
        scan->below = dd_add(scan->below, sums.weight);
        above += (double)block.relevant;
    }
    return above;
}

static void fill_from_top(precision_scan *scan, work_watch *watch)
{
    const open_order *order = scan->counts->order;
    double above = 0;
    for (int64_t i = 0; i < order->n_blocks && !watch_stops(watch, 32); i++) {
        if (order->apart[i]) {
            if (scan->counts->can_be_relevant) {
                fill_apart(scan, order->before[i], order->size[i], above);
                above += (double)order->size[i];
            }
        } else if (order->size[i] == 1) {
            if (order->grade[order->end[i] - 1] >= scan->counts->from) {
                add_to(&scan->below, -inverse_place(scan, order->before[i]));
                above += 1;
            }
        } else {
            open_block block = open_block_at(scan->counts, i);
            tie_sums sums = sums_of(scan, &block, above);
            scan->below = dd_subtract(scan->below, sums.weight);
            fill_tie(scan, &block, &sums, above);
            above += (double)(block.relevant + block.open);
        }
    }
}

static void fill_from_bottom(precision_scan *scan, double above, work_watch *watch)
{
    const open_order *order = scan->counts->order;
    for (int64_t i = order->n_blocks - 1; i >= 0 && !watch_stops(watch, 32); i--) {
        if (order->apart[i]) {
            if (scan->counts->can_be_relevant)
                scan->below = dd_add(scan->below, fill_apart(scan, order->before[i],
                                                             order->size[i], above));
        } else if (order->size[i] == 1) {
            if (order->grade[order->end[i] - 1] >= scan->counts->from) {
                add_to(&scan->below, inverse_place(scan, order->before[i]));
                above -= 1;
            }
        } else {
            open_block block = open_block_at(scan->counts, i);
            tie_sums sums = sums_of(scan, &block, 0);
            above -= (double)block.relevant;
            dd weight = fill_tie(scan, &block, &sums, above);
            scan->below = dd_add(scan->below, dd_add(sums.weight, weight));
        }
    }
}

/* Hidden documents that become relevant only lengthen the denominator. */
double open_average_precision(const measure *m, const open_counts *counts, int greatest,
                              double *totals, const dd *harmonic, work_watch *watch)
{
    precision_scan scan = {.counts = counts, .harmonic = harmonic, .greatest = greatest};
    scan.limit = smaller(limit_of(m->cutoff), counts->order->n_docs);
    scan.n_relevant = (double)counts->n_relevant;
    double above = add_judged(&scan, watch);
    scan.end_total = scan.total.hi + scan.total.lo;
    scan.end_relevant = scan.n_relevant > 0 ? scan.n_relevant : 1;
    if (totals)
        *totals++ = scan.end_total;
    if (scan.n_relevant == 0 && !greatest && !totals)
        return 0; /* nothing need be relevant */
    if (!greatest) {
        scan.n_relevant += (double)counts->hidden;
        if (scan.n_relevant > 0)
            take_total(&scan, whole(0), 0);
    }
    scan.totals = totals;
    if (greatest) {
        fill_from_top(&scan, watch);
    } else {
        scan.below = whole(0);
        fill_from_bottom(&scan, above, watch);
    }
    return scan.end_total / scan.end_relevant;
}
