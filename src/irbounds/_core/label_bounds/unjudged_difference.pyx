"""Bounds of differences over labels that two runs share, and the documents that runs share."""
from libc.stdint cimport int64_t, uint64_t

import numpy as np

from irbounds._core.documents.doc_index cimport DocIndex
from irbounds._core.documents.doc_rows cimport (
    DocRows, doc_index_fill, doc_index_find, doc_index_look_up, doc_index_size, doc_table,
)
from irbounds._core.common.signals cimport heed_signals, new_watch, raise_if_stopped, work_watch
from irbounds._core.evaluating.measures cimport measure_memory

cdef extern from "label_bounds/unjudged_difference.h" nogil:
    ctypedef struct weight_prefixes:
        int64_t n
        const int64_t *count
        const double *sum
        int64_t n_helping
        double judged

    ctypedef struct gain_levels:
        int64_t n
        const double *step
        const int64_t *n_judged

    ctypedef struct ranks_in_two:
        const int64_t *before[2]
        const int64_t *size[2]

    ctypedef struct discount_sums:
        int64_t n
        const double *through

    void discount_sums_fill(double *through, int64_t n, const measure_memory *memory)

    double gain_difference_end(const weight_prefixes *prefixes, const gain_levels *levels,
                               int64_t cutoff, int greatest, double *scratch,
                               const discount_sums *discounts, const measure_memory *memory)
    double rprec_difference_end(const ranks_in_two *documents, int64_t n_open, int64_t n_judged,
                                int64_t n_relevant, int64_t hidden, int greatest,
                                work_watch *watch)

DISCOUNT = 1 / np.log2(np.arange(2, (1 << 14) + 2))


cdef fill_sums():
    cdef double[::1] discount = DISCOUNT, through
    cdef measure_memory memory
    sums = np.empty(DISCOUNT.shape[0] + 1)
    through = sums
    memory.discount, memory.n_discounts = &discount[0], discount.shape[0]
    memory.scratch, memory.watch = NULL, NULL
    discount_sums_fill(&through[0], discount.shape[0], &memory)
    return sums


DISCOUNT_SUMS = fill_sums()


def gain_differences(const double[::1] rising, const int64_t[::1] start,
                     const double[::1] judged, const int64_t[::1] hidden_documents,
                     const double[::1] step, const int64_t[::1] n_judged, int64_t cutoff):
    """The least and the greatest differences of nDCG of pairs of runs; see
    csrc/label_bounds/unjudged_difference.h.

    rising: the differences of weights of the open documents, those of pair p at start[p]:start[p +
    1]; judged: for each pair the difference of DCG without them; hidden_documents: more documents,
    whose weights are the same in both runs.
    """
    cdef int64_t n_pairs = judged.shape[0], most = np.diff(start).max(initial=0)
    cdef int64_t first, n, hidden, pair, i, row, least
    cdef int side
    cdef double sum, value
    cdef double[::1] discount = DISCOUNT, through = DISCOUNT_SUMS, sums = np.empty(most + 2)
    cdef double[::1] scratch = np.empty(2 * (most + 2) + step.shape[0])
    cdef int64_t[::1] count = np.empty(most + 2, np.int64)
    cdef weight_prefixes prefixes
    cdef gain_levels levels
    cdef discount_sums discounts
    cdef measure_memory memory
    cdef work_watch watch = new_watch()
    found = np.zeros((n_pairs, 2))
    cdef double[:, ::1] ends = found
    prefixes.count, prefixes.sum = &count[0], &sums[0]
    levels.n = step.shape[0]
    levels.step, levels.n_judged = NULL, NULL
    if levels.n > 0:
        levels.step, levels.n_judged = &step[0], &n_judged[0]
    discounts.n, discounts.through = discount.shape[0], &through[0]
    memory.discount, memory.n_discounts = &discount[0], discount.shape[0]
    memory.scratch, memory.watch = NULL, &watch
    with nogil:
        for pair in range(n_pairs):
            first, n = start[pair], start[pair + 1] - start[pair]
            prefixes.judged, hidden = judged[pair], hidden_documents[pair]
            for side in range(2):
                sum = 0
                count[0], sums[0] = 0, 0
                least = -1
                row = 1
                for i in range(n):
                    value = rising[first + (n - 1 - i if side else i)]
                    if least < 0 and (value <= 0 if side else value >= 0):
                        least = row - 1
                        if hidden > 0:  # they stand among those of weight 0
                            count[row], sums[row] = i + hidden, sum
                            row += 1
                    sum += value
                    count[row], sums[row] = i + 1 + (hidden if least >= 0 else 0), sum
                    row += 1
                if least < 0:
                    least = row - 1
                    if hidden > 0:
                        count[row], sums[row] = n + hidden, sum
                        row += 1
                prefixes.n, prefixes.n_helping = row, least
                ends[pair, side] = gain_difference_end(&prefixes, &levels, cutoff, side,
                                                       &scratch[0], &discounts, &memory)
                if watch.is_stopped:
                    break
            if watch.is_stopped:
                break
    raise_if_stopped(&watch)
    return found


