/* All measures by name; see measures.h. */
#include <string.h>

#include "ties/tie_groups.h"

const measure_family *measure_family_at(int64_t number)
{
    const measure_family *families[] = {
        &BINARY_MEASURES,  &SET_MEASURES,       &GRADED_MEASURES,   &SEARCH_MEASURES,
        &TREC_MEASURES,    &RETRIEVED_MEASURES, &INFERRED_MEASURES, &USER_MEASURES,
        &OVERLAP_MEASURES, &REVIEW_MEASURES,
    };
    int64_t n_families = sizeof families / sizeof *families;
    return number >= 0 && number < n_families ? families[number] : NULL;
}

int64_t measure_places(const measure *m, int64_t n_docs)
{
    int64_t n = smaller(n_docs, limit_of(m->cutoff));
    if (m->kernel->needs & MEASURE_PLACES)
        return overlap_places(m, n);
    return m->kernel->needs & MEASURE_TIES ? smaller(n, LONG_TIE) : 0;
}

const measure_kernel *measure_find(const char *name)
{
    const measure_family *family;
    for (int64_t at = 0; (family = measure_family_at(at)) != NULL; at++)
        for (int64_t i = 0; i < family->n_kernels; i++)
            if (strcmp(family->kernels[i].name, name) == 0)
                return &family->kernels[i];
    return NULL;
}
