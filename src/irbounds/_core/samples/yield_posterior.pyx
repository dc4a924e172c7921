"""Laws of yields, and of what compares two of them, through the kernel of yield_posterior.h."""
from libc.math cimport ceil, isfinite, sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef enum:
    PIECE = 1024  # pairs of laws between looks for signals
    WIDE_CELLS = 1536   # a law of many documents has single ones near its ends, and
    WIDE_CURVES = 512   # cells: 150 were the most of 10^5 random laws

cdef extern from "yields/yield_law.h" nogil:
    enum:
        CURVE_SIZE
        CELL_ATOMS

    ctypedef struct yield_law:
        int64_t n_cells
        int64_t n_curves
        double *left
        double *above
        double *weight
        int32_t *which
        double *curve
        double mean
        double std

    void yield_law_of_counts(yield_law *law, double first, int64_t n)
    void yield_law_masses(const yield_law *law, double *mass)
    int64_t yield_law_atoms(const yield_law *law, double *position, double *weight)
    double yield_law_above(const yield_law *law, double x)
    double yield_law_quantile(const yield_law *law, double p)

cdef extern from "yields/beta_binomial.h" nogil:
    double yield_likely(double unseen, double a, double b)
    int yield_law_set(yield_law *law, int64_t most_cells, int64_t most_curves, double seen,
                      double unseen, double a,
                      double b, int is_single)

cdef extern from "yields/yield_sum.h" nogil:
    enum yield_part:
        YIELD_WHOLE
        YIELD_LOW
        YIELD_HIGH

    ctypedef struct centred_law:
        const yield_law *law
        double centre
        yield_part part

    ctypedef struct yield_lattice:
        double first
        double step
        int64_t n
        const double *mass

    double yield_log_moment(const centred_law *c, double cut, double tilt)
    void yield_law_spread(const centred_law *c, double step, double cut, int64_t n,
                          double *lattice)
    double yield_law_of_lattices(yield_law *law, int64_t most_cells, int64_t most_curves,
                                 const yield_lattice *lattices, int64_t n_lattices, double least,
                                 double most)

cdef extern from "yields/yield_posterior.h" nogil:
    enum yield_measure:
        YIELD_RECALL
        YIELD_F
        YIELD_TOTAL

    double yield_below(const yield_law *retrieved, const yield_law *unretrieved,
                       yield_measure measure, double x,
                       double beta, double size, int strict)
    double yield_quantile(const yield_law *retrieved, const yield_law *unretrieved,
                          yield_measure measure, double p,
                          double beta, double size, double guess, double bracket, double tolerance)

cdef extern from "yields/recall_ends.h" nogil:
    void c_recall_ends "recall_ends"(
        const yield_law *retrieved, const yield_law *unretrieved, const int64_t *first,
        const int64_t *second,
        int64_t begin, int64_t end, double p, double normal, double tolerance, double *ends)

MEASURES = {"recall": YIELD_RECALL, "f": YIELD_F, "yield": YIELD_TOTAL}


