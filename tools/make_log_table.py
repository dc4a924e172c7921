"""Make csrc/numeric/log_table.h: logarithms and log factorials in two doubles each, from mpmath at
60 digits.

    python tools/make_log_table.py > csrc/numeric/log_table.h
"""

from mpmath import factorial, log, mp, mpf, pi

mp.dps = 60


def pair(value: mpf) -> tuple[str, str]:
    """The nearest double and the nearest double to what is left, in hexadecimal."""
    high = float(value)
    return high.hex(), float(value - high).hex()


print("""\
/* Made by tools/make_log_table.py: as hi + lo, log 2, log(2 pi)/2 and 1/3; b_i, the reciprocal of
 * 1 + (i + 1/2)/32 to 7 bits (b_0 is 1), and -log b_i, i = 0 .. 31; c_k, the reciprocal of
 * 1 + k/1024 to 13 bits, and -log c_k, k = -25 .. 32; log i!, i = 0 .. 127. */
#ifndef IRBOUNDS_LOG_TABLE_H
#define IRBOUNDS_LOG_TABLE_H
""")
for name, value in (
    ("LOG_2", log(2)),
    ("HALF_LOG_2_PI", log(2 * pi) / 2),
    ("ONE_THIRD", mpf(1) / 3),
):
    for part, text in zip(("HI", "LO"), pair(value), strict=True):
        print(f"#define {name}_{part} {text}")
COARSE = [mpf(round(128 / (1 + (i + mpf(1) / 2) / 32))) / 128 if i else mpf(1) for i in range(32)]
FINE = [mpf(round(8192 / (1 + mpf(k) / 1024))) / 8192 for k in range(-25, 33)]
for table, reciprocals in (("coarse", COARSE), ("fine", FINE)):
    print(f"\nstatic const double {table}_log_table[{len(reciprocals)}][3] = {{")
    for reciprocal in reciprocals:
        print("    {{{}, {}, {}}},".format(float(reciprocal).hex(), *pair(-log(reciprocal))))
    print("};")
print("\nstatic const double log_factorial_table[128][2] = {")
for i in range(128):
    print("    {{{}, {}}},".format(*pair(log(factorial(i)))))
print("};\n\n#endif")
