/* Users who go on with a probability at each place (C/W/L: Moffat, Bailey, Scholer & Thomas 2017),
 * as cwl_eval has them, and the share of pairs in order.
 *
 * A model is the probability c(i) of going on behind place i; w(i), the weight of place i, is
 * c(1) .. c(i-1) over the sum of all of these down to DEPTH, and the measure is the mean gain under
 * w.  Gains are grades between the lowest and the highest, as shares.
 */
#include <math.h>

#include "ties/count_mean.h"
#include "ties/gains.h"
#include "ties/tie_groups.h"
#include "ties/tie_lattice.h"

enum { DEPTH = 1000 }; /* cwl_eval goes no deeper */

/* Arguments 0 and 1: the lowest and the highest grade, which gain 0 and 1. */
static double grade_above_least(const measure *m, double grade)
{
    double least = m->argument[0], most = m->argument[1];
    return fmin(fmax(grade, least), most) - least;
}

static double share_of_gain(const measure *m, double grade)
{
    return grade_above_least(m, grade) / (m->argument[1] - m->argument[0]);
}

/* Where weights do not depend on gains: sum over ranks (mean gain) (sum of weights there). */
static double mean_gain(const measure *m, const measure_input *in,
                        double (*weights)(const measure *m, const measure_input *in, int64_t first,
                                          int64_t last),
                        int64_t depth, double all_weights)
{
    const weak_order *order = in->order;
    dd sum = {0, 0};
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks && order->before[rank] < depth; rank++) {
        int64_t before = order->before[rank], size = order->size[rank];
        double gain = 0;
        for (; mark < order->end[rank]; mark++)
            gain += share_of_gain(m, order->grade[mark]);
        if (gain > 0)
            add_to(&sum,
                   gain / (double)size * weights(m, in, before + 1, smaller(before + size, depth)));
    }
    return total_of(sum) / all_weights;
}

static double log_weights(const measure *m, const measure_input *in, int64_t first, int64_t last)
{
    (void)m;
    return discount_sum(in->memory, first, last);
}

/* DCG of gains to 1 over that of a ranking whose gains are all 1, which is argument 2. */
static double scaled_discounted_gain(const measure *m, const measure_input *in)
{
    return mean_gain(m, in, log_weights, smaller(m->cutoff, DEPTH), m->argument[2]);
}

/* The sum of 1/x^2 over x = a, a + 1, ... below b, n terms: Euler and Maclaurin's, whose next term
 * is below 1e-19 of it for a >= 32.  Differences of the first two powers are taken by hand: those
 * of their values lose log10(a/n + 1) digits.  Those of the others are 1/(2a^2) of the sum. */
static double higher_powers(double x)
{
    double y = 1 / (x * x);
    return y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
}

static double inverse_squares_between(double a, double b, double n)
{
    double inverse = 1 / (a * b);
    return n * inverse * (1 + (a + b) * inverse / 2) + (higher_powers(a) - higher_powers(b));
}

/* The sum of 1/(x + i)^2 over i = 0 .. n - 1, x > 0. */
static double sum_inverse_squares(double x, int64_t n)
{
    enum { FEW = 32 };
    double sum = 0;
    int64_t one_by_one = n;
    if (n > 3 * FEW) {
        sum = inverse_squares_between(x + FEW, x + (double)n, (double)(n - FEW));
        one_by_one = FEW;
    }
    for (int64_t i = one_by_one - 1; i >= 0; i--) {
        double y = x + (double)i;
        sum += 1 / (y * y);
    }
    return sum;
}

/* Argument 2: T.  Weights are proportional to 1/(i + 2T - 1)^2. */
static double inverse_squares(const measure *m, const measure_input *in, int64_t first,
                              int64_t last)
{
    (void)in;
    return sum_inverse_squares((double)(first - 1) + 2 * m->argument[2], last - first + 1);
}

static double inverse_square_gain(const measure *m, const measure_input *in)
{
    return mean_gain(m, in, inverse_squares, DEPTH, inverse_squares(m, in, 1, DEPTH));
}

/* The chance of going on behind place i, of gain g, when all gains so far are `total`. */
typedef double (*user_model)(const measure *m, double i, double g, double total);

static double bpm_goes_on(const measure *m, double i, double g, double total)
{
    (void)g;
    return total < m->argument[2] && i < (double)m->cutoff;
}

static double nerr8_goes_on(const measure *m, double i, double g, double total)
{
    (void)total;
    return i < (double)m->cutoff ? 1 - g : 0;
}

static double nerr9_goes_on(const measure *m, double i, double g, double total)
{
    (void)total;
    return i < (double)m->cutoff ? i / (i + 1) * (1 - g) : 0;
}

/* Argument 2: p. */
static double nerr10_goes_on(const measure *m, double i, double g, double total)
{
    (void)i;
    (void)total;
    return m->argument[2] * (1 - g);
}

