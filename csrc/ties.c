#include "ties.h"

#include <math.h>
#include <string.h>

#include "cascade.h"
#include "double_double.h"
#include "hypergeometric.h"
#include "search_length.h"
#include "smooth_sum.h"

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One rank as a binary measure sees it. */
typedef struct {
    int64_t before; /* documents in earlier ranks */
    int64_t size;
    int64_t relevant; /* relevant documents in it */
    int64_t mark;     /* its first mark */
} tie_group;

static inline tie_group get_group(const weak_order *order, int64_t rank, double relevant_from)
{
    int64_t mark = rank > 0 ? order->end[rank - 1] : 0, at = mark;
    while (at < order->end[rank] && order->grade[at] >= relevant_from)
        at++;
    return (tie_group){order->before[rank], order->size[rank], at - mark, mark};
}

static inline int64_t limit_of(int64_t cutoff)
{
    return cutoff > 0 ? cutoff : INT64_MAX;
}

/* Where `grade` is among the falling levels, or would be. */
static int64_t find_level(const double *level, int64_t n_levels, double grade)
{
    int64_t low = 0, high = n_levels;
    if (n_levels <= 8) {
        while (low < high && level[low] > grade)
            low++;
        return low;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (level[middle] > grade)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One grade of many as it stands in level[] and count[]. */
static void swap_levels(double *level, int64_t *count, int64_t i, int64_t j)
{
    double grade = level[i];
    int64_t times = count[i];
    level[i] = level[j];
    count[i] = count[j];
    level[j] = grade;
    count[j] = times;
}

static void sift_down(double *level, int64_t *count, int64_t root, int64_t n)
{
    for (int64_t child; (child = 2 * root + 1) < n; root = child) {
        child += child + 1 < n && level[child + 1] < level[child];
        if (level[root] <= level[child])
            return;
        swap_levels(level, count, root, child);
    }
}

/* Heap sort, highest first, in place; then equal levels become one. */
static int64_t merge_levels(double *level, int64_t *count, int64_t n)
{
    for (int64_t root = n / 2 - 1; root >= 0; root--)
        sift_down(level, count, root, n);
    for (int64_t last = n - 1; last > 0; last--) {
        swap_levels(level, count, 0, last);
        sift_down(level, count, 0, last);
    }
    int64_t n_levels = 0;
    for (int64_t i = 0; i < n; i++) {
        if (n_levels == 0 || level[n_levels - 1] != level[i]) {
            level[n_levels] = level[i];
            count[n_levels++] = count[i];
        } else {
            count[n_levels - 1] += count[i];
        }
    }
    return n_levels;
}

/* Grades proper are few, and each finds its level; numbers that serve as grades may all differ, and
 * are sorted. */
enum { FEW_LEVELS = 256 };

int64_t ties_count_levels(const double *grade, const int64_t *times, int64_t n, double *level,
                          int64_t *count)
{
    int64_t n_levels = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(grade[i] >= 0))
            continue;
        if (n_levels > FEW_LEVELS) {
            level[n_levels] = grade[i];
            count[n_levels++] = times ? times[i] : 1;
            continue;
        }
        int64_t at = find_level(level, n_levels, grade[i]);
        if (at == n_levels || level[at] != grade[i]) {
            memmove(level + at + 1, level + at, (size_t)(n_levels - at) * sizeof *level);
            memmove(count + at + 1, count + at, (size_t)(n_levels - at) * sizeof *count);
            level[at] = grade[i];
            count[at] = 0;
            n_levels++;
        }
        count[at] += times ? times[i] : 1;
    }
    return n_levels > FEW_LEVELS ? merge_levels(level, count, n_levels) : n_levels;
}

static int64_t count_judged(const ties_judgments *judgments, double from)
{
    int64_t n = 0;
    for (int64_t i = 0; i < judgments->n_levels && judgments->level[i] >= from; i++)
        n += judgments->count[i];
    return n;
}

