/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expanded collectives compared with closed forms: constant costs, a late member, many members. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/algorithms/expand.h"
#include "tests/tap.h"

static const double X = 1234.385, PER_BYTE = 0.385, SEND = 92.25, RECEIVE = 77.75, GAP = 310.5;

struct costs {
    double send, receive, gap;
};

static void flight(void *data, const struct mpg_message *m, double *lambda, double *tau)
{
    (void)data;
    *lambda = X;
    *tau = m->bytes * PER_BYTE;
}

static void send(void *data, const struct mpg_message *m, double *out)
{
    (void)m;
    *out = ((struct costs *)data)->send;
}

static void receive(void *data, const struct mpg_message *m, double *out)
{
    (void)m;
    *out = ((struct costs *)data)->receive;
}

static bool waiting(void *data, const struct mpg_message *m, double *out)
{
    (void)data, (void)m, (void)out;
    return false;
}

static double gap(void *data, const struct mpg_message *m)
{
    (void)m;
    return ((struct costs *)data)->gap;
}

/* time to reduce a byte, and additional time of each call, in ns; 0: none */
static double reduced_byte_ns, call_ns;

static void reduce(void *data, double bytes, double *out)
{
    (void)data;
    *out = reduced_byte_ns * bytes;
}

static void call(void *data, int32_t index, uint32_t number, double *out)
{
    (void)data, (void)index, (void)number;
    *out = call_ns;
}

/* Returns the members' leave times, in one lane, of OPERATION with the algorithm that ROWS give. ENTER: their enter
 * times; NULL: 0. */
