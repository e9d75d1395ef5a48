/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path as text, CSV and JSON: the head, and the tables by callsite, region, rank, segment and cause of waits. */
#include "analyse/critical_path/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"

enum { MAX_COLUMNS = 11, NAME_COLUMNS = 16 };

/* A row of a table, except the table of causes of waits. */
struct row {
    struct path_part part;
    const char *site, *region; /* names of callsite and region; NULL: none */
};

struct rows {
    size_t n;
    struct row *row;
};

/* ---- rows ---- */

static int compare_texts(const char *a, const char *b)
{
    return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

/* Orders rows by kind of time, call, place before or in the call, callsite and region. Rows equal in all five become one row. */
static int by_subject(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->part.kind != y->part.kind)
        return (x->part.kind > y->part.kind) - (x->part.kind < y->part.kind);
    if (x->part.call != y->part.call)
        return (x->part.call > y->part.call) - (x->part.call < y->part.call);
    if (x->part.before != y->part.before)
        return x->part.before ? -1 : 1;
    const int order = compare_texts(x->site, y->site);
    return order != 0 ? order : compare_texts(x->region, y->region);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->part.time_ns != y->part.time_ns)
        return x->part.time_ns < y->part.time_ns ? 1 : -1;
    return by_subject(a, b);
}

static bool has_site(const struct path_part *part)
{
    return part->call != MPG_CALL_COUNT && part->kind != PATH_START;
}

/* Sets the names of ROW's callsite and region. Returns 0, or -1 with ERR. */
static int name_row(const struct path_report *r, struct row *row, struct mpg_error *err)
{
    const struct path_part *part = &row->part;
    if (has_site(part) && !(row->site = mpg_site_name(r->names, (uint32_t)(part->site < 0 ? 0 : part->site + 1), err)))
        return -1;
    if (part->region >= 0)
        row->region = mpg_trace_string(r->path->trace, part->region);
    return 0;
}

/* Joins rows that by_subject() finds equal, and sorts ROWS by time, longest first. */
static void join(struct rows *rows)
{
    size_t kept = 0;
    if (rows->n > 0)
        qsort(rows->row, rows->n, sizeof *rows->row, by_subject);
    for (size_t i = 0; i < rows->n; i++)
        if (kept > 0 && by_subject(&rows->row[kept - 1], &rows->row[i]) == 0) {
            rows->row[kept - 1].part.time_ns += rows->row[i].part.time_ns;
            rows->row[kept - 1].part.number += rows->row[i].part.number;
        } else
            rows->row[kept++] = rows->row[i];
    rows->n = kept;
    if (kept > 0)
        qsort(rows->row, kept, sizeof *rows->row, by_time);
}

/* Makes in ROWS the rows of the table BY; the caller frees rows->row. Returns 0, or -1 with ERR. */
static int make_rows(const struct path_report *r, enum path_by by, struct rows *rows, struct mpg_error *err)
{
    const struct critical_path *path = r->path;
    const int32_t ranks = mpg_trace_ranks(path->trace);
    const size_t n = by == PATH_BY_RANK ? (size_t)ranks : by == PATH_BY_SEGMENT ? path->path_segments : path->n;
    *rows = (struct rows){0, calloc(n + 1, sizeof *rows->row)};
    if (!rows->row)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++) {
        struct row *row = &rows->row[rows->n];
        if (by == PATH_BY_RANK) {
            row->part = (struct path_part){.rank = (int32_t)i, .time_ns = path->rank_ns[i], .call = MPG_CALL_COUNT};
            rows->n += path->rank_ns[i] > 0;
            continue;
        }
        row->part = by == PATH_BY_SEGMENT ? path->path_segment[i] : path->part[i];
        if (name_row(r, row, err) < 0)
            return -1;
        if (by == PATH_BY_REGION) {
            row->part.call = MPG_CALL_COUNT;
            row->part.before = false;
            row->site = NULL;
        }
        rows->n++;
    }
    if (by == PATH_BY_CALLSITE || by == PATH_BY_REGION)
        join(rows);
    return 0;
}

/* ---- tables ---- */

static double share_of(const struct critical_path *path, double ns)
{
    return path->run_ns > 0 ? ns / path->run_ns : 0;
}

/* Adds a cell with the call's name, such as "MPI_Send"; a missing cell for MPG_CALL_COUNT (no call). */
static void put_call(struct mpg_table *t, enum mpg_call call)
{
    if (call == MPG_CALL_COUNT)
        mpg_table_missing(t);
    else
        mpg_table_printf(t, "%s%s", mpg_call_prefix(call), mpg_call_name(call));
}

