/* Mean, greatest and least sum along the orders of a tie. The contract is in tie_lattice.h. */

#include "ties/tie_lattice.h"

#include <math.h>

#include "ties/tie_groups.h"

int lattice_add(tie_lattice *lattice, int64_t count, double worth)
{
    if (count > 0 && lattice->n_kinds == LATTICE_KINDS)
        return 0;
    if (count > 0) {
        lattice->count[lattice->n_kinds] = lattice->most[lattice->n_kinds] = count;
        lattice->worth[lattice->n_kinds++] = worth;
    }
    return 1;
}

int lattice_add_rank(tie_lattice *lattice, const weak_order *order, int64_t rank,
                     double (*worth)(const measure *m, double grade), const measure *m)
{
    int64_t first = rank > 0 ? order->end[rank - 1] : 0, mark = first, end = order->end[rank], n;
    int has_room = 1;
    double own;
    for (; mark < end && (own = worth(m, order->grade[mark])) > 0; mark += n) {
        n = 1;
        while (mark + n < end && worth(m, order->grade[mark + n]) == own)
            n++;
        has_room &= lattice_add(lattice, n, own);
    }
    return has_room && lattice_add(lattice, order->size[rank] - (mark - first), 0);
}

/* Counts as digits of one number; those of the kind `outer`, of most documents, come first, and
 * memory has the others. */
typedef struct {
    int outer;
    int64_t stride[LATTICE_KINDS];
    int64_t n_inner; /* counts of the other kinds */
} lattice_shape;

/* Whether the steps and the memory suffice. */
static int find_shape(const tie_lattice *lattice, int64_t size, lattice_shape *shape)
{
    int64_t most = 0;
    double n_counts = 1;
    for (int k = 0; k < lattice->n_kinds; k++) {
        n_counts *= (double)lattice->most[k] + 1;
        if (lattice->most[k] > most) {
            most = lattice->most[k];
            shape->outer = k;
        }
    }
    if (n_counts * lattice->n_kinds > (double)LATTICE_STEPS
        || n_counts / ((double)most + 1) > (double)size)
        return 0;
    shape->n_inner = 1;
    for (int k = 0; k < lattice->n_kinds; k++) {
        shape->stride[k] = k == shape->outer ? 0 : shape->n_inner;
        shape->n_inner *= k == shape->outer ? 1 : lattice->most[k] + 1;
    }
    return 1;
}

static int is_last(const tie_lattice *lattice, const int64_t *taken)
{
    int64_t left = 0;
    for (int k = 0; k < lattice->n_kinds; k++)
        left += lattice->count[k] - taken[k];
    return left == 0;
}

/* f(counts) of those whose number among the inner ones is `at`: memory[at] is still that of one
 * more document of the kind `outer`. */
static double sum_from(const tie_lattice *lattice, const lattice_shape *shape, enum tie_end end,
                       const int64_t *taken, const double *reward, const double *at)
{
    double sum = 0, left = 0, best = NAN;
    for (int k = 0; k < lattice->n_kinds; k++) {
        double n = (double)(lattice->count[k] - taken[k]);
        if (!(n > 0))
            continue;
        double value = reward[k] + at[shape->stride[k]];
        sum += n * value;
        left += n;
        best = end == TIE_WORST ? fmin(best, value) : fmax(best, value);
    }
    return end == TIE_MEAN ? sum / left : best;
}

double lattice_sum(const tie_lattice *lattice, enum tie_end end, lattice_reward reward,
                   const void *context, double *memory, int64_t size, work_watch *watch)
{
    lattice_shape shape = {0};
    int64_t taken[LATTICE_KINDS] = {0};
    double rewards[LATTICE_KINDS] = {0};
    if (lattice->n_kinds == 0)
        return 0;
    if (!find_shape(lattice, size, &shape))
        return NAN;
    for (int64_t i = lattice->most[shape.outer]; i >= 0; i--) {
        for (int k = 0; k < lattice->n_kinds; k++)
            taken[k] = lattice->most[k];
        taken[shape.outer] = i;
        for (int64_t at = shape.n_inner - 1; at >= 0; at--) {
            int is_over = is_last(lattice, taken) || reward(taken, rewards, context);
            memory[at] = is_over ? 0 : sum_from(lattice, &shape, end, taken, rewards, memory + at);
            if (watch_stops(watch, 8 * lattice->n_kinds))
                return NAN;
            for (int k = 0; k < lattice->n_kinds; k++) { /* the counts before these */
                if (k == shape.outer)
                    continue;
                if (taken[k]-- > 0)
                    break;
                taken[k] = lattice->most[k];
            }
        }
    }
    return memory[0];
}
