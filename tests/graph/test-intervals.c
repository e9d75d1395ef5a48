/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute intervals in the graph: the calls before and after, the length without the tracer's overhead, and the CPU time.
 * Expected values by hand, from the rules of graph.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/graph.h"
#include "tests/tap.h"

static const char text[] =
    "#mpgtext 1\n"
    "#ranks 4\n"
    "#fact 0 values cpu_ns\n"
    "#fact 1 values PAPI_TOT_INS cpu_ns\n"
    "#clocks shared\n"
    "#fact 0 overhead_call_ns 61.3\n"
    "#fact 0 overhead_sum_ns 34.87\n"
    "#fact 0 overhead_cpu_ns 240.4\n"
    "#fact 1 overhead_call_ns 62.5\n"
    "#fact 2 overhead_call_ns nan\n"
    "#fact 3 overhead_call_ns 1e300\n"
    "#fact 3 overhead_sum_ns -7\n"
    "#site 7 = ?+0x10 ?+0x20\n"
    "#site 3 = ?+0x10 ?+0x24\n"
    /* rank 0: marks, local calls, sums of calls, and a flush between calls */
    "0 0 1000 Init values=99999\n"
    "0 1400 1400 Region_begin name=\"a\" values=300\n"
    "0 2000 2100 Barrier comm=0 site=7 values=455\n"
    "0 2200 2300 Wtime values=390\n"
    "0 40000 40000 Wtime calls=1000 time=20000 least=15 most=90 values=0\n"
    "0 41000 45000 Flush values=0\n"
    "0 46000 46020 Pcontrol level=1 values=111\n"
    "0 100000 100050 Barrier comm=0 site=3 values=60000\n"
    "0 100060 100160 Barrier comm=0 site=7 values=11\n"
    "0 101160 101200 Finalize values=700\n"
    /* rank 1: two threads; the second value is the CPU time; the tracer's overhead of sums and of CPU time is not given */
    "1 0 1000 Init values=1,2\n"
    "1 1500 2150 Barrier comm=0 values=5000,437\n"
    "1.1 1700 1800 Send comm=0 to=null tag=0 bytes=0 values=7000,150\n"
    "1.1 1990 1991 Ssend_c comm=0 to=null tag=0 bytes=0 values=7,180\n"
    "1 2500 2500 Wtime calls=2 time=20 least=5 most=15 values=0,0\n"
    "1 100000 100050 Barrier comm=0 values=5000,91234\n"
    "1 100100 100160 Barrier comm=0 values=1,2\n"
    "1 101160 101200 Finalize values=1,500\n"
    /* ranks 2 and 3: invalid facts */
    "2 0 1000 Init\n"
    "2 1200 2100 Barrier comm=0\n"
    "2 99000 100050 Barrier comm=0\n"
    "2 100100 100160 Barrier comm=0\n"
    "2 101160 101200 Finalize\n"
    "3 0 1000 Init\n"
    "3 1100 2100 Barrier comm=0\n"
    "3 99000 100050 Barrier comm=0\n"
    "3 99000000 99000000 Wtime calls=2 time=20 least=5 most=15\n"
    "3 100000000 100000160 Barrier comm=0\n"
    "3 101000000 101000200 Finalize\n";

struct expected {
    int32_t rank;
    uint64_t number;
    enum mpg_call from, to;
    uint32_t from_site, to_site; /* labels in this test: 0 for no call site, otherwise a letter for each stack */
    int64_t interval_ns, cpu_ns;
};

static const struct expected expected[] = {
    /* 1000 minus 2 x 61.3, the overhead of a mark and of a call; CPU time 755 minus 2 x 240.4 */
    {0, 1, MPG_CALL_Init, MPG_CALL_Barrier, 0, 'A', 877, 274},
    /* 97900 minus the flush, minus 3 x 61.3 + 1000 x 34.87 = 35053.9; CPU time 60501 minus 3 x 240.4 + 34870 = 35591.2 */
    {0, 4, MPG_CALL_Barrier, MPG_CALL_Barrier, 'A', 'B', 97900 - 4000 - 35054, 60501 - 35591},
    /* neither length nor CPU time can be negative */
    {0, 5, MPG_CALL_Barrier, MPG_CALL_Barrier, 'B', 'A', 0, 0},
    {0, 6, MPG_CALL_Barrier, MPG_CALL_Finalize, 'A', 0, 1000 - 61, 700 - 240},
    {1, 1, MPG_CALL_Init, MPG_CALL_Barrier, 0, 0, 500 - 63, 437},
    /* The first interval of the second thread begins at the rank's last event, here the enter of MPI_Barrier. */
    {1, 2, MPG_CALL_Barrier, MPG_CALL_Send, 0, 0, 200 - 63, 150},
    {1, 3, MPG_CALL_Send, MPG_CALL_Ssend, 0, 0, 190 - 63, 180},
    /* Overhead of 3 x 62.5 = 187.5, rounded up. CPU time: minus the 125 of the aggregated calls. */
    {1, 4, MPG_CALL_Barrier, MPG_CALL_Barrier, 0, 0, 97850 - 188, 91234 - 125},
    {1, 5, MPG_CALL_Barrier, MPG_CALL_Barrier, 0, 0, 0, 2},
    {1, 6, MPG_CALL_Barrier, MPG_CALL_Finalize, 0, 0, 1000 - 63, 500},
    /* The end of the second thread, with unknown CPU time. */
    {1, 6, MPG_CALL_Ssend, MPG_CALL_Finalize, 0, 0, 101160 - 1991 - 63, -1},
    {2, 1, MPG_CALL_Init, MPG_CALL_Barrier, 0, 0, 200, -1},
    {2, 2, MPG_CALL_Barrier, MPG_CALL_Barrier, 0, 0, 96900, -1},
    {3, 1, MPG_CALL_Init, MPG_CALL_Barrier, 0, 0, 100, -1},
    {3, 3, MPG_CALL_Barrier, MPG_CALL_Barrier, 0, 0, 100000000 - 100050, -1},
};
enum { EXPECTED = sizeof expected / sizeof *expected };

