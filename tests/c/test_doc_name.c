/* Numbers of document ids are in the order of the ids wherever they differ. */
#include "check.h"
#include "reading/doc_name.h"

enum { NAMES = 40, LONGEST = 24 };

static unsigned long long state = 1;

static int draw(int n)
{
    return (int)(next_random(&state) % (unsigned long long)n);
}

/* Names of two letters behind some that all share; of one size, or of several. */
static void check_names(int shared, int least, int most)
{
    char text[NAMES][LONGEST];
    doc_name names[NAMES];
    uint64_t number[NAMES];
    for (int i = 0; i < NAMES; i++) {
        int size = least + draw(most - least + 1);
        for (int k = 0; k < size; k++)
            text[i][k] = k < shared ? 'd' : "ab"[draw(2)];
        names[i] = (doc_name){text[i], size};
    }
    for (int n = 1; n <= NAMES; n++) {
        number_names(names, n, number);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                CHECK(number[i] <= number[j] || name_is_before(names[i], names[j]));
    }
    /* eight bytes tell names of one size apart */
    for (int i = 0; least == most && most - shared <= 8 && i < NAMES; i++)
        for (int j = 0; j < NAMES; j++)
            CHECK((number[i] == number[j]) == (memcmp(text[i], text[j], (size_t)most) == 0));
}

int main(void)
{
    for (int most = 1; most <= LONGEST; most++)
        for (int least = most > 3 ? most - 3 : 1; least <= most; least++)
            for (int shared = 0; shared <= least; shared++)
                check_names(shared, least, most);
    return failures;
}
