/* Decimal digits of whole numbers: about 3 ns for one below 10^8. */
#ifndef IRBOUNDS_DIGITS_H
#define IRBOUNDS_DIGITS_H

#include <stdint.h>

enum { DIGITS_SIZE = 20 }; /* digits and sign of a whole number of 64 bits */

/* Eight decimal digits of a number below 10^8, the first one in the lowest byte, each as 0 to 9:
 * halves of four, pairs, single ones, divided at once.  The products with 10486 2^-20 and 103 2^-10
 * are quotients by 100 and by 10, rounded down, of numbers below 10^4 and below 100 (all were
 * tried). */
static inline uint64_t eight_digits(uint32_t number)
{
    uint64_t halves = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x0000007F0000007F);
    uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
    uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000F000F000F000F);
    return tens | (pairs - 10 * tens) << 8;
}

/* Store them as text without the first `skipped` ones; writes eight bytes. */
static inline int64_t store_digits(uint64_t digits, int skipped, char *to)
{
    uint64_t text = (digits | UINT64_C(0x3030303030303030)) >> (8 * skipped);
    for (int i = 0; i < 8; i++)
        to[i] = (char)(text >> (8 * i));
    return 8 - skipped;
}

/* The decimal digits of a whole number; writes up to DIGITS_SIZE bytes, whatever its size. */
static inline int64_t write_digits(int64_t value, int is_signed, char *digits)
{
    const uint32_t part = 100000000; /* eight digits */
    int64_t size = is_signed && value < 0;
    uint64_t left = size > 0 ? 0 - (uint64_t)value : (uint64_t)value, first = left, second = 0;
    *digits = '-';
    if (left >= part)
        first = left / part;
    if (first >= part) {
        second = first % part;
        first /= part;
    }
    uint32_t n = (uint32_t)first;
    int skipped = 7 - (n > 9) - (n > 99) - (n > 999) - (n > 9999) - (n > 99999) - (n > 999999)
                  - (n > 9999999);
    size += store_digits(eight_digits(n), skipped, digits + size);
    if (left >= (uint64_t)part * part)
        size += store_digits(eight_digits((uint32_t)second), 0, digits + size);
    if (left >= part)
        size += store_digits(eight_digits((uint32_t)(left % part)), 0, digits + size);
    return size;
}

#endif