/* Documents of grade >= `from` expected among the first k. */
static double expected_found(const weak_order *order, double from, int64_t k)
{
    double found = 0;
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < k; rank++) {
        tie_group group = get_group(order, rank, from);
        int64_t taken = smaller(group.size, k - group.before);
        found += taken == group.size ? (double)group.relevant
                                     : (double)taken * (double)group.relevant / (double)group.size;
    }
    return found;
}

/* Terms that are nearly equal round the same way for thousands of steps: what rounding took is kept
 * beside the sum. */
static inline void add_to(dd *sum, double term)
{
    dd both = dd_two_sum(sum->hi, term);
    sum->hi = both.hi;
    sum->lo += both.lo;
}

static inline double total_of(dd sum)
{
    return sum.hi + sum.lo;
}

/* (1/n) sum over ranks (r/g) sum_k (t_r + 1 + (k-1) a)/(t + k), a = (r-1)/(g-1). */
static double average_precision(const weak_order *order, double from, int64_t cutoff,
                                double n_relevant)
{
    int64_t limit = limit_of(cutoff);
    double found = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant == 0)
            continue;
        double t = (double)group.before, g = (double)group.size, r = (double)group.relevant;
        int64_t taken = smaller(group.size, limit - group.before);
        double others = g > 1 ? (r - 1) / (g - 1) : 0;
        dd inside = {0, 0};
        for (int64_t k = 0; k < taken; k++)
            add_to(&inside, (found + 1 + (double)k * others) / (t + 1 + (double)k));
        add_to(&sum, r / g * total_of(inside));
        found += r;
    }
    return n_relevant > 0 ? total_of(sum) / n_relevant : 0;
}

/* The first relevant document's place in its rank is negative hypergeometric: P(1) = r/g,
 * P(k+1) = P(k) (g-k-r+1)/(g-k). */
static double reciprocal_rank(const weak_order *order, double from, int64_t cutoff)
{
    int64_t limit = limit_of(cutoff);
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant == 0)
            continue;
        double t = (double)group.before, g = (double)group.size, r = (double)group.relevant;
        double probability = r / g;
        dd sum = {0, 0};
        int64_t last = smaller(group.size - group.relevant + 1, limit - group.before);
        for (int64_t k = 1; k <= last; k++) {
            add_to(&sum, probability / (t + (double)k));
            probability *= (g - (double)k - r + 1) / (g - (double)k);
        }
        return total_of(sum);
    }
    return 0;
}

/* P(a relevant document among the first k): a sum of positive terms, one for each document taken or
 * relevant. */
static double success(const weak_order *order, double from, int64_t k)
{
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < k; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant == 0)
            continue;
        int64_t taken = k - group.before;
        if (taken > group.size - group.relevant)
            return 1;
        int64_t fewer = smaller(taken, group.relevant), more = taken + group.relevant - fewer;
        double found = 0;
        for (int64_t i = 0; i < fewer && found < 1; i++)
            found += (1 - found) * ((double)more / (double)(group.size - i));
        return found;
    }
    return 0;
}

static double discount_at(double first, double x, const void *unused)
{
    (void)unused;
    return 1 / log2(first + x + 1);
}

/* Discounts of places first .. last (from 1).  Where there are many, as where most relevant
 * documents are not ranked, by lengths that double: log2 is smooth there. */
static double discount_sum(const ties_room *room, int64_t first, int64_t last)
{
    enum { FEW = 1024 };
    dd sum = {0, 0};
    int64_t in_table = smaller(last, room->n_discounts);
    int64_t place = first;
    for (; place <= in_table; place++)
        add_to(&sum, room->discount[place - 1]);
    for (; place <= last && place < FEW; place++)
        add_to(&sum, discount_at((double)place, 0, NULL));
    while (last - place >= FEW) {
        int64_t n = smaller(place, last - place + 1);
        add_to(&sum, smooth_sum(discount_at, NULL, (double)place, (double)n));
        place += n;
    }
    for (; place <= last; place++)
        add_to(&sum, discount_at((double)place, 0, NULL));
    return total_of(sum);
}

