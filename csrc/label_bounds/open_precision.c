/* Bounds of average precision over the labels of open documents, all numbers m of relevant ones.
 *
 * T is the sum over relevant documents of (relevant ones down to it) / place, so AP = T / R.  Open
 * documents become relevant from the top (greatest) or from the bottom (least).  Those of a rank,
 * or of a stretch of ranks of one document, add a sum that harmonic numbers give at once:
 *
 *   downwards, below p documents, c of them relevant:  sum_j (c + j)/(p + j), j = 1 .. i
 *       = i - (p - c) (H(p + i) - H(p));
 *   upwards, the lowest at place e, c relevant above:  sum_j (c + 1)/(e - j + 1) + (H(e) - H(e - j
 * + 1)) = i - (e - i - c) (H(e) - H(e - i)); in a rank, expected:  r/g ((a + 1) P + (r - 1)/(g - 1)
 * Q),  P = sum_k 1/(t + 1 + k), Q = sum_k k/(t + 1 + k), k = 0 .. taken - 1
 *
 * and i times the sum of 1/place over the relevant documents below, each of which has i more above
 * it.  All three are convex in i, as each document adds more than the one before it.  So T / (R +
 * i) is greatest at an end of the stretch, and least at an end or where a document begins to add
 * more than the ratio: a binary search.  The first two sums are small differences of large numbers:
 * of a harmonic number the part that is a multiple of 2^-32 and the rest stand apart, so that
 * products of the first and a whole number are exact while i is below 2^21, and nearly so above.
 *
 * The file is longer than 400 lines because both ends share the formulas of a stretch.
 */
#include <stddef.h>

#include "label_bounds/open_ranks.h"

/* Open documents that become relevant one after the other, by the formulas above. */
typedef struct {
    enum { ADDS_NOTHING, ADDS_DOWNWARDS, ADDS_UPWARDS, ADDS_INSIDE } kind;
    int64_t n;     /* open documents */
    int64_t place; /* p, or e */
    double above;  /* c; of ADDS_INSIDE those above the rank */
    double size;   /* ADDS_INSIDE: documents and relevant ones of the rank, P and Q */
    double relevant, places, ordinal;
    double below; /* the sum of 1/place over the relevant documents below */
    int is_tied;  /* of ADDS_UPWARDS: whether some may be tied, and the order in a tie matters */
} stretch;

typedef struct {
    const open_counts *counts;
    const dd *harmonic;
    int64_t limit;                  /* places that count */
    dd total;                       /* T */
    double n_relevant;              /* R */
    double end_total, end_relevant; /* the end so far is their ratio */
    int greatest;
    int rises;      /* and goes on to: the end is found */
    double *totals; /* where the next one goes, or NULL */
} precision_scan;

/* The sum of 1/i for i = first + 1 .. last, in two parts. */
static inline dd between(const precision_scan *scan, int64_t first, int64_t last)
{
    if (last <= first)
        return (dd){0, 0};
    dd low = scan->harmonic[first], high = scan->harmonic[last];
    return (dd){high.hi - low.hi, high.lo - low.lo};
}

static inline void add_parts(dd *sum, dd parts)
{
    add_to(sum, parts.hi);
    sum->lo += parts.lo;
}

/* n - factor times a sum of 1/i. */
static inline double whole_less(double n, double factor, dd sum)
{
    return (n - factor * sum.hi) - factor * sum.lo;
}

/* sum_j (c + j)/(p + j), j = 1 .. n, as far as places count. */
static double sum_downwards(const precision_scan *scan, int64_t p, double c, int64_t n)
{
    n = smaller(n, scan->limit - p);
    if (n <= 0)
        return 0;
    return whole_less((double)n, (double)p - c, between(scan, p, p + n));
}

/* The share of the first i of them in T, and their sum of 1/place. */
typedef struct {
    double total;
    dd weight;
} filling;

