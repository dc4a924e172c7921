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
/* Made by tools/make_log_table.py: as hi + lo, log 2, log(2 pi)/2 and 1/3; c_i, the reciprocal of
 * 1 + (i + 1/2)/1024 to 12 bits (c_0 is 1), and -log c_i, i = 0 .. 1023; log i!, i = 0 .. 127.
 * It is longer than 400 lines because it is a table. */
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
print("\nstatic const double log_table[1024][3] = {")
for i in range(1024):
    reciprocal = mpf(round(4096 / (1 + (i + mpf(1) / 2) / 1024))) / 4096 if i else mpf(1)
    print("    {{{}, {}, {}}},".format(float(reciprocal).hex(), *pair(-log(reciprocal))))
print("};\n\nstatic const double log_factorial_table[128][2] = {")
for i in range(128):
    print("    {{{}, {}}},".format(*pair(log(factorial(i)))))
print("};\n\n#endif")
