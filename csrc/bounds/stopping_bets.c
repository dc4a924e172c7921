/* Upper bounds for the relevant documents left, at every moment of a review.
 * The contract is in stopping_bets.h. */

#include "bounds/stopping_bets.h"

#include <math.h>
#include <string.h>

/* A wealth within this part of 1/alpha has reached it: 1 - 0.8 is not quite 1/5. */
static const double EQUAL = 1e-12;
static const double HALF_LIVES[BETTORS] = {50, 500};

/* Every total has a cell in collections up to MOST_SINGLE documents; in larger ones the first
 * 2 PARTS totals have, and then a cell has a part 1/PARTS of its totals: in all some
 * PARTS (2 + log(2^52/(2 PARTS))) cells, 16,000. */
enum { MOST_SINGLE = 1 << 16, PARTS = 1 << 9, FEW = 1 << 10, MOST_CELLS = MOST_SINGLE + 1 };

/* Between two looks at the scales a wealth can rise by a factor 2^52 a document, and fall by
 * 2^10.5, as no forecast is below (1/2)/(1 + 500/log 2 + 1). From 2^-500 to 2^200 at a look, a
 * wealth stays between 2^-584 and 2^616 for BETS_OF_A_SCALE documents. A unit of 2^-400 then gives
 * no denormal number, which would be slow; the next unit, 2^-800, counts as 0: what it adds, 2^-184
 * at most, refuses nothing. */
enum { SCALE = 400, BETS_OF_A_SCALE = 8 };
static const double LOW = 0x1p-500, HIGH = 0x1p200;

int64_t bet_cells(double population)
{
    return population < MOST_SINGLE ? (int64_t)population + 1 : MOST_CELLS;
}

void bet_set(bet_state *s, double population, double alpha)
{
    s->population = population;
    s->read = s->found = 0;
    s->bar = BETTORS / alpha * (1 - EQUAL);
    s->first = s->last = s->bets = 0;
    for (int i = 0; i < BETTORS; i++)
        s->relevant[i] = s->seen[i] = 0;
    int is_single = population < MOST_SINGLE;
    for (double least = 0; least <= population;) {
        int64_t j = s->last++;
        double width = is_single || least < 2 * PARTS ? 1 : floor(least / PARTS);
        double most = least + width - 1;
        s->least[j] = least;
        s->most[j] = most < population ? most : population;
        for (int i = 0; i < BETTORS; i++) {
            s->wealth[i][j] = s->unit[i][j] = 1;
            s->scale[i][j] = 0;
        }
        least = s->most[j] + 1;
    }
    s->watch = 0;
}

static void move_cell(bet_state *s, int64_t from, int64_t to)
{
    for (int i = 0; i < BETTORS; i++) {
        s->wealth[i][to] = s->wealth[i][from];
        s->unit[i][to] = s->unit[i][from];
        s->scale[i][to] = s->scale[i][from];
    }
    s->least[to] = s->least[from];
    s->most[to] = s->most[from];
}

/* Halves every cell of more than one total: the parts are written from the end on, and stay behind
 * the cells that are still to be read. */
static void part_cells(bet_state *s)
{
    int64_t parted = 0;
    for (int64_t j = s->first; j < s->last; j++)
        parted += s->most[j] > s->least[j];
    if (parted == 0)
        return;
    int64_t n = s->last - s->first;
    if (s->first > 0) { /* memory at the end */
        for (int64_t j = 0; j < n; j++)
            move_cell(s, s->first + j, j);
        s->first = 0;
    }
    int64_t to = n + parted;
    s->last = to;
    for (int64_t j = n - 1; j >= 0; j--) {
        double least = s->least[j], most = s->most[j];
        double middle = least + floor((most - least) / 2);
        move_cell(s, j, --to);
        if (most > least) {
            s->least[to] = middle + 1;
            move_cell(s, j, --to);
            s->least[to] = least;
            s->most[to] = middle;
        }
    }
}

