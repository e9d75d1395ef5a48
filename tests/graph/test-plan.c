/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees of collectives compared with their definition, for every child of every member; and the choice of a table's
 * row for a collective. */
#include <string.h>

#include "graph/algorithms/plan.h"
#include "tests/tap.h"

static bool is_child(const struct mpg_tree *t, int32_t v, int32_t k, int32_t child)
{
    return mpg_tree_child(t, v, k) == child && mpg_tree_parent(t, child) == v &&
           mpg_tree_child_index(t, child) == k;
}

/* Checks the definition in docs/MODEL.md: the children of v are v + j r^k, for all r^k < p that divide v / r without
 * remainder (v = 0: for all), in the order of k descending, then j = 1 .. r - 1. */
static bool is_knomial(int32_t p, int32_t radix)
{
    const struct mpg_tree t = {&mpg_tree_knomial, p, radix};
    for (int32_t v = 0; v < p; v++) {
        int32_t n = 0;
        for (int k = 40; k >= 0; k--) {
            int64_t power = 1;
            for (int i = 0; i < k && power < p; i++)
                power *= radix;
            if (power >= p || v % (power * radix) != 0)
                continue;
            for (int32_t j = 1; j < radix; j++)
                if (v + j * power < p && !is_child(&t, v, n++, (int32_t)(v + j * power)))
                    return false;
        }
        if (mpg_tree_children(&t, v) != n)
            return false;
    }
    return true;
}

static void test_trees(void)
{
    static const int32_t radix[] = {2, 3, 4, 7, 64, 65, 1000, 65536};
    for (size_t i = 0; i < sizeof radix / sizeof *radix; i++) {
        bool all = true;
        for (int32_t p = 1; p < 200; p++)
            all = all && is_knomial(p, radix[i]);
        ok(all, "trees of radix %d of up to 199 members", radix[i]);
    }
    /* A million members, whose children must be found in less time than p^3. */
    const struct mpg_tree wide = {&mpg_tree_knomial, 1 << 20, 65536};
    int32_t n = mpg_tree_children(&wide, 0), right = 0;
    for (int32_t k = 0; k < n; k++)
        right += is_child(&wide, 0, k, k < 15 ? (k + 1) * 65536 : k - 14);
    ok(n == 15 + 65535 && right == n, "of a million members, radix 65536, %d are the root's", n);
}

/* Returns the kind of the first phase of an Alltoallv of 4 members, each of which sends BYTES to the others. */
static enum mpg_phase_kind kind_of(const struct mpg_collective_table *table, double bytes)
{
    const double before[] = {0, bytes, 2 * bytes, 3 * bytes, 4 * bytes};
    const struct mpg_collective_size size = {MPG_COLLECTIVE_ALLTOALLV, 4, 0, bytes, before, false};
    return mpg_plan_make(table, &size).phase[0].kind;
}

static void test_rows(void)
{
    static const char text[] = "#mpgcollectives 1\nalltoallv 1 0 pairwise\n"
                               "alltoallv 1 100 linear\n";
    struct mpg_error err;
    struct mpg_collective_table *t = mpg_collective_table_parse(text, strlen(text), "t", &err);
    if (!ok(t, "a table"))
        return;
    ok(kind_of(t, 150) == MPG_PHASE_ROUNDS, "150 bytes to 3 others are 50 to each");
    ok(kind_of(t, 299) == MPG_PHASE_ROUNDS, "299 less than 100");
    ok(kind_of(t, 300) == MPG_PHASE_POSTED, "300 are 100");
    mpg_collective_table_free(t);
}

int main(void)
{
    test_trees();
    test_rows();
    return done();
}
