/* Highest precision from some number of relevant documents on, with ties.
 * The contract is in highest_precision.h. */

#include "measures/highest_precision.h"

#include <math.h>

#include "numeric/log_gamma.h"
#include "ties/tie_groups.h"

/* A rank whose order decides.  Places and relevant documents are counted from 1 inside it. */
typedef struct {
    int64_t before, size, relevant;
    double found;   /* relevant documents above it */
    int64_t first;  /* the first relevant document that counts */
    int32_t *start; /* of each relevant document: the first place that it takes with some chance */
    int32_t *at;    /* and the first one where its precision is below the value */
    double chance;  /* that its highest precision is the value or more */
    double next;    /* its highest precision below the value that has some chance; 0: none */
} open_rank;

/* Ranks, and rows of chances by the number of relevant documents. */
typedef struct {
    open_rank *rank;
    int64_t n_ranks;
    double *row, *next_row, *number;
} open_ranking;

/* All numbers of a rank fit 32 bits; larger ties have too many orders by far. */
enum { LARGEST_TIE = 1 << 30, FEW = 64 };

enum { A_PLACE = 8 }; /* steps that take as long as what is done once for each place */

static const double NEGLIGIBLE_LOG = -50.66; /* log of 1e-22 */

/* log P(the h-th relevant document has this place) */
static double log_chance(const open_rank *rank, int64_t h, int64_t place)
{
    double g = (double)rank->size, r = (double)rank->relevant, i = (double)h, k = (double)place;
    return log_choose(k - 1, i - 1).hi + log_choose(g - k, r - i).hi - log_choose(g, r).hi;
}