static inline double gain_of(const ties_measure *m, double grade)
{
    if (grade <= 0)
        return 0;
    return m->exponential_gain ? exp2(grade) - 1 : grade;
}

/* (mean gain of the rank) x (sum of its discounts) */
static double discounted_gain(const ties_measure *m, const weak_order *order, const ties_room *room)
{
    int64_t limit = limit_of(m->cutoff);
    dd sum = {0, 0};
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        int64_t before = order->before[rank], size = order->size[rank];
        double gain = 0;
        for (; mark < order->end[rank]; mark++)
            gain += gain_of(m, order->grade[mark]);
        if (gain > 0)
            add_to(&sum,
                   gain / (double)size
                       * discount_sum(room, before + 1, before + smaller(size, limit - before)));
    }
    return total_of(sum);
}

static double ideal_gain(const ties_measure *m, const ties_judgments *judgments,
                         const ties_room *room)
{
    int64_t limit = limit_of(m->cutoff), before = 0;
    double sum = 0;
    for (int64_t i = 0; i < judgments->n_levels && before < limit && judgments->level[i] > 0; i++) {
        int64_t count = judgments->count[i];
        sum += gain_of(m, judgments->level[i])
               * discount_sum(room, before + 1, before + smaller(count, limit - before));
        before += count;
    }
    return sum;
}

/* Moffat & Zobel 2008: sum over ranks (mean gain) p^t (1 - p^g). */
static double rank_biased_precision(const ties_measure *m, const weak_order *order)
{
    int64_t limit = limit_of(m->cutoff);
    double log_p = log(m->p);
    dd sum = {0, 0};
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        int64_t before = order->before[rank], size = order->size[rank];
        double gain = 0;
        for (; mark < order->end[rank]; mark++) {
            double grade = order->grade[mark];
            gain += m->is_graded ? fmax(grade, 0) / m->max_grade : grade >= m->relevant_from;
        }
        if (gain > 0)
            add_to(&sum, gain / (double)size * exp((double)before * log_p)
                             * -expm1((double)smaller(size, limit - before) * log_p));
    }
    return total_of(sum);
}

/* Chapelle et al. 2009: sum_i (1/i) R_i prod_{j<i} (1 - R_j), R = (2^grade - 1)/2^max_grade. */
static double expected_reciprocal_rank(const ties_measure *m, const weak_order *order,
                                       const ties_room *room)
{
    int64_t limit = limit_of(m->cutoff);
    double sum = 0, still = 1, scale = exp2(-m->max_grade);
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        int64_t before = order->before[rank], size = order->size[rank], n = 0;
        double going_on = 1, *stop = room->scratch;
        for (; mark < order->end[rank]; mark++) {
            if (order->grade[mark] <= 0)
                continue;
            stop[n] = (exp2(order->grade[mark]) - 1) * scale;
            going_on *= 1 - stop[n++];
        }
        if (n > 0)
            sum += still
                   * cascade_in_rank(stop, n, size, before, smaller(size, limit - before), stop + n,
                                     room->watch);
        still *= going_on;
    }
    return sum;
}

/* Each relevant document of a rank has v = 0 .. i of the rank's judged non-relevant ones before it,
 * equally likely. */
static double binary_preference(const weak_order *order, double from,
                                const ties_judgments *judgments)
{
    double n_relevant = (double)count_judged(judgments, from);
    double n_nonrelevant = (double)count_judged(judgments, 0) - n_relevant;
    double least = fmin(n_relevant, n_nonrelevant), wrong = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        double inside = (double)(order->end[rank] - group.mark - group.relevant);
        if (group.relevant > 0) {
            double below =
                fmax(0, fmin(inside + 1, n_relevant - wrong)); /* values of v with wrong + v < n */
            double capped =
                below * wrong + below * (below - 1) / 2 + (inside + 1 - below) * n_relevant;
            double lost = capped > 0 ? capped / (inside + 1) / least : 0;
            add_to(&sum, (double)group.relevant * (1 - lost));
        }
        wrong += inside;
    }
    return n_relevant > 0 ? total_of(sum) / n_relevant : 0;
}

