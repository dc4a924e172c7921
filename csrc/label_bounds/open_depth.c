/* Bounds of Rprec over the labels of open documents. */
#include <stddef.h>

#include "label_bounds/open_cut.h"

/* Rprec: its cut is `mult` times the number of relevant documents. */
typedef struct {
    const measure *m;
    const open_counts *counts;
    const open_part *part;
    int64_t n, at; /* `at`: the first part that ends below the cut, which only moves down */
    int64_t total; /* open and hidden documents */
    int greatest, is_set;
    double end;                  /* the value so far */
    double end_found, end_depth; /* of scan_places: their ratio */
} depth_scan;

static double depth_of(const depth_scan *scan, int64_t m)
{
    return documents_at(scan->m->argument[0], (double)(scan->counts->n_relevant + m), 0);
}

static cut_place move_to(depth_scan *scan, int64_t cut)
{
    cut_place place = {.n_open = scan->counts->n_open, .rule = scan->counts->rule};
    const open_part *part = scan->part;
    while (scan->at < scan->n && part[scan->at].before + part[scan->at].size <= cut)
        scan->at++;
    if (scan->at == scan->n) {
        if (scan->n > 0) {
            place.relevant_before = part[scan->n - 1].relevant_before + part[scan->n - 1].relevant;
            place.open_before = scan->counts->n_open;
        }
        return place;
    }
    part += scan->at;
    place.relevant_before = part->relevant_before;
    place.open_before = part->open_before;
    if (cut <= part->before)
        return place;
    if (part->apart) {
        cut_stretch(scan->counts, part->before, cut, &place);
        return place;
    }
    place.taken = cut - part->before;
    place.size = part->size;
    place.relevant = part->relevant;
    place.open = part->open;
    return place;
}

/* The value where m of them are relevant. */
static void take_depth(depth_scan *scan, int64_t m)
{
    const open_counts *counts = scan->counts;
    double depth = depth_of(scan, m), cut = fmin(depth, (double)counts->order->n_docs);
    cut_place place = move_to(scan, (int64_t)cut);
    int64_t filled = scan->greatest ? smaller(m, counts->n_open) : m - smaller(m, counts->hidden);
    double found = found_at(&place, (open_labels){filled, m - filled, scan->greatest});
    double value = found > 0 ? found / depth : 0;
    if (!scan->is_set || (scan->greatest ? value > scan->end : value < scan->end))
        scan->end = value;
    scan->is_set = 1;
}

/* The ratio found / R, which is compared as a product; nothing is found where R = 0. */
static inline void take_ratio(depth_scan *scan, double found, int64_t n_relevant)
{
    double depth = n_relevant > 0 ? (double)n_relevant : 1;
    double here = found * scan->end_depth, there = scan->end_found * depth;
    if (!scan->is_set || (scan->greatest ? here > there : here < there)) {
        scan->end_found = found;
        scan->end_depth = depth;
    }
    scan->is_set = 1;
}

static inline int64_t clipped(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : smaller(x, most);
}

/* The open documents above are relevant as far as m allows (greatest), or once those below are. */
static inline int64_t filled_above(const depth_scan *scan, int64_t open, int64_t m)
{
    if (scan->greatest)
        return smaller(m, open);
    int64_t left = m - scan->counts->hidden - (scan->counts->n_open - open);
    return left > 0 ? left : 0;
}

/* Cuts below which nothing relevant or open stands until the last of them.  From the top found/R
 * rises until all open documents above are relevant; from the bottom it falls until one of them is,
 * and rises then. */
static inline void take_gap(depth_scan *scan, int64_t first, int64_t last, int64_t relevant,
                            int64_t open)
{
    const open_counts *counts = scan->counts;
    int64_t turn = scan->greatest ? open : counts->hidden + counts->n_open - open;
    int64_t cut = clipped(counts->n_relevant + turn, first, last);
    int64_t found = relevant + filled_above(scan, open, cut - counts->n_relevant);
    take_ratio(scan, (double)found, cut);
}

static inline void take_in_stretch(depth_scan *scan, const open_part *part, int64_t cut)
{
    int64_t open = part->open_before + cut - part->before;
    int64_t found =
        part->relevant_before + filled_above(scan, open, cut - scan->counts->n_relevant);
    take_ratio(scan, (double)found, cut);
}