static const uint64_t expected_tracer_ns = 123 + 35054 + 10 + 61 + /* rank 1: */ 63 + 188 + 50 +
                                           63 + 63 + 63 + 63;

static const struct expected *find(const struct mpg_step *s, const bool *met)
{
    for (int i = 0; i < EXPECTED; i++)
        if (!met[i] && expected[i].rank == s->rank && expected[i].number == s->number &&
            expected[i].from == s->from.call)
            return &expected[i];
    return NULL;
}

/* Returns whether SITE fits LETTER of an expected interval: the same site for each letter, different sites for
 * different letters. */
static bool is_site(uint32_t letter, uint32_t site)
{
    static uint32_t sites[256];
    if (letter == 0 || site == 0)
        return letter == site;
    for (int i = 0; i < 256; i++)
        if (sites[i] == site && (uint32_t)i != letter)
            return false;
    if (sites[letter] == 0)
        sites[letter] = site;
    return sites[letter] == site;
}

static void check_step(const struct mpg_step *s, bool *met)
{
    const struct expected *e = find(s, met);
    if (!e)
        return;
    met[e - expected] = true;
    ok(s->to.call == e->to && is_site(e->from_site, s->from.site) &&
           is_site(e->to_site, s->to.site),
       "rank %d, call %llu: between which calls", s->rank, (unsigned long long)s->number);
    ok(s->interval_ns == e->interval_ns, "... interval %lld ns (%lld)", (long long)s->interval_ns,
       (long long)e->interval_ns);
    ok(s->cpu_ns == e->cpu_ns, "... CPU time %lld ns (%lld)", (long long)s->cpu_ns,
       (long long)e->cpu_ns);
}

static void check_trace(const char *path)
{
    struct mpg_error err;
    struct mpg_trace *t = mpg_trace_open(path, &err);
    if (!ok(t != NULL, "the trace is opened%s", t ? "" : err.text))
        return;
    struct mpg_clock_map *clocks = mpg_clock_map_from_trace(t, &err);
    const struct mpg_graph_options options = {.eager_limit_bytes = INT64_MAX};
    struct mpg_graph *g = mpg_graph_open(t, clocks, &options, &err);
    struct mpg_steps steps;
    bool met[EXPECTED] = {false};
    int more, all = 0;
    while ((more = mpg_graph_next(g, &steps, &err)) > 0)
        for (size_t i = 0; i < steps.n; i++)
            if (steps.step[i].kind == MPG_STEP_ENTER)
                check_step(&steps.step[i], met);
    ok(more == 0, "the graph ends: %s", more ? err.text : "well");
    for (int i = 0; i < EXPECTED; i++)
        all += met[i];
    ok(all == EXPECTED, "%d of %d intervals met", all, EXPECTED);
    const struct mpg_graph_counts counts = mpg_graph_counts(g);
    ok(counts.tracer_ns == expected_tracer_ns, "the tracer took %llu ns (%llu)",
       (unsigned long long)counts.tracer_ns, (unsigned long long)expected_tracer_ns);
    ok(counts.flushed_ns == 4000, "and wrote for 4000 ns");
    ok(counts.cpu_intervals == 10, "%llu intervals have CPU time",
       (unsigned long long)counts.cpu_intervals);
    mpg_graph_close(g);
    mpg_clock_map_free(clocks);
    mpg_trace_close(t);
}

int main(void)
{
    char path[] = "/tmp/test-intervals-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, text, sizeof text - 1) != (ssize_t)(sizeof text - 1) ||
        close(fd) != 0) {
        printf("Bail out! no temporary file\n");
        return 1;
    }
    check_trace(path);
    (void)unlink(path);
    return done();
}
