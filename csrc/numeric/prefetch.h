/* Memory that is read soon. */
#ifndef IRBOUNDS_PREFETCH_H
#define IRBOUNDS_PREFETCH_H

/* Ask for the line of cache at this place, which need not be readable; nothing where the compiler
 * has no word for it. */
static inline void prefetch(const void *place)
{
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(place);
#else
    (void)place;
#endif
}

#endif