/* Adds a cell: "KIND before CALL, SITE" if BEFORE, such as "computation before MPI_Send, f (a.c:10)"; else "KIND in CALL,
 * SITE". */
static void put_place(struct mpg_table *t, const char *kind, bool before, enum mpg_call call, const char *site)
{
    const bool is_call = call != MPG_CALL_COUNT, has_name = site && strcmp(site, "unknown") != 0;
    const size_t size = strlen(kind) + (site ? strlen(site) : 0) + 96;
    const char *joint = !is_call ? "" : before ? " before " : " in ";
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s%s%s%s", kind, joint, is_call ? mpg_call_prefix(call) : "",
                 is_call ? mpg_call_name(call) : "", has_name ? ", " : "", has_name ? site : "");
    else
        t->failed = true;
    mpg_table_lines(t, text);
    free(text);
}

static const struct mpg_table_column callsite_columns[] = {
    {.key = "time_ns", .heading = "time", .formatter = mpg_units_format_time, .width = 10},
    {.key = "share", .heading = "of run", .formatter = mpg_table_format_percent, .width = 8},
    {.key = "number", .heading = "number", .width = 8},
    {.key = "kind"},
    {.key = "call"},
    {.key = "callsite", .joint = " < "},
    {.heading = "on the critical path", .width = 44, .fits = true, .left = true},
    {.key = "region", .heading = "region", .left = true}};
static const struct mpg_table_column region_columns[] = {
    {.key = "time_ns", .heading = "time", .formatter = mpg_units_format_time, .width = 10},
    {.key = "share", .heading = "of run", .formatter = mpg_table_format_percent, .width = 8},
    {.key = "number", .heading = "number", .width = 8},
    {.key = "kind", .heading = "on the critical path", .width = 20, .left = true},
    {.key = "region", .heading = "region", .missing = "(none)", .left = true}};
static const struct mpg_table_column rank_columns[] = {
    {.key = "time_ns", .heading = "time", .formatter = mpg_units_format_time, .width = 10},
    {.key = "share", .heading = "of run", .formatter = mpg_table_format_percent, .width = 8},
    {.key = "rank", .heading = "rank", .width = 8}};
static const struct mpg_table_column path_segment_columns[] = {
    {.key = "begin_ns", .heading = "begin", .formatter = mpg_units_format_time, .width = 10},
    {.key = "time_ns", .heading = "time", .formatter = mpg_units_format_time, .width = 10},
    {.key = "share", .heading = "of run", .formatter = mpg_table_format_percent, .width = 8},
    {.key = "off_cpu_ns", .heading = "off the CPU", .formatter = mpg_table_format_time_if_any, .width = 11},
    {.key = "rank", .heading = "rank", .width = 5},
    {.key = "kind"},
    {.key = "call"},
    {.key = "callsite", .joint = " < "},
    {.heading = "longest segments", .width = 44, .fits = true, .left = true},
    {.key = "region", .heading = "region", .left = true}};
static const struct mpg_table_column delay_columns[] = {
    {.key = "wait_ns", .heading = "wait", .formatter = mpg_units_format_time, .width = 10},
    {.key = "share", .heading = "of waits", .formatter = mpg_table_format_percent, .width = 8},
    {.key = "waits", .heading = "number", .width = 8},
    {.key = "rank", .heading = "rank", .width = 5},
    {.key = "kind"},
    {.key = "call"},
    {.key = "callsite", .joint = " < "},
    {.key = "longest_ns"},
    {.key = "waiter"},
    {.heading = "cause of this rank's delay", .left = true}};

#define COLUMNS(LIST) {LIST, sizeof (LIST) / sizeof *(LIST)}
static const struct {
    const struct mpg_table_column *column;
    size_t n;
} tables[] = {COLUMNS(callsite_columns), COLUMNS(region_columns), COLUMNS(rank_columns), COLUMNS(path_segment_columns),
              COLUMNS(delay_columns)};

