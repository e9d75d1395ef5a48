/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the table, with places and speed-ups. */
#include "simulate/target_table/target_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/reports/extrapolated.h"

int mpg_target_table_init(struct mpg_target_table *x, size_t traces, size_t machines, const struct mpg_sweep *keys,
                     struct mpg_error *err)
{
    *x = (struct mpg_target_table){.traces = traces, .machines = machines, .n = traces * machines, .keys = keys};
    x->trace = calloc(traces, sizeof *x->trace);
    x->target = calloc(machines, sizeof *x->target);
    x->row = calloc(x->n, sizeof *x->row);
    return x->trace && x->target && x->row ? 0 : mpg_error_set(err, "out of memory");
}

void mpg_target_table_clear(struct mpg_target_table *x)
{
    for (size_t i = 0; x->trace && i < x->traces; i++)
        free(x->trace[i].program);
    for (size_t i = 0; x->row && i < x->n; i++)
        mpg_row_answer_clear(&x->row[i].answer);
    free(x->trace);
    free(x->target);
    free(x->row);
    *x = (struct mpg_target_table){0};
}

/* --- results --- */

static void add_accounts(struct mpg_target_row *row, const struct mpg_report *r)
{
    const struct mpg_result *q = r->result;
    for (int32_t i = 0; i < q->ranks; i++) {
        const struct mpg_run_account *a = &q->run_account[i];
        const struct mpg_rank_use *u = &r->extrapolation->use[i];
        row->work_ns += a->compute_ns;
        row->noise_ns += a->noise_ns;
        row->wait_ns += mpg_report_waited(r, i);
        row->call_ns += a->call_ns;
        row->service_ns += u->service_ns;
        row->barrier_ns += u->barrier_ns;
        row->processor_ns += u->processor_ns;
    }
}

static int take_trace(struct mpg_target_trace *t, const struct mpg_report *r, struct mpg_error *err)
{
    const char *key, *value;
    if (t->ranks > 0)
        return 0;
    t->ranks = r->result->ranks;
    t->calls = r->result->counts.calls;
    for (size_t i = 0; mpg_trace_fact(r->trace, 0, i, &key, &value) && !t->program; i++)
        if (strcmp(key, "program") == 0 && !(t->program = strdup(value)))
            return mpg_error_set(err, "out of memory");
    return 0;
}

int mpg_target_table_take(struct mpg_target_table *x, size_t i, const struct mpg_report *r, struct mpg_error *err)
{
    const struct mpg_extrapolation *e = r->extrapolation;
    struct mpg_target_row *row = &x->row[i];
    *row = (struct mpg_target_row){.trace = i / x->machines,
                                   .machine = i % x->machines,
                                   .processors = e->processors->number,
                                   .messages = e->messages,
                                   .gets = e->gets,
                                   .puts = e->puts,
                                   .barriers = e->barriers,
                                   .bytes = e->bytes,
                                   .events = e->events,
                                   .against_ns = r->against_ns};
    x->seed = r->p->seed;
    x->against_given = r->against_ns > 0;
    add_accounts(row, r);
    return mpg_row_answer_take(&row->answer, r, err) < 0 ? -1 : take_trace(&x->trace[row->trace], r, err);
}

/* --- comparison of rows --- */

static bool same_program(const struct mpg_target_trace *a, const struct mpg_target_trace *b)
{
    return a->program && b->program && strcmp(a->program, b->program) == 0;
}

/* Returns the index of the single one-rank trace of trace I's program, the reference for trace I; x->traces: none or several
 * traces. */
static size_t find_one(const struct mpg_target_table *x, size_t i)
{
    const bool says = x->trace[i].program != NULL;
    size_t found = x->traces, n = 0;
    for (size_t k = 0; k < x->traces; k++)
        if (x->trace[k].ranks == 1 && (says ? same_program(&x->trace[i], &x->trace[k]) : !x->trace[k].program)) {
            found = k;
            n++;
        }
    return n == 1 ? found : x->traces;
}

static void place(const struct mpg_target_table *x, struct mpg_target_row *row)
{
    const struct mpg_target_row *first = &x->row[row->trace * x->machines];
    row->place = row->order = 1;
    for (const struct mpg_target_row *r = first; r < first + x->machines; r++) {
        row->place += r->answer.run.median < row->answer.run.median;
        row->order += r->answer.run.median < row->answer.run.median ||
                      (r->answer.run.median == row->answer.run.median && r < row);
    }
}

void mpg_target_table_finish(struct mpg_target_table *x)
{
    for (size_t i = 0; i < x->n; i++) {
        struct mpg_target_row *row = &x->row[i];
        const size_t one = find_one(x, row->trace);
        place(x, row);
        if (!x->against_given && one < x->traces)
            row->against_ns = x->row[one * x->machines + row->machine].answer.run.mean;
    }
}

double mpg_target_row_speedup(const struct mpg_target_row *row)
{
    return row->answer.run.mean > 0 ? row->work_ns / row->answer.run.mean : 0;
}

double mpg_target_row_speedup_against(const struct mpg_target_row *row)
{
    return row->answer.run.mean > 0 ? row->against_ns / row->answer.run.mean : 0;
}

double mpg_target_row_utilisation(const struct mpg_target_row *row)
{
    return row->answer.run.mean > 0 ? (row->work_ns + row->noise_ns) / row->answer.run.mean / row->processors : 0;
}

const struct mpg_target_row *mpg_target_row_next(const struct mpg_target_table *x, const struct mpg_target_row *row)
{
    const struct mpg_target_row *first = &x->row[row->trace * x->machines];
    for (const struct mpg_target_row *r = first; r < first + x->machines; r++)
        if (r->order == row->order + 1)
            return r;
    return NULL;
}

/* --- names --- */

void mpg_target_table_value(const struct mpg_target_table *x, size_t i, size_t machine, char *text, size_t size)
{
    const struct mpg_axis *axis = &x->keys->axis[i];
    const size_t place = mpg_sweep_place(x->keys, i, machine % x->keys->points);
    const double number = axis->value[place];
    if (axis->unit == MPG_SWEEP_TIME && !isnan(number))
        mpg_units_format_time(text, size, number);
    else if (axis->unit == MPG_SWEEP_SIZE && !isnan(number))
        mpg_units_format_size(text, size, (int64_t)number);
    else if (axis->unit == MPG_SWEEP_NUMBER && !isnan(number))
        snprintf(text, size, "%.6g", number);
    else
        snprintf(text, size, "%s", axis->word[place]);
}

void mpg_target_table_name(const struct mpg_target_table *x, size_t machine, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", x->target[machine]);
    for (size_t i = 0; i < x->keys->axes && used < size; i++) {
        char value[64];
        mpg_target_table_value(x, i, machine, value, sizeof value);
        used += (size_t)snprintf(text + used, size - used, ", %s %s", x->keys->axis[i].key, value);
    }
}
