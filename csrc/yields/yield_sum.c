/* Distribution of a sum of the yields of strata, by Fourier transforms.
 * The contract is in yield_sum.h. */

#include "yields/yield_sum.h"

#include <math.h>

enum {
    POINTS = 10,
    BEFORE = 4,
    HALF = KERNEL_WIDTH / 2,
    KERNEL_DEGREE = 12,
    RULE = 4,
    RULE_DEGREE = 8,
    LEAST_RULE = 16,
    SPAN = 32,
    SINGLE_SPAN = 1024
};

/* Steps that 8 Gauss points may span: errors of waves of 8 steps below 1e-11. */
static const double WAVE = 6.0;
/* 7 √2: an edge from 1 to 0 over the cut, 7 standard deviations to either side. */
static const double EDGE = 9.9;

/* Gauss points for n equally spaced numbers, as parts of n/2, and weights, as parts of n:
 * polynomials in (16/n)^2 through values with 30 digits, n >= 16, within 4e-13. */
static const double PLACE[RULE][RULE_DEGREE + 1] = {
    {0.18343464249562123, -0.00835133503695590778, -0.00063390995292295166,
     -0.0000820945617447023977, -0.0000125384052131179453, -2.02391879683672098e-6,
     -3.70603511875150179e-7, -3.10396545669918868e-8, -2.21232987305191055e-8},
    {0.525532409916339211, -0.0236889432630501677, -0.00187727469441683306,
     -0.000225221382736224373, -0.0000285073203886377951, -3.20242293590055399e-6,
     -2.63474182839458645e-7, -1.95751783078173296e-8, 7.07654011111730893e-9},
    {0.796666477413556095, -0.0345042607267557099, -0.00290655903710539655, 2.39056505850527933e-6,
     0.0000532229298812065236, 2.11166010255931836e-6, -1.20911430799743439e-6,
     7.98287421857175844e-8, 1.76563541967969822e-8},
    {0.960289856497599122, -0.0289508565551308233, 0.00217497292786544168, 0.0000462667240665595931,
     -0.0000398522463105267947, -3.08769284346023137e-7, 1.34859617208508971e-6,
     -7.22301969361774958e-8, -2.42295891877031786e-8}};
static const double SHARE[RULE][RULE_DEGREE + 1] = {
    {0.181341891689164992, -0.00823904109637828125, -0.000631877254671901288,
     -0.0000810533954846558936, -0.0000120948250539060545, -1.88228602738970537e-6,
     -3.14953558186306104e-7, -3.12157459186054961e-8, -1.44007575548351345e-8},
    {0.156853322938956085, -0.00685500313529144892, -0.000605676765111845278,
     -0.0000500418567295178309, 1.197581967471136e-6, 2.15949916251667723e-6, 6.32860541316757e-7,
     1.03714268616319513e-7, 2.46778078478907416e-8},
    {0.111190517226352495, -0.00343874116370556538, -0.000252274599531929015,
     0.000564640403523420666, 0.000059776860868467089, -0.0000209549867070344786,
     -2.88433344633879761e-6, 1.49943546921254067e-6, -1.69053633736222207e-7},
    {0.0506142681455264277, 0.0185327853953752956, 0.00148982861931567558, -0.000433545151309246941,
     -0.0000488796177820321705, 0.0000206777735719075067, 2.56642646308378696e-6,
     -1.57193399191025469e-6, 1.587765834431666e-7}};

/* Kaiser and Bessel's kernel I0(β sqrt(1 - (x/6)^2))/I0(β), β = 10.5 π, about the middle of each
 * unit of x: polynomials within 5e-14. */