static double *leaves(const char *rows, enum mpg_collective operation, int32_t p, int32_t root,
                      double bytes, const double *enter, struct costs costs, double eager)
{
    char text[256];
    struct mpg_error err;
    snprintf(text, sizeof text, "#mpgcollectives 1\n%s\n", rows);
    struct mpg_collective_table *table = mpg_collective_table_parse(text, strlen(text), "rows", &err);
    struct mpg_expansion *x = mpg_expansion_new(1, 0, &err);
    double *value = calloc((size_t)p, sizeof *value);
    if (!table || !x || !value)
        exit(1);
    if (enter)
        memcpy(value, enter, (size_t)p * sizeof *value);
    const struct mpg_collective_size size = {operation, p, root, bytes, NULL, false};
    struct mpg_plan plan = mpg_plan_make(table, &size);
    const struct mpg_message_costs c = {.data = &costs,
                                        .flight = flight,
                                        .send = send,
                                        .receive = receive,
                                        .waiting = waiting,
                                        .gap = gap,
                                        .call = call_ns != 0 ? call : NULL,
                                        .reduce = reduced_byte_ns != 0 ? reduce : NULL,
                                        .eager_limit_bytes = eager, .weak_bytes = INFINITY};
    if (mpg_expand(x, &plan, &c, value, &err) < 0)
        exit(1);
    mpg_expansion_free(x);
    mpg_collective_table_free(table);
    return value;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static bool all_near(const double *value, int32_t n, double wanted)
{
    for (int32_t i = 0; i < n; i++)
        if (!near(value[i], wanted))
            return false;
    return true;
}

static const struct costs nothing = {0, 0, 0};

static void test_together(void)
{
    double *v = leaves("barrier 1 0 dissemination", MPG_COLLECTIVE_BARRIER, 12, 0, 0, NULL, nothing,
                       INFINITY);
    ok(all_near(v, 12, 4 * X), "12 members' dissemination takes 4 flights");
    free(v);
    v = leaves("allreduce 1 0 recursive_doubling", MPG_COLLECTIVE_ALLREDUCE, 16, 0, 1000, NULL,
               nothing, INFINITY);
    ok(all_near(v, 16, 4 * (X + 385)), "doubling of 16: 4 of the whole vector");
    free(v);
    v = leaves("allreduce 1 0 rabenseifner", MPG_COLLECTIVE_ALLREDUCE, 16, 0, 1000, NULL, nothing,
               INFINITY);
    ok(all_near(v, 16, 8 * X + 2 * 385 * 15 / 16.0), "Rabenseifner: twice 15/16 of it");
    free(v);
    v = leaves("allreduce 1 0 ring", MPG_COLLECTIVE_ALLREDUCE, 7, 0, 1000, NULL, nothing, INFINITY);
    ok(all_near(v, 7, 12 * (X + 385 / 7.0)), "a ring of 7: 12 pieces");
    free(v);
    v = leaves("alltoall 1 0 bruck", MPG_COLLECTIVE_ALLTOALL, 8, 0, 100, NULL, nothing, INFINITY);
    ok(all_near(v, 8, 3 * (X + 4 * 38.5)), "Bruck's Alltoall of 8: 3 times 4 blocks");
    free(v);
    v = leaves("alltoall 1 0 linear", MPG_COLLECTIVE_ALLTOALL, 5, 0, 100, NULL,
               (struct costs){0, 0, GAP}, INFINITY);
    ok(all_near(v, 5, 3 * GAP + X + 38.5), "posted at once: the last of 4 leaves after 3 gaps");
    free(v);
    v = leaves("allgather 1 0 bruck", MPG_COLLECTIVE_ALLGATHER, 5, 0, 100, NULL, nothing, INFINITY);
    ok(all_near(v, 5, 3 * X + 4 * 38.5), "Bruck of 5: 4 blocks in 3 rounds");
    free(v);
    v = leaves("reduce_scatter 1 0 recursive_halving", MPG_COLLECTIVE_REDUCE_SCATTER, 8, 0, 1000,
               NULL, nothing, INFINITY);
    ok(all_near(v, 8, 3 * X + 385 * 7 / 8.0), "halving of 8: 7/8 of the vector in 3 rounds");
    free(v);
}

/* Reduction times (gamma terms) of Thakur, Rabenseifner, Gropp 2005, 4.1, 4.3 to 4.5, for a vector of 1000 bytes. */
static void test_arithmetic(void)
{
    const struct {
        const char *rows;
        enum mpg_collective operation;
        int32_t p;
        double bytes; /* bytes reduced on the critical path to the last member that leaves */
    } all[] = {{"allreduce 1 0 recursive_doubling", MPG_COLLECTIVE_ALLREDUCE, 16, 4 * 1000},
               {"allreduce 1 0 recursive_doubling", MPG_COLLECTIVE_ALLREDUCE, 11, (1 + 3) * 1000},
               {"allreduce 1 0 rabenseifner", MPG_COLLECTIVE_ALLREDUCE, 16, 15 / 16.0 * 1000},
               {"allreduce 1 0 ring", MPG_COLLECTIVE_ALLREDUCE, 7, 6 / 7.0 * 1000},
               {"reduce 1 0 binomial", MPG_COLLECTIVE_REDUCE, 16, 4 * 1000},
               {"reduce 1 0 rabenseifner", MPG_COLLECTIVE_REDUCE, 8, 7 / 8.0 * 1000},
               {"reduce 1 0 linear", MPG_COLLECTIVE_REDUCE, 5, 4 * 1000},
               {"reduce_scatter 1 0 recursive_halving", MPG_COLLECTIVE_REDUCE_SCATTER, 8, 7 / 8.0 * 1000},
               {"reduce_scatter 1 0 recursive_doubling", MPG_COLLECTIVE_REDUCE_SCATTER, 8, (3 - 7 / 8.0) * 1000},
               {"reduce_scatter 1 0 pairwise", MPG_COLLECTIVE_REDUCE_SCATTER, 6, 5 / 6.0 * 1000},
               {"reduce_scatter 1 0 butterfly", MPG_COLLECTIVE_REDUCE_SCATTER, 8, 7 / 8.0 * 1000},
               {"reduce_scatter 1 0 ring", MPG_COLLECTIVE_REDUCE_SCATTER, 6, 5 / 6.0 * 1000},
               {"scan 1 0 recursive_doubling", MPG_COLLECTIVE_SCAN, 8, 3 * 1000},
               {"scan 1 0 linear", MPG_COLLECTIVE_SCAN, 5, 4 * 1000},
               {"bcast 1 0 binomial", MPG_COLLECTIVE_BCAST, 8, 0},
               {"allgather 1 0 ring", MPG_COLLECTIVE_ALLGATHER, 8, 0},
               {"gather 1 0 binomial", MPG_COLLECTIVE_GATHER, 8, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double last[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            reduced_byte_ns = k ? 0.2385 : 0;
            double *v = leaves(all[i].rows, all[i].operation, all[i].p, 0, 1000, NULL, nothing, INFINITY);
            for (int32_t m = 0; m < all[i].p; m++)
                last[k] = fmax(last[k], v[m]);
            free(v);
        }
        reduced_byte_ns = 0;
        ok(fabs(last[1] - last[0] - 0.2385 * all[i].bytes) < 1e-6, "%s, of %d: reduces %g of 1000 bytes", all[i].rows,
           all[i].p, all[i].bytes);
    }
}

/* Noise of calls applies in each round, as in [MPG], 3.2: 8 members, 3 rounds. */
static void test_calls(void)
{
    call_ns = 7;
    double *v = leaves("allreduce 1 0 recursive_doubling", MPG_COLLECTIVE_ALLREDUCE, 8, 0, 0, NULL, nothing, INFINITY);
    ok(all_near(v, 8, 3 * (X + 7)), "three rounds have three kappas");
    free(v);
    v = leaves("gather 1 0 linear", MPG_COLLECTIVE_GATHER, 5, 0, 0, NULL, nothing, INFINITY);
    ok(near(v[0], X + 4 * 7) && near(v[3], 7), "a root that receives four has four");
    free(v);
    v = leaves("alltoall 1 0 linear", MPG_COLLECTIVE_ALLTOALL, 5, 0, 0, NULL, nothing, INFINITY);
    ok(all_near(v, 5, X + 7), "what is posted has one");
    free(v);
    call_ns = -X - 1000;
    v = leaves("allreduce 1 0 recursive_doubling", MPG_COLLECTIVE_ALLREDUCE, 8, 0, 0, NULL, nothing, INFINITY);
    ok(all_near(v, 8, 3 * X), "a negative one lets no message arrive before it has left");
    free(v);
    call_ns = 0;
}

static void test_trees(void)
{
    const struct costs c = {SEND, RECEIVE, GAP};
    double *v = leaves("scatter 1 0 linear", MPG_COLLECTIVE_SCATTER, 5, 2, 100, NULL, c, INFINITY);
    ok(near(v[2], 4 * SEND), "a root that sends to 4 keeps its processor for 4 o_s");
    ok(near(v[3], X + 38.5) && near(v[1], 3 * GAP + X + 38.5), "and its adapter for 3 gaps");
    free(v);
    v = leaves("gather 1 0 linear", MPG_COLLECTIVE_GATHER, 6, 0, 100, NULL, c, INFINITY);
    ok(near(v[0], X + 38.5 + 4 * RECEIVE), "a root completes one after the other");
    ok(near(v[3], SEND), "others only send");
    free(v);
    v = leaves("bcast 1 0 binomial", MPG_COLLECTIVE_BCAST, 16, 3, 0, NULL, nothing, INFINITY);
    ok(near(v[2], 4 * X) && near(v[3], 0) && near(v[3 + 8], X), "the binomial tree is 4 deep");
    free(v);
    v = leaves("bcast 1 0 chain segment=100", MPG_COLLECTIVE_BCAST, 5, 0, 1000, NULL,
               (struct costs){0, 0, X + 38.5}, INFINITY);
    ok(near(v[4], 13 * (X + 38.5)), "a pipeline: 10 segments, and 3 to fill it");
    free(v);
    /* 4 GiB + 1 bytes in segments of 1 byte: the number of segments is limited, so each becomes larger */
    const double max = 65536, large = (4294967297.0 / max) * PER_BYTE;
    v = leaves("bcast 1 0 chain segment=1", MPG_COLLECTIVE_BCAST, 3, 0, 4294967297.0, NULL,
               (struct costs){0, 0, X + large}, INFINITY);
    ok(near(v[2], (max + 1) * (X + large)), "of a tiny segment the size grows: %.10g", v[2]);
    free(v);
    const double late[] = {0, 5000.5, 0, 0};
    v = leaves("bcast 1 0 chain", MPG_COLLECTIVE_BCAST, 4, 0, 1000, late, nothing, 999);
    ok(near(v[0], 5000.5 + 385), "a synchronous message holds the root until its child has come");
    ok(near(v[1], 5000.5 + 385 + X + 385), "and the child until its own has it");
    free(v);
    v = leaves("bcast 1 0 chain", MPG_COLLECTIVE_BCAST, 4, 0, 1000, late, nothing, 1000);
    ok(near(v[0], 0) && near(v[3], 5000.5 + 2 * (X + 385)), "an eager one does not");
    free(v);
    v = leaves("scan 1 0 linear", MPG_COLLECTIVE_SCAN, 4, 0, 0, late, nothing, INFINITY);
    ok(near(v[0], 0) && near(v[1], 5000.5) && near(v[3], 5000.5 + 2 * X),
       "a prefix waits for those before it alone");
    free(v);
}

/* In a barrier a member at distance d from the late one learns of it after popcount(d) messages. */
static void test_late(void)
{
    double enter[8] = {1e6 + 0.5};
    double *v = leaves("barrier 1 0 dissemination", MPG_COLLECTIVE_BARRIER, 8, 0, 0, enter, nothing,
                       INFINITY);
    bool right = true;
    for (int i = 0; i < 8; i++)
        right = right && near(v[i], 1e6 + 0.5 + X * __builtin_popcount((unsigned)i));
    ok(right, "lateness spreads with the bits of the distance");
    free(v);
}

/* Numbers of members that are not powers of two; expected times by hand from Open MPI 4.1's coll_base_barrier.c and
 * coll_base_bcast.c. */
static void test_no_power_of_two(void)
{
    double enter[13] = {0}, late = 1e6 + 0.5;
    enter[12] = late;
    double *v = leaves("barrier 1 0 recursive_doubling", MPG_COLLECTIVE_BARRIER, 13, 0, 0, enter,
                       nothing, INFINITY);
    bool right = true;
    for (unsigned i = 0; i < 8; i++) /* member 12 notifies 4, which notifies members 0 to 7 */
        right = right && near(v[i], late + X * (1 + __builtin_popcount(i ^ 4)));
    for (unsigned i = 8; i < 13; i++)
        right = right && near(v[i], late + X * (2 + __builtin_popcount((i - 8) ^ 4)));
    ok(right, "a barrier's last members are told by those before the power of two");
    free(v);
    double block = 1000 * PER_BYTE;
    v = leaves("bcast 1 0 scatter_allgather", MPG_COLLECTIVE_BCAST, 6, 2, 6000, NULL, nothing,
               INFINITY);
    /* 4 has its group's blocks at 3 X + 4 b; 0 has its group's blocks at 4 X + 6 b, and sends them; 4 sends its blocks
     * to 2 */
    ok(near(v[0], 5 * X + 10 * block) && near(v[2], 4 * X + 6 * block) &&
           near(v[4], 5 * X + 8 * block),
       "doubling of 6: what 2 and 3 have no partner for comes from 0 and 1");
    free(v);
    v = leaves("bcast 1 0 scatter_allgather", MPG_COLLECTIVE_BCAST, 13, 4, 13000, NULL, nothing,
               INFINITY);
    /* 8 to 11 have their blocks at 5 X + 11 b. 8 also has 12's blocks, which 11 receives through 10 at 7 X + 13 b; 11
     * sends 5 blocks to 3, which sends them to 7 */
    ok(near(v[(7 + 4) % 13], 9 * X + 23 * block), "doubling of 13, the last: %.10g",
       v[(7 + 4) % 13]);
    free(v);
}

static void test_many(void)
{
    enum { MANY = 65536 };
    double *v = leaves("allreduce 1 0 recursive_doubling", MPG_COLLECTIVE_ALLREDUCE, MANY, 0, 8,
                       NULL, nothing, INFINITY);
    ok(all_near(v, MANY, 16 * (X + 8 * PER_BYTE)), "65536 members: 16 rounds");
    free(v);
    v = leaves("bcast 1 0 knomial radix=4", MPG_COLLECTIVE_BCAST, MANY, 1, 8, NULL, nothing,
               INFINITY);
    ok(near(v[0], 8 * (X + 8 * PER_BYTE)), "and 8 levels of a tree of radix 4");
    free(v);
    v = leaves("allreduce 1 0 recursive_doubling", MPG_COLLECTIVE_ALLREDUCE, 1, 0, 8, NULL, nothing,
               INFINITY);
    ok(v[0] == 0, "one member leaves as it comes");
    free(v);
}

int main(void)
{
    test_together();
    test_arithmetic();
    test_calls();
    test_trees();
    test_late();
    test_no_power_of_two();
    test_many();
    return done();
}