static double nerr11_goes_on(const measure *m, double i, double g, double total)
{
    double x = i + 2 * m->argument[2];
    (void)total;
    return (x - 1) / x * ((x - 1) / x) * (1 - g);
}

/* One order of the documents, place by place.  Only for orders that are not mixed. */
static double gain_of_user(const measure *m, const measure_input *in, user_model goes_on)
{
    const weak_order *order = in->order;
    /* grades are summed, not shares: ten of 0.1 are 1, where a user may stop */
    double weight = 1, weights = 0, gains = 0, grades = 0, span = m->argument[1] - m->argument[0];
    int64_t rank = 0, mark = 0;
    for (int64_t i = 0; i < DEPTH && weight > 0; i++) {
        double grade = 0;
        while (rank < order->n_ranks && i >= order->before[rank] + order->size[rank])
            mark = order->end[rank++];
        if (rank < order->n_ranks && i >= order->before[rank] && mark < order->end[rank])
            grade = grade_above_least(m, order->grade[mark++]);
        grades += grade;
        weights += weight;
        gains += weight * (grade / span);
        weight *= goes_on(m, (double)(i + 1), grade / span, grades / span);
    }
    return gains / weights;
}

/* The user of INST, who is at place `next` with this weight and expects `target` in all, 2T. */
typedef struct {
    double weight, weights, target;
    int64_t next;
} inst_user;

/* i + t - 1 behind i - 1 = `above` places, where t = 2T - all gains so far: above 0, as no gain is
 * more than 1. */
static double inst_distance(const inst_user *user, int64_t above, double gains)
{
    return (double)above - gains + user->target;
}

/* Places without a gain, as far as `last`: the weight of place i is proportional to
 * 1/(i + t - 1)^2. */
static void go_without_gain(inst_user *user, double gains, int64_t last)
{
    int64_t n = last - user->next + 1;
    if (n <= 0)
        return;
    double x = inst_distance(user, user->next - 1, gains), share = x / (x + (double)n);
    user->weights += user->weight * (1 + x * x * sum_inverse_squares(x + 1, n - 1));
    user->weight *= share * share;
    user->next = last + 1;
}

/* Argument 2: T.  A user goes on behind place i with probability ((i + t - 1)/(i + t))^2.  Only for
 * orders that are not mixed. */
static double inst(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    inst_user user = {1, 0, 2 * m->argument[2], 1};
    double sum = 0, grades = 0, span = m->argument[1] - m->argument[0];
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks; rank++) {
        int64_t place = order->before[rank] + 1;
        for (; mark < order->end[rank] && place <= DEPTH; mark++, place++) {
            double grade = grade_above_least(m, order->grade[mark]);
            if (grade == 0)
                continue;
            go_without_gain(&user, grades / span, place - 1);
            user.weights += user.weight;
            sum += user.weight * (grade / span);
            grades += grade;
            double x = inst_distance(&user, place, grades / span), share = 1 - 1 / x;
            user.weight *= share * share;
            user.next = place + 1;
        }
        mark = order->end[rank];
    }
    go_without_gain(&user, grades / span, DEPTH);
    return sum / user.weights;
}

/* The rank where the user of BPM stops, its documents by their grades above the least, and those of
 * all documents above it. */
typedef struct {
    const measure *m;
    tie_lattice lattice;
    double place, grades, span, most; /* above the rank; the last place that is read */
} player_rank;

/* The grades of documents that are taken, and of one more of kind `next`.  The same counts have the
 * same sum however they came about: a sum near T must not stop the user twice. */
static double grades_taken(const player_rank *rank, const int64_t *taken, int next)
{
    double grades = rank->grades;
    for (int k = 0; k < rank->lattice.n_kinds; k++)
        grades += (double)(taken[k] + (k == next)) * rank->lattice.worth[k];
    return grades;
}

static int player_stops(const player_rank *rank, double place, double grades)
{
    return !(grades / rank->span < rank->m->argument[2] && place < rank->most);
}

/* The mean gain where the user stops is all that counts: the reward of the last document. */
static int player_reward(const int64_t *taken, double *reward, const void *context)
{
    const player_rank *rank = context;
    double place = rank->place;
    for (int k = 0; k < rank->lattice.n_kinds; k++)
        place += (double)taken[k];
    if (place > rank->place && player_stops(rank, place, grades_taken(rank, taken, -1)))
        return 1;
    place++;
    for (int k = 0; k < rank->lattice.n_kinds; k++) {
        double grades = grades_taken(rank, taken, k);
        reward[k] = player_stops(rank, place, grades) ? grades / rank->span / place : 0;
    }
    return 0;
}

/* The user stops at the last place, and with gains of T: where it is reached but for rounding, one
 * document more is enough. */