static void put_row(struct mpg_table *t, const struct path_report *r, enum path_by by, const struct row *row)
{
    const struct path_part *part = &row->part;
    const bool before = part->before;
    if (by == PATH_BY_SEGMENT)
        mpg_table_number(t, part->begin_ns);
    mpg_table_number(t, part->time_ns);
    mpg_table_number(t, share_of(r->path, part->time_ns));
    if (by == PATH_BY_SEGMENT)
        mpg_table_number(t, part->off_ns);
    if (by == PATH_BY_RANK || by == PATH_BY_SEGMENT)
        mpg_table_integer(t, part->rank);
    else
        mpg_table_count(t, part->number);
    if (by == PATH_BY_RANK)
        return;
    mpg_table_text(t, t->format == MPG_TABLE_TEXT ? mpg_path_kind_name(part->kind) : mpg_path_kind_key(part->kind));
    if (by != PATH_BY_REGION) {
        put_call(t, part->kind == PATH_START ? MPG_CALL_COUNT : part->call);
        mpg_table_lines(t, row->site);
        put_place(t, mpg_path_kind_name(part->kind), before, part->kind == PATH_START ? MPG_CALL_COUNT : part->call, row->site);
    }
    mpg_table_text(t, row->region);
}

static int put_delay(struct mpg_table *t, const struct path_report *r, const struct delay_cause *c, struct mpg_error *err)
{
    static const char *const names[] = {"computation", "off the CPU", "time in MPI", "off the CPU in MPI",
                                        "waiting for another rank", "unknown"};
    const char *site = NULL;
    const bool has_place = c->kind == DELAY_COMPUTATION || c->kind == DELAY_OFF_CPU;
    if (has_place && !(site = mpg_site_name(r->names, (uint32_t)(c->site < 0 ? 0 : c->site + 1), err)))
        return -1;
    mpg_table_number(t, c->wait_ns);
    mpg_table_number(t, r->path->wait_ns > 0 ? c->wait_ns / r->path->wait_ns : 0);
    mpg_table_count(t, c->waits);
    mpg_table_integer(t, c->rank);
    mpg_table_text(t, mpg_delay_kind_key(c->kind));
    put_call(t, c->call);
    mpg_table_lines(t, site);
    mpg_table_number(t, c->longest_ns);
    mpg_table_integer(t, c->waiter);
    put_place(t, names[c->kind], true, c->call, site);
    return 0;
}

static bool has_regions(const struct critical_path *path)
{
    bool any = false;
    for (size_t i = 0; i < path->n; i++)
        any = any || path->part[i].region >= 0;
    return any;
}

/* Writes the table BY as text or CSV to OUT; if J is not NULL, as the JSON array KEY to J. Returns 0, or -1 with ERR. */
static int put_table(const struct path_report *r, enum path_by by, enum mpg_table_format format, FILE *out, struct mpg_json *j,
                     const char *key, struct mpg_error *err)
{
    struct mpg_table_column columns[MAX_COLUMNS];
    struct mpg_table t = {.column = columns, .columns = tables[by].n, .trims = true};
    struct rows rows = {0, NULL};
    int status = by == PATH_BY_DELAY ? 0 : make_rows(r, by, &rows, err);
    memcpy(columns, tables[by].column, tables[by].n * sizeof *columns);
    if ((by == PATH_BY_CALLSITE || by == PATH_BY_SEGMENT) && !has_regions(r->path))
        columns[tables[by].n - 1].heading = NULL;
    const size_t n = by == PATH_BY_DELAY ? r->path->causes : rows.n;
    const size_t shown = format == MPG_TABLE_TEXT && r->top > 0 && r->top < n ? r->top : n;
    if (j) {
        mpg_json_array(j, key);
        mpg_table_begin_json(&t, j);
    } else
        mpg_table_begin(&t, format, out);
    for (size_t i = 0; status == 0 && i < shown; i++)
        if (by == PATH_BY_DELAY)
            status = put_delay(&t, r, &r->path->cause[i], err);
        else
            put_row(&t, r, by, &rows.row[i]);
    status = mpg_table_end(&t, err) < 0 ? -1 : status;
    if (j)
        mpg_json_close(j);
    else if (shown < n)
        fprintf(out, "... and %zu more (--all)\n", n - shown);
    free(rows.row);
    return status;
}

/* ---- text ---- */

