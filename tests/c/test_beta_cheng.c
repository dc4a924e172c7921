/* A scripted bit generator leads the sampler through every branch; what must come out is Cheng's
 * algorithm as printed. */
#include "draws/beta_cheng.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum { LENGTH = 6000 };

typedef struct {
    uint64_t word[LENGTH];
    int length, next;
} script;

static uint64_t scripted(void *state)
{
    script *s = state;
    return s->word[s->next++ % s->length];
}

static bit_generator generator_of(script *s)
{
    return (bit_generator){s, scripted, NULL, NULL, NULL};
}

static double uniform_of(uint64_t word)
{
    return ((double)(word >> 12) * 2 + 1) * 0x1p-53;
}

/* The steps of BB and BC, a and b as the algorithm's own: V, the variate, and log Z's largest
 * value. */
static double candidate(double first, double second, double u1, double *line)
{
    double smaller = fmin(first, second), larger = fmax(first, second), alpha = first + second;
    int is_bb = smaller > 1;
    double a = is_bb ? smaller : larger, b = is_bb ? larger : smaller;
    double beta = is_bb ? sqrt((alpha - 2) / (2 * a * b - alpha)) : 1 / b;
    double V = beta * log(u1 / (1 - u1)), W = a * exp(V);
    *line = is_bb ? (a + 1 / beta) * V - log(4) + alpha * log(alpha / (b + W))
                  : alpha * (log(alpha / (b + W)) + V) - log(4);
    return a == first ? W / (b + W) : b / (b + W);
}

static const double parameters[][2] = {{2, 3},  {3, 2},  {1.5, 40}, {300, 700}, {.5, .5},
                                       {.3, 4}, {4, .3}, {1, 1},    {.9, 2}};
enum { N_PARAMETERS = sizeof parameters / sizeof *parameters };

/* Two candidates to a batch: the first one with u1 and Z just below or above the line, the second
 * one surely accepted (u1 = 1/2, u2 tiny). */
static void test_candidates_beside_the_line(void)
{
    for (int p = 0; p < N_PARAMETERS; p++)
        for (int j = 1; j < 40; j++)
            for (int above = 0; above < 2; above++) {
                double first = parameters[p][0], second = parameters[p][1], line, line_half, x;
                uint64_t middle = UINT64_C(1) << 63,
                         word = (uint64_t)j * (UINT64_C(1) << 58) + UINT64_C(0x12345678ABCDEF);
                double u1 = uniform_of(word), expected = candidate(first, second, u1, &line);
                double second_expected = candidate(first, second, uniform_of(middle), &line_half);
                double u2 = exp(line) / (u1 * u1),
                       half = u2 * 0x1p32 - 0.5; /* where Z is on the line */
                double chosen = floor(half) + (above ? 3 : -3);
                if (chosen < 0 || chosen > 4294967295.0)
                    continue;
                script s = {{word, middle, (uint64_t)chosen << 32}, 3, 0};
                bit_generator generator = generator_of(&s);
                beta_sampler sampler;
                beta_sampler_set(&sampler, first, second);
                enum vector_instructions most = sampler.instructions;
                for (int level = 0; level <= (int)most; level++) {
                    sampler.instructions = (enum vector_instructions)level;
                    s.next = 0;
                    beta_sampler_fill(&sampler, &generator, 1, 1, &x);
                    double right = above ? second_expected : expected;
                    CHECK(fabs(x - right) <= 1e-14 * right);
                    CHECK(s.next == 3);
                }
            }
}

/* A batch of which nothing is accepted is followed by another one. */
static void test_rejected_batches(void)
{
    uint64_t far = UINT64_C(0xFFFFFFFFFFFFFFFF), middle = UINT64_C(1) << 63;
    for (int p = 0; p < N_PARAMETERS; p++) {
        double line, x, first = parameters[p][0], second = parameters[p][1];
        candidate(first, second, uniform_of(middle), &line);
        if (line > log(.25))
            continue; /* u1 = 1/2 is accepted with every u2 */
        script s = {{middle, middle, far, middle, middle, far, middle, middle, 0}, 9, 0};
        bit_generator generator = generator_of(&s);
        beta_sampler sampler;
        beta_sampler_set(&sampler, first, second);
        beta_sampler_fill(&sampler, &generator, 1, 1, &x);
        double right = candidate(first, second, uniform_of(middle), &line);
        CHECK(s.next == 9 && fabs(x - right) <= 1e-14 * right);
    }
}

/* Ends of the uniforms, parameters far apart, and lengths around a batch: numbers in [0, 1], the
 * same with every instruction set, and all of the array filled but nothing beyond. */
static void test_extremes_and_lengths(void)
{
    static script s;
    static double x[3][520];
    unsigned long long seed = 7;
    const double extreme[] = {1e-300, 1e-8, .1, 1, 1 + 1e-15, 1.5, 1e3, 1e12};
    const int lengths[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 500};
    s.length = LENGTH;
    for (int i = 0; i < LENGTH; i++)
        s.word[i] = i % 7 == 0 ? 0 : i % 11 == 0 ? ~UINT64_C(0) : next_random(&seed);
    bit_generator generator = generator_of(&s);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 10; k++) {
                beta_sampler sampler;
                beta_sampler_set(&sampler, extreme[i], extreme[j]);
                enum vector_instructions most = sampler.instructions;
                for (int level = 0; level <= (int)most; level++) {
                    sampler.instructions = (enum vector_instructions)level;
                    s.next = 0;
                    x[level][lengths[k]] = -1;
                    beta_sampler_fill(&sampler, &generator, lengths[k], lengths[k], x[level]);
                    CHECK(memcmp(x[level], x[0], (size_t)(lengths[k] + 1) * sizeof(double)) == 0);
                }
                for (int n = 0; n < lengths[k]; n++)
                    CHECK(x[0][n] >= 0 && x[0][n] <= 1);
                CHECK(x[0][lengths[k]] == -1);
            }
}

int main(void)
{
    test_candidates_beside_the_line();
    test_rejected_batches();
    test_extremes_and_lengths();
    return failures;
}
