/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "common/text_stream.h"
#include "simulate/reports/json_parts.h"
#include "simulate/reports/lines.h"

int mpg_sheet_init(struct mpg_sheet *rows, size_t n, size_t columns, bool json, struct mpg_error *err)
{
    *rows = (struct mpg_sheet){.columns = columns, .json = json};
    rows->column = calloc(columns + 1, sizeof *rows->column);
    rows->row = calloc(n, sizeof *rows->row);
    if (!rows->column || !rows->row)
        return mpg_error_set(err, "out of memory");
    for (; rows->n < n; rows->n++)
        if (!(rows->row[rows->n].cell = calloc(columns + 1, sizeof *rows->row->cell)))
            return mpg_error_set(err, "out of memory");
    return 0;
}

void mpg_sheet_clear(struct mpg_sheet *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct mpg_row *row = &rows->row[i];
        free(row->cell);
        free(row->run_ns);
        mpg_attention_clear(&row->head);
        mpg_attention_clear(&row->attention);
        mpg_attention_clear(&row->assumed);
        free(row->options);
    }
    free(rows->row);
    free(rows->column);
    free(rows->program);
    free(rows->received);
    free(rows->tolerance);
    *rows = (struct mpg_sheet){0};
}

/* What all rows have. */
static int take_common(struct mpg_sheet *rows, const struct mpg_report *r, struct mpg_error *err)
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

/* What a row is about, but for its cells, and rests on. */
static int take_words(struct mpg_row *row, const struct mpg_report *report, struct mpg_error *err)
{
    struct mpg_report r = *report;
    char source[MPG_SOURCE_WORDS];
    if (r.p->target)
        mpg_attention_add(&row->head, "target", "%s", r.p->target->path);
    if (mpg_report_source(&r, source, sizeof source))
        mpg_attention_add(&row->head, "source", "%s", source);
    return mpg_attention_end(&row->head, err) < 0 ? -1 : mpg_lines_take(&r, &row->attention, &row->assumed, err);
}

/* Its options as JSON, at the depth at which a row has them. */
static int take_options(struct mpg_row *row, const struct mpg_report *r, struct mpg_error *err)
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

int mpg_sheet_take(struct mpg_sheet *rows, size_t i, const struct mpg_report *r, struct mpg_error *err)
{
    struct mpg_row *row = &rows->row[i];
    const struct mpg_result *q = r->result;
    double *scratch = malloc(q->replicas * sizeof *scratch);
    if (!scratch)
        return mpg_error_set(err, "out of memory");
    row->run = mpg_report_run(r, scratch);
    row->run_ns = scratch;
    row->replicas = q->replicas;
    row->place = i;
    memcpy(row->run_ns, q->run_ns, q->replicas * sizeof *row->run_ns);
    row->traced_ns = mpg_result_traced(q);
    row->recorded_ns = mpg_result_recorded(q);
    row->synchronous = q->counts.synchronous_messages;
    if ((rows->json && take_options(row, r, err) < 0) || take_words(row, r, err) < 0)
        return -1;
    return i == 0 ? take_common(rows, r, err) : 0;
}

static int compare(const void *a, const void *b)
{
    const struct mpg_row *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    if (x->run.median != y->run.median)
        return x->run.median < y->run.median ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void mpg_sheet_sort(struct mpg_sheet *rows)
{
    if (rows->compares)
        qsort(rows->row, rows->n, sizeof *rows->row, compare);
}

char *mpg_say_faster(char *text, size_t size, double part)
{
    snprintf(text, size, "%s in %.1f %%", part < 0.5 ? "slower" : "faster", 100 * (part < 0.5 ? 1 - part : part));
    return text;
}

double mpg_faster(const double *x, uint32_t n, const double *y, uint32_t m)
{
    const uint32_t most = n > m ? n : m;
    double faster = 0;
    for (uint32_t i = 0; i < most; i++) {
        const double a = x[n > 1 ? i : 0], b = y[m > 1 ? i : 0];
        faster += a < b ? 1 : a > b ? 0 : 0.5;
    }
    return faster / most;
}

double mpg_sheet_faster(const struct mpg_sheet *rows, size_t a, size_t b)
{
    return mpg_faster(rows->row[a].run_ns, rows->replicas, rows->row[b].run_ns, rows->replicas);
}
