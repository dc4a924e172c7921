/* Bounds of binary preference: each number m of relevant open documents is tried.
 *
 * The loss of a part (open_preference.c) is a polynomial of degree 2 between a few numbers m, and
 * twice the loss one with whole coefficients: `lost` is summed up from its third differences.  With
 * r judged relevant documents, k judged others and o open ones in a part, A others above it and I
 * inside, x = m - f of its open ones relevant (0 before f, o from f + o on),
 *
 *   capped, while A > R:          (r + x) R;
 *   uncapped, from A + I <= R on: (r + x) (2 A + w I)/2, w = 1: the mean over the orders of a tie;
 *                                 0 or 2 where its relevant documents stand first or last.
 *
 * A stretch of open documents has w = 0 from the top and w = 2 from the bottom.  A is A1 while the
 * part is filled; s0 (f - m) more before, if the stretch above is filled first, and s2 (m - f - o)
 * less after, if it is filled last.
 *
 * The rest is listed for each m: of a tie while R is between A and A + I, and of ties in a stretch
 * of open documents while they are filled.  No two ties are so at one m.
 */
#include <string.h>

#include "label_bounds/open_preference.h"

typedef struct {
    const preference_scan *scan;
    int64_t *third; /* differences of twice `lost` */
    double *rest;   /* by m */
    int64_t judged; /* R - m */
    int64_t s0, s2;
} difference_list;

/* From number m on, twice the loss is larger by a polynomial of degree 2: its value at m, what it
 * grows by to m + 1, and by how much more than that to m + 2. */
static inline void add_from(const difference_list *list, int64_t m, int64_t value, int64_t growth,
                            int64_t more)
{
    if (m > list->scan->total)
        return; /* three more elements stand behind the last m */
    list->third[m] += value;
    list->third[m + 1] += growth - 2 * value;
    list->third[m + 2] += more - growth + value;
}

/* A part, by the names above. */
typedef struct {
    int64_t r, k, o, a1, w, first, full;
} part_loss;

static inline part_loss loss_of(const difference_list *list, const open_part *part)
{
    const preference_scan *scan = list->scan;
    part_loss loss = {.r = part->relevant, .o = part->open};
    loss.k = part->size - part->relevant - part->open;
    loss.a1 = part->before - part->relevant_before - part->open_before;
    loss.a1 += scan->from_top ? 0 : part->open_before;
    loss.w = stands_last(scan, part, 0) + stands_last(scan, part, 1);
    loss.first = filled_from(scan, part);
    loss.full = loss.first + part->open;
    return loss;
}

/* It is uncapped from m on: twice (r + x) (A + w I/2 - R) more. */
static inline void uncap(const difference_list *list, const part_loss *loss, int64_t m)
{
    int64_t r = loss->r, w = loss->w, above = 2 * loss->a1 + w * loss->k;
    int64_t n_relevant = list->judged + m;
    if (m <= loss->first) {
        int64_t less = above + w * loss->o + 2 * list->s0 * (loss->first - m) - 2 * n_relevant;
        add_from(list, m, r * less, -2 * r * (list->s0 + 1), 0);
    } else if (m <= loss->full) {
        int64_t x = m - loss->first, less = above + w * (loss->o - x) - 2 * n_relevant;
        add_from(list, m, (r + x) * less, less - (w + 2) * (r + x + 1), -2 * (w + 2));
    } else {
        int64_t less = above - 2 * list->s2 * (m - loss->full) - 2 * n_relevant;
        add_from(list, m, (r + loss->o) * less, -2 * (r + loss->o) * (list->s2 + 1), 0);
    }
}

/* Where a part begins to be filled, and where it is full: capped or not. */
static inline void begin_filling(const difference_list *list, const part_loss *loss, int is_capped)
{
    int64_t r = loss->r, w = loss->w;
    if (is_capped)
        add_from(list, loss->first, 0, 2 * (list->judged + loss->first + 1), 4);
    else
        add_from(list, loss->first, 0,
                 2 * loss->a1 + w * (loss->k + loss->o - r - 1) + 2 * r * list->s0, -2 * w);
}

static inline void end_filling(const difference_list *list, const part_loss *loss, int is_capped)
{
    int64_t relevant = loss->r + loss->o, w = loss->w;
    if (is_capped)
        add_from(list, loss->full, 0, -2 * (list->judged + loss->full + 1), -4);
    else
        add_from(list, loss->full, 0,
                 w * (relevant + 1 - loss->k) - 2 * loss->a1 - 2 * list->s2 * relevant, 2 * w);
}

/* The mean of min(above + j, n), j = 0 .. inside. */
static inline double mean_capped(double above, double inside, double n)
{
    double below = n - above;
    if (below <= 0)
        return n;
    if (below >= inside)
        return above + inside / 2;
    return n - below * (below + 1) / (2 * (inside + 1));
}