cdef class YieldLaw:
    """The distribution of the number of relevant documents of a segment: cells of single documents,
    or of many with a polynomial."""

    cdef yield_law law
    cdef object _arrays

    def __cinit__(self, cells, curves):
        """Arrays for so many cells and curves; nothing is known yet."""
        self._arrays = (np.empty(cells + 1), np.empty(cells + 1), np.empty(cells),
                        np.empty(cells, np.int32),
                        np.empty(curves * CURVE_SIZE + 1))
        cdef double[::1] left = self._arrays[0], above = self._arrays[1], curve = self._arrays[4]
        cdef double[::1] weight
        cdef int32_t[::1] which
        if cells > 0:
            weight, which = self._arrays[2], self._arrays[3]
            self.law.weight, self.law.which = &weight[0], &which[0]
        self.law.left, self.law.above, self.law.curve = &left[0], &above[0], &curve[0]

    cdef YieldLaw trimmed(self):
        """The same without the arrays that it does not need."""
        cdef YieldLaw result = YieldLaw(self.law.n_cells, self.law.n_curves)
        for ours, theirs in zip(self._arrays, result._arrays):
            theirs[:] = ours[:theirs.size]
        result.law.n_cells, result.law.n_curves = self.law.n_cells, self.law.n_curves
        result.law.mean, result.law.std = self.law.mean, self.law.std
        return result

    @staticmethod
    def beta_binomial(double seen, double unseen, double a, double b, bint single=False):
        """seen + BetaBin(unseen; a, b), with a cell for every likely count, or as few as there may
        be."""
        cdef int64_t cells = <int64_t>yield_likely(unseen, a, b) if single else WIDE_CELLS
        cdef int64_t curves = 0 if single else WIDE_CURVES
        cdef YieldLaw result = YieldLaw(cells, curves)
        cdef int is_made
        with nogil:
            is_made = yield_law_set(&result.law, cells, curves, seen, unseen, a, b, single)
        if not is_made:
            raise AssertionError(f"the law of {seen}, {unseen}, {a}, {b} has too many cells")
        return result if single else result.trimmed()

    @staticmethod
    def of_counts(double first, masses):
        """The counts from `first` on, with these probabilities, which are scaled to sum 1."""
        cdef int64_t n = len(masses)
        cdef YieldLaw result = YieldLaw(n, 0)
        result._arrays[2][:] = masses
        with nogil:
            yield_law_of_counts(&result.law, first, n)
        return result

    @property
    def masses(self):
        """The probability of every count, from the least to the greatest one."""
        cdef int64_t n = <int64_t>(self.law.left[self.law.n_cells] - self.law.left[0])
        result = np.empty(n)
        cdef double[::1] out = result
        with nogil:
            yield_law_masses(&self.law, &out[0])
        return result

    def singled(self):
        """The same law with a cell for every document."""
        return self if self.law.n_curves == 0 else YieldLaw.of_counts(self.law.left[0], self.masses)

    @property
    def is_single(self):
        """Whether every document has a cell of its own."""
        return self.law.n_curves == 0

    @property
    def mean(self):
        return self.law.mean

    @property
    def std(self):
        return self.law.std

    @property
    def ends(self):
        """The least and the greatest count."""
        return self.law.left[0], self.law.left[self.law.n_cells] - 1

    @property
    def bounds(self):
        """The first count of each cell, and the one after the last."""
        return self._arrays[0][:self.law.n_cells + 1].copy()

    @property
    def atoms(self):
        """Counts that stand for the law in sums, and their probabilities."""
        cdef int64_t n = self.law.n_cells + (CELL_ATOMS - 1) * self.law.n_curves
        places, weights = np.empty(n), np.empty(n)
        cdef double[::1] position = places, weight = weights
        with nogil:
            yield_law_atoms(&self.law, &position[0], &weight[0])
        return places, weights

    @property
    def position(self):
        return self.atoms[0]

    @property
    def weight(self):
        return self.atoms[1]

    def above_at(self, double x):
        """P(yield >= x)."""
        return yield_law_above(&self.law, ceil(x))

    def above_between(self, x):
        """P(yield >= x) for an array, a curve between whole numbers."""
        values = np.ascontiguousarray(x, float)
        result = np.empty(values.size)
        cdef const double[::1] wanted = values.ravel()
        cdef double[::1] out = result
        cdef Py_ssize_t i
        with nogil:
            for i in range(wanted.shape[0]):
                out[i] = yield_law_above(&self.law, wanted[i])
        return result.reshape(values.shape)

    def quantile(self, double p):
        """The least count with P(yield <= count) >= p."""
        return yield_law_quantile(&self.law, p)


def likely_counts(double unseen, double a, double b):
    """The number of likely counts of BetaBin(unseen; a, b)."""
    return yield_likely(unseen, a, b)


cdef class CentredLaws:
    """Laws about their centres, each as often as its count says; parts are 0 for whole laws, 1 for
    low, 2 for high ones."""

    cdef object laws, _structs
    cdef centred_law *structs
    cdef const double[::1] counts

    def __cinit__(self, list laws, const double[::1] centres, const int32_t[::1] parts,
                  const double[::1] counts):
        self.laws, self.counts = laws, counts
        self._structs = np.empty(max(1, len(laws)) * sizeof(centred_law), np.uint8)
        cdef unsigned char[::1] view = self._structs
        cdef YieldLaw law
        cdef Py_ssize_t i
        self.structs = <centred_law *>&view[0]
        for i in range(len(laws)):
            law = laws[i]
            self.structs[i].law, self.structs[i].centre = &law.law, centres[i]
            self.structs[i].part = <yield_part>parts[i]

    cdef double bound(self, double cut, double tilt, double depth) noexcept nogil:
        """Chernoff's: beyond it, on the side of the tilt, the sum's probability is exp(-depth) or
        less."""
        cdef double total = depth
        cdef Py_ssize_t i
        for i in range(self.counts.shape[0]):
            total += self.counts[i] * yield_log_moment(&self.structs[i], cut, tilt)
        return total / tilt

    def reach(self, double cut, double tilt, double depth):
        """The nearest of these bounds that a few steps find from a tilt, whose sign says to which
        side."""
        cdef double best, value, factor = 4
        cdef int _step
        with nogil:
            best = self.bound(cut, tilt, depth)
            for _step in range(20):
                if factor < 1.3:
                    break
                value = self.bound(cut, tilt * factor, depth)
                if isfinite(value) and (value < best) == (tilt > 0) and value != best:
                    best = value
                    tilt *= factor
                    continue
                value = self.bound(cut, tilt / factor, depth)
                if isfinite(value) and (value < best) == (tilt > 0) and value != best:
                    best = value
                    tilt /= factor
                    continue
                factor = sqrt(factor)
        return best

    def spread(self, double step, double cut, int64_t n):
        """The laws on lattices, a row for each: what is within the cut."""
        cdef Py_ssize_t i, count = self.counts.shape[0]
        every = np.zeros((count, n))
        cdef double[:, ::1] rows = every
        for i in range(count):
            with nogil:
                yield_law_spread(&self.structs[i], step, cut, n, &rows[i, 0])
            heed_signals()
        return every