/* The chances rise up to the mode, near (h-1)(g-1)/(r-1) + 1. */
static int32_t first_place(const open_rank *rank, int64_t h)
{
    int64_t low = h, high = h;
    if (rank->relevant > 1)
        high += (h - 1) * (rank->size - rank->relevant) / (rank->relevant - 1);
    if (rank->size <= FEW)
        return (int32_t)h;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (log_chance(rank, h, middle) < NEGLIGIBLE_LOG)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

static inline double precision_of(const open_rank *rank, int64_t h, int64_t place)
{
    return (rank->found + (double)h) / (double)(rank->before + place);
}

/* Take the places where precisions are at least x off the values to come. */
static void find_next(open_rank *rank, double x)
{
    rank->next = 0;
    for (int64_t h = rank->first; h <= rank->relevant; h++) {
        int64_t last = rank->size - rank->relevant + h;
        if (rank->at[h] <= last && precision_of(rank, h, rank->at[h]) >= x)
            rank->at[h]++;
        if (rank->at[h] <= last)
            rank->next = fmax(rank->next, precision_of(rank, h, rank->at[h]));
    }
}

/* The last place where a relevant document can have a precision that is no longer to come. */
static int64_t last_place(const open_rank *rank)
{
    int64_t last = 0;
    for (int64_t h = rank->first; h <= rank->relevant; h++)
        if (rank->at[h] > rank->start[h])
            last = rank->at[h] - 1;
    return smaller(last, rank->size);
}

/* The chance that, for some h, the h-th relevant document stands above place at[h]: row[h] is that
 * of h relevant documents so far, none of them there. */
static double chance_of(const open_rank *rank, open_ranking *all, work_watch *watch, int64_t *steps)
{
    const double negligible = 1e-30;
    int64_t last = last_place(rank), low = 0, high = 0, top = rank->first - 1;
    double *row = all->row, *next = all->next_row, chance = 0;
    const double *number = all->number;
    double r = (double)rank->relevant;
    if (rank->relevant == 1)
        return (double)last / (double)rank->size;
    row[0] = 1;
    for (int64_t place = 1; place <= last; place++) {
        double left = (double)(rank->size - place + 1), share = 1 / left, others = left - r;
        while (top < rank->relevant && rank->at[top + 1] <= place)
            top++;
        if (high == top && top < rank->relevant)
            chance += row[top] * ((r - number[top]) * share);
        int64_t more = smaller(high + 1, top);
        row[high + 1] = 0;
        next[low] = row[low] * ((others + number[low]) * share);
        for (int64_t h = low + 1; h <= more; h++)
            next[h] = row[h] * ((others + number[h]) * share)
                      + row[h - 1] * ((r - number[h - 1]) * share);
        *steps -= more - low + A_PLACE;
        if (watch_stops(watch, more - low + A_PLACE) || *steps < 0)
            break;
        high = more;
        while (low < high && next[low] < negligible)
            low++;
        while (low < high && next[high] < negligible)
            high--;
        double *other = row;
        row = next;
        next = other;
    }
    return chance;
}

/* The ranks that can exceed `least`, in memory->work; 0: it is too small. */
static int open_ranks(const weak_order *order, double from, double wanted, double least,
                      const measure_memory *memory, open_ranking *all)
{
    int64_t n_marks = 0, most = 0, n = 0;
    double found = 0;
    for (int pass = 0; pass < 2; pass++) {
        char *work = memory->work;
        int32_t *places = NULL;
        if (pass == 1) { /* ranks, then rows, then places */
            int64_t bytes = n * (int64_t)sizeof *all->rank
                            + 3 * (most + 2) * (int64_t)sizeof(double)
                            + 2 * (n_marks + n) * (int64_t)sizeof *places;
            if (bytes > memory->work_size)
                return 0;
            all->rank = (open_rank *)work;
            all->row = (double *)(work + n * (int64_t)sizeof *all->rank);
            all->next_row = all->row + most + 2;
            all->number = all->next_row + most + 2;
            places = (int32_t *)(all->number + most + 2);
        }
        n = n_marks = 0;
        found = 0;
        for (int64_t rank = 0; rank < order->n_ranks; rank++) {
            tie_group group = get_group(order, rank, from);
            double above = found, before = (double)group.before, r = (double)group.relevant;
            double first = fmax(1, wanted - above);
            found += r;
            if (group.relevant == group.size || !(first <= r)
                || !((above + r) / (before + r) > least))
                continue;
            if (group.size > LARGEST_TIE)
                return 0;
            if (pass == 1) {
                all->rank[n] = (open_rank){group.before,
                                           group.size,
                                           group.relevant,
                                           above,
                                           (int64_t)first,
                                           places,
                                           places + group.relevant + 1,
                                           0,
                                           0};
                places += 2 * (group.relevant + 1);
            }
            most = group.relevant > most ? group.relevant : most;
            n_marks += group.relevant;
            n++;
        }
    }
    all->n_ranks = n;
    for (int64_t h = 0; h <= most + 1; h++)
        all->number[h] = (double)h;
    return 1;
}

double highest_precision_mean(const weak_order *order, double from, double wanted, double least,
                              const measure_memory *memory, int64_t *steps)
{
    open_ranking all = {0};
    dd sum = {least, 0};
    double value = 0, reached = 0, none; /* the chances that some rank reaches it, or none */
    if (!open_ranks(order, from, wanted, least, memory, &all))
        return NAN;
    for (open_rank *rank = all.rank; rank < all.rank + all.n_ranks; rank++) {
        for (int64_t h = rank->first; h <= rank->relevant; h++)
            rank->at[h] = rank->start[h] = first_place(rank, h);
        find_next(rank, INFINITY);
    }
    for (;;) {
        double next = least;
        for (int64_t i = 0; i < all.n_ranks; i++)
            next = fmax(next, all.rank[i].next);
        add_to(&sum, reached * (value - next));
        if (!(next > least))
            return total_of(sum);
        value = next;
        reached = 0;
        none = 1;
        for (int64_t i = 0; i < all.n_ranks; i++) {
            open_rank *rank = &all.rank[i];
            if (rank->next == value) {
                find_next(rank, value);
                rank->chance = chance_of(rank, &all, memory->watch, steps);
            }
            reached += none * rank->chance;
            none *= fmax(0, 1 - rank->chance);
        }
        if (none < 1e-18) /* so every lower value is reached */
            return total_of(sum) + (value - least);
        *steps -= all.n_ranks;
        if (*steps < 0 || watch_stops(memory->watch, all.n_ranks))
            return NAN;
    }
}