def rprec_difference(const int64_t[:, ::1] before, const int64_t[:, ::1] size, int64_t n_open,
                     int64_t n_relevant, int64_t hidden, bint greatest):
    """The greatest or the least difference of Rprec; open documents first, then the judged
    relevant ones."""
    cdef ranks_in_two documents
    cdef work_watch watch = new_watch()
    cdef double end
    cdef int run
    cdef int64_t n = before.shape[1]
    for run in range(2):
        documents.before[run] = documents.size[run] = NULL
        if n > 0:
            documents.before[run], documents.size[run] = &before[run, 0], &size[run, 0]
    with nogil:
        end = rprec_difference_end(&documents, n_open, n - n_open, n_relevant, hidden, greatest,
                                   &watch)
    raise_if_stopped(&watch)
    return end


def pool_documents(DocIndex index, int64_t number, list tables, list queries):
    """The documents that runs retrieved for one judged query, each numbered once.

    queries: the number of the query in each table, or -1.  Returns the documents' rows, their
    grades (below 0: unjudged), and for each table the documents of its rows.
    """
    cdef DocRows pool = DocRows(), rows
    cdef int64_t n = 0, start, stop, row, found, n_slots
    cdef int64_t[::1] documents
    cdef uint64_t[::1] slots
    cdef double[::1] grade
    cdef doc_table table, judged
    for own, query in zip(tables, queries, strict=True):
        if query >= 0:
            starts = own.row_starts()
            n += starts[query + 1] - starts[query]
    n_slots = doc_index_size(n)
    slots = np.zeros(n_slots, np.uint64)
    numbered = []
    for own, query in zip(tables, queries, strict=True):
        if query < 0:
            numbered.append(np.zeros(0, np.int64))
            continue
        rows = own.rows
        starts = own.row_starts()
        start, stop = starts[query], starts[query + 1]
        own_documents = np.empty(stop - start, np.int64)
        documents = own_documents
        for row in range(start, stop):
            table = pool.table(0, pool.c.n_rows)
            found = doc_index_find(&table, &slots[0], n_slots, rows.c.ids + rows.ends[row],
                                   rows.ends[row + 1] - rows.ends[row], rows.c.hash[row])
            if found < 0:
                found = pool.c.n_rows
                pool.append(rows.c.ids + rows.ends[row], rows.ends[row + 1] - rows.ends[row], 0,
                            0)
                table = pool.table(0, pool.c.n_rows)
                doc_index_fill(&table, found, &slots[0], n_slots)
            documents[row - start] = found
        numbered.append(own_documents)
        heed_signals()
    grades = np.empty(max(1, pool.c.n_rows))
    grade = grades
    table = pool.table(0, pool.c.n_rows)
    start = index.table.start[number]
    judged = index.table.rows.table(start, index.table.start[number + 1])
    doc_index_look_up(&judged, &index.slots[index.slot_start[number]],
                      index.slot_start[number + 1] - index.slot_start[number],
                      index.table.rows.c.value + start, &table, -1.0, &grade[0])
    return pool, grades[:pool.c.n_rows], numbered
