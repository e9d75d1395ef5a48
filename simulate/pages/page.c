/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/pages/page.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/output.h"
#include "common/table/escape.h"
#include "common/text_stream.h"
#include "simulate/pages/answer.h"
#include "simulate/pages/bound.h"
#include "simulate/pages/runs.h"

/* The lines of a page. A line that begins with @ is replaced by a part of the answer. */
static const char *const lines[] = {
#include "simulate/pages/page.inc"
};

enum { MAX_TEXT_BYTES = 128 * 1024, MAX_DATA_BYTES = 800 * 1024 };

struct page {
    const char *trace;
    char *data; /* JSON, escaped for a script element */
    char *text;
    char *answer, *runs; /* HTML */
};

static void put_page(const struct page *page, FILE *out)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (strcmp(lines[i], "@title\n") == 0) {
            fputs("<title>mpgsim: ", out);
            mpg_html_write_text(out, page->trace);
            fputs("</title>\n", out);
        } else if (strcmp(lines[i], "@text\n") == 0) {
            fputs("<pre>", out);
            mpg_html_write_text(out, page->text);
            fputs("</pre>\n", out);
        } else if (strcmp(lines[i], "@data\n") == 0) {
            mpg_html_write_json(out, page->data);
            putc('\n', out);
        } else if (strcmp(lines[i], "@answer\n") == 0)
            fputs(page->answer, out);
        else if (strcmp(lines[i], "@runs\n") == 0)
            fputs(page->runs, out);
        else
            fputs(lines[i], out);
    }
}

static int write_page(struct page *page, const char *path, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(path, err);
    if (!out)
        return mpg_error_prefix(err, "--report");
    put_page(page, mpg_output_stream(out));
    return mpg_output_commit(out, err) < 0 ? mpg_error_prefix(err, "--report") : 0;
}

typedef int put_answer(const void *answer, FILE *out, struct mpg_error *err);