/* A tie that counts by its mean, while R is between A and A + I: less than capped. */
static void list_divided(const difference_list *list, const part_loss *loss, int64_t from,
                         int64_t until)
{
    if (loss->r == 0)
        from = larger(from, loss->first + 1);
    until = smaller(until, list->scan->total + 1);
    for (int64_t m = from; m < until; m++) {
        int64_t x = m <= loss->first ? 0 : smaller(m - loss->first, loss->o);
        int64_t above = loss->a1;
        if (m < loss->first)
            above += list->s0 * (loss->first - m);
        else if (m > loss->full)
            above -= list->s2 * (m - loss->full);
        double below = (double)(list->judged + m - above);
        double inside = (double)(loss->k + loss->o - x);
        list->rest[m] -= (double)(loss->r + x) * (below * (below + 1) / (2 * (inside + 1)));
    }
}

/* A relevant document alone.  No branch depends on where it is uncapped: numbers m above `total`
 * are not looked at. */
static inline void add_document(const difference_list *list, const open_part *part)
{
    const preference_scan *scan = list->scan;
    int64_t first = filled_from(scan, part), others = part->before - part->relevant_before;
    others -= scan->from_top ? part->open_before : 0;
    int64_t m = smaller(larger(uncapped_from(scan, part, 0), 0), scan->total + 1);
    int64_t slope = m <= first ? list->s0 : list->s2;
    int64_t value = 2 * (others + slope * (first - m) - list->judged - m), growth = -2 * slope - 2;
    int64_t bend = m <= first ? 2 * (list->s0 - list->s2) : 0;
    list->third[m] += value;
    list->third[m + 1] += growth - 2 * value;
    list->third[m + 2] += value - growth;
    list->third[first + 1] += bend;
    list->third[first + 2] -= bend;
}

static void add_part(const difference_list *list, const open_part *part)
{
    const preference_scan *scan = list->scan;
    part_loss loss = loss_of(list, part);
    int64_t from = larger(uncapped_from(scan, part, loss.w != 1), 0);
    if (loss.w == 1) {
        int64_t until = larger(uncapped_from(scan, part, 1), 0);
        list_divided(list, &loss, from, until);
        from = until;
    }
    if (loss.r > 0 || from > loss.first)
        uncap(list, &loss, from);
    if (loss.o > 0) {
        begin_filling(list, &loss, from > loss.first);
        end_filling(list, &loss, from > loss.full);
    } else if (from <= loss.first) {
        add_from(list, loss.first, 0, 2 * loss.r * (list->s0 - list->s2), 0);
    }
}

/* The loss of one of the x relevant documents of a tie of open ones. */
static inline double loss_in_tie(enum unjudged_rule rule, double above, double inside, double n)
{
    if (rule == UNJUDGED_EXPECTED)
        return mean_capped(above, inside, n);
    return fmin(above + (rule == UNJUDGED_WORST ? inside : 0), n);
}

/* Ties of a stretch of open documents, while they are filled: more than without ties.  `rank` goes
 * on from stretch to stretch. */
static void list_ties(const difference_list *list, const open_part *part, const int64_t **rank)
{
    enum { FEW = 3 };
    const preference_scan *scan = list->scan;
    enum unjudged_rule rule = scan->counts->rule;
    enum unjudged_rule untied = scan->from_top ? UNJUDGED_BEST : UNJUDGED_WORST;
    int64_t above = part->before - part->relevant_before - part->open_before;
    const int64_t *at = *rank;
    /* more, of those inside the tie, than without ties */
    double share = scan->from_top ? 1 : -1;
    share *= rule == UNJUDGED_EXPECTED ? .5 : 1;
    while (*at < part->before)
        at++;
    for (; *at < part->before + part->size; at++) {
        int64_t n = at[1] - at[0];
        int64_t open_before = part->open_before + at[0] - part->before;
        int64_t first = scan->from_top ? open_before : scan->total - open_before - n;
        int64_t n_others = above + (scan->from_top ? 0 : open_before);
        if (list->judged + first + 1 >= n_others + n - 1) { /* it is uncapped */
            for (int64_t x = 1; x <= FEW; x++)              /* no branch on how many there are */
                list->rest[first + x] += share * (double)larger(x * (n - x), 0);
            for (int64_t x = FEW + 1; x < n; x++)
                list->rest[first + x] += share * (double)(x * (n - x));
            continue;
        }
        double others = (double)n_others;
        if ((double)(list->judged + first + n) <= others) /* it is capped all the while */
            continue;
        for (int64_t x = 1; x < n; x++) {
            double n_relevant = (double)(list->judged + first + x), inside = (double)(n - x);
            list->rest[first + x] += (double)x
                                     * (loss_in_tie(rule, others, inside, n_relevant)
                                        - loss_in_tie(untied, others, inside, n_relevant));
        }
    }
    *rank = at;
}

