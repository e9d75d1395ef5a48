/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edit distances counted by hand, and the word that was probably meant (TAP). */
#include "common/nearest.h"

#include <string.h>

#include "tests/tap.h"

static const struct {
    const char *a, *b;
    size_t edits;
} cases[] = {
    {"", "", 0},
    {"", "abc", 3},
    {"where", "where", 0},
    {"wher", "where", 1},
    {"wherre", "where", 1},
    {"wheke", "where", 1},
    {"whree", "where", 1},  /* neighbouring letters exchanged */
    {"hwree", "where", 2},
    {"ca", "abc", 3},       /* 2 edits would suffice if a pair of letters could be edited twice: "ca" to "ac" to "abc" */
    {"kitten", "sitting", 3},
    {"saturday", "sunday", 3},
};

int main(void)
{
    static const char *const words[] = {"call", "callsite", "region", "rank", "pair", "path", NULL};
    static const char *const equally[] = {"latex", "later", NULL};
    char longer[MPG_NEAREST_LENGTH + 2];
    memset(longer, 'x', sizeof longer);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *a = cases[i].a, *b = cases[i].b;
        ok(mpg_nearest_distance(a, strlen(a), b, strlen(b)) == cases[i].edits &&
               mpg_nearest_distance(b, strlen(b), a, strlen(a)) == cases[i].edits,
           "'%s' and '%s': %zu edits, both ways", a, b, cases[i].edits);
    }
    ok(mpg_nearest_distance(longer, sizeof longer, "x", 1) > MPG_NEAREST_LENGTH, "a word of %zu bytes is far from all",
       sizeof longer);
    ok(mpg_nearest_word(words, "calsite", 7) == words[1], "calsite: callsite");
    ok(mpg_nearest_word(words, "regoin,rank", 6) == words[2], "regoin, a part of a text: region");
    ok(!mpg_nearest_word(words, "node", 4), "node: none");
    ok(!mpg_nearest_word(words, "rxxk", 4), "rxxk: two edits are half of rank");
    ok(mpg_nearest_word(equally, "latez", 5) == equally[0], "of two equally near words the first");
    return done();
}
