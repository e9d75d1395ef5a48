/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of collective algorithms: the built-in tables, checked by hand against Open MPI 4.1's documentation;
 * reading tables; every error. */
#include <stdlib.h>
#include <string.h>

#include "graph/algorithms/table.h"
#include "tests/tap.h"

static bool goes_by(const struct mpg_choice *choice, const char *algorithm)
{
    return choice->algorithm == mpg_algorithm_find(algorithm);
}

static void expect(const struct mpg_collective_table *t, enum mpg_collective operation, int32_t p,
                   double bytes, const char *algorithm)
{
    struct mpg_choice c = mpg_collective_table_find(t, operation, p, bytes);
    ok(goes_by(&c, algorithm), "%s of %d, %g bytes: %s (%s)", mpg_collective_name(operation), p,
       bytes, algorithm, mpg_algorithm_name(c.algorithm));
}

static struct mpg_collective_table *parse(const char *text, struct mpg_error *err)
{
    return mpg_collective_table_parse(text, strlen(text), "t", err);
}

/* Returns whether FIND, given T, returns at every size an algorithm of the requested operation, or of its NONBLOCKING
 * variant. */
static bool fits_everywhere(const struct mpg_collective_table *t,
                            struct mpg_choice (*find)(const struct mpg_collective_table *, enum mpg_collective, int32_t, double),
                            bool nonblocking)
{
    bool all = true;
    for (enum mpg_collective i = 0; i < MPG_COLLECTIVES; i++)
        for (int32_t p = 1; p < 70000; p = 2 * p + 1)
            for (double b = 0; b < 1e8; b = 3 * b + 1)
                all = all && mpg_algorithm_serves(find(t, i, p, b).algorithm, i, nonblocking);
    return all;
}

static void test_built_in(void)
{
    struct mpg_error err;
    struct mpg_collective_table *t = mpg_collective_table_default(&err);
    if (!ok(t, "there is a built-in table"))
        return;
    expect(t, MPG_COLLECTIVE_ALLREDUCE, 4, 8191, "recursive_doubling");
    expect(t, MPG_COLLECTIVE_ALLREDUCE, 4, 8192, "rabenseifner");
    expect(t, MPG_COLLECTIVE_ALLREDUCE, 3, 65535, "ring");
    expect(t, MPG_COLLECTIVE_ALLREDUCE, 128, 100, "two");
    expect(t, MPG_COLLECTIVE_BCAST, 5, 2048, "binomial");
    expect(t, MPG_COLLECTIVE_BCAST, 5, 1e9, "chain");
    expect(t, MPG_COLLECTIVE_BARRIER, 7, 0, "linear");
    expect(t, MPG_COLLECTIVE_BARRIER, 8, 0, "recursive_doubling");
    expect(t, MPG_COLLECTIVE_BARRIER, 65536, 0, "dissemination");
    expect(t, MPG_COLLECTIVE_ALLTOALL, 65, 1023, "bruck");
    expect(t, MPG_COLLECTIVE_ALLTOALL, 65, 1e6, "pairwise");
    expect(t, MPG_COLLECTIVE_REDUCE_SCATTER, 31, 262144, "ring");
    expect(t, MPG_COLLECTIVE_SCATTERV, 2, 0, "linear");
    ok(mpg_collective_table_find(t, MPG_COLLECTIVE_BCAST, 64, 0).radix == 4, "its k-nomial tree has radix 4");
    ok(fits_everywhere(t, mpg_collective_table_find, false), "every operation has an algorithm of its own at every size");
    mpg_collective_table_free(t);
}

static void test_rows(void)
{
    struct mpg_error err;
    struct mpg_collective_table *t = parse("#mpgcollectives 1\n"
                                "reduce 2 0 binomial # all\r\n"
                                "\n"
                                "reduce 9 64KiB chain segment=4KiB\n"
                                "reduce 9 0 knomial radix=3\n"
                                "reduce 2 4K rabenseifner",
                                &err);
    if (!ok(t, "rows in any order"))
        return;
    expect(t, MPG_COLLECTIVE_REDUCE, 8, 4095, "binomial");
    expect(t, MPG_COLLECTIVE_REDUCE, 8, 1e9, "rabenseifner");
    expect(t, MPG_COLLECTIVE_REDUCE, 9, 65535, "knomial");
    expect(t, MPG_COLLECTIVE_REDUCE, 10, 65536, "chain");
    expect(t, MPG_COLLECTIVE_REDUCE, 1, 0, "binomial");
    expect(t, MPG_COLLECTIVE_BARRIER, 7, 0, "linear");
    ok(mpg_collective_table_find(t, MPG_COLLECTIVE_REDUCE, 9, 0).radix == 3, "a radix");
    ok(mpg_collective_table_find(t, MPG_COLLECTIVE_REDUCE, 9, 1e6).segment_bytes == 4096, "a segment");
    mpg_collective_table_free(t);
}