static const double KERNEL[HALF][KERNEL_DEGREE + 1] = {
    {0.89316766672202512, -0.4043371513902167, -0.31559856146664791, 0.16488797081503286,
     0.05226989753203017, -0.032675865932280031, -0.0053087797864784576, 0.0041958720278299745,
     0.00035752848447351052, -0.0003924000775758325, -1.5278901363322473e-5, 2.7263431120110929e-5,
     2.4815794330440571e-7},
    {0.35657779039186644, -0.49818219134655784, 0.1710578486994682, 0.077413258303282124,
     -0.063087934717274515, 0.0017547159765628852, 0.0088289876554813991, -0.0016643904947242841,
     -0.00070144649040975479, 0.00023726384860889924, 3.2731552719379694e-5, -1.9385884832547935e-5,
     -5.5269027406687415e-7},
    {0.052247146320744693, -0.12944372453647597, 0.1291164738703614, -0.057623464267805298,
     0.0013687083909516838, 0.010220161561290882, -0.0037595050059074799, -0.00024166214275367741,
     0.00047672683832795573, -7.5616742574145183e-5, -2.7257568668837135e-5, 9.5861574654483568e-6,
     5.0108877372745802e-7},
    {0.0022678316855733667, -0.0087856443200860754, 0.015128019056282036, -0.014928121723507307,
     0.0088803638746937535, -0.0028036076333944287, -9.3627813979575805e-6, 0.00040181092449327003,
     -0.00014700097488830969, 3.7037410731824166e-6, 1.2700922949741884e-5, -3.119451818078803e-6,
     -2.7144371084400401e-7},
    {1.7394290116592713e-5, -0.00010591956689998427, 0.00029595311405978791,
     -0.00050042333511796444, 0.00056696950378372098, -0.00044761120916950439,
     0.00024483895425831501, -8.5511399161272106e-5, 1.1921496723337897e-5, 4.9910529627370504e-6,
     -3.2540373768321759e-6, 5.8778795127422022e-7, 9.07938579789709e-8},
    {3.9923428522320736e-9, -4.8394910698568478e-8, 2.6672744099480624e-7, -8.8749009940201276e-7,
     1.9954000601990548e-6, -3.2122358735730071e-6, 3.82097051740961e-6, -3.4061342113987423e-6,
     2.2711120914367241e-6, -1.1050249867301653e-6, 3.5711118271415744e-7, -4.2134398857361614e-8,
     -1.7363185471393789e-8}};

/* The kernel at t - i for the points i = -5 .. 6, 0 <= t < 1. */
static void kernel_at(double t, double *weight)
{
    double u = t - 0.5, square = u * u;
    for (int j = 0; j < HALF; j++) {
        const double *c = KERNEL[j];
        double even = c[KERNEL_DEGREE], odd = c[KERNEL_DEGREE - 1];
        for (int k = KERNEL_DEGREE - 2; k >= 0; k -= 2)
            even = even * square + c[k];
        for (int k = KERNEL_DEGREE - 3; k >= 1; k -= 2)
            odd = odd * square + c[k];
        weight[HALF - 1 - j] = even + u * odd;
        weight[HALF + j] = even - u * odd;
    }
}

/* Lagrange's weights at t, 0 <= t < 1, of the points -4 .. 5. */
static void lagrange(double t, double *weight)
{
    static const double scale[POINTS] = {-1 / 362880.0, 1 / 40320.0, -1 / 10080.0, 1 / 4320.0,
                                         -1 / 2880.0,   1 / 2880.0,  -1 / 4320.0,  1 / 10080.0,
                                         -1 / 40320.0,  1 / 362880.0};
    double left = 1, right = 1;
    for (int i = 0; i < POINTS; i++) {
        weight[i] = scale[i] * left;
        left *= t - (i - BEFORE);
    }
    for (int i = POINTS - 1; i >= 0; i--) {
        weight[i] *= right;
        right *= t - (i - BEFORE);
    }
}

/* The smooth edge at `cut` from the centre: 1 there, 0 at the cut. */
static double kept(double distance, double cut)
{
    if (!(cut < INFINITY))
        return 1;
    return fabs(distance) >= cut ? 0 : 0.5 * erfc((fabs(distance) / cut - 0.5) * EDGE);
}

/* The part of a law that counts as its low or its high one. */
static double part_of(const centred_law *c, double x)
{
    double first = c->law->left[0], last = c->law->left[c->law->n_cells] - 1;
    if (c->part == YIELD_WHOLE)
        return 1;
    double high = 0.5 * erfc((0.5 - (x - first) / (last - first)) * EDGE);
    return c->part == YIELD_HIGH ? high : 1 - high;
}