static inline filling fill_first(const precision_scan *scan, const stretch *s, int64_t i)
{
    filling f = {0, {0, 0}};
    double n = (double)i;
    if (s->kind == ADDS_NOTHING || i == 0)
        return f;
    if (s->kind == ADDS_INSIDE) {
        double pairs = n * (2 * s->relevant + n - 1), share = n / s->size;
        f.total = share * (s->above + 1) * s->places;
        if (s->size > 1)
            f.total += pairs / (s->size * (s->size - 1)) * s->ordinal;
        f.weight.hi = share * s->places;
    } else {
        int64_t first = s->kind == ADDS_DOWNWARDS ? s->place : s->place - i;
        f.weight = between(scan, first, first + i);
        f.total = whole_less(n, (double)first - s->above, f.weight);
    }
    f.total += n * s->below;
    return f;
}

/* The share of number i, but for rounding. */
static double added_by(const precision_scan *scan, const stretch *s, int64_t i)
{
    double relevant = s->above + (double)i, others = s->relevant + (double)(i - 1);
    switch (s->kind) {
    case ADDS_DOWNWARDS:
        return relevant / (double)(s->place + i) + s->below;
    case ADDS_UPWARDS:
        return (s->above + 1) / (double)(s->place - i + 1) + s->below
               + (scan->harmonic[s->place].hi - scan->harmonic[s->place - i + 1].hi);
    case ADDS_INSIDE:
        return ((s->above + 1) * s->places + 2 * others / (s->size - 1) * s->ordinal) / s->size
               + s->below;
    default:
        return 0;
    }
}

static inline void take_total(precision_scan *scan, double added, double n)
{
    double total = scan->total.hi + (added + scan->total.lo);
    double here = total * scan->end_relevant, there = scan->end_total * (scan->n_relevant + n);
    if (scan->greatest ? here > there : here < there) {
        scan->end_total = total;
        scan->end_relevant = scan->n_relevant + n;
    }
}

static void take_tie_of(precision_scan *scan, const stretch *s, int64_t i);

/* The ratio falls as long as documents add less than it is.  The one that no longer does, by
 * halving; its neighbours are tried too, as rounding may mistake them for it. */
static void take_least(precision_scan *scan, const stretch *s, double all)
{
    double total = scan->total.hi + all, n = (double)s->n;
    if (added_by(scan, s, s->n) * (scan->n_relevant + n) < total) {
        take_total(scan, all, n);
        return;
    }
    scan->rises = 1;
    if (added_by(scan, s, 1) * scan->n_relevant > scan->total.hi)
        return;
    int64_t little = 0, much = s->n;
    while (much - little > 1) {
        int64_t middle = little + (much - little) / 2;
        total = scan->total.hi + fill_first(scan, s, middle).total;
        if (added_by(scan, s, middle) * (scan->n_relevant + (double)middle) < total)
            little = middle;
        else
            much = middle;
    }
    for (int64_t i = little > 0 ? little - 1 : 0; i <= much; i++)
        if (!s->is_tied)
            take_total(scan, fill_first(scan, s, i).total, (double)i);
        else if (i > 0)
            take_tie_of(scan, s, i);
}

/* Make all of them relevant; returns their sum of 1/place. */
static inline dd fill(precision_scan *scan, const stretch *s)
{
    if (s->n <= 0)
        return (dd){0, 0};
    for (int64_t i = 1; scan->totals && i <= s->n; i++)
        *scan->totals++ = scan->total.hi + (fill_first(scan, s, i).total + scan->total.lo);
    filling all = fill_first(scan, s, s->n);
    if (scan->greatest)
        take_total(scan, all.total, (double)s->n);
    else
        take_least(scan, s, all.total);
    add_to(&scan->total, all.total);
    scan->n_relevant += (double)s->n;
    return all.weight;
}

/* A judged document alone in its rank. */
static inline double inverse_place(const precision_scan *scan, int64_t before)
{
    return before < scan->limit ? 1 / (double)(before + 1) : 0;
}

/* The share of the judged documents of a tie in T, and their sum of 1/place; expected: P and Q. */
typedef struct {
    double total, places, ordinal;
    dd weight;
} tie_sums;