/* Nonblocking operations have their own rows, whose names begin with i. */
static void test_nonblocking(void)
{
    struct mpg_error err;
    struct mpg_collective_table *t = parse("#mpgcollectives 1\n"
                                "ireduce 2 0 chain segment=4KiB first=wait\n"
                                "reduce 2 0 linear\n"
                                "ibcast 2 0 binomial_near\n"
                                "iallgather 2 0 linear\n",
                                &err);
    if (!ok(t, "rows of nonblocking operations"))
        return;
    const struct mpg_choice reduce = mpg_collective_table_find_nonblocking(t, MPG_COLLECTIVE_REDUCE, 9, 1e6);
    ok(goes_by(&reduce, "chain") && reduce.segment_bytes == 4096 && reduce.waits, "that wait first");
    expect(t, MPG_COLLECTIVE_REDUCE, 9, 1e6, "linear");
    ok(!mpg_collective_table_find(t, MPG_COLLECTIVE_REDUCE, 9, 1e6).waits, "which blocking ones do not");
    const struct mpg_choice bcast = mpg_collective_table_find_nonblocking(t, MPG_COLLECTIVE_BCAST, 9, 1e6);
    ok(goes_by(&bcast, "binomial_near") && !bcast.waits, "or not");
    expect(t, MPG_COLLECTIVE_BCAST, 5, 1e9, "chain");
    ok(mpg_collective_table_find_nonblocking(t, MPG_COLLECTIVE_ALLGATHER, 9, 0).algorithm == mpg_algorithm_find("linear"),
       "linear");
    ok(mpg_collective_table_find_nonblocking(t, MPG_COLLECTIVE_BARRIER, 9, 0).algorithm == mpg_algorithm_find("dissemination"),
       "operations without rows are as built in");
    ok(fits_everywhere(t, mpg_collective_table_find_nonblocking, true),
       "every nonblocking operation has an algorithm of its own at every size");
    mpg_collective_table_free(t);
}

static void test_errors(void)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"", "t: does not begin with #mpgcollectives 1"},
        {"#mpgcollectives 2\n", "t: does not begin with #mpgcollectives 1"},
        {"#mpgcollectives 1\nreduce 2 0\n", "line 2: a row is OPERATION PROCESSES BYTES ALGORITHM"},
        {"#mpgcollectives 1\nreduce 2 0 chain segment=1 segment=2 x\n", "line 2: a row is"},
        {"#mpgcollectives 1\nrotate 2 0 ring\n", "line 2: 'rotate' is no collective operation"},
        {"#mpgcollectives 1\n\nreduce 2 0 magic\n", "line 3: 'magic' is no algorithm"},
        {"#mpgcollectives 1\nbarrier 2 0 ring\n", "line 2: ring is no algorithm for barrier"},
        {"#mpgcollectives 1\nreduce two 0 linear\n", "line 2: "},
        {"#mpgcollectives 1\nreduce 0 0 linear\n", "line 2: the number of processes is not within 1 to 2147483647"},
        {"#mpgcollectives 1\nreduce 2147483648 0 linear\n", "line 2: the number of processes is not within 1 to 2147483647"},
        {"#mpgcollectives 1\nreduce 2 -1 linear\n", "line 2: bytes are 0 or more"},
        {"#mpgcollectives 1\nreduce 2 0 knomial\n", "line 2: knomial needs radix=N"},
        {"#mpgcollectives 1\nreduce 2 0 knomial radix=1\n", "line 2: radix=1 is not within 2 to 65536"},
        {"#mpgcollectives 1\nreduce 2 0 knomial radix=a\n", "line 2: "},
        {"#mpgcollectives 1\nreduce 2 0 chain segment=0\n", "line 2: a segment has at least 1 byte"},
        {"#mpgcollectives 1\nreduce 2 0 chain segment=x\n", "line 2: "},
        {"#mpgcollectives 1\nreduce 2 0 binomial radix=3\n",
         "line 2: 'radix=3' is no option of binomial"},
        {"#mpgcollectives 1\nreduce 2 0 chain first=wait\n", "line 2: 'first=wait' is no option of chain"},
        {"#mpgcollectives 1\nbcast 2 0 binomial_near\n", "line 2: binomial_near is no algorithm for bcast"},
        {"#mpgcollectives 1\niallgather 2 0 two\n", "line 2: two is no algorithm for iallgather"},
        {"#mpgcollectives 1\nibcast 3 0 linear\n", "line 2: ibcast has no row for 2 processes"},
        {"#mpgcollectives 1\nreduce 3 0 linear\n", "line 2: reduce has no row for 2 processes"},
        {"#mpgcollectives 1\nreduce 2 8 linear\n",
         "line 2: reduce from 2 processes on has no row for 0 bytes"},
        {"#mpgcollectives 1\nreduce 2 0 linear\nreduce 2 0 chain\n",
         "line 3: a second row for the processes and bytes of line 2"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mpg_error err = {""};
        struct mpg_collective_table *t = parse(wrong[i].text, &err);
        ok(!t && strstr(err.text, wrong[i].says), "error %zu: %s", i, err.text);
        mpg_collective_table_free(t);
    }
    struct mpg_error err = {""};
    static const char zero[] = "#mpgcollectives 1\nreduce 2 0 line\0r\n";
    ok(!mpg_collective_table_parse(zero, sizeof zero - 1, "t", &err) && strstr(err.text, "line 2: not text"),
       "%s", err.text);
    ok(!mpg_collective_table_read("/nowhere/there", &err) &&
           strstr(err.text, "/nowhere/there: No such file or directory"), "%s", err.text);
}

int main(void)
{
    test_built_in();
    test_rows();
    test_nonblocking();
    test_errors();
    return done();
}