/* Sum of weights times exp(tilt (x - reference)), x the end of each cell that the tilt favours; the
 * greatest log of a weight times exp(tilt x). */
static double tilted_sum(const centred_law *c, double cut, double tilt, double reference,
                         double *greatest)
{
    const yield_law *law = c->law;
    double first = law->left[0], last = law->left[law->n_cells] - 1, sum = 0;
    double least = fmax(first - c->centre, ceil(-cut)), most = fmin(last - c->centre, floor(cut));
    for (int64_t i = 0; i < law->n_cells; i++) {
        double from = law->left[i] - c->centre, to = law->left[i + 1] - 1 - c->centre,
               x = fmin(fmax(tilt > 0 ? to : from, least), most);
        if (to < least || from > most || !(law->weight[i] > 0)) /* rounding may make it less */
            continue;
        if (greatest != 0)
            *greatest = fmax(*greatest, log(law->weight[i]) + tilt * x);
        else
            sum += law->weight[i] * exp(tilt * x - reference);
    }
    return sum;
}

double yield_log_moment(const centred_law *c, double cut, double tilt)
{
    const yield_law *law = c->law;
    double end = tilt > 0 ? fmin(law->left[law->n_cells] - 1 - c->centre, floor(cut))
                          : fmax(law->left[0] - c->centre, ceil(-cut));
    double reference = tilt * end, sum = tilted_sum(c, cut, tilt, reference, 0);
    if (!(sum > 0)) { /* all that is likely is far from the end */
        reference = -INFINITY;
        tilted_sum(c, cut, tilt, 0, &reference);
        sum = tilted_sum(c, cut, tilt, reference, 0);
    }
    return sum > 0 ? log(sum) + reference : -INFINITY;
}

/* The law that is spread, and the lattice. */
typedef struct {
    const centred_law *c;
    double step, cut;
    int64_t mask;
    double *lattice;
} spreading;

static void spread(const spreading *s, double x, double mass)
{
    double distance = x - s->c->centre, place = distance / s->step, whole = floor(place),
           weight[KERNEL_WIDTH];
    mass *= part_of(s->c, x) * kept(distance, s->cut);
    if (mass == 0)
        return;
    int64_t at = (int64_t)whole;
    if (s->step == 1) {
        s->lattice[at & s->mask] += mass;
        return;
    }
    kernel_at(place - whole, weight);
    for (int i = 0; i < KERNEL_WIDTH; i++)
        s->lattice[(at + i + 1 - HALF) & s->mask] += mass * weight[i];
}

/* n documents of a cell from x on, by Gauss points. */
typedef struct {
    double n, place[RULE], share[RULE];
} long_rule;

static long_rule long_rule_of(double n)
{
    long_rule rule = {n, {0}, {0}};
    double u = LEAST_RULE / n * (LEAST_RULE / n);
    for (int i = 0; i < RULE; i++) {
        rule.place[i] = polynomial(PLACE[i], RULE_DEGREE, u) * n / 2;
        rule.share[i] = polynomial(SHARE[i], RULE_DEGREE, u) * n;
    }
    return rule;
}

static void spread_run(const spreading *s, int64_t cell, double x, double n, const long_rule *rule)
{
    const yield_law *law = s->c->law;
    const double *p = probabilities_of(law, cell);
    if (n < LEAST_RULE) {
        for (double end = x + n; x < end; x++)
            spread(s, x, polynomial(p, CURVE_DEGREE, place_in(law, cell, x)));
        return;
    }
    double middle = x + (n - 1) / 2;
    for (int i = 0; i < RULE; i++)
        for (int side = -1; side < 2; side += 2) {
            double at = middle + side * rule->place[i];
            spread(s, at, rule->share[i] * polynomial(p, CURVE_DEGREE, place_in(law, cell, at)));
        }
}