static void limit_kinds(player_rank *rank)
{
    double wanted = rank->m->argument[2] * rank->span - rank->grades;
    for (int k = 0; k < rank->lattice.n_kinds; k++) {
        double most = fmin((double)rank->lattice.count[k], rank->most - rank->place);
        if (rank->lattice.worth[k] > 0)
            most = fmin(most, floor(wanted / rank->lattice.worth[k]) + 2);
        rank->lattice.most[k] = (int64_t)most;
    }
}

/* BPM of ties: which rank the user stops in is the same in all orders. */
static double tied_player(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t most = smaller(m->cutoff, DEPTH);
    player_rank at = {.m = m, .span = m->argument[1] - m->argument[0], .most = (double)most};
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < most; rank++) {
        at.lattice.n_kinds = 0;
        if (!lattice_add_rank(&at.lattice, order, rank, grade_above_least, m))
            return NAN;
        double grades = grades_taken(&at, at.lattice.count, -1);
        if (player_stops(&at, (double)end_of(order, rank), grades)) {
            at.place = (double)order->before[rank];
            limit_kinds(&at);
            return lattice_sum(&at.lattice, in->end, player_reward, &at, in->memory->work,
                               in->memory->work_size / (int64_t)sizeof(double), in->memory->watch);
        }
        at.grades = grades;
    }
    return at.grades / at.span / at.most;
}

static double bejeweled_player(const measure *m, const measure_input *in)
{
    if (weak_order_is_mixed(in->order))
        return tied_player(m, in);
    return gain_of_user(m, in, bpm_goes_on);
}

static double nerr8(const measure *m, const measure_input *in)
{
    return gain_of_user(m, in, nerr8_goes_on);
}

static double nerr9(const measure *m, const measure_input *in)
{
    return gain_of_user(m, in, nerr9_goes_on);
}

static double nerr10(const measure *m, const measure_input *in)
{
    return gain_of_user(m, in, nerr10_goes_on);
}

static double nerr11(const measure *m, const measure_input *in)
{
    return gain_of_user(m, in, nerr11_goes_on);
}

/* The first documents down to a cut: relevant ones, all, pairs that are not in order; and how many
 * of the rank at the cut are among them. */
typedef struct {
    double relevant, documents, wrong, taken;
    double tied; /* the chance that a tied pair is not in order */
} cut_pairs;

/* With `count` relevant documents taken from the rank at the cut. */
static double share_in_order(double count, const void *context)
{
    const cut_pairs *cut = context;
    double others = cut->documents - cut->relevant, relevant = cut->relevant + count;
    double pairs = relevant * (cut->documents + cut->taken - relevant);
    double wrong = cut->wrong + count * (others + (cut->taken - count) * cut->tied);
    return pairs > 0 ? 1 - wrong / pairs : relevant > 0;
}

/* The highest or the lowest share, by how many of the rank at the cut are relevant. */
static double cut_end(double relevant, double others, const cut_pairs *cut, int best,
                      work_watch *watch)
{
    double end = NAN;
    for (double count = fmax(0, cut->taken - others); count <= fmin(cut->taken, relevant);
         count++) {
        double share = share_in_order(count, cut);
        end = best ? fmax(end, share) : fmin(end, share);
        if (watch_stops(watch, 4))
            break;
    }
    return end;
}

/* The share of pairs (relevant, other) of the first documents that stand in order. */
static double pairs_in_order(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t depth = smaller(limit_of(m->cutoff), order->n_docs);
    cut_pairs cut = {0, 0, 0, 0, in->end == TIE_MEAN ? 0.5 : in->end == TIE_WORST};
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < depth; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        double r = (double)group.relevant, s = (double)(group.size - group.relevant);
        cut.documents = (double)group.before;
        if (group.before + group.size > depth) {
            cut.taken = (double)(depth - group.before);
            if (in->end != TIE_MEAN)
                return cut_end(r, s, &cut, in->end == TIE_BEST, in->memory->watch);
            return count_mean(r, s, cut.taken, share_in_order, &cut);
        }
        cut.wrong += r * (cut.documents - cut.relevant + s * cut.tied);
        cut.relevant += r;
    }
    cut.documents = (double)depth;
    return share_in_order(0, &cut);
}

static const measure_kernel kernels[] = {
    {"SDCG", scaled_discounted_gain, MEASURE_DISCOUNTS},
    {"INSQ", inverse_square_gain, 0},
    {"INST", inst, 0},
    {"BPM", bejeweled_player, MEASURE_WORK | MEASURE_ENDS},
    {"NERR8", nerr8, 0},
    {"NERR9", nerr9, 0},
    {"NERR10", nerr10, 0},
    {"NERR11", nerr11, 0},
    {"Accuracy", pairs_in_order, MEASURE_ENDS},
};
const measure_family USER_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
