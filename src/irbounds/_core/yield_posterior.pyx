"""Laws of yields, and of what compares two of them, through the kernel of yield_posterior.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.signals cimport heed_signals

cdef enum:
    PIECE = 1024  # pairs of laws between looks for signals

cdef extern from "yield_posterior.h" nogil:
    ctypedef struct yield_law:
        int64_t n_cells
        int64_t n_atoms
        double *left
        double *above
        double *slope
        double *position
        double *weight
        int64_t n_single
        double mean
        double std

    enum yield_measure:
        YIELD_RECALL
        YIELD_F
        YIELD_TOTAL

    int64_t yield_count_cells(double unseen, double a, double b, double widest)
    void yield_law_set(yield_law *law, double seen, double unseen, double a, double b, double widest)
    double yield_below(const yield_law *retrieved, const yield_law *unretrieved, yield_measure measure, double x,
                       double beta, double size, int strict)
    double yield_quantile(const yield_law *retrieved, const yield_law *unretrieved, yield_measure measure, double p,
                          double beta, double size, double guess, double room, double tolerance)
    double yield_law_quantile(const yield_law *law, double p)
    double yield_law_above(const yield_law *law, double x)

cdef extern from "recall_ends.h" nogil:
    void c_recall_ends "recall_ends"(
        const yield_law *retrieved, const yield_law *unretrieved, const int64_t *first, const int64_t *second,
        int64_t begin, int64_t end, double p, double normal, double tolerance, double *ends)

MEASURES = {"recall": YIELD_RECALL, "f": YIELD_F, "yield": YIELD_TOTAL}


cdef class YieldLaw:
    """How many documents of a segment are relevant: a lattice of cells, and points with probabilities."""

    cdef yield_law law
    cdef readonly object left, above, slope, position, weight

    def __cinit__(self, left, above, slope, position, weight, n_cells=None, n_atoms=None, n_single=0):
        """Arrays that agree with one another; nothing is checked."""
        self.left, self.above, self.slope = left, above, slope
        self.position, self.weight = position, weight
        cdef double[::1] first = left, a = above, s = slope, p = position, w = weight
        self.law.left, self.law.above, self.law.slope = &first[0], &a[0], &s[0]
        self.law.position, self.law.weight = &p[0], &w[0]
        self.law.n_cells = first.shape[0] - 1 if n_cells is None else n_cells
        self.law.n_atoms = p.shape[0] if n_atoms is None else n_atoms
        self.law.n_single = n_single
        if n_cells is None:
            self.law.mean = np.dot(position, weight)
            self.law.std = np.sqrt(np.dot((position - self.law.mean) ** 2, weight))

    @staticmethod
    def beta_binomial(double seen, double unseen, double a, double b, double widest):
        """seen + BetaBin(unseen; a, b), with cells of at most `widest` documents."""
        cdef int64_t n = yield_count_cells(unseen, a, b, widest)
        cdef int64_t atoms = n if widest < 2 else 2 * n
        cdef YieldLaw result = YieldLaw(np.empty(n + 1), np.empty(n + 1), np.empty(n + 1), np.empty(atoms),
                                        np.empty(atoms), 0, 0)
        with nogil:
            yield_law_set(&result.law, seen, unseen, a, b, widest)
        atoms = result.law.n_atoms
        result.position, result.weight = result.position[:atoms], result.weight[:atoms]
        return result

    @property
    def is_single(self):
        """Whether every document has a cell of its own."""
        return self.law.n_single == self.law.n_cells

    @property
    def n_cells(self):
        return self.law.n_cells

    @property
    def mean(self):
        return self.law.mean

    @property
    def std(self):
        return self.law.std

    def above_at(self, double x):
        """P(yield >= x)."""
        return yield_law_above(&self.law, x)

    def quantile(self, double p):
        """The least count with P(yield <= count) >= p."""
        return yield_law_quantile(&self.law, p)


def count_cells(double unseen, double a, double b, double widest):
    """How many cells the law of BetaBin(unseen; a, b) has."""
    return yield_count_cells(unseen, a, b, widest)


def below(str measure, YieldLaw retrieved, YieldLaw unretrieved, double x, bint strict=False, double beta=1,
          double size=0):
    """P(measure <= x), or P(measure < x)."""
    cdef yield_measure chosen = MEASURES[measure]
    cdef double value
    with nogil:
        value = yield_below(&retrieved.law, &unretrieved.law, chosen, x, beta, size, strict)
    return value


def quantile(str measure, YieldLaw retrieved, YieldLaw unretrieved, double p, double beta=1, double size=0,
             double guess=0, double room=0, double tolerance=1e-11):
    """The least x with P(measure <= x) >= p; likely within `room` of a guess."""
    cdef yield_measure chosen = MEASURES[measure]
    cdef double value
    with nogil:
        value = yield_quantile(&retrieved.law, &unretrieved.law, chosen, p, beta, size, guess, room, tolerance)
    return value


def recall_ends(list retrieved, list unretrieved, const int64_t[::1] first, const int64_t[::1] second, double p,
                double normal, double tolerance=2e-9):
    """The quantile p of recall for pairs of laws, numbered by `first` and `second`; `normal` is that of the normal."""
    cdef int64_t n = first.shape[0]
    ends = np.empty(n)
    cdef double[::1] out = ends
    cdef object held = _structs(retrieved), also_held = _structs(unretrieved)
    cdef const unsigned char[::1] one = held, other = also_held
    cdef int64_t i
    for i in range(0, n, PIECE):
        with nogil:
            c_recall_ends(<const yield_law *>&one[0], <const yield_law *>&other[0], &first[0], &second[0], i,
                          min(n, i + PIECE), p, normal, tolerance, &out[0])
        heed_signals()
    return ends


cdef object _structs(list laws):
    """The structs of all laws side by side."""
    cdef object raw = np.empty(max(1, len(laws)) * sizeof(yield_law), np.uint8)
    cdef unsigned char[::1] view = raw
    cdef yield_law *structs = <yield_law *>&view[0]
    cdef YieldLaw law
    cdef Py_ssize_t i
    for i in range(len(laws)):
        law = laws[i]
        structs[i] = law.law
    return raw