void yield_law_spread(const centred_law *c, double step, double cut, int64_t n, double *lattice)
{
    const yield_law *law = c->law;
    const spreading s = {c, step, cut, n - 1, lattice};
    double longest = step == 1 ? 1 : WAVE * step;
    for (int64_t i = 0; i < law->n_cells; i++) {
        double first = law->left[i], width = law->left[i + 1] - first;
        if (first - c->centre >= cut || first + width - 1 - c->centre <= -cut)
            continue;
        if (law->which[i] < 0) {
            spread(&s, first, law->weight[i]);
            continue;
        }
        double from = fmax(first, ceil(c->centre - cut)),
               end = fmin(first + width, floor(c->centre + cut) + 1);
        double parts = ceil((end - from) / longest), n_short = floor((end - from) / parts);
        double n_long = end - from - parts * n_short; /* so many parts have one document more */
        long_rule shorter = {0, {0}, {0}}, longer = {0, {0}, {0}};
        if (n_short >= LEAST_RULE - 1) {
            shorter = long_rule_of(fmax(LEAST_RULE, n_short));
            longer = long_rule_of(n_short + 1);
        }
        for (double k = 0; k < parts; k++) {
            double length = k < n_long ? n_short + 1 : n_short;
            spread_run(&s, i, from, length, k < n_long ? &longer : &shorter);
            from += length;
        }
    }
}

/* The lattices, and their union's density. */
typedef struct {
    const yield_lattice *lattices;
    int64_t n;
} lattices;

static int covers(const yield_lattice *l, double x)
{
    double place = (x - l->first) / l->step;
    return place >= BEFORE && place < (double)(l->n - POINTS + BEFORE);
}

static double lattice_density(const yield_lattice *l, double x)
{
    double place = (x - l->first) / l->step, whole = floor(place), weight[POINTS], sum = 0;
    const double *mass = l->mass + (int64_t)whole - BEFORE;
    if (place == whole)
        return mass[BEFORE] / l->step;
    lagrange(place - whole, weight);
    for (int i = 0; i < POINTS; i++)
        sum += weight[i] * mass[i];
    return sum / l->step;
}

static double density_at(const void *context, double whole, double rest)
{
    const lattices *all = context;
    double sum = 0, x = whole + rest;
    for (int64_t i = 0; i < all->n; i++)
        if (covers(&all->lattices[i], x))
            sum += lattice_density(&all->lattices[i], x);
    return sum;
}

/* The finest step at x. */
static double step_at(const lattices *all, double x)
{
    double step = INFINITY;
    for (int64_t i = 0; i < all->n; i++)
        if (covers(&all->lattices[i], x))
            step = fmin(step, all->lattices[i].step);
    return step;
}

/* Cells of at most SPAN steps of the finest lattice, or of many single documents, none across the
 * bound of a lattice. */
static double widest_at(const void *context, double x)
{
    const lattices *all = context;
    double step = step_at(all, x), widest = step == 1 ? SINGLE_SPAN : SPAN * step;
    for (int64_t i = 0; i < all->n; i++) {
        const yield_lattice *l = &all->lattices[i];
        double begin = ceil(l->first + BEFORE * l->step),
               end = ceil(l->first + (double)(l->n - POINTS + BEFORE) * l->step);
        if (begin > x)
            widest = fmin(widest, begin - x);
        if (end > x)
            widest = fmin(widest, end - x);
    }
    return widest;
}

/* The distance of a cell's polynomial from the density at the points of the finest lattice, or at
 * the documents. */
static double check_cell(const void *context, double first, double width, const double *p)
{
    const lattices *all = context;
    double step = fmax(1, floor(step_at(all, first))), largest = 0;
    for (double x = first; x < first + width; x += step)
        largest =
            fmax(largest, fabs(density_at(context, x, 0)
                               - polynomial(p, CURVE_DEGREE, (2 * (x - first) + 1) / width - 1)));
    return largest;
}

double yield_law_of_lattices(yield_law *law, int64_t most_cells, int64_t most_curves,
                             const yield_lattice *lattice, int64_t n_lattices, double least,
                             double most)
{
    const lattices all = {lattice, n_lattices};
    const yield_source source = {density_at, widest_at, 0, check_cell, &all, 1e-10, 1};
    return yield_law_build(law, most_cells, most_curves, &source, least, most);
}
