/* Bounds of binary preference over the labels of open documents, by the number m of relevant ones,
 * in a few steps for each part of a ranking.
 *
 * With m relevant open documents, R = J + m documents are relevant and N = all - R are not.  The
 * value is (F - lost/min(R, N))/R: F the relevant documents retrieved, `lost` the sum over them of
 * min(those above that are not relevant, R).  Filled from the top (then the hidden ones), or the
 * hidden ones first and then from the bottom, as m grows
 *
 *   the documents above a part that are not relevant become fewer, by one or none a step, while R
 *   grows: a part whose documents have more than R above them (it is capped) has fewer from some m
 *   on, and parts higher up sooner;
 *   a part is filled during one stretch of m.
 *
 * Between such events `lost` is a polynomial a + b R + c R^2 and F = f or f + R.  The value is then
 *
 *   R <= N:  F' - c + (f - b)/R - a/R^2, a parabola of 1/R, which turns at R = 2a/(f - b);
 *   N < R:   F' + c + (f - p)/R - q/N, p = a/all, q = b + c all + p, R + N = all, which turns where
 *            (N/R)^2 = q/(p - f).
 *
 * So the ends of the stretches between events, and the numbers beside those turns, hold the ends of
 * the value.  All sums are whole numbers or halves; beyond 2^53 they are rounded as doubles are.
 *
 * Where a tie counts by its mean, its relevant documents have each number from `above` to `above +
 * inside` of others above them equally often.  While R is between the two they lose R - below
 * (below + 1)/(2 (inside + 1)) each, below = R - above: one tie at a time, as their ranges do not
 * overlap.  If that tie is being filled meanwhile, each m is tried.
 *
 * With few numbers m between two events the stretches are shorter than their turns take to find:
 * each m is then tried (open_preference_all.c).
 */
#include <stddef.h>

#include "label_bounds/open_preference.h"

static inline polynomial relevant_of(const preference_scan *scan, const open_part *part,
                                     enum stage stage)
{
    double judged = (double)part->relevant;
    if (stage == FILLING)
        return (polynomial){judged - (double)filled_from(scan, part) - scan->judged, 1, 0};
    return (polynomial){judged + (stage == FILLED ? (double)part->open : 0), 0, 0};
}

/* Documents that are not relevant above those of a part. */
static inline polynomial above_of(const preference_scan *scan, const open_part *part, int last,
                                  enum stage stage)
{
    others_above others = others_of(part, last);
    double judged = (double)others.judged;
    if (scan->from_top) {
        if (last ? stage != FILLED : stage == NOT_FILLED)
            return (polynomial){judged + (double)others.open + scan->judged, -1, 0};
        return (polynomial){judged, 0, 0};
    }
    if (last ? stage != NOT_FILLED : stage == FILLED)
        return (polynomial){judged + (double)scan->total + scan->judged, -1, 0};
    return (polynomial){judged + (double)others.open, 0, 0};
}

static inline void add_product(polynomial *sum, polynomial p, polynomial q, double times)
{
    sum->constant += times * (p.constant * q.constant);
    sum->linear += times * (p.constant * q.linear + p.linear * q.constant);
    sum->square += times * (p.linear * q.linear);
}

/* Add what the relevant documents of a part lose, `times` over; its stage is given, as it changes.
 */
static inline void add_part(preference_scan *scan, int64_t i, enum stage stage, double times)
{
    const open_part *part = &scan->part[i];
    if (i == scan->divided || (stage == NOT_FILLED && part->relevant == 0))
        return;
    polynomial relevant = relevant_of(scan, part, stage);
    if (i >= scan->capped) {
        const polynomial n_relevant = {0, 1, 0};
        add_product(&scan->lost, relevant, n_relevant, times);
        return;
    }
    int fewest = stands_last(scan, part, 0), most = stands_last(scan, part, 1);
    polynomial above = above_of(scan, part, fewest, stage);
    if (fewest != most) {
        polynomial last = above_of(scan, part, most, stage);
        above.constant = (above.constant + last.constant) / 2;
        above.linear = (above.linear + last.linear) / 2;
    }
    add_product(&scan->lost, relevant, above, times);
}

/* The loss of the relevant documents of the divided tie. */
static double lost_divided(const preference_scan *scan, double n_relevant)
{
    const open_part *part = &scan->part[scan->divided];
    enum stage stage = stage_of(scan, scan->divided);
    polynomial relevant = relevant_of(scan, part, stage);
    polynomial above = above_of(scan, part, 0, stage);
    double r = relevant.constant + n_relevant * relevant.linear, inside = (double)part->size - r;
    double below = n_relevant - (above.constant + n_relevant * above.linear);
    return r * (n_relevant - below * (below + 1) / 2 / (inside + 1));
}