int open_preference_tries_all(const open_counts *counts, const open_part *part, int64_t n)
{
    const int64_t times = 12; /* as many m take as long as the events of a part */
    const open_order *order = counts->order;
    int64_t total = counts->n_open + counts->hidden, n_events = n, has_tied = 0;
    if (total + 4 > 2 * (order->n_docs + 1))
        return 0;
    if (total <= times * n)
        return 1;
    for (int64_t i = 0; i < n; i++) {
        int is_tie = !part[i].apart & (part[i].size > 1);
        n_events += is_tie ? part[i].open / 4 : 0; /* or each m is tried while R is in its range */
        has_tied |= part[i].apart == OPEN_TIED;
    }
    if (has_tied)
        n_events += 2 * smaller(order->n_ranks, order->n_docs - order->n_ranks);
    return total <= times * n_events;
}

typedef struct {
    int64_t bend, slope, lost;
} difference_sums;

/* The numbers m from first to before last, while `found` grows by so many a step. */
static void try_stretch(preference_scan *scan, const difference_list *list, int64_t first,
                        int64_t last, double grows, difference_sums *sums)
{
    int64_t bend = sums->bend, slope = sums->slope, lost_twice = sums->lost;
    double sign = scan->greatest ? 1 : -1, all = scan->all;
    double end_top = scan->end_top, end_bottom = scan->end_bottom;
    double end_lost = scan->end_lost, end_found = scan->end_found;
    int64_t end_m = scan->end_m;
    double n_relevant = scan->judged + (double)first;
    double found = (double)(scan->n_judged + filled_at(scan, first));
    for (int64_t m = first; m < last; m++, n_relevant += 1, found += grows) {
        bend += list->third[m];
        slope += bend;
        lost_twice += slope;
        double others = all - n_relevant, lost = .5 * (double)lost_twice + list->rest[m];
        double least = n_relevant < others ? n_relevant : others;
        double top = found * least - lost, bottom = n_relevant * least;
        if (least <= 0) { /* nothing is lost where all, or none, are relevant */
            top = found;
            bottom = n_relevant;
            if (bottom == 0)
                continue;
        }
        top *= sign;
        if (top * end_bottom > end_top * bottom) {
            end_top = top;
            end_bottom = bottom;
            end_lost = lost;
            end_found = found;
            end_m = m;
        }
    }
    scan->end_lost = end_lost;
    scan->end_found = end_found;
    scan->end_m = end_m;
    scan->end_top = end_top;
    scan->end_bottom = end_bottom;
    *sums = (difference_sums){bend, slope, lost_twice};
}

static void try_numbers(preference_scan *scan, const difference_list *list)
{
    /* `found` grows by one a step from `first` to `last`, and stays the same before and after */
    const open_counts *counts = scan->counts;
    int64_t first = scan->greatest ? 0 : counts->hidden, last = first + counts->n_open;
    difference_sums sums = {0, 0, 0};
    scan->end_top = -1; /* below whatever comes first */
    scan->end_bottom = 0;
    try_stretch(scan, list, 0, first, 0, &sums);
    try_stretch(scan, list, first, last, 1, &sums);
    try_stretch(scan, list, last, scan->total + 1, 0, &sums);
}

/* Whether the end so far has a tie of a stretch of open documents filled in part. */
static int divides_tie(const preference_scan *scan)
{
    const open_counts *counts = scan->counts;
    if (scan->end_m < 0 || scan->n == 0)
        return 0;
    int64_t filled = filled_at(scan, scan->end_m), low = 0, high = scan->n;
    int64_t above = scan->from_top ? filled : counts->n_open - filled; /* open ones, all alike */
    while (high - low > 1) { /* the part that holds the next one */
        int64_t middle = low + (high - low) / 2;
        if (scan->part[middle].open_before <= above)
            low = middle;
        else
            high = middle;
    }
    const open_part *part = &scan->part[low];
    int64_t place = part->before + above - part->open_before;
    return part->apart == OPEN_TIED && place < part->before + part->size
           && open_tie_at(counts->order, place).before < place;
}

/* Without ties inside stretches of open documents first: they only take the ends nearer to each
 * other, so that an end that divides none stays. */
void try_all(preference_scan *scan)
{
    const open_counts *counts = scan->counts;
    size_t n = (size_t)scan->total + 4;
    difference_list list = {.scan = scan, .third = counts->scratch, .judged = counts->n_relevant};
    list.rest = counts->rest;
    list.s0 = scan->from_top;
    list.s2 = !scan->from_top;
    memset(list.third, 0, n * sizeof *list.third);
    memset(list.rest, 0, n * sizeof *list.rest);
    add_from(&list, 0, 2 * scan->n_judged * list.judged, 2 * scan->n_judged, 0); /* all capped */
    for (int64_t i = 0; i < scan->n; i++) {
        const open_part *part = &scan->part[i];
        if (part->size == 1 && part->relevant > 0)
            add_document(&list, part);
        else
            add_part(&list, part);
    }
    try_numbers(scan, &list);
    if (counts->rule == (scan->from_top ? UNJUDGED_BEST : UNJUDGED_WORST) || !divides_tie(scan))
        return;
    const int64_t *rank = counts->order->rank;
    for (int64_t i = 0; i < scan->n; i++)
        if (scan->part[i].apart == OPEN_TIED)
            list_ties(&list, &scan->part[i], &rank);
    try_numbers(scan, &list);
}