static void print_head(const struct path_report *r, FILE *out)
{
    const struct critical_path *path = r->path;
    char text[32];
    fputs("Trace           ", out);
    mpg_printable_put(out, mpg_trace_path(path->trace));
    fprintf(out, " (%" PRId32 " %s)\n", mpg_trace_ranks(path->trace),
            mpg_units_word((uint64_t)mpg_trace_ranks(path->trace), "rank", "ranks"));
    mpg_recording_print_unreliable(&path->recording, NAME_COLUMNS, out);
    fprintf(out, "Critical path   %s, from rank %" PRId32 " to rank %" PRId32 ", %" PRIu64 " %s of rank\n",
            mpg_units_format_time(text, sizeof text, path->run_ns), path->first_rank, path->last_rank, path->changes,
            mpg_units_word(path->changes, "change", "changes"));
    for (int k = 0; k < PATH_KINDS; k++)
        if (k == PATH_COMPUTATION || path->kind_ns[k] > 0)
            fprintf(out, "  %-12s  %10s  %6.2f %%\n", mpg_path_kind_name((enum path_kind)k),
                    mpg_units_format_time(text, sizeof text, path->kind_ns[k]), 100 * share_of(path, path->kind_ns[k]));
    if (path->counts.backward)
        fprintf(out, "Clocks          %" PRIu64 " %s left, by up to %s: the path is uncertain by as much\n",
                path->counts.backward,
                mpg_units_word(path->counts.backward, "message arrives before it", "messages arrive before they"),
                mpg_units_format_time(text, sizeof text, path->counts.backward_ns));
}

int mpg_path_print_text(const struct path_report *r, FILE *out, struct mpg_error *err)
{
    print_head(r, out);
    if (r->by != PATH_BY_DELAY && r->by != PATH_BY_SEGMENT) {
        putc('\n', out);
        if (put_table(r, r->by, MPG_TABLE_TEXT, out, NULL, NULL, err) < 0)
            return -1;
    }
    if (r->path_segments || r->by == PATH_BY_SEGMENT) {
        struct path_report all = *r;
        all.top = 0;
        putc('\n', out);
        if (put_table(&all, PATH_BY_SEGMENT, MPG_TABLE_TEXT, out, NULL, NULL, err) < 0)
            return -1;
    }
    if (r->by != PATH_BY_CALLSITE && r->by != PATH_BY_DELAY)
        return 0;
    putc('\n', out);
    if (r->path->causes == 0) {
        fputs("No call waited for another rank\n", out);
        return 0;
    }
    return put_table(r, PATH_BY_DELAY, MPG_TABLE_TEXT, out, NULL, NULL, err);
}

/* ---- CSV and JSON ---- */

int mpg_path_print_csv(const struct path_report *r, FILE *out, struct mpg_error *err)
{
    return put_table(r, r->by, MPG_TABLE_CSV, out, NULL, NULL, err);
}

static void put_kinds(struct mpg_json *j, const struct critical_path *path)
{
    mpg_json_array(j, "kinds");
    for (int k = 0; k < PATH_KINDS; k++) {
        mpg_json_object(j, NULL);
        mpg_json_string(j, "kind", mpg_path_kind_key((enum path_kind)k));
        mpg_json_number(j, "time_ns", path->kind_ns[k]);
        mpg_json_number(j, "share", share_of(path, path->kind_ns[k]));
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

int mpg_path_print_json(const struct path_report *r, FILE *out, struct mpg_error *err)
{
    static const char *const clocks[] = {[MPG_CLOCK_NONE] = "one", [MPG_CLOCK_SHARED] = "shared",
                                         [MPG_CLOCK_MEASURED] = "measured", [MPG_CLOCK_BOUNDED] = "bounded"};
    static const char *const keys[] = {"callsites", "regions", "rank_table", "segments", "delay_causes"};
    const struct critical_path *path = r->path;
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    int status = 0;
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpgtrace-critical-path");
    mpg_json_integer(&j, "version", 1);
    mpg_json_string(&j, "trace", mpg_trace_path(path->trace));
    mpg_json_integer(&j, "ranks", mpg_trace_ranks(path->trace));
    mpg_json_string(&j, "clocks", clocks[path->source]);
    mpg_recording_json(&j, "recording", &path->recording);
    mpg_json_bool(&j, "reliable", path->recording.reliable);
    mpg_json_number(&j, "run_ns", path->run_ns);
    mpg_json_number(&j, "wait_ns", path->wait_ns);
    mpg_json_integer(&j, "first_rank", path->first_rank);
    mpg_json_integer(&j, "last_rank", path->last_rank);
    mpg_json_count(&j, "changes", path->changes);
    put_kinds(&j, path);
    for (int by = 0; by <= PATH_BY_DELAY && status == 0; by++)
        status = put_table(r, (enum path_by)by, MPG_TABLE_JSON, out, &j, keys[by], err);
    mpg_json_close(&j);
    putc('\n', out);
    return status;
}
