/* Judged documents of one query at each grade. The contract is in levels.h. */

#include "ordering/levels.h"

#include <string.h>

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

/* Exchange two entries of level[] and count[]. */
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

int64_t levels_count(const double *grade, const int64_t *times, int64_t n, double *level,
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

int64_t levels_from(const grade_levels *levels, double from)
{
    int64_t n = 0;
    for (int64_t i = 0; i < levels->n_levels && levels->level[i] >= from; i++)
        n += levels->count[i];
    return n;
}
