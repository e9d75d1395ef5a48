/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pairs and cases of mpgbench sharing, on placements whose pairs are written down by hand (TAP). Needs only the header of
 * MPI. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "bench/sharing/groups.h"
#include "bench/sharing/measure.h"
#include "tests/tap.h"

enum { MOST = 12 };

/* Makes RANKS of a text: a word "host/complex/core" for each rank; complex "-": unknown, core -1: several. */
static void place(const char *text, struct mpg_ranks *ranks, struct mpg_rank_location *location)
{
    char copy[256], *rest = copy;
    *ranks = (struct mpg_ranks){.location = location};
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strsep(&rest, " "));) {
        struct mpg_rank_location *to = &location[ranks->ranks++];
        memset(to, 0, sizeof *to);
        snprintf(to->host, sizeof to->host, "%s", strsep(&word, "/"));
        const char *complex = strsep(&word, "/");
        if (strcmp(complex, "-") != 0)
            snprintf(to->complex, sizeof to->complex, "%s", complex);
        to->core = atoi(word);
    }
}

/* The pairs of TEXT's placement: "0>1 2>3 | ... | ..." for core complex, node, between nodes. */
static void is(const char *text, const char *expected)
{
    struct mpg_rank_location location[MOST];
    struct mpg_sharing_group group[MPG_PATHS];
    struct mpg_ranks ranks;
    struct mpg_error err = {""};
    char got[256] = "";
    place(text, &ranks, location);
    if (mpg_sharing_groups_find(&ranks, group, &err) < 0) {
        ok(false, "%s: %s", text, err.text);
        return;
    }
    for (int p = 0; p < MPG_PATHS; p++) {
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s", p > 0 ? " |" : "");
        for (int k = 0; k < group[p].pairs; k++)
            snprintf(got + strlen(got), sizeof got - strlen(got), " %d>%d", group[p].pair[k].a, group[p].pair[k].b);
    }
    ok(strcmp(got, expected) == 0, "%s:%s (%s)", text, got, expected);
    mpg_sharing_groups_clear(group);
}

static void test_groups(void)
{
    is("a/x/0", " | |");
    is("a/x/0 a/x/1 a/x/2 a/x/3", " 0>1 2>3 | |");
    is("a/x/0 a/x/1 a/x/2 a/x/3 a/x/4", " 0>1 2>3 | |");
    is("a/-/0 a/-/1 a/-/2 a/-/3", " | 0>2 1>3 |");
    is("a/x/0 a/x/1 a/y/2 a/y/3", " 0>1 | 0>2 1>3 |");
    is("a/x/0 a/y/2 a/x/1 a/y/3", " 0>2 | 0>1 2>3 |");
    is("a/y/0 a/x/1 a/x/2 a/x/3 a/x/4", " 1>2 3>4 | 1>0 |");
    is("a/x/0 a/x/1 a/y/2 a/y/3 a/z/4 a/z/5", " 0>1 | 0>3 1>4 2>5 |");
    /* two ranks of one core are one */
    is("a/x/0 a/x/1 a/x/0 a/x/1", " 0>1 | |");
    is("a/x/-1 a/x/-1 a/x/-1 a/x/-1", " 0>1 2>3 | |");
    is("a/x/0 b/x/0", " | | 0>1");
    is("a/x/0 a/x/1 b/x/0 b/x/1", " 0>1 | | 0>2 1>3");
    is("a/x/0 b/x/0 b/x/1 a/x/1", " 0>3 | | 0>1 3>2");
    is("b/x/0 b/x/0 a/x/0 a/x/0", " | | 0>2 1>3");
    is("c/x/0 a/x/0 a/x/1 a/x/2 b/x/0 b/x/1", " 1>2 | | 1>4 2>5");
}

/* Takes the cases of opposite messages and of leads out of CASES; returns whether these are of at least 64 KiB, one message each,
 * opposite messages with one and two pairs (of PAIRS >= 2), leads with two. */
static bool take_single(struct mpg_sharing_cases *cases, int pairs)
{
    size_t kept = 0, taken = 0;
    bool good = true;
    for (size_t i = 0; i < cases->n; i++) {
        const struct mpg_sharing_case *c = &cases->item[i];
        if (c->directions < MPG_SHARING_OPPOSITE) {
            cases->item[kept++] = *c;
            continue;
        }
        taken++;
        good = good && c->pairs <= 2 && (c->directions == MPG_SHARING_OPPOSITE || c->pairs == 2) && c->size_bytes >= 65536 &&
               c->messages == 1 && c->window == 1 && c->max == 7 && c[-1].group == c->group && c[-1].size_bytes == c->size_bytes;
    }
    cases->n = kept;
    return good && taken == (pairs < 2 ? 0 : 9);
}

/* The cases of PAIRS pairs between nodes: "pairs*directions:size/messages/window" of the smallest size. */
static void test_cases(int pairs, const char *expected)
{
    static const int64_t sizes[] = {8, 4096, 65536, 1 << 20, 16 << 20};
    struct mpg_sharing_group group[MPG_PATHS] = {[MPG_PATH_BETWEEN] = {.pairs = pairs}, [MPG_PATH_NODE] = {.pairs = 1}};
    struct mpg_sharing_cases cases;
    struct mpg_error err = {""};
    char got[256] = "";
    bool good = mpg_sharing_cases_make(group, sizes, 5, 64, 8 << 20, 7, &cases, &err) == 0;
    ok(good && take_single(&cases, pairs), "%d pairs: opposite messages and leads", pairs);
    for (size_t i = 0; i < cases.n; i += 10)
        snprintf(got + strlen(got), sizeof got - strlen(got), " %d", cases.item[i].pairs);
    ok(good && strcmp(got, expected) == 0, "%d pairs: cases of%s (%s)", pairs, got, expected);
    for (size_t i = 0; i < cases.n && good; i++) {
        const struct mpg_sharing_case *c = &cases.item[i];
        good = c->path == MPG_PATH_BETWEEN && c->group == (int)i / 10 && c->directions == 1 + (int)i % 2 && c->max == 7 &&
               c->size_bytes == sizes[i / 2 % 5];
    }
    ok(good, "both directions of each size, in groups of equal pairs");
    if (cases.n >= 10) {
        static const int64_t messages[] = {1024, 1024, 64, 8, 1}, window[] = {64, 64, 64, 8, 1};
        for (int i = 0; i < 5; i++)
            ok(cases.item[2 * i].messages == messages[i] && cases.item[2 * i].window == window[i],
               "%lld bytes: %lld messages, %lld in flight", (long long)sizes[i], (long long)cases.item[2 * i].messages,
               (long long)cases.item[2 * i].window);
    }
    free(cases.item);
}

int main(void)
{
    test_groups();
    test_cases(1, "");
    test_cases(2, " 1 2");
    test_cases(3, " 1 2 3");
    test_cases(4, " 1 2 4");
    test_cases(6, " 1 2 4 6");
    test_cases(16, " 1 2 4 8 16");
    return done();
}