/* Returns the text that PUT writes, to be freed; NULL with ERR. */
static char *in_memory(put_answer *put, const void *answer, struct mpg_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    const int status = put(answer, out, err);
    if (!mpg_text_end(out, &text) && status == 0)
        mpg_error_set(err, "out of memory");
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

/* Returns the JSON of ANSWER. If its table is too long for a page, the numbers get fewer digits, then rows are removed. NULL:
 * out of memory. */
static char *dumped(json_t *answer)
{
    for (int digits = 17;; digits = 9) {
        char *data = json_dumps(answer, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(digits));
        if (!data || strlen(data) <= MAX_DATA_BYTES || (digits == 9 && json_array_size(json_object_get(answer, "rows")) <= 8))
            return data;
        free(data);
        if (digits == 9)
            mpg_page_thin(answer);
    }
}

static int phase_json(const void *parts, FILE *out, struct mpg_error *err)
{
    const struct mpg_page_parts *p = parts;
    struct mpg_json j = mpg_json_to(out, MPG_JSON_LINES);
    (void)err;
    mpg_worst_phase_json(&j, NULL, p->phase);
    return 0;
}

static int runs_json(const void *parts, FILE *out, struct mpg_error *err)
{
    static const char *const keys[] = {"recorded", "predicted"};
    const struct mpg_page_parts *p = parts;
    struct mpg_json j = mpg_json_to(out, MPG_JSON_LINES);
    return mpg_overview_json(&j, NULL, p->trace, (const struct mpg_overview *const[]){p->recorded, p->predicted}, keys, 2, err);
}

/* Adds PARTS to the reduced answer. */
static void add_parts(json_t *answer, const struct mpg_page_parts *parts, const char *phase, const char *runs)
{
    if (runs)
        json_object_set_new(answer, "runs", json_loads(runs, 0, NULL));
    if (parts->why_no_waits)
        json_object_set_new(answer, "waits_missing", json_string(parts->why_no_waits));
    if (phase)
        json_object_set_new(answer, "phase", json_loads(phase, 0, NULL));
    else if (parts->why_no_phase)
        json_object_set_new(answer, "phase_missing", json_string(parts->why_no_phase));
}

/* Set if memory runs out: Jansson then leaves a value out of an object without reporting an error. */
static bool ran_out;

static void *allocate(size_t size)
{
    void *data = malloc(size);
    ran_out = ran_out || !data;
    return data;
}

/* Returns the reduced JSON of the answer, with PARTS. */
static char *bounded(const char *text, const struct mpg_page_parts *parts, struct mpg_error *err)
{
    char *phase = parts->phase ? in_memory(phase_json, parts, err) : NULL;
    char *runs = parts->recorded && parts->predicted ? in_memory(runs_json, parts, err) : NULL, *data = NULL;
    if ((parts->phase && !phase) || (parts->recorded && parts->predicted && !runs)) {
        free(phase);
        free(runs);
        return NULL;
    }
    ran_out = false;
    json_set_alloc_funcs(allocate, free);
    json_t *answer = json_loads(text, 0, NULL);
    ran_out = ran_out || !answer || mpg_page_bound(answer) < 0;
    add_parts(answer, parts, phase, runs);
    data = dumped(answer);
    json_decref(answer);
    json_set_alloc_funcs(malloc, free);
    free(phase);
    free(runs);
    if (!ran_out && data)
        return data;
    free(data);
    mpg_error_set(err, "out of memory");
    return NULL;
}

/* Cuts TEXT at the end of a line, to at most the maximum length in a page. */
static void cut_text(char *text)
{
    static const char more[] = "...\n";
    if (strlen(text) <= MAX_TEXT_BYTES)
        return;
    char *end = text + MAX_TEXT_BYTES - sizeof more;
    while (end > text && end[-1] != '\n')
        end--;
    memcpy(end, more, sizeof more);
}

/* Functions that write an answer in the formats contained in a page. */
struct formats {
    put_answer *json, *text, *html;
};

/* The section of a page about the runs over time, as HTML. */
struct runs {
    const struct mpg_page_parts *parts;
    const char *second;
};

static int put_runs(const void *answer, FILE *out, struct mpg_error *err)
{
    const struct runs *runs = answer;
    (void)err;
    if (runs->second)
        mpg_page_runs(runs->parts, runs->second, out);
    return 0;
}

/* Makes the page of ANSWER and writes it to PATH. SECOND: the name of the run shown beside the recorded run; NULL: the answer
 * is about several runs. */
static int make(const void *answer, const struct formats *formats, const char *trace, const struct mpg_page_parts *parts,
                const char *second, const char *path, struct mpg_error *err)
{
    struct page page = {.trace = trace};
    const struct runs runs = {parts, second};
    int status = -1;
    char *whole = in_memory(formats->json, answer, err);
    if (whole && (page.data = bounded(whole, parts, err)) && (page.text = in_memory(formats->text, answer, err)) &&
        (page.answer = in_memory(formats->html, answer, err)) && (page.runs = in_memory(put_runs, &runs, err))) {
        cut_text(page.text);
        status = write_page(&page, path, err);
    }
    free(whole);
    free(page.data);
    free(page.text);
    free(page.answer);
    free(page.runs);
    return status;
}

static int report_json(const void *report, FILE *out, struct mpg_error *err)
{
    return mpg_report_json(report, out, err);
}

static int report_text(const void *report, FILE *out, struct mpg_error *err)
{
    return mpg_report_text(report, out, err);
}

static int report_html(const void *report, FILE *out, struct mpg_error *err)
{
    return mpg_page_answer(report, out, err);
}

int mpg_page_report(const struct mpg_report *report, const struct mpg_page_parts *parts, const char *path,
                    struct mpg_error *err)
{
    static const struct formats formats = {report_json, report_text, report_html};
    return make(report, &formats, mpg_trace_path(report->trace), parts, report->result->predicted ? "Predicted" : "Perturbed",
                path, err);
}

static int table_json(const void *rows, FILE *out, struct mpg_error *err)
{
    return mpg_result_table_json(rows, out, err);
}

static int table_text(const void *rows, FILE *out, struct mpg_error *err)
{
    return mpg_result_table_text(rows, out, err);
}

static int table_html(const void *rows, FILE *out, struct mpg_error *err)
{
    (void)rows;
    (void)out;
    (void)err;
    return 0;
}

int mpg_page_table(const struct mpg_result_table *rows, const char *path, struct mpg_error *err)
{
    static const struct mpg_page_parts none;
    static const struct formats formats = {table_json, table_text, table_html};
    return make(rows, &formats, rows->trace, &none, NULL, path, err);
}
