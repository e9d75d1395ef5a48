/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the list of cases (operation, ranks, size) that the benchmark collective measures (TAP). Of MPI it needs only
 * the header. */
#include "config.h"

#include <string.h>

#include "bench/collective/cases.h"
#include "tests/tap.h"

/* Returns the case of OPERATION with P ranks and SIZE bytes, or NULL. */
static const struct mpg_case *find(const struct mpg_cases *cases, enum mpg_bench_operation operation,
                                   int p, int64_t size_bytes)
{
    for (size_t i = 0; i < cases->n; i++) {
        const struct mpg_case *c = &cases->item[i];
        if (c->operation == operation && c->processes == p && c->size_bytes == size_bytes)
            return c;
    }
    return NULL;
}

/* Checks which operations have a root or compute a sum, and which are measured with all ranks only. */
static void test_operations(void)
{
    struct mpg_cases cases = {0, NULL, 0};
    struct mpg_error err = {""};
    ok(mpg_cases_make(MPG_OPERATIONS_ALL, NULL, "8,4MiB", 1000, 6, &cases, &err) == 0, "all operations %s",
       err.text);
    for (int o = 0; o < MPG_OPERATIONS; o++) {
        enum mpg_bench_operation operation = (enum mpg_bench_operation)o;
        const char *name = mpg_operation_name(operation);
        bool local = operation == MPG_OPERATION_REDUCE_LOCAL || operation == MPG_OPERATION_REDUCE_SENT;
        int64_t size = operation == MPG_OPERATION_BARRIER ? 0 : 8;
        ok(strcmp(mpg_operation_names()[o], name) == 0, "%s is found", name);
        ok(!find(&cases, operation, 2, size) == local && !find(&cases, operation, 4, size) == local &&
               find(&cases, operation, 6, size) && find(&cases, operation, 6, size)->calls == 1,
           "%s: its numbers of processes", name);
        if (operation != MPG_OPERATION_BARRIER)
            ok(!find(&cases, operation, 6, 4194304) == mpg_operation_grows(operation),
               "%s: its sizes", name);
    }
    ok(cases.n == 3 + 5 * 5 + 5 * 6 + 4 && cases.bytes == 16777216, "%zu cases, buffers of 16 MiB",
       cases.n);
    mpg_cases_clear(&cases);
}

static void test_product(void)
{
    struct mpg_cases cases = {0, NULL, 0};
    struct mpg_error err = {""};
    ok(mpg_cases_make("alltoall,barrier", NULL, "8,64KiB,4MiB", 1000, 6, &cases, &err) == 0,
       "six ranks %s", err.text);
    ok(find(&cases, MPG_OPERATION_BARRIER, 2, 0) && find(&cases, MPG_OPERATION_BARRIER, 4, 0) &&
       find(&cases, MPG_OPERATION_BARRIER, 6, 0), "powers of two, and all");
    ok(cases.n == 3 + 3 * 2 + 2, "%zu cases: no barrier has a size", cases.n);
    ok(find(&cases, MPG_OPERATION_ALLTOALL, 4, 4194304) && !find(&cases, MPG_OPERATION_ALLTOALL, 6, 4194304),
       "alltoall without what is too much");
    ok(cases.bytes == 16777216, "the largest buffer");
    ok(find(&cases, MPG_OPERATION_ALLTOALL, 2, 8)->max == 1000 &&
       find(&cases, MPG_OPERATION_ALLTOALL, 2, 65536)->max == 500 &&
       find(&cases, MPG_OPERATION_ALLTOALL, 2, 4194304)->max == 50, "fewer of the larger");
    mpg_cases_clear(&cases);
    ok(mpg_cases_make("bcast", "3,5-6", "8", 20, 6, &cases, &err) == 0 && cases.n == 3 &&
       cases.item[0].processes == 3 && cases.item[2].processes == 6, "counts that are asked for");
    ok(cases.item[0].max == 20 && !cases.item[0].finished && cases.item[0].done == 0, "as often");
    mpg_cases_clear(&cases);
    ok(mpg_cases_make("barrier", NULL, "8", 1, 2, &cases, &err) == 0 && cases.n == 1,
       "two ranks: two is all");
    mpg_cases_clear(&cases);
    ok(mpg_cases_make("alltoall", NULL, "16MiB", 1, 2, &cases, &err) == 0 && cases.n == 0,
       "nothing left");
    mpg_cases_clear(&cases);
}

/* Checks that these lists are refused with an error that contains WORDS, and that no case is made. */
static void refused(const char *operations, const char *processes, const char *sizes,
                    const char *words)
{
    struct mpg_cases cases = {0, NULL, 0};
    struct mpg_error err = {""};
    int status = mpg_cases_make(operations, processes, sizes, 10, 4, &cases, &err);
    ok(status == -1 && strstr(err.text, words) && !cases.item, "%s %s %s: %s", operations,
       processes ? processes : "", sizes, err.text);
}

int main(void)
{
    test_product();
    test_operations();
    refused("scans", NULL, "8", "'scans'");
    refused("scan,gather,scan", NULL, "8", "twice");
    refused("", NULL, "8", "''");
    refused("bcast,bcast", NULL, "8", "twice");
    refused("bcast", "1", "8", "within 2 to 4");
    refused("bcast", "2,5", "8", "within 2 to 4");
    refused("bcast", "all", "8", "'all'");
    refused("bcast", NULL, "8,x", "--sizes");
    refused("bcast", NULL, "8,8", "twice");
    refused("bcast", NULL, "2GiB", "--sizes");
    refused("allreduce", NULL, "12", "12 is no multiple of 8");
    refused("reduce", NULL, "12", "12 is no multiple of 8");
    refused("scan", NULL, "12", "12 is no multiple of 8");
    refused("reduce_local", NULL, "12", "12 is no multiple of 8");
    refused("reduce_sent", NULL, "12", "12 is no multiple of 8");
    struct mpg_cases cases = {0, NULL, 0};
    struct mpg_error err = {""};
    ok(mpg_cases_make("gather,scatter,allgather,bcast", NULL, "12", 10, 4, &cases, &err) == 0 &&
           cases.n == 8, "what adds nothing has any size");
    mpg_cases_clear(&cases);
    return done();
}
