/* Tails of the number of relevant documents in samples of strata.
 * The contract is in count_tails.h. */

#include "bounds/count_tails.h"

#include <math.h>

typedef struct {
    double least, most, mode;
    double relevant, drawn, others; /* hypergeometric; others = population - relevant - drawn */
    double trials, odds;            /* binomial */
    int is_binomial;
} count_law;

static count_law hypergeometric_law(double population, double relevant, double drawn)
{
    count_law law = {.relevant = relevant, .drawn = drawn, .others = population - relevant - drawn};
    law.least = fmax(0, -law.others);
    law.most = fmin(relevant, drawn);
    law.mode = floor((drawn + 1) * ((relevant + 1) / (population + 2)));
    law.mode = fmin(law.most, fmax(law.least, law.mode));
    return law;
}

static count_law binomial_law(double trials, double p)
{
    count_law law = {.is_binomial = 1, .trials = trials, .most = trials, .odds = p / (1 - p)};
    if (p >= 1)
        law.least = law.mode = trials;
    else if (p <= 0)
        law.most = 0;
    else
        law.mode = fmin(trials, floor((trials + 1) * p));
    return law;
}

/* P(x + 1)/P(x) */
static inline double rising_ratio(const count_law *law, double x)
{
    if (law->is_binomial)
        return law->odds * (law->trials - x) / (x + 1);
    return (law->relevant - x) * (law->drawn - x) / ((x + 1) * (law->others + x + 1));
}

/* P(x - 1)/P(x) */
static inline double falling_ratio(const count_law *law, double x)
{
    if (law->is_binomial)
        return x / (law->odds * (law->trials - x + 1));
    return x * (law->others + x) / ((law->relevant - x + 1) * (law->drawn - x + 1));
}

enum { STEPS_BETWEEN_LOOKS = 65536 };

/* Terms on one side of the mode, where it is 1, until a geometric series bounds the rest by `cut`
 * of the sum; that bound. */
static double walk(const count_law *law, int is_up, double *at, int64_t length, double cut,
                   int64_t *n, work_watch *watch)
{
    double term = 1, sum = 1, x = law->mode, end = is_up ? law->most : law->least;
    int64_t i = 0;
    for (; x != end && i < length; i++) {
        double ratio = is_up ? rising_ratio(law, x) : falling_ratio(law, x);
        if (ratio < 1 && term * ratio < cut * sum * (1 - ratio)) {
            *n = i;
            return term * ratio / (1 - ratio);
        }
        x += is_up ? 1 : -1;
        term *= ratio;
        sum += term;
        at[is_up ? i : -i] = term;
        if (i % STEPS_BETWEEN_LOOKS == STEPS_BETWEEN_LOOKS - 1
            && watch_stops(watch, STEPS_BETWEEN_LOOKS))
            break;
    }
    *n = i;
    return 0;
}

/* The table of a law.  Terms are relative to the mode's: their sum is the scale.  Terms that
 * were cut off count on the small side of the tail and are missing from the scale on the other, so
 * that no tail is too small. */
static void set_table(tail_table *t, const count_law *law, int is_upper, double cut,
                      work_watch *watch)
{
    int64_t middle = t->size / 2, up, down;
    t->storage[middle] = 1;
    double above = walk(law, 1, t->storage + middle + 1, t->size - middle - 1, cut, &up, watch);
    double below = walk(law, 0, t->storage + middle - 1, middle, cut, &down, watch);
    t->value = t->storage + middle - down;
    t->first = law->mode - (double)down;
    t->n = up + down + 1;
    t->is_upper = is_upper;
    double sum = is_upper ? above : below;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t place = is_upper ? t->n - 1 - i : i;
        sum += t->value[place];
        t->value[place] = sum;
    }
    double scale = 1 / sum;
    for (int64_t i = 0; i < t->n; i++)
        t->value[i] *= scale;
}

int64_t count_tails_storage(const sampled_group *g)
{
    /* By Bernstein's inequality a tail beyond s counts is below exp(-s²/(2 v + 2 s/3)), v the
     * variance: n/4 at most of a hypergeometric law, n of the binomial ones with mean n at most.
     * With 84 for the exponent it is below 2^-121, and the geometric series that ends a walk below
     * 2^-101. */
    double n = group_sample(g), v = g->n_strata == 1 ? n / 4 : n;
    double s = ceil(84.0 / 3 + sqrt(84.0 * 84 / 9 + 2 * v * 84)) + 4;
    return 2 * (int64_t)(g->n_strata == 1 ? fmin(s, n + 2) : s) + 3;
}

/* The least mean of S: the relevant documents are in the strata of which the smallest parts were
 * sampled. */
static double least_mean(const sampled_group *g, double relevant)
{
    int64_t low = 0, high = g->n_strata;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (g->size[middle] <= relevant)
            low = middle;
        else
            high = middle;
    }
    double size = g->size[low + 1] - g->size[low], sampled = g->sampled[low + 1] - g->sampled[low];
    return g->sampled[low] + (relevant - g->size[low]) * (sampled / size);
}

static double share_of(double part, double whole)
{
    return whole > 0 ? fmin(1, part / whole) : 0;
}

/* Documents times sampled documents up to which all divisions are tried: some 10^6 products. */
static const double MOST_TRIED = 2048;

int64_t count_tails_exact(const sampled_group *g)
{
    double values = (group_size(g) + 1) * (group_sample(g) + 1);
    return g->n_strata > 1 && values <= MOST_TRIED ? 4 * (int64_t)values : 0;
}

