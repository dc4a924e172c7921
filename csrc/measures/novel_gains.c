/* Ideal ranking of subtopic measures, as ndeval finds it. The contract is in novel_gains.h. */

#include "measures/novel_gains.h"

#include <string.h>

/* The first document that adds most. */
static int64_t best_next(const double *relevant, int64_t n_subtopics, int64_t n_docs,
                         const novel_memory *memory)
{
    double *now = memory->now;
    int64_t best = 0;
    memset(now, 0, (size_t)n_docs * sizeof *now);
    for (int64_t s = 0; s < n_subtopics; s++)
        for (int64_t d = 0; d < n_docs; d++)
            now[d] += relevant[s * n_docs + d] * memory->left[s];
    for (int64_t d = 1; d < n_docs; d++)
        if (now[d] > now[best])
            best = d;
    return best;
}

int64_t novel_gains(double *relevant, int64_t n_subtopics, int64_t n_docs, double alpha,
                    int64_t depth, const novel_memory *memory, double *gain, work_watch *watch)
{
    int64_t n = 0;
    for (int64_t s = 0; s < n_subtopics; s++)
        memory->left[s] = 1;
    while (n < depth && n < n_docs && !watch_stops(watch, (n_subtopics + 1) * n_docs)) {
        int64_t best = best_next(relevant, n_subtopics, n_docs, memory);
        if (!(memory->now[best] > 0))
            break;
        gain[n++] = memory->now[best];
        for (int64_t s = 0; s < n_subtopics; s++) {
            if (relevant[s * n_docs + best] > 0)
                memory->left[s] *= 1 - alpha;
            relevant[s * n_docs + best] = 0;
        }
    }
    return n;
}
