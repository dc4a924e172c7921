/* Ideal gains: by hand, and random ones against a ranking that is counted anew for each place. */
#include "measures/novel_gains.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum { DOCS = 12, SUBTOPICS = 5 };

static double gain_of(const double *relevant, int64_t n_docs, const int64_t *ranked, int64_t n,
                      int64_t doc, double alpha)
{
    double gain = 0;
    for (int64_t s = 0; s < SUBTOPICS; s++) {
        double worth = 1;
        for (int64_t i = 0; i < n; i++)
            worth *= relevant[s * n_docs + ranked[i]] > 0 ? 1 - alpha : 1;
        gain += relevant[s * n_docs + doc] * worth;
    }
    return gain;
}

static void test_random(unsigned long long *state)
{
    double relevant[DOCS * SUBTOPICS], left[DOCS * SUBTOPICS], gain[DOCS];
    double memory_left[SUBTOPICS], now[DOCS], alpha = (double)(next_random(state) % 5) / 4;
    int64_t ranked[DOCS], n_docs = 1 + (int64_t)(next_random(state) % DOCS), n = 0;
    int64_t depth = (int64_t)(next_random(state) % (DOCS + 2));
    for (int64_t i = 0; i < n_docs * SUBTOPICS; i++)
        relevant[i] = next_random(state) % 3 == 0;
    memcpy(left, relevant, sizeof left);
    int64_t found = novel_gains(left, SUBTOPICS, n_docs, alpha, depth,
                                &(novel_memory){memory_left, now}, gain, NULL);
    for (; n < n_docs && n < depth; n++) {
        double best = 0;
        for (int64_t doc = n_docs - 1; doc >= 0; doc--) { /* of equal ones the first */
            int is_ranked = 0;
            for (int64_t i = 0; i < n; i++)
                is_ranked |= ranked[i] == doc;
            double own = is_ranked ? 0 : gain_of(relevant, n_docs, ranked, n, doc, alpha);
            if (own >= best && own > 0) {
                best = own;
                ranked[n] = doc;
            }
        }
        if (!(best > 0))
            break;
        CHECK(n < found && fabs(gain[n] - best) < 1e-14);
    }
    CHECK(found == n);
}

int main(void)
{
    /* two documents on both subtopics, then one on the second: 2, 1, 0.25 with alpha 1/2 */
    double relevant[] = {1, 1, 0, 1, 1, 1}, left[2], now[3], gain[3];
    CHECK(novel_gains(relevant, 2, 3, 0.5, 3, &(novel_memory){left, now}, gain, NULL) == 3);
    CHECK(gain[0] == 2 && gain[1] == 1 && gain[2] == 0.25);
    unsigned long long state = 5;
    for (int i = 0; i < 5000; i++)
        test_random(&state);
    return failures;
}
