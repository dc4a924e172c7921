/* Mean of a measure over random labels of unjudged documents.
 * The contract is in unjudged_mean.h. */

#include "label_bounds/unjudged_mean.h"

#include <string.h>

#include "ties/cascade.h"
#include "ties/tie_groups.h"

/* Let a document with probability p join a count: mass[i] is P(count = i), i = 0 .. n. */
static void join_one(double *mass, int64_t n, double p)
{
    mass[n + 1] = mass[n] * p;
    for (int64_t i = n; i > 0; i--)
        mass[i] = mass[i] * (1 - p) + mass[i - 1] * p;
    mass[0] *= 1 - p;
}

/* The ranks so far have sure + i relevant documents with probability mass[i], i = 0 .. n. */
typedef struct {
    int64_t n, sure;
    double *mass, *part;
} counts_so_far;

/* One rank, of which `sure` documents and with probability inside[i] i others are relevant. */
static void join_rank(counts_so_far *all, int64_t sure, int64_t n, const double *inside,
                      double first, double above, double between, double *mass, double *part,
                      work_watch *watch)
{
    int64_t n_both = all->n + n;
    for (int64_t i = 0; i <= n_both; i++)
        mass[i] = part[i] = 0;
    for (int64_t i = 0; i <= all->n && !watch_stops(watch, 2 * n + 2); i++) {
        double a = (double)(all->sure + i);
        for (int64_t j = 0; j <= n; j++) {
            double s = (double)(sure + j), weight = all->mass[i] * inside[j];
            double added = s > 0 ? s * (first + a * above + (s - 1) * between) : 0;
            mass[i + j] += weight;
            part[i + j] += weight * added + all->part[i] * inside[j];
        }
    }
    all->n = n_both;
    all->sure += sure;
    memcpy(all->mass, mass, (size_t)(n_both + 1) * sizeof *mass);
    memcpy(all->part, part, (size_t)(n_both + 1) * sizeof *part);
}

int64_t label_counts(const label_ranks *ranks, const label_terms *terms, const double *unseen,
                     int64_t n_unseen, int64_t *sure, double *mass, double *part, double *scratch,
                     work_watch *watch)
{
    int64_t n_docs = ranks->n_ranks > 0 ? ranks->end[ranks->n_ranks - 1] : 0;
    int64_t width = n_docs + n_unseen + 1;
    double *inside = scratch, *both = inside + width, *both_parts = both + width;
    counts_so_far all = {0, 0, mass, part};
    mass[0] = 1;
    part[0] = 0;
    for (int64_t rank = 0, doc = 0; rank < ranks->n_ranks; rank++) {
        int64_t certain = 0, n = 0;
        inside[0] = 1;
        for (; doc < ranks->end[rank] && !watch_stops(watch, n); doc++) {
            double p = ranks->p[doc];
            if (p >= 1)
                certain++;
            else if (p > 0)
                join_one(inside, n++, p);
        }
        if (certain + n == 0)
            continue;
        join_rank(&all, certain, n, inside, terms->first[rank], terms->above[rank],
                  terms->inside[rank], both, both_parts, watch);
        if (watch_stops(watch, 0))
            return 0;
    }
    for (int64_t i = 0; i < n_unseen; i++) {
        if (unseen[i] >= 1) {
            all.sure++;
        } else if (unseen[i] > 0) {
            join_one(all.mass, all.n, unseen[i]);
            join_one(all.part, all.n++, unseen[i]);
        }
        if (watch_stops(watch, 2 * all.n))
            return 0;
    }
    *sure = all.sure;
    return all.n;
}

void label_precision_terms(const label_ranks *ranks, int64_t cutoff, double *first, double *inside)
{
    for (int64_t rank = 0; rank < ranks->n_ranks; rank++) {
        int64_t before = ranks->before[rank], size = ranks->size[rank], taken = size;
        if (cutoff > 0)
            taken = before < cutoff ? smaller(size, cutoff - before) : 0;
        double places = 0, ordinal = 0;
        for (int64_t k = 0; k < taken; k++) {
            places += 1 / (double)(before + 1 + k);
            ordinal += (double)k / (double)(before + 1 + k);
        }
        first[rank] = places / (double)size;
        inside[rank] = size > 1 ? ordinal / (double)size / (double)(size - 1) : 0;
    }
}

double label_stop_rank(const label_ranks *ranks, double stop, int64_t cutoff, double *scratch,
                       work_watch *watch)
{
    int64_t limit = cutoff > 0 ? cutoff : INT64_MAX;
    double sum = 0, still = 1;
    for (int64_t rank = 0, doc = 0; rank < ranks->n_ranks && ranks->before[rank] < limit; rank++) {
        int64_t before = ranks->before[rank], size = ranks->size[rank], n = 0;
        double going_on = 1;
        for (; doc < ranks->end[rank]; doc++) {
            if (!(ranks->p[doc] > 0))
                continue;
            scratch[n] = stop * ranks->p[doc];
            going_on *= 1 - scratch[n++];
        }
        if (n > 0)
            sum += still
                   * cascade_in_rank(scratch, n, size, before, smaller(size, limit - before),
                                     scratch + n, watch);
        still *= going_on;
    }
    return sum;
}

/* Among t of n documents drawn at random from the rank, F_t is the chance of a relevant one; with
 * one document more, of n + 1, it is among the t with probability t / (n + 1). */
double label_success(const label_ranks *ranks, int64_t cutoff, double *scratch, work_watch *watch)
{
    double found = 0;
    for (int64_t rank = 0, doc = 0; rank < ranks->n_ranks && ranks->before[rank] < cutoff; rank++) {
        int64_t size = ranks->size[rank], taken = smaller(size, cutoff - ranks->before[rank]);
        double *chance = scratch, own = 0;
        if (taken == size) {
            for (; doc < ranks->end[rank]; doc++)
                own += (1 - own) * ranks->p[doc];
        } else {
            for (int64_t t = 0; t <= taken; t++)
                chance[t] = 0;
            for (int64_t n = 1; doc < ranks->end[rank]; doc++, n++) {
                double p = ranks->p[doc];
                if (watch_stops(watch, 4 * taken))
                    return 0;
                for (int64_t t = smaller(n, taken); t > 0; t--)
                    chance[t] = ((double)(n - t) * (t < n ? chance[t] : 0)
                                 + (double)t * (p + (1 - p) * chance[t - 1]))
                                / (double)n;
            }
            own = chance[taken];
        }
        found += (1 - found) * own;
    }
    return found;
}