/* trec_eval 10: the highest precision at lround(level n) relevant documents or more. */
static double interpolated_precision(const weak_order *order, double from, double level,
                                     double n_relevant)
{
    double wanted = round(level * n_relevant), found = 0, best = 0;
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        found += (double)group.relevant;
        if (group.relevant > 0 && found >= wanted)
            best = fmax(best, found / (double)(group.before + group.size));
    }
    return best;
}

/* The ranks that hold a relevant document; with a known collection size the unretrieved documents
 * can be the last. */
static stopping_ranks get_stopping_ranks(const weak_order *order, double from,
                                         const ties_judgments *judgments, double *scratch,
                                         work_watch *watch)
{
    int64_t room = order->n_ranks + 1, n = 0;
    double *t = scratch, *j = t + room, *r = j + room, *i = r + room;
    double found = 0, n_relevant = (double)count_judged(judgments, from);
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant == 0)
            continue;
        t[n] = found;
        j[n] = (double)group.before - found;
        r[n] = (double)group.relevant;
        i[n] = (double)(group.size - group.relevant);
        found += r[n++];
    }
    double retrieved = (double)order->n_docs;
    if (judgments->collection_size > 0 && found < n_relevant) {
        t[n] = found;
        j[n] = retrieved - found;
        r[n] = n_relevant - found;
        i[n] = judgments->collection_size - retrieved - r[n];
        n++;
    }
    return (stopping_ranks){n, t, j, r, i, n_relevant, watch};
}

static double search_measure(const ties_measure *m, const weak_order *order,
                             const ties_judgments *judgments, const ties_room *room)
{
    stopping_ranks ranks =
        get_stopping_ranks(order, m->relevant_from, judgments, room->scratch, room->watch);
    double n = ranks.n_relevant, k = (double)m->cutoff;
    if (m->kind == TIES_ER)
        return n > 0 ? expected_relevant_at(&ranks, k) / n : 0;
    if (m->kind == TIES_FALLOUT) {
        double read = fmin(k, judgments->collection_size), others = judgments->collection_size - n;
        return others > 0 ? expected_nonrelevant_at(&ranks, read) / others : 0;
    }
    if (m->kind == TIES_ESL) {
        double wanted = m->stop == STOP_AT_RELEVANT ? m->at : stopping_point(m->at, n);
        return expected_search_length(&ranks, wanted);
    }
    if (m->stop == STOP_AT_DOCUMENTS)
        return expected_relevant_at(&ranks, m->at) / m->at;
    enum stopping_measure measure = m->kind == TIES_PRR  ? STOP_PRR
                                    : m->kind == TIES_EP ? STOP_EP
                                                         : STOP_PRECALL;
    if (m->stop == STOP_AT_RELEVANT)
        return precision_at_stop(&ranks, measure, m->at);
    return precision_at_recall(&ranks, measure, m->at, m->stop == STOP_AT_RECALL_CEILING);
}

/* sum_y P(y relevant documents are taken from the rank that the cut divides) P(X < t_r + y), X a
 * random draw of k */
