/* A loop around a harness for compilers without libFuzzer: kept inputs, then changed ones and bytes
 * at random, for some seconds or a number of runs.  It does not look at coverage.
 *
 *     gcc -g -O1 -fsanitize=address,undefined -Icsrc fuzz/mutate.c fuzz/NAME.c csrc/….c -lm
 *     ./a.out SECONDS RUNS SEED FAILED FILE…   # which ends first; FAILED gets an input that fails
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 4096, KEPT = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void));

static uint8_t input[MOST];
static size_t input_size;
static const char *failed;
static uint8_t *kept[KEPT];
static size_t kept_size[KEPT];
static size_t n_kept;
static uint64_t state;

/* Marsaglia's xorshift of 64 bits. */
static size_t below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 16) % limit;
}

static void keep_failure(void)
{
    FILE *file = fopen(failed, "wb");
    if (file != NULL) {
        fwrite(input, 1, input_size, file);
        fclose(file);
    }
    fprintf(stderr, "the input is in %s\n", failed);
}

static void on_abort(int number)
{
    keep_failure();
    signal(number, SIG_DFL);
    raise(number);
}

static void read_kept(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL || n_kept == KEPT) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(2);
    }
    kept_size[n_kept] = fread(input, 1, MOST, file);
    kept[n_kept] = malloc(kept_size[n_kept] + 1);
    memcpy(kept[n_kept], input, kept_size[n_kept]);
    n_kept++;
    fclose(file);
}

static void fill(size_t start, size_t stop)
{
    for (size_t i = start; i < stop; i++)
        input[i] = (uint8_t)below(256);
}

/* The start of a kept input joined to a part of another one, or bytes at random. */
static void draw_input(void)
{
    input_size = 0;
    for (int parts = 0; parts < 2 && n_kept > 0 && below(4) > 0; parts++) {
        size_t which = below(n_kept), from = parts == 0 ? 0 : below(kept_size[which] + 1);
        size_t size = parts == 0 && below(2) ? below(kept_size[which] + 1) : kept_size[which];
        if (from < size && input_size + size - from <= MOST) {
            memcpy(input + input_size, kept[which] + from, size - from);
            input_size += size - from;
        }
    }
    if (input_size == 0) {
        input_size = below(400);
        fill(0, input_size);
    }
}

static void change_input(void)
{
    for (size_t changes = below(6); changes > 0 && input_size > 0; changes--) {
        size_t at = below(input_size);
        if (below(3) == 0)
            input[at] ^= (uint8_t)(1 << below(8));
        else if (below(2) == 0)
            input[at] = (uint8_t)below(256);
        else { /* a byte less */
            memmove(input + at, input + at + 1, input_size - at - 1);
            input_size--;
        }
    }
}

int main(int n_arguments, char **argument)
{
    if (n_arguments < 5)
        return 2;
    time_t end = time(NULL) + atol(argument[1]);
    long runs = atol(argument[2]), ran = 0;
    state = 88172645463325252u + strtoull(argument[3], NULL, 10);
    failed = argument[4];
    signal(SIGABRT, on_abort);
    __sanitizer_set_death_callback(keep_failure);
    for (int i = 5; i < n_arguments; i++) {
        read_kept(argument[i]);
        input_size = kept_size[n_kept - 1];
        LLVMFuzzerTestOneInput(input, input_size);
    }
    for (; ran < runs && time(NULL) < end; ran++) {
        draw_input();
        change_input();
        LLVMFuzzerTestOneInput(input, input_size);
    }
    printf("%zu kept inputs, %ld changed ones\n", n_kept, ran);
    while (n_kept > 0)
        free(kept[--n_kept]);
    return 0;
}