def law_of_lattices(list lattices, double least, double most, int64_t cells, int64_t curves):
    """The law whose probabilities are the sum of those of lattices (first, step, masses), and what
    they sum to; None if it has too many cells."""
    cdef object raw = np.empty(max(1, len(lattices)) * sizeof(yield_lattice), np.uint8)
    cdef unsigned char[::1] view = raw
    cdef yield_lattice *structs = <yield_lattice *>&view[0]
    cdef const double[::1] masses
    cdef YieldLaw result = YieldLaw(cells, curves)
    cdef double total
    cdef int64_t n = len(lattices)
    for i in range(n):
        masses = lattices[i][2]
        structs[i].first, structs[i].step = lattices[i][:2]
        structs[i].n, structs[i].mass = masses.shape[0], &masses[0]
    with nogil:
        total = yield_law_of_lattices(&result.law, cells, curves, structs, n, least, most)
    return (result.trimmed() if total != 0 else None), total


def below(str measure, YieldLaw retrieved, YieldLaw unretrieved, double x, bint strict=False,
          double beta=1,
          double size=0):
    """P(measure <= x), or P(measure < x)."""
    cdef yield_measure chosen = MEASURES[measure]
    cdef double value
    with nogil:
        value = yield_below(&retrieved.law, &unretrieved.law, chosen, x, beta, size, strict)
    return value


def quantile(str measure, YieldLaw retrieved, YieldLaw unretrieved, double p, double beta=1,
             double size=0,
             double guess=0, double bracket=0, double tolerance=1e-11):
    """The least x with P(measure <= x) >= p; likely within `bracket` of a guess."""
    cdef yield_measure chosen = MEASURES[measure]
    cdef double value
    with nogil:
        value = yield_quantile(&retrieved.law, &unretrieved.law, chosen, p, beta, size, guess,
                               bracket, tolerance)
    return value


def recall_ends(list retrieved, list unretrieved, const int64_t[::1] first,
                const int64_t[::1] second, double p,
                double normal, double tolerance=2e-9):
    """The quantile p of recall for pairs of laws, by their numbers; `normal` is that of the normal
    law."""
    cdef int64_t n = first.shape[0]
    ends = np.empty(n)
    cdef double[::1] out = ends
    cdef object held = _structs(retrieved), also_held = _structs(unretrieved)
    cdef const unsigned char[::1] one = held, other = also_held
    cdef int64_t i
    for i in range(0, n, PIECE):
        with nogil:
            c_recall_ends(<const yield_law *>&one[0], <const yield_law *>&other[0], &first[0],
                          &second[0], i,
                          min(n, i + PIECE), p, normal, tolerance, &out[0])
        heed_signals()
    return ends


cdef class LawRow:
    """Laws in a row, of which each is asked for a count of its own."""

    cdef list laws
    cdef object _held
    cdef const yield_law *structs

    def __cinit__(self, list laws):
        self.laws, self._held = laws, _structs(laws)
        cdef const unsigned char[::1] view = self._held
        self.structs = <const yield_law *>&view[0]

    def above(self, const double[::1] counts):
        """P(yield >= count) for each law and its whole count."""
        result = np.empty(len(self.laws))
        cdef double[::1] out = result
        cdef Py_ssize_t i, n = len(self.laws)
        if counts.shape[0] != n:
            raise ValueError(f"expected {n} counts, found {counts.shape[0]}")
        with nogil:
            for i in range(n):
                out[i] = yield_law_above(&self.structs[i], counts[i])
        return result


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
