/* A stable merge sort of any type. */
#ifndef IRBOUNDS_MERGE_SORT_H
#define IRBOUNDS_MERGE_SORT_H

#include <stdint.h>
#include <string.h>

#include "numeric/watch.h"

/* Stable merge sort from runs of 8; runs already in order are not moved, so sorted input costs one
 * pass. */
#define MERGE_SORT(name, type, key_type, must_follow)                                           \
    static void name(type *item, int64_t n, type *scratch, key_type key, work_watch *watch)     \
    {                                                                                           \
        const int64_t run = 8;                                                                  \
        for (int64_t start = 0; start < n; start += run) {                                      \
            int64_t stop = start + run < n ? start + run : n;                                   \
            for (int64_t i = start + 1; i < stop; i++) {                                        \
                type moving = item[i];                                                          \
                int64_t at = i;                                                                 \
                for (; at > start && must_follow(key, item[at - 1], moving); at--)              \
                    item[at] = item[at - 1];                                                    \
                item[at] = moving;                                                              \
            }                                                                                   \
        }                                                                                       \
        for (int64_t width = run; width < n; width *= 2) {                                      \
            for (int64_t start = 0; start + width < n; start += 2 * width) {                    \
                int64_t middle = start + width, stop = middle + width < n ? middle + width : n; \
                if (watch_stops(watch, 2 * width))                                              \
                    return;                                                                     \
                if (!must_follow(key, item[middle - 1], item[middle]))                          \
                    continue;                                                                   \
                memcpy(scratch, item + start, (size_t)width * sizeof *item);                    \
                int64_t left = 0, right = middle, to = start;                                   \
                while (left < width && right < stop) {                                          \
                    int take_right = must_follow(key, scratch[left], item[right]);              \
                    item[to++] = take_right ? item[right] : scratch[left];                      \
                    right += take_right;                                                        \
                    left += !take_right;                                                        \
                }                                                                               \
                memcpy(item + to, scratch + left, (size_t)(width - left) * sizeof *item);       \
            }                                                                                   \
        }                                                                                       \
    }

#endif
