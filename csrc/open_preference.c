/* Bounds of interpolated precision and of binary preference over the labels of open documents, one
 * number m of relevant ones after the other; see unjudged.h. */
#include "open_ranks.h"

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The highest precision at a share of R relevant documents or more: at the end of each run of
 * relevant documents. */
static double interpolated_precision(const measure *m, const open_ranks *ranks, open_labels labels)
{
    double n_relevant = (double)(ranks->n_relevant + labels.filled + labels.hidden);
    double wanted = documents_at(m->argument[0], n_relevant, m->argument[1] != 0);
    double found = 0, highest = 0;
    for (int64_t rank = 0, open_before = 0; rank < ranks->n_ranks; rank++) {
        int64_t relevant = ranks->relevant[rank] + open_filled_in(ranks, rank, open_before, labels);
        open_before += ranks->open[rank];
        if (relevant == 0)
            continue;
        int64_t passed = ranks->rule == UNJUDGED_BEST ? relevant : ranks->size[rank];
        found += (double)relevant;
        if (found >= wanted)
            highest = fmax(highest, found / (double)(ranks->before[rank] + passed));
    }
    return highest;
}

/* Relevant hidden documents only raise the number of documents wanted. */
double open_interpolated_precision(const measure *m, const open_ranks *ranks, int greatest,
                                   work_watch *watch)
{
    double end = interpolated_precision(m, ranks, (open_labels){0, 0, 1});
    int64_t hidden = greatest ? 0 : ranks->hidden;
    for (int64_t filled = 0; filled <= ranks->n_open; filled++) {
        if (watch_stops(watch, 4 * ranks->n_ranks))
            break;
        double value = interpolated_precision(m, ranks, (open_labels){filled, hidden, greatest});
        end = greatest ? fmax(end, value) : fmin(end, value);
    }
    return end;
}

/* The loss of the relevant retrieved documents depends on R and N alone once the retrieved ones are
 * labelled. */
typedef struct {
    double n_found; /* relevant documents retrieved */
    double wrong;   /* sum over them of the non-relevant documents above each */
    double deepest; /* the most that one of them has above it */
} preference_sums;

/* sum over relevant documents of min(non-relevant above, R); `sums` are filled in with R infinite.
 */
static double count_inversions(const open_ranks *ranks, open_labels labels, double n_relevant,
                               preference_sums *sums)
{
    double wrong = 0;
    dd total = {0, 0};
    *sums = (preference_sums){0, 0, 0};
    for (int64_t rank = 0, open_before = 0; rank < ranks->n_ranks; rank++) {
        int64_t filled = open_filled_in(ranks, rank, open_before, labels);
        open_before += ranks->open[rank];
        double relevant = (double)(ranks->relevant[rank] + filled);
        double inside = (double)ranks->size[rank] - relevant, mean, uncapped;
        if (ranks->rule == UNJUDGED_EXPECTED) {
            /* each of 0 .. inside non-relevant ones of the rank is above it equally often */
            double below = fmax(0, fmin(inside + 1, n_relevant - wrong));
            mean = (below * wrong + below * (below - 1) / 2 + (inside + 1 - below) * n_relevant)
                   / (inside + 1);
            uncapped = wrong + inside / 2;
        } else {
            uncapped = ranks->rule == UNJUDGED_BEST ? wrong : wrong + inside;
            mean = fmin(uncapped, n_relevant);
        }
        if (relevant > 0) {
            dd both = dd_two_sum(total.hi, relevant * mean);
            total = (dd){both.hi, total.lo + both.lo};
            sums->n_found += relevant;
            sums->wrong += relevant * uncapped;
            sums->deepest = ranks->rule == UNJUDGED_BEST ? wrong : wrong + inside;
        }
        wrong += inside;
    }
    return total.hi + total.lo;
}

/* Once all are labelled, all are judged: N = judged and open documents that are not relevant. */
static double preference_at(const open_ranks *ranks, open_labels labels, preference_sums *sums)
{
    int64_t n_relevant = ranks->n_relevant + labels.filled + labels.hidden;
    int64_t n_nonrelevant =
        ranks->n_nonrelevant + ranks->n_open - labels.filled + ranks->hidden - labels.hidden;
    double lost = count_inversions(ranks, labels, (double)n_relevant, sums);
    double least = (double)smaller(n_relevant, n_nonrelevant);
    if (n_relevant == 0)
        return 0;
    return (sums->n_found - (lost > 0 ? lost / least : 0)) / (double)n_relevant;
}

typedef struct {
    const open_ranks *ranks;
    int greatest;
    double end;
    preference_sums sums;
} preference_scan;

static void take_preference(preference_scan *scan, open_labels labels)
{
    double value = preference_at(scan->ranks, labels, &scan->sums);
    scan->end = scan->greatest ? fmax(scan->end, value) : fmin(scan->end, value);
}

/* The number of relevant hidden documents, retrieved labels fixed.  With c relevant documents
 * retrieved and s = sum of the non-relevant ones above each, the value is (c - s/R)/R where R is at
 * least the deepest of these and at most N: it rises to R = 2s/c and then falls.  Where N is less
 * than R it is (c - s/N)/R, which falls, as c >= s/N and N falls while R rises.  So numbers of
 * hidden documents up to the deepest, the two next to 2s/c, those next to R = N, and the last one
 * hold the ends. */
static void scan_hidden(preference_scan *scan, int64_t filled, int from_top, work_watch *watch)
{
    const open_ranks *ranks = scan->ranks;
    int64_t hidden = ranks->hidden, found = ranks->n_relevant + filled;
    take_preference(scan, (open_labels){filled, hidden, from_top});
    preference_sums sums = scan->sums;
    int64_t turn = hidden;
    if (sums.n_found > 0)
        turn = (int64_t)fmin(2 * sums.wrong / sums.n_found, 9e15) - found;
    int64_t total = found + ranks->n_nonrelevant + ranks->n_open - filled + hidden;
    int64_t equal = total / 2 - found;
    for (int64_t step = -1; step <= 2; step++) {
        int64_t near_turn = smaller(larger(turn + step, 0), hidden);
        int64_t near_equal = smaller(larger(equal + step, 0), hidden);
        take_preference(scan, (open_labels){filled, near_turn, from_top});
        take_preference(scan, (open_labels){filled, near_equal, from_top});
    }
    int64_t few = smaller(hidden, (int64_t)sums.deepest - found + 1);
    for (int64_t i = 0; i <= few && !watch_stops(watch, 8 * ranks->n_ranks); i++)
        take_preference(scan, (open_labels){filled, i, from_top});
}

double open_binary_preference(const measure *m, const open_ranks *ranks, int greatest,
                              work_watch *watch)
{
    (void)m;
    preference_scan scan = {.ranks = ranks, .greatest = greatest};
    scan.end = preference_at(ranks, (open_labels){0, 0, 1}, &scan.sums);
    int64_t hidden = greatest ? 0 : ranks->hidden;
    if (!greatest)
        scan_hidden(&scan, 0, 0, watch);
    for (int64_t filled = 0; filled <= ranks->n_open; filled++) {
        if (watch_stops(watch, 8 * ranks->n_ranks))
            break;
        take_preference(&scan, (open_labels){filled, hidden, greatest});
    }
    if (greatest)
        scan_hidden(&scan, ranks->n_open, 1, watch);
    return scan.end;
}