static void take_in_tie(depth_scan *scan, const open_part *part, int64_t cut)
{
    const open_counts *counts = scan->counts;
    cut_place place = {part->relevant_before, part->open_before, cut - part->before, part->size,
                       part->relevant,        part->open,        counts->n_open,     counts->rule};
    int64_t m = cut - counts->n_relevant;
    int64_t filled = scan->greatest ? smaller(m, counts->n_open) : m - smaller(m, counts->hidden);
    take_ratio(scan, found_at(&place, (open_labels){filled, m - filled, scan->greatest}), cut);
}

/* Whether the cuts of a tie can be better than the end so far: all of its documents count, or none.
 */
static inline int can_be_better(const depth_scan *scan, const open_part *part, int64_t first,
                                int64_t last)
{
    int64_t judged = scan->counts->n_relevant, found = part->relevant_before;
    if (!scan->is_set)
        return 1;
    if (scan->greatest) {
        found += part->relevant + smaller(last - judged, part->open_before + part->open);
        return (double)found * scan->end_depth > scan->end_found * (double)first;
    }
    found += filled_above(scan, part->open_before, first - judged);
    return (double)found * scan->end_depth < scan->end_found * (double)last;
}

/* In a tie of g documents found/R is (a + b R)/R, which rises or falls all the way, until the tie
 * begins to be filled and once it is full.  Meanwhile it is, where the tie counts by its mean, a/R
 * + b + R/g, which is least at R^2 = a g, and else (a + b R)/R again, up to where its relevant
 * documents reach the cut. */
static void take_tie(depth_scan *scan, const open_part *part, int64_t first, int64_t last)
{
    const open_counts *counts = scan->counts;
    if (!can_be_better(scan, part, first, last))
        return;
    int64_t before = part->before, g = part->size, r = part->relevant, open = part->open;
    int64_t passed = scan->greatest ? part->open_before
                                    : counts->hidden + counts->n_open - part->open_before - open;
    int64_t filled_from = counts->n_relevant + passed, few, many, turn;
    if (counts->rule == UNJUDGED_BEST) {
        few = turn = before + r;
        many = before + r + open;
    } else if (counts->rule == UNJUDGED_WORST) {
        few = before + g - r - open;
        many = before + g - r;
        turn = (filled_from + many) / 2;
    } else {
        double above = (double)(part->relevant_before + (scan->greatest ? part->open_before : 0));
        double square = above * (double)g + (double)before * (double)(filled_from - r);
        few = many = first;
        turn = square > 0 ? (int64_t)fmin(sqrt(square), (double)last) : first;
    }
    const int64_t cut[] = {filled_from, filled_from + open, few, many, turn, turn + 1};
    take_in_tie(scan, part, first);
    take_in_tie(scan, part, last);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        if (cut[i] > first && cut[i] < last)
            take_in_tie(scan, part, cut[i]);
}

/* Filled from the bottom: the documents filled reach the cut at `meet`, or the next one. */
static void take_where_tied(depth_scan *scan, const open_part *part, int64_t first, int64_t last,
                            int64_t meet)
{
    const open_counts *counts = scan->counts;
    int64_t end = part->before + part->size;
    for (int64_t place = meet > part->before ? meet - 1 : meet; place <= meet + 1 && place < end;) {
        open_tie tie = open_tie_at(counts->order, place);
        open_part own = {.before = tie.before,
                         .size = tie.size,
                         .open = tie.size,
                         .relevant_before = part->relevant_before,
                         .open_before = part->open_before + tie.before - part->before};
        place = tie.before + tie.size;
        int64_t from = tie.before + 1 > first ? tie.before + 1 : first;
        int64_t to = smaller(place, last);
        if (tie.before >= first && tie.before <= last && tie.before > part->before)
            take_in_stretch(scan, part, tie.before);
        if (from <= to)
            take_tie(scan, &own, from, to);
    }
}

/* In a stretch of open documents found/R only rises if they are filled from the top: of the first R
 * all but the larger of two constants are relevant.  Filled from the bottom it falls until the
 * documents filled reach the cut, and rises then.  Ties of the stretch count only while the cut and
 * the last document filled are in one of them: from the top found/R is never above what it is
 * without ties, and the same at the end; from the bottom they meet in one tie, if in any. */