/* The counts of a stratum of `size` documents, for each number of relevant ones, in rows. */
static void set_masses(double *mass, int64_t row, double size, double sample)
{
    for (double r = 0; r <= size; r++, mass += row) {
        count_law law = hypergeometric_law(size, r, sample);
        double sum = 0, term = 1;
        for (int64_t x = 0; x < row; x++) {
            int is_possible = x >= law.least && x <= law.most;
            mass[x] = is_possible ? term : 0;
            sum += mass[x];
            term *= is_possible && x < law.most ? rising_ratio(&law, (double)x) : 1;
        }
        for (int64_t x = 0; x < row; x++)
            mass[x] /= sum;
    }
}

/* Stratum by stratum: of R relevant documents r are in the new one, R - r in those before, whose
 * greatest tails are known.  A tail of the sum is a mean of theirs over the new count, so that the
 * greatest of these over r is that of all divisions for two strata, and not below it for more. */
void count_tails_divide(sampled_group *g)
{
    int64_t row = (int64_t)group_sample(g) + 1, rows = (int64_t)group_size(g) + 1;
    double *upper = g->exact, *lower = upper + rows * row, *mass = lower + rows * row,
           *now = mass + rows * row;
    for (int64_t x = 0; x < row; x++) {
        upper[x] = x == 0;
        lower[x] = 1;
    }
    for (int64_t h = 0; h < g->n_strata; h++) {
        int64_t before = (int64_t)g->size[h], own = (int64_t)g->size[h + 1] - before;
        set_masses(mass, row, (double)own, g->sampled[h + 1] - g->sampled[h]);
        /* from the largest R on, as its row needs those of smaller ones before */
        for (int64_t relevant = before + own; relevant >= 0; relevant--) {
            int64_t first = relevant > before ? relevant - before : 0;
            for (int64_t x = 0; x < 2 * row; x++)
                now[x] = 0;
            for (int64_t r = first; r <= own && r <= relevant; r++) {
                const double *p = mass + r * row;
                int64_t from = (relevant - r) * row;
                for (int64_t x = 0; x < row; x++) {
                    double above = 0, below = 0;
                    for (int64_t y = 0; y < row; y++) {
                        above += p[y] * (y < x ? upper[from + x - y] : 1);
                        below += y <= x ? p[y] * lower[from + x - y] : 0;
                    }
                    now[x] = fmax(now[x], above);
                    now[row + x] = fmax(now[row + x], below);
                }
            }
            for (int64_t x = 0; x < row; x++) {
                upper[relevant * row + x] = now[x];
                lower[relevant * row + x] = now[row + x];
            }
        }
    }
}

static void set_exact(count_tails *tails, const sampled_group *g, double relevant, int is_upper)
{
    tail_table *t = tails->table;
    int64_t row = (int64_t)group_sample(g) + 1,
            before = (int64_t)relevant + (is_upper ? 0 : (int64_t)group_size(g) + 1);
    *t = (tail_table){.storage = t->storage,
                      .size = t->size,
                      .value = g->exact + before * row,
                      .valid = is_upper ? -INFINITY : INFINITY,
                      .n = row,
                      .is_upper = is_upper};
    tails->n_tables = 1;
}

/* Several strata.  A hypergeometric count is distributed as a sum of independent Bernoulli
 * variables (Vatutin & Mikhailov 1982), min(n, R) of which are not 0 at most.  So is S: of K
 * variables, K = n or K = R; and so is the number of non-relevant documents in the samples, n - S,
 * of K = N - R.  A tail of such a sum beyond its mean m, P(sum >= x) for x >= m + 1 and P(sum <= x)
 * for x <= m - 1, is at most that of the binomial law of K trials and the same mean (Hoeffding
 * 1956, theorem 4), and so at most that of one whose mean is further on: for P(S >= x) the greatest
 * mean that S can have, for P(S <= x) the least.  All three bounds hold; the least counts, and 1
 * where none holds.  Each rises (falls) with R, as the tail itself does. */
void count_tails_set(count_tails *tails, const sampled_group *g, double relevant, int is_upper,
                     double cut, work_watch *watch)
{
    tail_table *t = tails->table;
    double size = group_size(g), sample = group_sample(g);
    tails->cut = cut;
    if (g->exact != 0) {
        set_exact(tails, g, relevant, is_upper);
        return;
    }
    if (g->n_strata == 1) {
        count_law law = hypergeometric_law(size, relevant, sample);
        set_table(t, &law, is_upper, cut, watch);
        t->valid = is_upper ? -INFINITY : INFINITY;
        t->is_reflected = 0;
        tails->n_tables = 1;
        return;
    }
    double others = size - relevant,
           mean = is_upper ? sample - least_mean(g, others) : least_mean(g, relevant);
    const count_law laws[TABLES_OF_A_GROUP] = {
        binomial_law(sample, share_of(mean, sample)),
        binomial_law(relevant, share_of(mean, relevant)),
        binomial_law(others, share_of(sample - mean, others)),
    };
    for (int i = 0; i < TABLES_OF_A_GROUP; i++) {
        t[i].is_reflected = i == 2;
        t[i].reflected = sample;
        set_table(&t[i], &laws[i], is_upper != t[i].is_reflected, cut, watch);
        t[i].valid = (t[i].is_reflected ? sample - mean : mean) + (t[i].is_upper ? 1 : -1);
    }
    tails->n_tables = TABLES_OF_A_GROUP;
}

double count_tails_certain(const count_tails *tails)
{
    double x = INFINITY;
    for (int i = 0; i < tails->n_tables; i++) {
        const tail_table *t = &tails->table[i];
        double last = t->first + (double)(t->n - 1);
        x = fmin(x, t->is_upper ? fmax(t->first, t->valid) : t->reflected - fmin(last, t->valid));
    }
    return x;
}

double count_tails_steps(const count_tails *tails)
{
    double steps = 0;
    for (int i = 0; i < tails->n_tables; i++)
        steps += (double)tails->table[i].n;
    return steps;
}
