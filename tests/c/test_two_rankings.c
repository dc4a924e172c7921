/* Two weak orderings: mean, least and greatest are those over all orders of the ties in both. */
#include "two_rankings/two_rankings.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { DOCS = 4, ITEMS = 2 * DOCS, MEASURES = 8 };

static const pair_measure MEASURE[MEASURES] = {
    {PAIR_OVERLAP, TIES_MEAN, 1, 0}, {PAIR_OVERLAP, TIES_MEAN, 3, 0},
    {PAIR_OVERLAP, TIES_MEAN, 6, 0}, {PAIR_RBO, TIES_MEAN, 0, 0.8},
    {PAIR_RBO, TIES_MEAN, 5, 0.5},   {PAIR_TAU, TIES_MEAN, 0, 0},
    {PAIR_TAU_AP, TIES_MEAN, 0, 0},  {PAIR_SPEARMAN, TIES_MEAN, 0, 0},
};

/* Rankings by their documents' items and scores. */
typedef struct {
    int n;
    int item[DOCS];
    double score[DOCS];
} scored;

/* The sums and ends over all orders. */
typedef struct {
    double sum[MEASURES], low[MEASURES], high[MEASURES];
    int n;
} found;

/* How many of the ranked items, n_a and n_b, are in the first k places of both. */
static int both(const int *a, const int *b, int n_a, int n_b, int k)
{
    int count = 0;
    for (int i = 0; i < n_a && i < k; i++)
        for (int j = 0; j < n_b && j < k; j++)
            count += a[i] == b[j];
    return count;
}

/* Webber, Moffat & Zobel 2010, equation 32. */
static double rbo(const int *a, const int *b, int n_a, int n_b, double p)
{
    int s = n_a < n_b ? n_a : n_b, n = n_a < n_b ? n_b : n_a;
    double sum = 0, at_s = both(a, b, n_a, n_b, s), at_n = both(a, b, n_a, n_b, n);
    for (int d = 1; d <= n; d++) {
        sum += pow(p, d) * both(a, b, n_a, n_b, d) / d;
        if (d > s)
            sum += pow(p, d) * at_s * (d - s) / (s * d);
    }
    return (1 - p) / p * sum + pow(p, n) * ((at_n - at_s) / n + at_s / s);
}

/* One measure of two orders of all n items, of which the first n_a and n_b were ranked. */
static double of_orders(const pair_measure *m, const int *a, const int *b, int n_a, int n_b, int n)
{
    int place[ITEMS], above, concordant = 0;
    double sum = 0, shares = 0, squares = 0;
    if (m->kind == PAIR_OVERLAP)
        return (double)both(a, b, n_a, n_b, (int)m->cutoff) / (double)m->cutoff;
    if (m->kind == PAIR_RBO && m->cutoff == 0)
        return rbo(a, b, n_a, n_b, m->p);
    for (int d = 1; d <= m->cutoff; d++)
        sum += (1 - m->p) * pow(m->p, d - 1) * both(a, b, n_a, n_b, d) / d;
    if (m->kind == PAIR_RBO)
        return sum;
    if (n < 2)
        return 1;
    for (int i = 0; i < n; i++)
        place[a[i]] = i;
    for (int i = 0; i < n; i++) {
        above = 0;
        for (int j = 0; j < i; j++)
            above += place[b[j]] < place[b[i]];
        concordant += above;
        shares += i > 0 ? (double)above / i : 0;
        squares += (place[b[i]] - i) * (place[b[i]] - i);
    }
    if (m->kind == PAIR_TAU)
        return 4.0 * concordant / (n * (n - 1)) - 1;
    return m->kind == PAIR_TAU_AP ? 2 * shares / (n - 1) - 1
                                  : 1 - 6 * squares / (n * (n * n - 1.0));
}

/* The next of the n! orders of 0, 1, ...; false after the last. */
static int next_order(int *order, int n)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return 0;
    while (order[j] < order[i])
        j--;
    int first = order[i];
    order[i] = order[j];
    order[j] = first;
    for (int left = i + 1, right = n - 1; left < right; left++, right--) {
        int moved = order[left];
        order[left] = order[right];
        order[right] = moved;
    }
    return 1;
}