static void take_stretch(depth_scan *scan, const open_part *part, int64_t first, int64_t last)
{
    const open_counts *counts = scan->counts;
    if (last < part->before + part->size) /* else the gap behind it begins with the last cut */
        take_in_stretch(scan, part, last);
    if (scan->greatest)
        return;
    int64_t below = counts->n_open - part->open_before + counts->hidden;
    int64_t meet = (below + part->before + counts->n_relevant) / 2;
    if (part->apart == OPEN_TIED && meet >= part->before && meet < part->before + part->size) {
        take_where_tied(scan, part, first, last, meet);
        return;
    }
    for (int64_t cut = meet; cut <= meet + 1; cut++)
        if (cut >= first && cut <= last)
            take_in_stretch(scan, part, cut);
}

/* The cut is R, so it moves by one document where m does.  Below the ranking the value turns where
 * all open, or all hidden, documents are relevant. */
static void scan_places(depth_scan *scan, work_watch *watch)
{
    const open_counts *counts = scan->counts;
    int64_t judged = counts->n_relevant, n_docs = counts->order->n_docs;
    int64_t last = smaller(judged + scan->total, n_docs), relevant = 0, open = 0;
    if (watch_stops(watch, 4 * scan->n))
        return;
    for (int64_t i = 0, behind = 0; i <= scan->n; i++) {
        const open_part *part = i < scan->n ? &scan->part[i] : NULL;
        int64_t first = behind > judged ? behind : judged;
        int64_t until = part ? smaller(part->before, last) : last;
        if (first <= until)
            take_gap(scan, first, until, relevant, open);
        if (!part || part->before >= last)
            break;
        behind = part->before + part->size;
        if (part->size > 1 && behind > judged) {
            first = part->before + 1 > judged ? part->before + 1 : judged;
            until = smaller(behind, last);
            if (part->apart)
                take_stretch(scan, part, first, until);
            else
                take_tie(scan, part, first, until);
        }
        relevant = part->relevant_before + part->relevant;
        open = part->open_before + part->open;
    }
    const int64_t below[] = {n_docs + 1 - judged, counts->n_open, counts->hidden, scan->total};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        if (below[i] >= 0 && below[i] <= scan->total && judged + below[i] > n_docs) {
            int64_t filled = filled_above(scan, counts->n_open, below[i]);
            take_ratio(scan, (double)(relevant + filled), judged + below[i]);
        }
}

/* The first m whose cut is deeper than that of m. */
static int64_t next_depth(const depth_scan *scan, int64_t m)
{
    double mult = scan->m->argument[0], depth = depth_of(scan, m);
    if (mult >= 1)
        return m + 1;
    double guess = ceil((depth + 0.1) / mult) - (double)scan->counts->n_relevant;
    if (!(guess <= (double)scan->total))
        guess = (double)scan->total + 1;
    int64_t next = guess > (double)m ? (int64_t)guess : m + 1;
    while (next > m + 1 && depth_of(scan, next - 1) > depth)
        next--;
    while (next <= scan->total && depth_of(scan, next) <= depth)
        next++;
    return next;
}

/* The first m of those with one cut finds the fewest, the last the most.  Once the cut is below
 * the ranking, more relevant hidden documents only lower the value. */
double open_r_precision(const measure *m, const open_counts *counts, const open_part *part,
                        int64_t n, int greatest, work_watch *watch)
{
    depth_scan scan = {.m = m, .counts = counts, .part = part, .n = n, .greatest = greatest};
    scan.total = counts->n_open + counts->hidden;
    if (m->argument[0] == 1) {
        if (counts->n_relevant == 0 && !greatest)
            return 0; /* nothing need be relevant */
        scan_places(&scan, watch);
        return scan.end_found > 0 ? scan.end_found / scan.end_depth : 0;
    }
    for (int64_t at = 0, next; at <= scan.total && !watch_stops(watch, 32); at = next) {
        int is_below = depth_of(&scan, at) > (double)counts->order->n_docs;
        if (is_below && !greatest && at < counts->hidden)
            at = counts->hidden;
        next = next_depth(&scan, at);
        take_depth(&scan, greatest ? next - 1 : at);
        if (is_below && greatest && at > counts->n_open)
            break;
    }
    return scan.end;
}
