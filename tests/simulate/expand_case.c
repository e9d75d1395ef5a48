/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates collectives for tests/simulate/algorithms.py, which writes the cases to standard input, one on each line:
 *
 * OPERATION ALGORITHM RADIX SEGMENT P ROOT BYTES EAGER WAITING LANES [BLOCK of each member ...]
 *
 * Prints a line for each case: `leave` of each member in each lane, then `sent`, the bytes sent by each member; for a
 * plan with a single tree also a second line, with the same evaluated member by member. Costs and enter times follow
 * from the formulas below, which the script repeats. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/algorithms/expand.h"

struct context {
    uint32_t lanes;
    bool waiting;
    double *sent;            /* bytes sent by each member */
    bool *counted;           /* whether the message of this round and sender was counted already */
    int32_t p;
};

static void flight(void *data, const struct mpg_message *m, double *lambda, double *tau)
{
    struct context *c = data;
    if (!c->counted[m->round * (size_t)c->p + (size_t)m->from])
        c->sent[m->from] += m->bytes;
    c->counted[m->round * (size_t)c->p + (size_t)m->from] = true;
    for (uint32_t w = 0; w < c->lanes; w++) {
        lambda[w] = 411.5 + 17.25 * ((3 * m->from + 5 * m->to) % 7) + 2.385 * w;
        tau[w] = 0.385 * m->bytes * (1 + 0.125 * ((m->from + 2 * m->to) % 3));
    }
}

static void send(void *data, const struct mpg_message *m, double *out)
{
    const struct context *c = data;
    for (uint32_t w = 0; w < c->lanes; w++)
        out[w] = 92.385 + 0.0625 * m->bytes + m->from % 5 + 3 * w;
}

static void receive(void *data, const struct mpg_message *m, double *out)
{
    const struct context *c = data;
    for (uint32_t w = 0; w < c->lanes; w++)
        out[w] = 133.77 + 0.03125 * m->bytes + 1.5 * (m->to % 4) + 5 * w;
}

static bool waiting(void *data, const struct mpg_message *m, double *out)
{
    const struct context *c = data;
    for (uint32_t w = 0; w < c->lanes && c->waiting; w++)
        out[w] = 700.3 + 0.41 * m->bytes + m->to % 3;
    return c->waiting;
}

static double gap(void *data, const struct mpg_message *m)
{
    (void)data;
    return 250.5 + 0.29 * m->bytes;
}

static void call(void *data, int32_t index, uint32_t number, double *out)
{
    const struct context *c = data;
    for (uint32_t w = 0; w < c->lanes; w++)
        out[w] = 17.25 * ((3 * (uint32_t)index + 5 * number) % 11) - 60 + 1.5 * w;
}

static void reduce(void *data, double bytes, double *out)
{
    const struct context *c = data;
    for (uint32_t w = 0; w < c->lanes; w++)
        out[w] = 0.07 * bytes;
}

static double enter(int32_t i, uint32_t w)
{
    return 3.7 * (double)((int64_t)(i + 1) * 7919 % 1013) + 11.25 * w * (i % 3);
}

static void print(const double *value, const struct context *c)
{
    printf("leave");
    for (size_t i = 0; i < (size_t)c->p * c->lanes; i++)
        printf(" %.17g", value[i]);
    printf(" sent");
    for (int32_t i = 0; i < c->p; i++)
        printf(" %.17g", c->sent[i]);
    printf("\n");
}

struct values {
    const struct mpg_plan *plan;
    uint32_t lanes;
    double *value, *message;
};

static double *value_of(void *data, int32_t v)
{
    struct values *a = data;
    return a->value + (size_t)((v + a->plan->size.root) % a->plan->size.p) * a->lanes;
}

static double *message_of(void *data, int32_t v)
{
    struct values *a = data;
    return a->message + (size_t)v * a->lanes;
}