static tie_sums sums_of(const precision_scan *scan, const open_block *block, double above)
{
    tie_sums sums = {0, 0, 0, {0, 0}};
    int64_t t = block->before, g = block->size, r = block->relevant;
    if (scan->counts->rule == UNJUDGED_EXPECTED) {
        int64_t taken = scan->limit > t ? smaller(g, scan->limit - t) : 0;
        dd places = between(scan, t, t + taken);
        sums.places = places.hi + places.lo;
        sums.ordinal = whole_less((double)taken, (double)(t + 1), places);
        stretch judged = {.kind = ADDS_INSIDE, .above = above, .size = (double)g};
        judged.places = sums.places;
        judged.ordinal = sums.ordinal;
        filling f = fill_first(scan, &judged, r);
        sums.total = f.total;
        sums.weight = f.weight;
    } else if (r > 0) {
        int64_t first = scan->counts->rule == UNJUDGED_WORST ? t + g - r : t;
        sums.total = sum_downwards(scan, first, above, r);
        sums.weight = between(scan, first, smaller(first + r, scan->limit));
    }
    return sums;
}

/* The open documents of a tie with so many relevant ones above it; returns their sum of 1/place. */
static dd fill_tie(precision_scan *scan, const open_block *block, const tie_sums *sums,
                   double above, double below)
{
    int64_t t = block->before, g = block->size, r = block->relevant, open = block->open;
    stretch s = {.n = open, .above = above, .below = below};
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
    s.below += total_of(sums->weight);
    beyond.n = smaller(open, s.place > scan->limit ? s.place - scan->limit : 0);
    s.n -= beyond.n;
    s.place -= beyond.n;
    fill(scan, &beyond);
    return fill(scan, &s);
}

/* The tie that holds number i of a stretch that is filled upwards.  Where the documents below it
 * and all or none of its own are relevant, T is what it would be without ties. */
static void take_tie_of(precision_scan *scan, const stretch *s, int64_t i)
{
    open_tie tie = open_tie_at(scan->counts->order, s->place - i);
    open_block block = {tie.before, tie.size, 0, tie.size, OPEN_RANK};
    filling lower = fill_first(scan, s, s->place - tie.before - tie.size);
    precision_scan inside = *scan;
    add_to(&inside.total, lower.total);
    inside.n_relevant += (double)(s->place - tie.before - tie.size);
    take_total(&inside, 0, 0);
    tie_sums sums = sums_of(&inside, &block, 0);
    fill_tie(&inside, &block, &sums, s->above, s->below + total_of(lower.weight));
    scan->end_total = inside.end_total;
    scan->end_relevant = inside.end_relevant;
}

/* A stretch of open documents rank by rank. */
static dd fill_ranks(precision_scan *scan, int64_t before, int64_t n, double above, double below)
{
    dd weight = {0, 0};
    for (int64_t done = 0; done < n;) {
        int64_t place = scan->greatest ? before + done : before + n - done - 1;
        open_tie tie = open_tie_at(scan->counts->order, place);
        open_block block = {tie.before, tie.size, 0, tie.size, OPEN_RANK};
        tie_sums sums = sums_of(scan, &block, 0);
        double filled = scan->greatest ? (double)done : 0;
        add_parts(&weight, fill_tie(scan, &block, &sums, above + filled,
                                    below + (scan->greatest ? 0 : total_of(weight))));
        done += tie.size;
    }
    return weight;
}

/* A stretch of open documents; returns their sum of 1/place.
 *
 * Where ties count, T is the same at the end of each tie as without any.  From the top it is no
 * greater elsewhere, so that the ends of the stretch will do; from the bottom it is no less, so
 * that the least ratio is in the tie where it would be without any, as the ratio falls up to there
 * and rises behind it.  That fails in a tie that the cut-off divides. */
