/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the changes between two versions of a program, and their significance. */
#include "analyse/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/rank.h"
#include "statistics/welch.h"

static const double CONFIDENCE = 0.95;
/* Minimum share of the run time of a tested row. Without smaller rows the tests have more power. */
static const double MIN_SHARE = 0.001;

static const struct {
    const char *name;
} quantities[COMPARE_QUANTITIES] = {
    [COMPARE_RUN] = {"Run time"},
    [COMPARE_COMPUTATION] = {"Computation per rank"},
    [COMPARE_MPI] = {"MPI time per rank"},
    [COMPARE_OFF_CPU] = {"Off-CPU time per rank"},
    [COMPARE_POLLING] = {"Polling per rank"},
    [COMPARE_LOAD_BALANCE] = {"Load balance"},
    [COMPARE_SERIALIZATION] = {"Serialization"},
    [COMPARE_TRANSFER] = {"Transfer"},
    [COMPARE_NOISE] = {"Noise"},
    [COMPARE_EFFICIENCY] = {"Parallel efficiency"},
};

const char *mpg_compare_quantity_name(enum compare_quantity quantity)
{
    return quantities[quantity].name;
}

const char *mpg_compare_match_name(enum compare_match match)
{
    static const char *const names[] = {"same", "line moved", "other file", "callsites summed", "only after", "only before"};
    return names[match];
}

const char *mpg_compare_verdict_name(enum compare_verdict verdict)
{
    return verdict == COMPARE_UNKNOWN ? NULL : verdict == COMPARE_DIFFERS ? "differs" : "same";
}

bool mpg_compare_knows_chance(const struct comparison *c)
{
    return c->side[COMPARE_BEFORE].n > 1 && c->side[COMPARE_AFTER].n > 1;
}

double mpg_compare_shared(const struct comparison *c)
{
    double shared = 0, all = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct compare_row *row = &c->row[i];
        if (row->kind == COMPARE_REGION) /* contains calls and computation */
            continue;
        const double time = row->time.side[COMPARE_BEFORE] + row->time.side[COMPARE_AFTER];
        all += time;
        shared += row->match == COMPARE_APPEARED || row->match == COMPARE_DISAPPEARED ? 0 : time;
    }
    return all > 0 ? shared / all : 1;
}

static struct compare_change change_of(const struct comparison *c, double *const value[COMPARE_SIDES])
{
    struct compare_change x = {.low = NAN, .high = NAN, .p = NAN, .q = NAN};
    for (int side = 0; side < COMPARE_SIDES; side++)
        x.side[side] = mpg_mean(value[side], c->side[side].n);
    x.change = x.side[COMPARE_AFTER] - x.side[COMPARE_BEFORE];
    if (!mpg_compare_knows_chance(c) || isnan(x.change))
        return x;
    const struct mpg_welch w = mpg_welch_test(value[0], c->side[0].n, value[1], c->side[1].n, CONFIDENCE);
    x.low = w.low;
    x.high = w.high;
    x.p = w.p;
    return x;
}

static enum compare_verdict verdict_of(double p)
{
    return isnan(p) ? COMPARE_UNKNOWN : p < 1 - CONFIDENCE ? COMPARE_DIFFERS : COMPARE_NO_DIFFERENCE;
}

static int compare_quantities(struct comparison *c, struct mpg_error *err)
{
    double *value[COMPARE_SIDES] = {calloc(c->side[0].n, sizeof **value), calloc(c->side[1].n, sizeof **value)};
    const int status = value[0] && value[1] ? 0 : mpg_error_set(err, "out of memory");
    for (int q = 0; status == 0 && q < COMPARE_QUANTITIES; q++) {
        for (int side = 0; side < COMPARE_SIDES; side++)
            for (size_t i = 0; i < c->side[side].n; i++)
                value[side][i] = c->side[side].run[i].quantity[q];
        c->quantity[q] = change_of(c, value);
        c->quantity[q].verdict = verdict_of(c->quantity[q].p);
    }
    free(value[0]);
    free(value[1]);
    return status;
}

/* Sets the false discovery rate and the verdict of each row whose time, over all runs of both sides, is at least MIN_SHARE of the
 * run time. This choice does not depend on the difference between the sides: the tests stay unbiased. */
static int judge_rows(struct comparison *c, struct mpg_error *err)
{
    const double n[] = {(double)c->side[0].n, (double)c->side[1].n};
    const double run_ns = c->quantity[COMPARE_RUN].side[0] * n[0] + c->quantity[COMPARE_RUN].side[1] * n[1];
    double *p = calloc(2 * c->n + 1, sizeof *p), *q = p + c->n;
    size_t *of = calloc(c->n + 1, sizeof *of), tests = 0;
    int status = p && of ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; status == 0 && i < c->n; i++) {
        const struct compare_change *x = &c->row[i].time;
        if (isnan(x->p) || x->side[0] * n[0] + x->side[1] * n[1] < MIN_SHARE * run_ns)
            continue;
        p[tests] = x->p;
        of[tests++] = i;
    }
    if (status == 0)
        status = mpg_false_discovery(p, tests, q, err);
    for (size_t k = 0; status == 0 && k < tests; k++) {
        struct compare_change *x = &c->row[of[k]].time;
        x->q = q[k];
        x->verdict = verdict_of(q[k]);
    }
    free(p);
    free(of);
    return status;
}

/* Orders rows by the size of the change. Rows with equal changes stay in the order of matching, which does not vary between
 * executions. */
static int by_change(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;
    const double of_x = fabs(x->time.change), of_y = fabs(y->time.change);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    if (x->kind != y->kind)
        return (x->kind > y->kind) - (x->kind < y->kind);
    if (x->call != y->call)
        return (x->call > y->call) - (x->call < y->call);
    const char *of_a = x->name[0] ? x->name[0] : x->name[1], *of_b = y->name[0] ? y->name[0] : y->name[1];
    return strcmp(of_a, of_b);
}

int mpg_compare_make(struct comparison *c, const struct compare_runs side[COMPARE_SIDES], struct mpg_error *err)
{
    *c = (struct comparison){.side = side};
    if (compare_quantities(c, err) < 0 || mpg_compare_match_parts(c, err) < 0)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        c->row[i].time = change_of(c, c->row[i].time_ns);
    if (judge_rows(c, err) < 0)
        return -1;
    if (c->n > 0)
        qsort(c->row, c->n, sizeof *c->row, by_change);
    return 0;
}

void mpg_compare_clear(struct comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        for (int side = 0; side < COMPARE_SIDES; side++) {
            free(c->row[i].name[side]);
            free(c->row[i].time_ns[side]);
        }
    free(c->row);
}