/* Compare by whole numbers, and divide once. */
static inline void take(preference_scan *scan, int64_t m)
{
    double found = (double)(scan->n_judged + filled_at(scan, m));
    double n_relevant = scan->judged + (double)m, others = scan->all - n_relevant;
    double least = n_relevant < others ? n_relevant : others;
    double lost =
        scan->lost.constant + n_relevant * (scan->lost.linear + n_relevant * scan->lost.square);
    if (scan->divided >= 0)
        lost += lost_divided(scan, n_relevant);
    double top = found, bottom = n_relevant;
    if (least > 0) {
        top = found * least - lost;
        bottom = n_relevant * least;
    }
    double here = top * scan->end_bottom, there = scan->end_top * bottom;
    if (bottom > 0 && (scan->end_m < 0 || (scan->greatest ? here > there : here < there))) {
        scan->end_top = top;
        scan->end_bottom = bottom;
        scan->end_lost = lost;
        scan->end_found = found;
        scan->end_m = m;
    }
}

/* Add the losses of the divided tie from R on: a polynomial, found through three points. */
static void add_divided(const preference_scan *scan, double n_relevant, polynomial *lost)
{
    double at[3];
    for (int i = 0; i < 3; i++)
        at[i] = lost_divided(scan, n_relevant + i);
    double square = (at[2] - 2 * at[1] + at[0]) / 2, linear = at[1] - at[0] - square;
    lost->constant += at[0] + n_relevant * (n_relevant * square - linear);
    lost->linear += linear - 2 * n_relevant * square;
    lost->square += square;
}

/* The turn between first and last, if there is one: where `lost` has the same form throughout. */
static inline void take_turn(preference_scan *scan, int64_t first, int64_t last)
{
    double from = scan->judged + (double)first, to = scan->judged + (double)last, turn = 0;
    polynomial lost = scan->lost;
    if (scan->divided >= 0)
        add_divided(scan, from, &lost);
    int64_t filled = filled_at(scan, first); /* F = f, or f + R */
    double f = (double)(scan->n_judged + filled);
    if (filled_at(scan, first + 1) > filled)
        f -= from;
    if (from <= scan->all - from) {
        double a = scan->greatest ? lost.constant : -lost.constant;
        double slope = scan->greatest ? f - lost.linear : lost.linear - f;
        if (!(a > 0 && 2 * a > slope * from && 2 * a < slope * to))
            return;
        turn = 2 * a / slope;
    } else {
        double p = lost.constant / scan->all, q = lost.linear + lost.square * scan->all + p;
        double square = q / (p - f);
        if (!(square > 0) || (q > 0) != scan->greatest)
            return;
        turn = scan->all / (1 + sqrt(square));
    }
    double near = floor(turn) - scan->judged;
    if (!(near >= (double)first && near < (double)last))
        return;
    take(scan, (int64_t)near);
    take(scan, (int64_t)near + 1);
}

/* The part that is filled now or next is done with `stage`; `filling` is n or -1 at the end. */
static int64_t next_filling(const preference_scan *scan)
{
    if (scan->filling < 0 || scan->filling >= scan->n)
        return INT64_MAX;
    const open_part *part = &scan->part[scan->filling];
    return filled_from(scan, part) + (scan->stage == FILLING ? part->open : 0);
}

/* A stretch of open documents begins to be filled, or is full: add_part of both stages at once. */
static void fill_stretch(preference_scan *scan, const open_part *part, enum stage after)
{
    polynomial above = {0, 1, 0}; /* R, if it is capped */
    if (scan->filling < scan->capped)
        above = above_of(scan, part, !scan->from_top, FILLING); /* the same once it is full */
    double c = above.constant, linear = above.linear;
    double from = scan->judged + (double)filled_from(scan, part);
    if (after == FILLING) {
        scan->lost.constant -= from * c;
        scan->lost.linear += c - from * linear;
        scan->lost.square += linear;
    } else {
        from += (double)part->open;
        scan->lost.constant += from * c;
        scan->lost.linear += from * linear - c;
        scan->lost.square -= linear;
    }
}

static void go_on_filling(preference_scan *scan)
{
    const open_part *part = &scan->part[scan->filling];
    enum stage after = scan->stage == FILLING || part->open == 0 ? FILLED : FILLING;
    int is_counted = scan->filling < scan->capped && scan->filling != scan->divided;
    if (part->apart) {
        fill_stretch(scan, part, after);
    } else if (part->open > 0) {
        add_part(scan, scan->filling, scan->stage, -1);
        add_part(scan, scan->filling, after, 1);
    } else if (is_counted) { /* from now on the open ones above are as many as m leaves */
        double relevant = (double)part->relevant, open = (double)part->open_before;
        double less = scan->judged + (scan->from_top ? 0 : (double)scan->total);
        scan->lost.constant += relevant * (scan->from_top ? -open - less : less - open);
        scan->lost.linear += scan->from_top ? relevant : -relevant;
    }
    scan->stage = after;
    if (after == FILLED) {
        scan->filling += scan->from_top ? 1 : -1;
        scan->stage = NOT_FILLED;
    }
}

