/* The sampler's first two moments and its shares at single counts, the same with every instruction
 * set. */
#include "draws/binomial_draws.h"

#include "check.h"

enum { N = 100000 };

static uint64_t next_bits(void *state)
{
    return next_random(state);
}

static double share[N], drawn[3][N];

static void test_distribution(double trials, double p)
{
    double sum = 0, squares = 0, mean = trials * p, variance = trials * p * (1 - p), at_mode = 0;
    double mode = floor((trials + 1) * p);
    for (int i = 0; i < N; i++)
        share[i] = p;
    for (int level = 0; level <= (int)widest_instructions(); level++) {
        unsigned long long seed = 5;
        bit_generator generator = {&seed, next_bits, NULL, NULL, NULL};
        binomial_fill(&generator, trials, share, N, (enum vector_instructions)level, drawn[level]);
        CHECK(memcmp(drawn[level], drawn[0], sizeof drawn[0]) == 0);
    }
    for (int i = 0; i < N; i++) {
        CHECK(drawn[0][i] >= 0 && drawn[0][i] <= trials && drawn[0][i] == floor(drawn[0][i]));
        sum += drawn[0][i] - mean;
        squares += (drawn[0][i] - mean) * (drawn[0][i] - mean);
        at_mode += drawn[0][i] == mode;
    }
    double kurtosis = 3 + (variance > 0 ? (1 - 6 * p * (1 - p)) / variance : 0);
    CHECK(fabs(sum / N) <= 5 * sqrt(variance / N));
    CHECK(fabs(squares / N - variance) <= 5 * variance * sqrt((kurtosis - 1) / N));
    if (trials < 1e6 && variance > 0) {
        double chance = exp(lgamma(trials + 1) - lgamma(mode + 1) - lgamma(trials - mode + 1)
                            + mode * log(p) + (trials - mode) * log1p(-p));
        CHECK(fabs(at_mode / N - chance) <= 5 * sqrt(chance * (1 - chance) / N));
    }
}

int main(void)
{
    const double cases[][2] = {{0, .3},       {1, .5},       {7, 0},      {7, 1},
                               {20, .5},      {21, .48},     {40, .26},   {40, .74},
                               {1000, .0101}, {1000, .9899}, {1000, .5},  {1e6, .3},
                               {1e9, .7},     {1e9, 1e-8},   {5e14, .25}, {5e14, 1e-14}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        test_distribution(cases[i][0], cases[i][1]);
    return failures;
}