static double random_draw_does_worse(const weak_order *order, double from, int64_t cutoff,
                                     double n_relevant, double collection_size)
{
    double found = 0, size = 0, relevant = 0, taken = 0;
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < cutoff; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.before + group.size <= cutoff) {
            found += (double)group.relevant;
        } else {
            size = (double)group.size;
            relevant = (double)group.relevant;
            taken = (double)(cutoff - group.before);
        }
    }
    hypergeometric draw, inside;
    hypergeometric_set(&draw, collection_size, n_relevant, (double)cutoff);
    hypergeometric_set(&inside, size, relevant, taken);
    double sum = 0,
           tail = hypergeometric_value(&draw, HYPERGEOMETRIC_CDF, found + inside.least - 1, 0);
    double weight = hypergeometric_value(&inside, HYPERGEOMETRIC_PMF, inside.least, 0);
    for (double y = inside.least;; y++) {
        sum += weight * tail;
        if (y >= inside.most)
            return sum;
        tail += hypergeometric_value(&draw, HYPERGEOMETRIC_PMF, found + y, 0);
        weight = hypergeometric_value(&inside, HYPERGEOMETRIC_PMF, y + 1, 0);
        if (y >= inside.mode
            && weight * (inside.most - y) < 1e-18 * sum) /* weights fall, and tails end at 1 */
            return sum;
    }
}

/* Measures of what was retrieved as a set; no order of it matters. */
static double set_measure(const ties_measure *m, double found, double n_docs, double n_relevant)
{
    if (!(found > 0))
        return 0;
    double precision = found / n_docs, recall = found / n_relevant, weight = m->beta * m->beta;
    switch (m->kind) {
    case TIES_SET_R:
        return recall;
    case TIES_SET_F:
        return (1 + weight) * precision * recall / (weight * precision + recall);
    case TIES_SET_AP:
        return precision * recall;
    case TIES_SET_REL_P:
        return found / fmin(n_docs, n_relevant);
    default:
        return precision;
    }
}

double ties_value(const ties_measure *m, const weak_order *order, const ties_judgments *judgments,
                  const ties_room *room)
{
    double from = m->relevant_from;
    double n_relevant = (double)count_judged(judgments, from), n_docs = (double)order->n_docs;
    double k = (double)m->cutoff;

    switch (m->kind) {
    case TIES_AP:
        return average_precision(order, from, m->cutoff, n_relevant);
    case TIES_P:
        return expected_found(order, from, m->cutoff) / k;
    case TIES_R:
        return n_relevant > 0 ? expected_found(order, from, m->cutoff) / n_relevant : 0;
    case TIES_F:
        return (1 + m->beta * m->beta) * expected_found(order, from, m->cutoff)
               / (k + m->beta * m->beta * n_relevant);
    case TIES_RR:
        return reciprocal_rank(order, from, m->cutoff);
    case TIES_SUCCESS:
        return success(order, from, m->cutoff);
    case TIES_RPREC:
        return n_relevant > 0 ? expected_found(order, from, (int64_t)n_relevant) / n_relevant : 0;
    case TIES_JUDGED: {
        int64_t depth = smaller(limit_of(m->cutoff), order->n_docs);
        return depth > 0 ? expected_found(order, 0, depth) / (double)depth : 0;
    }
    case TIES_DCG:
        return discounted_gain(m, order, room);
    case TIES_NDCG: {
        double ideal = ideal_gain(m, judgments, room);
        return ideal > 0 ? discounted_gain(m, order, room) / ideal : 0;
    }
    case TIES_RBP:
        return rank_biased_precision(m, order);
    case TIES_ERR:
        return expected_reciprocal_rank(m, order, room);
    case TIES_BPREF:
        return binary_preference(order, from, judgments);
    case TIES_IPREC:
        return interpolated_precision(order, from, m->at, n_relevant);
    case TIES_HT:
        return random_draw_does_worse(order, from, m->cutoff, n_relevant,
                                      judgments->collection_size);
    case TIES_NUM_RET:
        return n_docs;
    case TIES_NUM_REL:
        return n_relevant;
    case TIES_NUM_REL_RET:
        return expected_found(order, from, order->n_docs);
    case TIES_SET_P:
    case TIES_SET_R:
    case TIES_SET_F:
    case TIES_SET_AP:
    case TIES_SET_REL_P:
        return set_measure(m, expected_found(order, from, order->n_docs), n_docs, n_relevant);
    default:
        return search_measure(m, order, judgments, room);
    }
}
