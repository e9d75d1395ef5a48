/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/result_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/text_stream.h"
#include "simulate/reports/json_parts.h"

int mpg_result_table_init(struct mpg_result_table *rows, size_t n, size_t columns, bool json, struct mpg_error *err)
{
    *rows = (struct mpg_result_table){.columns = columns, .json = json};
    rows->column = calloc(columns + 1, sizeof *rows->column);
    rows->row = calloc(n, sizeof *rows->row);
    if (!rows->column || !rows->row)
        return mpg_error_set(err, "out of memory");
    for (; rows->n < n; rows->n++)
        if (!(rows->row[rows->n].cell = calloc(columns + 1, sizeof *rows->row->cell)))
            return mpg_error_set(err, "out of memory");
    return 0;
}

void mpg_result_table_clear(struct mpg_result_table *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct mpg_result_row *row = &rows->row[i];
        free(row->cell);
        mpg_row_answer_clear(&row->answer);
        mpg_notes_clear(&row->head);
        free(row->options);
    }
    free(rows->row);
    free(rows->column);
    free(rows->program);
    free(rows->received);
    free(rows->tolerance);
    *rows = (struct mpg_result_table){0};
}

/* Copies the data common to all rows. */
static int take_common(struct mpg_result_table *rows, const struct mpg_report *r, struct mpg_error *err)
{
    size_t size;
    FILE *out = open_memstream(&rows->program, &size);
    if (!out)
        return mpg_error_set(err, "out of memory");
    mpg_report_program(r, out);
    if (!mpg_text_end(out, &rows->program))
        return mpg_error_set(err, "out of memory");
    rows->replicas = r->result->replicas;
    rows->first_replica = r->result->first_replica;
    rows->seed = r->p->seed;
    rows->predicted = r->result->predicted;
    rows->counts = r->result->counts;
    rows->trace = mpg_trace_path(r->trace);
    rows->ranks = r->result->ranks;
    return 0;
}

/* Stores the machines of a row. */
static int take_machines(struct mpg_result_row *row, const struct mpg_report *r, struct mpg_error *err)
{
    char source[MPG_SOURCE_WORDS];
    if (r->p->target)
        mpg_notes_add(&row->head, "target", "%s", r->p->target->path);
    if (mpg_report_source(r, source, sizeof source))
        mpg_notes_add(&row->head, "source", "%s", source);
    return mpg_notes_end(&row->head, err);
}

/* Stores the options of a row as JSON, indented as a member of the row. */
static int take_options(struct mpg_result_row *row, const struct mpg_report *r, struct mpg_error *err)
{
    enum { DEPTH = 3 };
    size_t size;
    FILE *out = open_memstream(&row->options, &size);
    if (!out)
        return mpg_error_set(err, "out of memory");
    struct mpg_json j = mpg_json_to(out, MPG_JSON_LINES);
    j.indent = DEPTH;
    mpg_answer_options(&j, NULL, r);
    return mpg_text_end(out, &row->options) ? 0 : mpg_error_set(err, "out of memory");
}

int mpg_result_table_take(struct mpg_result_table *rows, size_t i, const struct mpg_report *r, struct mpg_error *err)
{
    struct mpg_result_row *row = &rows->row[i];
    const struct mpg_result *q = r->result;
    row->place = i;
    row->traced_ns = mpg_result_traced(q);
    row->recorded_ns = mpg_result_recorded(q);
    row->synchronous = q->counts.synchronous_messages;
    if (mpg_row_answer_take(&row->answer, r, err) < 0 || (rows->json && take_options(row, r, err) < 0) ||
        take_machines(row, r, err) < 0)
        return -1;
    return i == 0 ? take_common(rows, r, err) : 0;
}

static int compare(const void *a, const void *b)
{
    const struct mpg_result_row *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    if (x->answer.run.median != y->answer.run.median)
        return x->answer.run.median < y->answer.run.median ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void mpg_result_table_sort(struct mpg_result_table *rows)
{
    if (rows->compares)
        qsort(rows->row, rows->n, sizeof *rows->row, compare);
}

double mpg_result_table_faster(const struct mpg_result_table *rows, size_t a, size_t b)
{
    return mpg_row_answer_faster(&rows->row[a].answer, &rows->row[b].answer);
}