static dd fill_apart(precision_scan *scan, int64_t block, double above, double below)
{
    const open_order *order = scan->counts->order;
    int64_t before = order->before[block], n = order->size[block];
    int is_tied = order->apart[block] == OPEN_TIED;
    if (is_tied && (scan->totals || (before < scan->limit && scan->limit < before + n)))
        return fill_ranks(scan, before, n, above, below);
    stretch s = {.above = above, .below = below};
    stretch beyond = {.kind = ADDS_NOTHING};
    s.is_tied = is_tied && scan->counts->rule != UNJUDGED_WORST;
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

/* T of the judged documents alone, and the sum of 1/place over them, and how many they are. */
static void add_judged(precision_scan *scan, work_watch *watch)
{
    const open_order *order = scan->counts->order;
    open_judged_sums *known = scan->counts->judged;
    if (known->is_set && known->rule == scan->counts->rule && known->from == scan->counts->from
        && known->limit == scan->limit)
        return;
    dd total = {0, 0}, below = {0, 0}; /* not in memory, where each sum would wait for the last */
    double above = 0;
    for (int64_t i = 0; i < order->n_blocks && !watch_stops(watch, 8); i++) {
        if (order->apart[i])
            continue;
        if (order->size[i] == 1) {
            if (order->grade[order->end[i] - 1] >= scan->counts->from) {
                double inverse = inverse_place(scan, order->before[i]);
                above += 1;
                add_to(&total,
                       order->before[i] < scan->limit ? above / (double)(order->before[i] + 1) : 0);
                add_to(&below, inverse);
            }
            continue;
        }
        open_block block = open_block_at(scan->counts, i);
        if (block.relevant == 0)
            continue;
        tie_sums sums = sums_of(scan, &block, above);
        add_to(&total, sums.total);
        add_parts(&below, sums.weight);
        above += (double)block.relevant;
    }
    *known = (open_judged_sums){
        1, scan->counts->rule, scan->counts->from, scan->limit, total, below, above};
}

static void fill_from_top(precision_scan *scan, work_watch *watch)
{
    const open_order *order = scan->counts->order;
    dd below = scan->counts->judged->below; /* not in memory, as above */
    double above = 0;
    for (int64_t i = 0; i < order->n_blocks && !watch_stops(watch, 32); i++) {
        if (order->apart[i]) {
            if (scan->counts->can_be_relevant) {
                fill_apart(scan, i, above, total_of(below));
                above += (double)order->size[i];
            }
        } else if (order->size[i] == 1) {
            if (order->grade[order->end[i] - 1] >= scan->counts->from) {
                add_to(&below, -inverse_place(scan, order->before[i]));
                above += 1;
            }
        } else {
            open_block block = open_block_at(scan->counts, i);
            tie_sums sums = sums_of(scan, &block, above);
            add_parts(&below, dd_negative(sums.weight));
            fill_tie(scan, &block, &sums, above, total_of(below));
            above += (double)(block.relevant + block.open);
        }
    }
}

/* Each document adds no less than the one filled before it, whatever is judged between them: in
 * any order of ties, (c + 1) (1/p' - 1/p) + sum over the relevant ones between of (1/i - 1/p) + 1/p
 * more, where it moves up from place p to p' and the earlier one is at p.  So where the ratio rises
 * it goes on to rise. */
static void fill_from_bottom(precision_scan *scan, work_watch *watch)
{
    const open_order *order = scan->counts->order;
    dd below = {0, 0};
    double above = scan->counts->judged->above;
    for (int64_t i = order->n_blocks - 1; i >= 0 && !watch_stops(watch, 32); i--) {
        if (scan->rises && !scan->totals)
            return;
        if (order->apart[i]) {
            if (scan->counts->can_be_relevant)
                add_parts(&below, fill_apart(scan, i, above, total_of(below)));
        } else if (order->size[i] == 1) {
            if (order->grade[order->end[i] - 1] >= scan->counts->from) {
                add_to(&below, inverse_place(scan, order->before[i]));
                above -= 1;
            }
        } else {
            open_block block = open_block_at(scan->counts, i);
            tie_sums sums = sums_of(scan, &block, 0);
            above -= (double)block.relevant;
            dd weight = fill_tie(scan, &block, &sums, above, total_of(below));
            add_parts(&below, sums.weight);
            add_parts(&below, weight);
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
    add_judged(&scan, watch);
    scan.total = counts->judged->total;
    scan.end_total = scan.total.hi + scan.total.lo;
    scan.end_relevant = scan.n_relevant > 0 ? scan.n_relevant : 1;
    if (totals)
        *totals++ = scan.end_total;
    if (scan.n_relevant == 0 && !greatest && !totals)
        return 0; /* nothing need be relevant */
    if (!greatest) {
        scan.n_relevant += (double)counts->hidden;
        if (scan.n_relevant > 0)
            take_total(&scan, 0, 0);
    }
    scan.totals = totals;
    if (greatest)
        fill_from_top(&scan, watch);
    else
        fill_from_bottom(&scan, watch);
    return scan.end_total / scan.end_relevant;
}
