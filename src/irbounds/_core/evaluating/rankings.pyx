"""The loops of evaluation: rows of a run, their grades from the index, the kernel, one row of
values a query.

The file is longer than 400 lines because all loops share the views, which are C classes.
"""
from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from irbounds._core.documents.doc_index cimport DocIndex, DocTable, check_distinct, duplicate
from irbounds._core.documents.doc_rows cimport (
    DocRows, RowReader, doc_index_fill, doc_index_find, doc_index_look_up, doc_hash,
    doc_index_size, doc_table,
)
from irbounds._core.evaluating.equal_scores cimport EqualScores
from irbounds._core.common.levels cimport levels_count
from irbounds._core.evaluating.measures cimport MeasureKernel, RANKING_TOO_MANY_ORDERS, ranked_query
from irbounds._core.common.signals cimport heed_signals, raise_if_stopped
from irbounds._core.label_bounds.unjudged cimport UnjudgedKernel

from irbounds._core.documents.doc_index import append_query_dict, as_text, query_items
from irbounds._core.documents.doc_rows import BadRow, id_as_bytes


cdef enum:
    PIECE = 1 << 18  # rows between looks for signals
    FAILED = -2
    LOOKED_AT = 20  # queries that are looked for among their documents in any case
    MOST_SPELT = 1 << 10  # ids that are kept to be compared


class UngroupedRun(Exception):
    """The rows of a query are not adjacent, so the run cannot be evaluated while it is read."""


cdef class View:
    """Measures that see the relevances in one way: all rows or judged ones only, grades or gains in
    their place.

    positions: the columns of the result; gain_of: {grade: gain}; levels: what is judged for each
    query, as (start, level, count) with query q's levels, highest first, at start[q]:start[q + 1]
    (None: count the rows).  With `function`, a query's numbers come from
    function(scores, grades, ids, level, count) -> (values, low, high), a number for each column,
    and the kernel measures nothing; ids are bytes, or None where there are none.
    """
    cdef MeasureKernel kernel
    cdef int64_t[::1] positions
    cdef bint judged_only
    cdef double[::1] gain_from, gain_to
    cdef bint counts_grades  # 0, 1, .. have gains, and no others
    cdef int64_t[::1] level_start, level_count
    cdef double[::1] level
    cdef double[:, ::1] out  # value, low, high of one query; low and high over labels
    cdef UnjudgedKernel labels  # or None
    cdef bint has_labels
    cdef object function
    cdef bint calls

    def __init__(self, MeasureKernel kernel, positions, bint judged_only, dict gain_of, levels=None,
                 function=None):
        self.kernel = kernel
        self.function, self.calls = function, function is not None
        self.positions = np.asarray(positions, np.int64)
        self.judged_only = judged_only
        self.gain_from = np.array(list(gain_of), float)
        self.gain_to = np.array(list(gain_of.values()), float)
        self.counts_grades = np.array_equal(self.gain_from, np.arange(len(gain_of)))
        self.out = np.zeros((5, max(1, len(positions))))
        self.has_labels = False
        if levels is not None:
            self.level_start, self.level, self.level_count = levels

    cdef double gain(self, double grade) noexcept nogil:
        cdef Py_ssize_t i
        if self.counts_grades and 0 <= grade < self.gain_to.shape[0]:
            i = <Py_ssize_t> grade
            return self.gain_to[i] if i == grade else grade
        for i in range(self.gain_from.shape[0]):
            if grade == self.gain_from[i]:
                return self.gain_to[i]
        return grade


cdef bint has_signs(DocRows rows, int64_t start, int64_t stop) noexcept nogil:
    """Whether an id of rows start .. stop has blanks or letters beyond ASCII, or begins with 0."""
    cdef const char *ids = <const char *> rows.c.ids
    cdef int64_t at = rows.ends[start], end = rows.ends[stop], i
    cdef uint64_t found = 0, word
    cdef bint has_zero = False
    # Eight bytes at once: less 33 without a borrow, the highest bit of each stays 0 from 33 to 127.
    while at + 8 <= end:
        memcpy(&word, ids + at, 8)
        found |= (word - 0x2121212121212121ULL) | word
        at += 8
    for i in range(at, end):
        word = <unsigned char> ids[i]
        found |= (word - 33) | word
    for i in range(start, stop):
        has_zero |= rows.ends[i + 1] - rows.ends[i] > 1 and ids[rows.ends[i]] == 48
    return (found & 0x8080808080808080ULL) != 0 or has_zero


