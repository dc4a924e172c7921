/* Expected reciprocal rank in a tie where most documents stop the reader equally likely: open ones
 * of the highest grade.
 *
 * Behind k documents of the tie, j of them others than the m equal ones, the reader has gone on
 * with probability G_k(j) still(j): G_k(j) = C(others, j) C(m, k - j)/C(g, k) (1 - s)^(k - j), and
 * still(j) the mean over random subsets of j others (cascade.h).  The next one is an equal one, who
 * stops him with probability s, with probability (m - k + j)/(g - k), and else one of the others.
 * All terms are positive.  Cost: others that may stop him times others, and places times others, as
 * far as either counts.
 */
#include "ties/cascade.h"
#include "label_bounds/open_ranks.h"

/* still <= (1 - mean stop)^k, and the sum is no less than the mean stop over the first place. */
static int64_t places_looked_at(const double *stop, int64_t n, int64_t size, int64_t taken)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += stop[i] / (double)size;
    double needed = mean < 1 ? (45 - log(mean)) / -log1p(-mean) : 1;
    return needed < (double)taken ? (int64_t)needed + 1 : taken;
}

double open_cascade(const double *stop, int64_t n, tie_group rank, int64_t limit, double *scratch,
                    work_watch *watch)
{
    const double negligible = 1e-20; /* beside the sum, once for each place */
    int64_t taken = smaller(rank.size, limit - rank.before), n_equal = 1;
    while (n_equal < n && stop[n_equal] == stop[0])
        n_equal++;
    int64_t others = rank.size - n_equal, n_places = places_looked_at(stop, n, rank.size, taken);
    int64_t counted = smaller(others, n_places);
    double cost = ((double)n_places + (double)(n - n_equal)) * (double)counted;
    if (taken > LONG_TIE || others == 0 || cost > .5 * (double)n * (double)n_places)
        return cascade_to_limit(stop, n, rank, limit, scratch, watch);
    double *still = scratch, *here = still + counted + 2, *gone_on = here + counted + 2;
    double s = stop[0], sum = 0;
    cascade_fill(stop + n_equal, n - n_equal, others, counted, still, here, watch);
    here[counted + 1] = 0; /* behind all others */
    gone_on[0] = 1;
    for (int64_t k = 0, most = 0; k < n_places && !watch_stops(watch, 4 * most); k++) {
        double left = 1 / (double)(rank.size - k), place = (double)(rank.before + k + 1);
        double stopped = 0;
        for (int64_t j = 0; j <= most; j++)
            stopped +=
                gone_on[j]
                * ((double)(n_equal - k + j) * s * still[j] + (double)(others - j) * here[j + 1]);
        sum += stopped * left / place;
        gone_on[most + 1] = 0;
        for (int64_t j = most + 1; j > 0; j--)
            gone_on[j] = (gone_on[j] * ((1 - s) * (double)(n_equal - k + j))
                          + gone_on[j - 1] * (double)(others - j + 1))
                         * left;
        gone_on[0] *= (1 - s) * (double)(n_equal - k) * left;
        most = smaller(most + 1, counted);
        while (most > 0 && gone_on[most] < negligible * sum * place)
            most--;
    }
    return sum;
}