static inline int64_t uncapped_first_from(const preference_scan *scan, int64_t i)
{
    return i < scan->n ? uncapped_from(scan, &scan->part[i], 0) : INT64_MAX;
}

static inline void find_next_uncapped(preference_scan *scan)
{
    if (scan->divided >= 0)
        scan->next_uncapped = uncapped_from(scan, &scan->part[scan->divided], 1);
    else
        scan->next_uncapped = uncapped_first_from(scan, scan->capped);
}

/* A stretch that is not filled holds nothing that could lose: the next event that changes `lost` is
 * behind it, until the stretch is filled. */
static inline void find_next_loss(preference_scan *scan)
{
    int64_t i = scan->capped;
    scan->next_loss = scan->next_uncapped;
    if (scan->divided < 0 && i < scan->n && scan->part[i].apart && stage_of(scan, i) == NOT_FILLED)
        scan->next_loss = uncapped_first_from(scan, i + 1);
}

static void go_on_uncapping(preference_scan *scan)
{
    if (scan->divided >= 0) {
        int64_t i = scan->divided;
        scan->divided = -1;
        add_part(scan, i, stage_of(scan, i), 1);
        return;
    }
    int64_t i = scan->capped++;
    const open_part *part = &scan->part[i];
    enum stage stage = stage_of(scan, i);
    if (stage == NOT_FILLED && part->relevant == 0 && part->apart)
        return;
    polynomial relevant = relevant_of(scan, part, stage), less = {0, 0, 0};
    int last = stands_last(scan, part, 0);
    if (last != stands_last(scan, part, 1))
        scan->divided = i;
    else
        less = above_of(scan, part, last, stage);
    less.linear -= 1; /* each lost R till now */
    add_product(&scan->lost, relevant, less, 1);
}

/* All events up to m. */
static void heed_events(preference_scan *scan, int64_t m)
{
    while (next_filling(scan) <= m)
        go_on_filling(scan);
    while (scan->next_uncapped <= m) {
        go_on_uncapping(scan);
        find_next_uncapped(scan);
    }
    find_next_loss(scan);
}

static void try_events(preference_scan *scan, work_watch *watch)
{
    const open_counts *counts = scan->counts;
    scan->lost.linear = (double)scan->n_judged; /* all are capped */
    find_next_uncapped(scan);
    int64_t equal = (counts->n_relevant + counts->n_others) / 2 - counts->n_relevant
                    + 1;             /* the first m with N < R */
    int64_t none = counts->n_others; /* m with N = 0, where nothing is lost; not so in the limit */
    int64_t is_filled_from = scan->greatest ? 0 : counts->hidden;
    int64_t is_filled_at = scan->greatest ? counts->n_open : scan->total;
    for (int64_t at = 0, next; at <= scan->total && !watch_stops(watch, 16); at = next) {
        heed_events(scan, at);
        int64_t breaks = smaller(scan->next_loss, scan->total + 1);
        if (equal > at)
            breaks = smaller(breaks, equal);
        if (none > at)
            breaks = smaller(breaks, none);
        int64_t goes_on = next_filling(scan);
        for (int end = 0; end < 2; end++) { /* where documents begin or cease to be filled */
            int64_t turns = end ? is_filled_at : is_filled_from;
            if (turns > at)
                goes_on = smaller(goes_on, turns);
        }
        next = smaller(breaks, goes_on);
        if (scan->divided >= 0 && scan->divided == scan->filling && scan->stage == FILLING)
            next = at + 1;
        take(scan, at);
        /* forms change at `next`, before which the old one ends; but filling changes none there */
        int64_t last = next == breaks ? next - 1 : next;
        if (last == next - 1 && last > at)
            take(scan, last);
        if (last - at > 1)
            take_turn(scan, at, last);
    }
}

double open_binary_preference(const measure *m, const open_counts *counts, const open_part *part,
                              int64_t n, int greatest, work_watch *watch)
{
    (void)m;
    if (counts->n_relevant == 0 && !greatest)
        return 0; /* nothing need be relevant */
    preference_scan scan = {.counts = counts,
                            .part = part,
                            .n = n,
                            .from_top = greatest,
                            .total = counts->n_open + counts->hidden,
                            .judged = (double)counts->n_relevant,
                            .all = (double)(counts->n_relevant + counts->n_others),
                            .divided = -1,
                            .filling = greatest ? 0 : n - 1,
                            .end_m = -1,
                            .greatest = greatest};
    if (n > 0)
        scan.n_judged = part[n - 1].relevant_before + part[n - 1].relevant;
    if (!open_preference_tries_all(counts, part, n))
        try_events(&scan, watch);
    else if (!watch_stops(watch, 8 * scan.total))
        try_all(&scan);
    if (scan.end_m < 0)
        return 0;
    double n_relevant = (double)(counts->n_relevant + scan.end_m);
    double least = fmin(n_relevant, scan.all - n_relevant);
    return (scan.end_found - (scan.end_lost > 0 ? scan.end_lost / least : 0)) / n_relevant;
}