cdef class RankingJob:
    """Fills values[query, measure] (and low, high with bounds) for the rankings that are handed to
    it.

    equal_scores: which scores tie; failed_query: the number of the query for which a view's
    function raised or whose ties are too large; n_docs, n_judged, n_negative: the documents of
    judged queries, those of them that are judged, and those with a grade below 0; n_rankings,
    n_tied: the queries with two documents or more, and those whose documents all have one score;
    n_queries, n_selves: the queries that were looked for among their documents, and those that
    are there, not judged to be relevant; spelt: (number of the query, retrieved ids) of the first
    ones whose ids may be spelt in two ways.
    """
    cdef list views
    cdef EqualScores equal_scores
    cdef double[:, ::1] values, low, high
    cdef double collection_size
    cdef int64_t capacity
    cdef double[::1] grade, view_score, view_grade
    cdef int64_t[::1] view_times
    cdef int64_t[::1] name_start, name_end
    cdef uint64_t[::1] slots
    cdef readonly list unjudged_queries, spelt
    cdef int64_t n_spelt
    cdef readonly int64_t failed_query, n_docs, n_judged, n_negative, n_rankings, n_tied
    cdef readonly int64_t n_queries, n_selves
    cdef object failure
    cdef double[:, ::1] label_low, label_high
    cdef int64_t[::1] hidden
    cdef int64_t hidden_now
    cdef bint has_labels

    def __init__(self, list views, values, low, high, double collection_size,
                 EqualScores equal_scores not None):
        self.views, self.equal_scores = views, equal_scores
        self.values, self.low, self.high = values, low, high
        self.collection_size = collection_size
        self.unjudged_queries, self.spelt, self.n_spelt = [], [], 0
        self.n_docs = self.n_judged = self.n_negative = self.n_rankings = self.n_tied = 0
        self.n_queries = self.n_selves = 0
        self.capacity = -1
        self.has_labels = False
        self.reserve(0)

    def bound_labels(self, low, high, hidden, max_grades):
        """Fill low and high with bounds over the labels of unjudged documents as well.

        hidden: for each judged query how many documents, neither retrieved nor judged, may be
        relevant, -1 for all of the collection; max_grades: the highest grade (or gain in its
        place) of an unjudged document, for each view.
        """
        cdef View view
        n_bounded = low.shape[1]
        self.label_low, self.label_high, self.hidden = low, high, hidden
        self.has_labels = True
        for view, max_grade in zip(self.views, max_grades, strict=True):
            view.labels = UnjudgedKernel(view.kernel, max_grade,
                                         np.count_nonzero(np.asarray(view.positions) < n_bounded))
            view.labels.reserve(self.capacity)
            view.has_labels = True

    cdef int64_t count_known(self, int64_t number, int64_t n_docs, int64_t n_judged) noexcept:
        """Documents that were retrieved, or judged for the query; n_judged: those that were both.
        A grade below 0 is no judgment."""
        cdef View view = self.views[0]
        cdef int64_t i, n_known = n_docs - n_judged
        for i in range(view.level_start[number], view.level_start[number + 1]):
            n_known += view.level_count[i]
        return n_known

    cdef int reserve(self, int64_t n_docs) except -1:
        if n_docs <= self.capacity:
            return 0
        n_docs = max(n_docs, 2 * self.capacity, 64)
        self.grade = np.empty(n_docs)
        for view in self.views:
            (<View> view).kernel.reserve(n_docs)
            if (<View> view).has_labels:
                (<View> view).labels.reserve(n_docs)
        if any((<View> view).judged_only
               or (<View> view).gain_from.shape[0] for view in self.views):
            self.view_score, self.view_grade = np.empty(n_docs), np.empty(n_docs)
            self.view_times = np.empty(n_docs, np.int64)
            self.name_start, self.name_end = np.empty(n_docs, np.int64), np.empty(n_docs, np.int64)
        self.capacity = n_docs
        return 0

    cdef int64_t run_view(self, View view, ranked_query query, int64_t number) noexcept nogil:
        """One view of one query.  Returns -1, the row whose score is NaN (of the view's rows), or
        FAILED."""
        cdef int64_t i, n = 0, bad
        cdef bint transformed = view.gain_from.shape[0] > 0
        if transformed and not view.judged_only:
            for i in range(query.n_rows):
                self.view_grade[i] = query.grade[i]
                if query.grade[i] >= 0:
                    self.view_grade[i] = view.gain(query.grade[i])
            query.grade = &self.view_grade[0]
        elif view.judged_only:
            for i in range(query.n_rows):
                if not query.grade[i] >= 0:
                    continue
                self.view_score[n] = query.score[i]
                self.view_grade[n] = view.gain(query.grade[i])
                if query.times != NULL:
                    self.view_times[n] = query.times[i]
                if query.names.ids != NULL:
                    self.name_start[n] = query.names.start[i]
                    self.name_end[n] = query.names.end[i]
                n += 1
            query.score, query.grade, query.n_rows = &self.view_score[0], &self.view_grade[0], n
            if query.times != NULL:
                query.times = &self.view_times[0]
            query.names.start, query.names.end = &self.name_start[0], &self.name_end[0]
        if view.calls:
            bad = self.call_function(view, &query, number)
        else:
            bad = view.kernel.evaluate(&query, &view.out[0, 0], &view.out[1, 0], &view.out[2, 0])
            if bad == RANKING_TOO_MANY_ORDERS and not view.kernel.watch.is_stopped:
                bad = self.refuse(view, number)
        if bad != -1:
            return bad
        for i in range(view.positions.shape[0]):
            self.values[number, view.positions[i]] = view.out[0, i]
            if view.kernel.task.bounds:
                self.low[number, view.positions[i]] = view.out[1, i]
                self.high[number, view.positions[i]] = view.out[2, i]
        if view.has_labels:
            view.labels.evaluate(&query, self.hidden_now,
                                 &view.out[1 if view.kernel.task.bounds else 0, 0],
                                 &view.out[3, 0], &view.out[4, 0])
            for i in range(view.labels.n_bounded):
                self.label_low[number, view.positions[i]] = view.out[3, i]
                self.label_high[number, view.positions[i]] = view.out[4, i]
        return -1

    cdef int64_t refuse(self, View view, int64_t number) noexcept with gil:
        """Keep the error of a view's kernel."""
        self.failure, self.failed_query = view.kernel.refusal(), number
        return FAILED

    cdef int64_t call_function(self, View view, const ranked_query *query,
                               int64_t number) noexcept with gil:
        """Let the view's function measure a query; what it raises is kept."""
        cdef int64_t i
        try:
            scores, ids = [query.score[i] for i in range(query.n_rows)], None
            if query.names.ids != NULL:
                ids = [query.names.ids[query.names.start[i]:query.names.end[i]]
                       for i in range(query.n_rows)]
            for i in range(query.n_rows):
                if query.score[i] != query.score[i]:
                    return i
            # in the pool or not: to a function both are unjudged
            grades = [-1.0 if query.grade[i] == -0.5 else query.grade[i]
                      for i in range(query.n_rows)]
            found = view.function(
                scores, grades, ids,
                [query.judged.level[i] for i in range(query.judged.n_levels)],
                [query.judged.count[i] for i in range(query.judged.n_levels)])
            np.asarray(view.out)[:3] = found
            return -1
        except BaseException as error:
            self.failure, self.failed_query = error, number
            return FAILED

    cdef int evaluate_rows(self, DocIndex index, DocRows rows, int64_t start, int64_t stop,
                           int64_t number, object query_id, bytes query_name) except -1:
        """Rank rows start .. stop, the documents retrieved for the judged query `number`."""
        cdef int64_t n = stop - start, bad = -1, twice, i, n_views = len(self.views), first = 0
        cdef int64_t n_judged, n_known
        cdef View view = self.views[0]
        cdef ranked_query query
        cdef doc_table wanted
        cdef const char *name = query_name
        cdef int64_t name_size = len(query_name)
        self.reserve(n)
        if self.slots is None or self.slots.shape[0] < doc_index_size(2 * n):
            self.slots = np.empty(doc_index_size(2 * max(n, 512)), np.uint64)
        query.score = self.equal_scores.merge(rows.c.value + start, n)
        query.grade, query.times, query.n_rows = &self.grade[0], NULL, n
        query.names.start, query.names.end = rows.ends + start, rows.c.id_end + start
        query.names.ids = rows.c.ids
        query.collection_size = self.collection_size
        if n <= PIECE and self.collection_size <= 0:
            # In one stretch without the lock: each time that threads hand it over, one of them
            # sleeps, which takes longer than to evaluate a query.
            wanted = rows.table(start, stop)
            if self.has_labels:
                self.hidden_now = self.hidden[number]
            with nogil:
                twice = self.enter(&wanted)
                if twice < 0:
                    i = self.look_up(index, &wanted, number, 0)
                    self.count_ranking(query.score, n, i)
                    self.count_self(&wanted, name, name_size, rows.c.secret)
                    bad = self.run_judged(view, query, number)
            if twice >= 0:
                raise duplicate(rows, start + twice, query_id)
            self.check_view(view, bad, rows, start, stop, query_id)
            first = 1
        else:
            check_distinct(rows, start, stop, query_id, self.slots)
            n_judged = 0
            for i in range(0, n, PIECE):
                wanted = rows.table(start + i, min(stop, start + i + PIECE))
                with nogil:
                    n_judged += self.look_up(index, &wanted, number, i)
                heed_signals()
            self.count_ranking(query.score, n, n_judged)
            wanted = rows.table(start, stop)
            self.count_self(&wanted, name, name_size, rows.c.secret)
            n_known = self.count_known(number, n, n_judged)
            self.check_sizes(n_known, number, query_id)
            if self.has_labels:
                self.hidden_now = self.hidden[number]
                if self.hidden_now < 0:  # all the rest
                    self.hidden_now = max(0, <int64_t> self.collection_size - n_known)
        self.keep_spelt(index, rows, start, stop, number)
        for i in range(first, n_views):
            view = self.views[i]
            with nogil:
                bad = self.run_judged(view, query, number)
            self.check_view(view, bad, rows, start, stop, query_id)
        return 0

    cdef int keep_spelt(self, DocIndex index, DocRows rows, int64_t start, int64_t stop,
                        int64_t number) except -1:
        """Keep retrieved ids that may be spelt otherwise than in the judgments: all of them where
        those of the judgments may, or where nothing is judged so far."""
        cdef int64_t row, first = index.table.start[number], last = index.table.start[number + 1]
        cdef bint keeps_all
        if self.n_spelt >= MOST_SPELT:
            return 0
        keeps_all = self.n_judged == 0 or has_signs(index.table.rows, first, last)
        if not keeps_all and not has_signs(rows, start, stop):
            return 0
        stop = min(stop, start + MOST_SPELT - self.n_spelt)
        names = [as_text(rows.doc_id(row)) for row in range(start, stop)
                 if keeps_all or has_signs(rows, row, row + 1)]
        self.n_spelt += len(names)
        self.spelt.append((number, names))
        return 0

    cdef int64_t run_judged(self, View view, ranked_query query, int64_t number) noexcept nogil:
        """`run_view` with the levels of the judged query."""
        cdef int64_t first = view.level_start[number]
        query.judged.n_levels = view.level_start[number + 1] - first
        query.judged.level = &view.level[0] + first
        query.judged.count = &view.level_count[0] + first
        return self.run_view(view, query, number)

    cdef int64_t enter(self, const doc_table *wanted) noexcept nogil:
        """The first row whose document an earlier row has, or -1."""
        # sparse: collisions cost more than clearing
        cdef int64_t n_slots = doc_index_size(2 * wanted.n_rows)
        memset(&self.slots[0], 0, n_slots * sizeof(uint64_t))
        return doc_index_fill(wanted, 0, &self.slots[0], n_slots)

    cdef int64_t look_up(self, DocIndex index, const doc_table *wanted, int64_t number,
                         int64_t place) noexcept nogil:
        """The grades of documents of the judged query `number`, from this place on.  Returns how
        many are judged; documents of the pool get -0.5, apart from all others (-1)."""
        cdef int64_t i, n_judged, first = index.table.start[number], at = index.slot_start[number]
        cdef doc_table judged = index.table.rows.table(first, index.table.start[number + 1])
        cdef double *grade = &self.grade[place]
        n_judged = doc_index_look_up(
            &judged, &index.slots[at], index.slot_start[number + 1] - at,
            index.table.rows.c.value + first, wanted,
            -INFINITY if index.has_unjudged else -1.0, grade)
        if index.has_unjudged:
            for i in range(wanted.n_rows):
                if grade[i] < 0:
                    self.n_negative += grade[i] > -INFINITY
                    grade[i] = -1.0 if grade[i] == -INFINITY else -0.5
        return n_judged

    cdef int check_sizes(self, int64_t n_known, int64_t number, object query_id) except -1:
        """Refuse more documents, retrieved or judged, than the collection may have."""
        if self.collection_size <= 0:
            return 0
        if n_known > self.collection_size:
            raise BadRow(f"`collection_size` {self.collection_size:.0f} is less than the "
                         f"{n_known} documents of query {query_id!r}")
        if self.has_labels and self.hidden[number] > self.collection_size - n_known:
            raise BadRow(f"`unjudged_hidden` {self.hidden[number]} and the {n_known} documents "
                         f"of query {query_id!r} are more than `collection_size` "
                         f"{self.collection_size:.0f}")
        return 0

    cdef int check_view(self, View view, int64_t bad, DocRows rows, int64_t start, int64_t stop,
                        object query_id) except -1:
        """Raise what stopped a view."""
        raise_if_stopped(&view.kernel.watch)
        if bad == FAILED and isinstance(self.failure, BadRow):
            raise BadRow(f"{self.failure.problem} (query {query_id!r})")
        if bad == FAILED:
            raise self.failure
        if bad >= 0:
            raise nan_score(rows, start, stop, query_id)
        return 0

    cdef void count_ranking(self, const double *score, int64_t n, int64_t n_judged) noexcept nogil:
        cdef int64_t i = 1
        while i < n and score[i] == score[0]:
            i += 1
        self.n_docs += n
        self.n_judged += n_judged
        self.n_rankings += n > 1
        self.n_tied += n > 1 and i == n

    cdef void count_self(self, const doc_table *wanted, const char *name, int64_t size,
                         uint64_t secret) noexcept nogil:
        """Look for the query among its documents, which are all in the slots.  Where few of the
        first queries are among theirs no others are looked at."""
        cdef int64_t row
        if wanted.n_rows == 0 or (self.n_queries >= LOOKED_AT and 2 * self.n_selves
                                  < self.n_queries):
            return
        row = doc_index_find(wanted, &self.slots[0], doc_index_size(2 * wanted.n_rows),
                             name, size, doc_hash(name, size, secret))
        self.n_queries += 1
        self.n_selves += row >= 0 and not self.grade[row] > 0

    def run_table(self, DocIndex index, DocTable run):
        """Every query of a table.  Returns which judged queries it has: one without documents is
        none of its queries, here and below."""
        cdef Py_ssize_t q
        seen = np.zeros(len(index.table), bool)
        for q in range(len(run)):
            if run.start[q] == run.start[q + 1]:
                continue
            query = id_as_bytes(run.query_ids[q])
            number = index.query_number.get(query)
            if number is None:
                self.unjudged_queries.append(run.query_ids[q])
                continue
            self.evaluate_rows(index, run.rows, run.start[q], run.start[q + 1], number,
                               run.query_ids[q], query)
            seen[number] = True
        return seen

    def run_dict(self, DocIndex index, run):
        """The same for {query_id: {doc_id: score}}, without making a table of it."""
        cdef DocRows rows = DocRows()
        seen = np.zeros(len(index.table), bool)
        for query, documents in query_items(run):
            number = index.query_number.get(query)
            if number is None:
                if documents or not isinstance(documents, dict):
                    self.unjudged_queries.append(as_text(query))
                continue
            rows.clear()
            append_query_dict(rows, query, documents)
            if rows.c.n_rows == 0:
                continue
            self.evaluate_rows(index, rows, 0, rows.c.n_rows, number, as_text(query), query)
            seen[number] = True
        return seen

    def run_reader(self, DocIndex index, RowReader reader):
        """The same for a file, holding one query at a time.  Raises UngroupedRun where a query
        comes again."""
        cdef DocRows rows = DocRows()
        cdef bytes query
        cdef int64_t number
        seen = np.zeros(len(index.table), bool)
        cdef uint8_t[::1] is_seen = seen.view(np.uint8)
        unjudged = set()
        while True:
            rows.clear()
            query = reader.read_query(rows)
            if query is None:
                return seen
            number = index.query_number.get(query, -1)
            if rows.c.n_rows == 0:
                continue
            if is_seen[number] if number >= 0 else query in unjudged:
                heed_signals()  # Cython may drop one that comes while it notes where it raises
                raise UngroupedRun
            if number < 0:
                unjudged.add(query)
                self.unjudged_queries.append(as_text(query))
                continue
            self.evaluate_rows(index, rows, 0, rows.c.n_rows, number,
                               index.table.query_ids[number], query)
            is_seen[number] = True

    def run_nothing(self, DocIndex index, numbers):
        """Judged queries for which nothing was retrieved."""
        cdef DocRows rows = DocRows()
        for number in numbers:
            self.evaluate_rows(index, rows, 0, 0, number, index.table.query_ids[number], b"")

    def run_groups(self, const double[::1] score, const double[::1] grade, const int64_t[::1] start,
                   const double[::1] unretrieved, const int64_t[::1] unretrieved_count,
                   const int64_t[::1] unretrieved_start, DocRows names=None):
        """Plain arrays: group q is rows start[q]:start[q + 1]; `unretrieved` has the grades of what
        it did not retrieve likewise, and `unretrieved_count` how many documents are of each.

        Returns -1, or the first row whose score is NaN.
        """
        cdef int64_t q, i, n, bad = -1, first, longest = 0, most_judged = 1
        cdef View view
        cdef ranked_query query
        cdef double[::1] judged, level
        cdef int64_t[::1] times, count
        for q in range(start.shape[0] - 1):
            n = start[q + 1] - start[q]
            longest = max(longest, n)
            most_judged = max(most_judged, n + unretrieved_start[q + 1] - unretrieved_start[q])
        self.reserve(longest)
        score = self.equal_scores.merged_groups(score, start)
        judged, level = np.empty(most_judged), np.empty(most_judged)
        count = np.empty(most_judged, np.int64)
        times = np.ones(most_judged, np.int64)
        query.times = NULL
        query.names.start = query.names.end = NULL
        query.names.ids = NULL
        query.collection_size = self.collection_size
        query.judged.level, query.judged.count = &level[0], &count[0]
        for view in self.views:
            with nogil:
                for q in range(start.shape[0] - 1):
                    first, n = start[q], start[q + 1] - start[q]
                    query.score = &score[0] + first
                    query.grade = &grade[0] + first
                    query.n_rows = n
                    if names is not None:
                        query.names.start = names.ends + first
                        query.names.end = names.c.id_end + first
                        query.names.ids = names.c.ids
                    if (view.gain_from.shape[0] == 0
                            and unretrieved_start[q] == unretrieved_start[q + 1]):
                        query.judged.n_levels = levels_count(query.grade, NULL, n,
                                                             &level[0], &count[0])
                    else:
                        for i in range(n):
                            judged[i] = view.gain(grade[first + i]) if grade[first + i] >= 0 else -1
                        for i in range(unretrieved_start[q], unretrieved_start[q + 1]):
                            judged[n], times[n] = view.gain(unretrieved[i]), unretrieved_count[i]
                            n += 1
                        query.judged.n_levels = levels_count(&judged[0], &times[0], n,
                                                             &level[0], &count[0])
                        for i in range(query.n_rows, n):
                            times[i] = 1
                    bad = self.run_view(view, query, q)
                    if bad != -1 or view.kernel.watch.is_stopped:
                        break
            raise_if_stopped(&view.kernel.watch)
            if bad == FAILED:
                raise self.failure
            if bad >= 0:
                for i in range(score.shape[0]):
                    if score[i] != score[i]:
                        return i
        return -1

    def run_counted(self, const double[::1] score, const double[::1] grade,
                    const int64_t[::1] times,
                    const int64_t[::1] start):
        """Rankings of which a row is `times` documents: query q is rows start[q]:start[q + 1], by
        falling score; a mark is a row of its own.  Judgments come from the levels of the
        views; no score is NaN.
        """
        cdef int64_t q, first, bad = -1
        cdef View view
        cdef ranked_query query
        most = np.max(np.diff(np.append(0, np.cumsum(times))[start]), initial=0)
        self.reserve(np.max(np.diff(start), initial=0))
        query.names.start = query.names.end = NULL
        query.names.ids = NULL
        query.collection_size = self.collection_size
        for view in self.views:
            view.kernel.reserve_ranks(most)
            with nogil:
                for q in range(start.shape[0] - 1):
                    first = start[q]
                    query.score, query.grade = &score[0] + first, &grade[0] + first
                    query.times = &times[0] + first
                    query.n_rows = start[q + 1] - first
                    first = view.level_start[q]
                    query.judged.n_levels = view.level_start[q + 1] - first
                    query.judged.level = &view.level[0] + first
                    query.judged.count = &view.level_count[0] + first
                    bad = self.run_view(view, query, q)
                    if bad != -1 or view.kernel.watch.is_stopped:
                        break
            raise_if_stopped(&view.kernel.watch)
            if bad == FAILED:
                raise self.failure


cdef nan_score(DocRows rows, int64_t start, int64_t stop, query_id):
    cdef int64_t row = start
    while row < stop - 1 and rows.c.value[row] == rows.c.value[row]:
        row += 1
    doc_id = rows.doc_id(row).decode("utf-8", "surrogateescape")
    return BadRow(f"the score of document {doc_id!r} is nan (query {query_id!r})", rows.c.line[row])