static void rescale(bet_state *s)
{
    for (int i = 0; i < BETTORS; i++) {
        double *wealth = s->wealth[i], *unit = s->unit[i], *scale = s->scale[i];
        for (int64_t j = s->first; j < s->last; j++) {
            if (wealth[j] > LOW && (wealth[j] < HIGH || scale[j] == 0))
                continue;
            if (wealth[j] == INFINITY)
                continue;
            int step = wealth[j] <= LOW ? 1 : -1;
            wealth[j] = ldexp(wealth[j], step * SCALE);
            scale[j] += step;
            unit[j] = scale[j] < 2 ? ldexp(1, -(int)scale[j] * SCALE) : 0;
        }
    }
}

enum { PIECE = 256 };

/* Multiplies wealths: for a relevant document by q u/(R - found), if that is below 1; for another
 * one by (1 - q) u/(u - R + found), if that is above 1. A cell whose total is reached already bets
 * nothing. Both wealths together go to sum[]. Called with a constant is_relevant, so that compilers
 * use vectors. */
static inline void bet_on(bet_state *s, int is_relevant, const double *forecast, int64_t first,
                          int64_t n, double *restrict sum)
{
    double unread = s->population - s->read, found = s->found;
    double *restrict w0 = s->wealth[0] + first, *restrict w1 = s->wealth[1] + first;
    const double *restrict unit0 = s->unit[0] + first, *restrict unit1 = s->unit[1] + first;
    const double *restrict least = s->least + first;
    double share0 = unread * (is_relevant ? forecast[0] : 1 - forecast[0]);
    double share1 = unread * (is_relevant ? forecast[1] : 1 - forecast[1]);
    for (int64_t j = 0; j < n; j++) {
        double left = least[j] - found;
        left = left > 0 ? left : 0;
        double times = 1 / (is_relevant ? left : unread - left); /* infinite: R is impossible now */
        double one = share0 * times, other = share1 * times;
        if (is_relevant) {
            one = one < 1 ? one : 1;
            other = other < 1 ? other : 1;
        } else {
            one = one > 1 ? one : 1;
            other = other > 1 ? other : 1;
        }
        double a = w0[j] * one, b = w1[j] * other;
        w0[j] = a;
        w1[j] = b;
        sum[j] = a * unit0[j] + b * unit1[j];
    }
}

static void bet(bet_state *s, int is_relevant, const double *forecast)
{
    double sum[PIECE];
    for (int64_t first = s->first; first < s->last; first += PIECE) {
        int64_t n = s->last - first < PIECE ? s->last - first : PIECE;
        if (is_relevant)
            bet_on(s, 1, forecast, first, n, sum);
        else
            bet_on(s, 0, forecast, first, n, sum);
        for (int64_t j = 0; j < n; j++)
            if (sum[j] >= s->bar)
                for (int i = 0; i < BETTORS; i++) {
                    s->wealth[i][first + j] = INFINITY;
                    s->unit[i][first + j] = 1;
                }
    }
}

static double largest_left(bet_state *s)
{
    double most = s->population - (s->read - s->found);
    while (s->last > s->first
           && (s->least[s->last - 1] > most || s->wealth[0][s->last - 1] == INFINITY))
        s->last--;
    while (s->last > s->first && s->most[s->first] < s->found)
        s->first++;
    if (s->last == s->first)
        return -1;
    double largest = s->most[s->last - 1];
    return largest < most ? largest : most;
}

void bet_follow(bet_state *s, const uint8_t *label, int64_t n, double *largest)
{
    double decay[BETTORS];
    for (int i = 0; i < BETTORS; i++)
        decay[i] = exp2(-1 / HALF_LIVES[i]);
    for (int64_t k = 0; k < n; k++) {
        int is_relevant = label[k] != 0;
        double forecast[BETTORS];
        for (int i = 0; i < BETTORS; i++) {
            forecast[i] = (s->relevant[i] + 0.5) / (s->seen[i] + 1);
            s->relevant[i] = decay[i] * s->relevant[i] + is_relevant;
            s->seen[i] = decay[i] * s->seen[i] + 1;
        }
        bet(s, is_relevant, forecast);
        if (++s->bets % BETS_OF_A_SCALE == 0)
            rescale(s);
        s->read++;
        s->found += is_relevant;
        largest[k] = largest_left(s);
        if (s->last - s->first < FEW)
            part_cells(s);
        if (watch_stops(s->watch, 2 * (s->last - s->first) + 1))
            return;
    }
}