static int falls(const int *order, const double *level, int n)
{
    for (int i = 1; i < n; i++)
        if (level[order[i]] > level[order[i - 1]])
            return 0;
    return 1;
}

static found over_orders(const scored *a, const scored *b, int n)
{
    found all = {{0}, {0}, {0}, 0};
    double level[2][ITEMS];
    int x[ITEMS], y[ITEMS];
    for (int i = 0; i < n; i++)
        level[0][i] = level[1][i] = -1; /* last, unless ranked */
    for (int i = 0; i < a->n; i++)
        level[0][a->item[i]] = a->score[i];
    for (int i = 0; i < b->n; i++)
        level[1][b->item[i]] = b->score[i];
    for (int i = 0; i < n; i++)
        x[i] = i;
    do {
        if (!falls(x, level[0], n))
            continue;
        for (int i = 0; i < n; i++)
            y[i] = i;
        do {
            if (!falls(y, level[1], n))
                continue;
            for (int k = 0; k < MEASURES; k++) {
                double value = of_orders(&MEASURE[k], x, y, a->n, b->n, n);
                all.sum[k] += value;
                all.low[k] = all.n == 0 || value < all.low[k] ? value : all.low[k];
                all.high[k] = all.n == 0 || value > all.high[k] ? value : all.high[k];
            }
            all.n++;
        } while (next_order(y, n));
    } while (next_order(x, n));
    return all;
}

/* Items of a: 0, 1, ...; some of them in b, and others. */
static int draw(unsigned long long *state, scored *a, scored *b)
{
    int levels = 1 + (int)(next_random(state) % 3), n = 0;
    a->n = 1 + (int)(next_random(state) % DOCS);
    b->n = 0;
    for (; n < a->n; n++) {
        a->item[n] = n;
        a->score[n] = (double)(next_random(state) % (unsigned)levels);
        if (next_random(state) % 3)
            b->item[b->n++] = n;
    }
    if (b->n == 0 || (b->n < DOCS && next_random(state) % 2))
        b->item[b->n++] = n++;
    for (int i = 0; i < b->n; i++)
        b->score[i] = (double)(next_random(state) % (unsigned)levels);
    return n;
}

/* Memory of exactly the size that the header asks for. */
static void evaluate(const scored *a, const scored *b, int n, double *value, double *low,
                     double *high)
{
    size_t size = sizeof(int64_t), items = (size_t)n;
    int64_t rows[DOCS];
    ranking_pair pair = {.n_items = n,
                         .a = {0, 0, malloc((items + 2) * size), malloc(items * size),
                               malloc(items * size)},
                         .b = {0, 0, malloc((items + 2) * size), malloc(items * size),
                               malloc(items * size)},
                         .scratch = malloc((4 * items + 4) * size),
                         .number = malloc(7 * (items + 1) * sizeof(double))};
    for (int i = 0; i < b->n; i++)
        rows[i] = b->item[i];
    pair_rank(a->score, NULL, a->n, &pair, &pair.a);
    pair_rank(b->score, rows, b->n, &pair, &pair.b);
    pair_evaluate(&pair, MEASURE, MEASURES, value, low, high);
    free(pair.a.start), free(pair.a.group), free(pair.a.order);
    free(pair.b.start), free(pair.b.group), free(pair.b.order);
    free(pair.scratch), free(pair.number);
}

static int is_near(double x, double y)
{
    return fabs(x - y) < 1e-12;
}

int main(void)
{
    unsigned long long state = 1;
    for (int trial = 0; trial < 400; trial++) {
        scored a, b;
        double value[MEASURES], alone[MEASURES], low[MEASURES], high[MEASURES];
        int n = draw(&state, &a, &b);
        found all = over_orders(&a, &b, n);
        evaluate(&a, &b, n, value, low, high);
        evaluate(&a, &b, n, alone, NULL, NULL);
        for (int k = 0; k < MEASURES; k++) {
            CHECK(is_near(value[k], all.sum[k] / all.n));
            CHECK(value[k] == alone[k]);
            CHECK(is_near(low[k], all.low[k]));
            CHECK(is_near(high[k], all.high[k]));
        }
    }
    return failures;
}