static void die(const struct mpg_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void evaluate(const struct mpg_plan *plan, struct mpg_message_costs *costs, bool by_member)
{
    struct context *c = costs->data;
    struct mpg_error err;
    struct mpg_expansion *x = mpg_expansion_new(c->lanes, 0, &err);
    uint32_t rounds = 1;
    for (int i = 0; i < plan->phases; i++)
        rounds = plan->phase[i].first_round + plan->phase[i].rounds;
    size_t n = (size_t)c->p * c->lanes;
    double *value = malloc(n * sizeof *value), *message = malloc(n * sizeof *message);
    c->sent = calloc((size_t)c->p, sizeof *c->sent);
    c->counted = calloc((rounds + 1) * (size_t)c->p, sizeof *c->counted);
    if (!x || !value || !message || !c->sent || !c->counted)
        exit(1);
    for (int32_t i = 0; i < c->p; i++)
        for (uint32_t w = 0; w < c->lanes; w++)
            value[(size_t)i * c->lanes + w] = enter(i, w);
    struct values all = {plan, c->lanes, value, message};
    const struct mpg_tree_values values = {.data = &all, .value = value_of, .message = message_of};
    if (!by_member && mpg_expand(x, plan, costs, value, &err) < 0)
        die(&err);
    for (int32_t v = 0; by_member && v < c->p; v++) {
        int32_t at = plan->phase[0].kind == MPG_PHASE_DOWN ? v : c->p - 1 - v;
        if (mpg_expand_member(x, plan, costs, at, &values, &err) < 0)
            die(&err);
    }
    print(value, c);
    free(value);
    free(message);
    free(c->sent);
    free(c->counted);
    mpg_expansion_free(x);
}

int main(void)
{
    char operation[64], algorithm[64];
    int radix, segment, p, root, waits, lanes;
    double bytes, eager;
    while (scanf("%63s %63s %d %d %d %d %lf %lf %d %d", operation, algorithm, &radix, &segment, &p,
                 &root, &bytes, &eager, &waits, &lanes) == 10) {
        struct mpg_error err;
        char text[512], option[64] = "";
        if (strcmp(algorithm, "knomial") == 0)
            snprintf(option, sizeof option, "radix=%d", radix);
        if (segment > 0)
            snprintf(option, sizeof option, "segment=%d", segment);
        snprintf(text, sizeof text,
                 "#mpgcollectives 1\n%s 1 0 %s %s\n", operation, algorithm, option);
        bool two = strcmp(algorithm, "two") == 0;
        if (two)
            strcat(text, "reduce 1 0 binomial\nbcast 1 0 binomial\ngatherv 1 0 linear\n"
                         "scatterv 1 0 linear\n");
        struct mpg_collective_table *table = mpg_collective_table_parse(text, strlen(text), "case", &err);
        if (!table)
            die(&err);
        double *before = NULL;
        int c = getchar();
        if (c == ' ') { /* block sizes of the members follow; BEFORE are their sums, relative to the root */
            double *block = calloc((size_t)p, sizeof *block);
            before = calloc((size_t)p + 1, sizeof *before);
            for (int i = 0; i < p; i++)
                if (scanf("%lf", &block[i]) != 1)
                    exit(1);
            for (int v = 0; v < p; v++)
                before[v + 1] = before[v] + block[(v + root) % p];
            free(block);
        }
        struct mpg_collective_size size = {mpg_collective_find(operation), p, root, bytes, before, false};
        struct mpg_plan plan = mpg_plan_make(table, &size);
        struct context context = {.lanes = (uint32_t)lanes, .waiting = waits, .p = p};
        struct mpg_message_costs costs = {.data = &context,
                                          .flight = flight,
                                          .send = send,
                                          .receive = receive,
                                          .waiting = waiting,
                                          .gap = gap,
                                          .call = call,
                                          .reduce = reduce,
                                          .eager_limit_bytes = eager < 0 ? INFINITY : eager, .weak_bytes = INFINITY};
        evaluate(&plan, &costs, false);
        if (mpg_plan_is_tree(&plan))
            evaluate(&plan, &costs, true);
        free(before);
        mpg_collective_table_free(table);
    }
    return 0;
}
