"""Bootstrap counts of many queries, slowly: Poisson numbers by inversion, one for each query, and
the rest one by one."""

from fractions import Fraction

import mpmath

STREAMS, BLOCK, MOST = 16, 64, 12


def _rotated(x, places):
    return (x << places | x >> (32 - places)) & 0xFFFFFFFF


class Xoshiro:
    """xoshiro128++ as its authors print it (Blackman and Vigna 2021)."""

    def __init__(self, state):
        self.state = list(state)

    def next(self):
        s = self.state
        result = (_rotated((s[0] + s[3]) & 0xFFFFFFFF, 7) + s[0]) & 0xFFFFFFFF
        moved = s[1] << 9 & 0xFFFFFFFF
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= moved
        s[3] = _rotated(s[3], 11)
        return result


def _below(n):
    """Chances of at most 0, 1, ... 11 of the Poisson law, in units of 2^-32."""
    with mpmath.workdps(40):
        mean = 1 - 4 / mpmath.sqrt(n)
        chances = [mpmath.exp(-mean) * mean**k / mpmath.factorial(k) for k in range(MOST)]
        return [int(mpmath.nint(mpmath.fsum(chances[: k + 1]) * 2**32)) for k in range(MOST)]


def counts_of(n, resamples, generator):
    """How often each query is drawn; the generator is NumPy's PCG64."""
    words = [generator.random_raw() for _ in range(2 * STREAMS)]
    halves = [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]
    halves[:STREAMS] = [half | 1 for half in halves[:STREAMS]]
    streams = [Xoshiro(halves[lane::STREAMS]) for lane in range(STREAMS)]
    below, ready, rows = _below(n), [], []
    while len(rows) < resamples:
        length = -(-n // BLOCK) * BLOCK
        numbers = [streams[q % STREAMS].next() for q in range(length)]
        row = [sum(number >= least for least in below) for number in numbers[:n]]
        if sum(row) > n:
            continue
        while sum(row) < n:
            if not ready:
                word = generator.random_raw()
                ready = [word & 0xFFFFFFFF, word >> 32]
            product = ready.pop(0) * n
            if product % 2**32 >= 2**32 % n:
                row[product >> 32] += 1
        rows.append(row)
    return rows


def moments(columns, rows):
    """Sums of the values of each column and of their squares, in fractions."""
    values = [[Fraction(value) for value in column] for column in columns]
    return [
        [
            [
                sum(times * value**power for times, value in zip(row, column, strict=True))
                for column in values
            ]
            for row in rows
        ]
        for power in (1, 2)
    ]
