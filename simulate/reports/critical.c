/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path: parts by place and by call, and the dependence of the run time on each parameter. mpgsim-json(5) is the
 * schema. */
#include "simulate/reports/critical.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "simulate/reports/where_terms.h"
#include "trace/stat/names.h"

static const struct column {
    const char *name;
    enum mpg_attribution_term term;
} columns[] = {{"computation", MPG_CRITICAL_COMPUTATION}, {"noise", MPG_CRITICAL_NOISE}, {"overhead", MPG_CRITICAL_CALL},
               {"latency", MPG_CRITICAL_LATENCY},         {"bytes", MPG_CRITICAL_BYTES}, {"collectives", MPG_CRITICAL_WHOLE}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Dependence of the run time on a parameter: DERIVATIVE is the change in ns for each UNIT of the parameter; also the time on the
 * path caused by the parameter. */
struct sensitivity {
    const char *parameter, *unit;
    double derivative, on_path_ns;
};
enum { PARAMETERS = 4 };

static void find_sensitivities(const struct mpg_critical_report *r, struct sensitivity *list)
{
    const struct mpg_attribution_row all = mpg_attribution_total(r->where, 1);
    const double *t = all.term, computed_ns = t[MPG_CRITICAL_COMPUTATION] + t[MPG_CRITICAL_SCALED];
    list[0] = (struct sensitivity){"latency", "ns of each latency", t[MPG_CRITICAL_MESSAGES], t[MPG_CRITICAL_LATENCY]};
    list[1] = (struct sensitivity){"byte", "ns of each byte", t[MPG_CRITICAL_SIZE], t[MPG_CRITICAL_BYTES]};
    list[2] = (struct sensitivity){"compute", "% of computation", computed_ns, computed_ns};
    list[3] = (struct sensitivity){"noise", "% of noise", t[MPG_CRITICAL_NOISE], t[MPG_CRITICAL_NOISE]};
}

static double share_of(const struct mpg_critical_report *r, double ns)
{
    return r->path->run_ns > 0 ? ns / r->path->run_ns : 0;
}

/* Returns NS as a percentage of the path's time, rounded to avoid "-0.00". */
static double percent_of(const struct mpg_critical_report *r, double ns)
{
    const double percent = 100 * share_of(r, ns);
    return fabs(percent) < 0.005 ? 0 : percent;
}

/* Returns the factor for the path's times: rows are means over ranks, but for rows of ranks. */
static double weight_of(const struct mpg_critical_report *r, const struct mpg_attribution_table *t)
{
    return t->by == MPG_ATTRIBUTION_BY_RANK ? 1 : mpg_trace_ranks(r->trace);
}

static const struct mpg_attribution_place *place_of(const struct mpg_critical_report *r, const struct mpg_path_segment *s)
{
    return &r->path->tally->places.place[s->place];
}

/* Puts a cell for each column, with TERM times WEIGHT. */
static void put_terms(struct mpg_table *t, const double *term, double weight)
{
    for (int k = 0; k < COLUMNS; k++)
        mpg_table_number(t, weight * term[columns[k].term]);
}

/* --- for people --- */

enum { MAX_COLUMNS = COLUMNS + 4 };

/* Appends columns to LIST, from index N on: one for each part of the time, then the time, its share, and the row's name, with
 * heading WHAT. Returns the new number of columns. */
static size_t text_columns(const struct mpg_where_figures *f, const char *what, struct mpg_table_column *list, size_t n)
{
    for (int k = 0; k < COLUMNS; k++)
        list[n++] = mpg_where_figure_column(f, columns[k].name, k > 0 ? '+' : 0);
    list[n++] = mpg_where_figure_column(f, "time", '=');
    list[n++] = (struct mpg_table_column){.heading = "share", .format = "%.2f %%", .gap = 1, .width = 9};
    list[n++] = mpg_where_name_column(what);
    return n;
}

/* Adds cells to the table's row, rounded to F's quantum: WEIGHT * TERM[i] for each column's term, the sum of these cells, and the
 * share of the run. */
static void put_figures(struct mpg_table *t, const struct mpg_critical_report *r, const struct mpg_where_figures *f,
                        const double *term, double weight)
{
    double sum = 0;
    for (int k = 0; k < COLUMNS; k++) {
        const double quanta = round(weight * term[columns[k].term] / f->quantum_ns);
        mpg_where_put_figure(t, f, quanta);
        sum += quanta;
    }
    mpg_where_put_figure(t, f, sum);
    mpg_table_number(t, percent_of(r, weight * mpg_critical_ns(term)));
}

static int print_table(const struct mpg_critical_report *r, const struct mpg_attribution_table *of,
                       const struct mpg_where_figures *f,
                       FILE *out, struct mpg_error *err)
{
    struct mpg_table_column list[MAX_COLUMNS];
    struct mpg_table t = {.column = list, .columns = text_columns(f, mpg_attribution_by_word(of->by), list, 0)};
    fprintf(out, "\nThe critical path by %s, %s\n", mpg_attribution_by_word(of->by), f->unit);
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (size_t i = 0; i < of->n; i++) {
        bool any = false;
        for (int k = 0; k < COLUMNS; k++)
            any = any || of->row[i].term[columns[k].term] != 0;
        if (!any)
            continue;
        put_figures(&t, r, f, of->row[i].term, weight_of(r, of));
        mpg_where_put_name(&t, of->by, &of->row[i]);
    }
    return mpg_table_end(&t, err);
}

static void put_path_segment_name(struct mpg_table *t, const struct mpg_attribution_place *place, const char *site, int32_t from)
{
    char waits[48] = "", text[1024];
    if (from >= 0)
        snprintf(waits, sizeof waits, "  (waits for rank %" PRId32 ")", from);
    mpg_table_printf(t, "%" PRId32 "  %s%s", place->rank,
                     mpg_where_name_call(place->call, place->computes, site, text, sizeof text), waits);
}

static int print_path_segments(const struct mpg_critical_report *r, const struct mpg_where_figures *f, FILE *out,
                               struct mpg_error *err)
{
    const struct mpg_critical *p = r->path;
    struct mpg_table_column list[MAX_COLUMNS] = {mpg_where_figure_column(f, "from", 0)};
    struct mpg_table t = {.column = list, .columns = text_columns(f, "rank, call", list, 1)};
    struct mpg_site_names names;
    int status = mpg_site_names_begin(&names, r->trace, 1, NULL, err);
    if (status == 0 && p->path_segments > 0) {
        fprintf(out, "\nThe %" PRIu32 " longest of %" PRIu64 " segments of the critical path, %s\n", p->path_segments, p->all,
                f->unit);
        mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    }
    for (uint32_t i = 0; i < p->path_segments && status == 0; i++) {
        const struct mpg_path_segment *s = &p->path_segment[i];
        const char *site = mpg_site_name(&names, place_of(r, s)->site, err);
        status = site ? 0 : -1;
        mpg_where_put_figure(&t, f, round(s->begin_ns / f->quantum_ns));
        put_figures(&t, r, f, s->term, 1);
        put_path_segment_name(&t, place_of(r, s), site ? site : "", s->from);
    }
    mpg_site_names_end(&names);
    return mpg_table_end(&t, status < 0 ? NULL : err) < 0 ? -1 : status;
}

static void print_sensitivities(const struct mpg_critical_report *r, FILE *out)
{
    struct sensitivity list[PARAMETERS];
    find_sensitivities(r, list);
    fputs("\nIncrease of the run time with each parameter, while the critical path stays the same\n", out);
    for (int i = 0; i < PARAMETERS; i++)
        fprintf(out, "  %-9s %16.12g ns per additional %s (now %.2f %% of the run)\n", list[i].parameter,
                i < 2 ? list[i].derivative : list[i].derivative / 100, list[i].unit,
                percent_of(r, list[i].on_path_ns));
}

int mpg_critical_print_text(const struct mpg_critical_report *r, FILE *out, struct mpg_error *err)
{
    const struct mpg_where_figures f = mpg_where_choose_unit(fabs(r->path->run_ns));
    fprintf(out, "\nCritical path of replica %" PRIu32 " (the median run), which ends on rank %" PRId32 ": %.*f %s\n", r->replica,
            r->path->rank, f.decimals, r->path->run_ns / f.unit_ns, f.unit);
    print_sensitivities(r, out);
    for (size_t i = 0; i < r->tables; i++)
        if (print_table(r, &r->table[i], &f, out, err) < 0)
            return -1;
    return print_path_segments(r, &f, out, err);
}

/* --- for programs --- */

#define TERM_COLUMNS \
    {.key = "computation_ns"}, {.key = "noise_ns"}, {.key = "calls_ns"}, {.key = "latency_ns"}, {.key = "bytes_ns"}, \
        {.key = "collectives_ns"}, {.key = "messages"}, \
    { \
        .key = "bytes" \
    }

/* The call is the first column in JSON; in CSV it follows the rank. */
static const struct mpg_table_column path_segment_columns[] = {
    {.json = "call"}, {.key = "rank"}, {.key = "call", .json = ""}, {.key = "part"}, {.key = "callsite"}, {.key = "region"},
    {.key = "from_rank"},
    {.key = "begin_ns"}, {.key = "end_ns"}, TERM_COLUMNS};

static void put_messages(struct mpg_table *t, const double *term, double weight)
{
    put_terms(t, term, weight);
    mpg_table_number(t, weight * term[MPG_CRITICAL_MESSAGES]);
    mpg_table_number(t, weight * term[MPG_CRITICAL_SIZE]);
}

static int put_path_segments(struct mpg_table *t, const struct mpg_critical_report *r, struct mpg_error *err)
{
    struct mpg_site_names names;
    int status = mpg_site_names_begin(&names, r->trace, 1, NULL, err);
    for (uint32_t i = 0; i < r->path->path_segments && status == 0; i++) {
        const struct mpg_path_segment *s = &r->path->path_segment[i];
        const struct mpg_attribution_place *place = place_of(r, s);
        const char *site = mpg_site_name(&names, place->site, err);
        const char *prefix = mpg_call_prefix(place->call), *call = mpg_call_name(place->call);
        status = site ? 0 : -1;
        mpg_table_printf(t, "%s%s", prefix, call);
        mpg_table_integer(t, place->rank);
        mpg_table_printf(t, "%s%s", prefix, call);
        mpg_table_text(t, mpg_where_part(place->computes));
        mpg_table_lines(t, site);
        mpg_table_text(t, place->region >= 0 ? mpg_trace_string(r->trace, place->region) : NULL);
        mpg_where_put_rank(t, s->from);
        mpg_table_number(t, s->begin_ns);
        mpg_table_number(t, s->end_ns);
        put_messages(t, s->term, 1);
    }
    mpg_site_names_end(&names);
    return mpg_table_end(t, status < 0 ? NULL : err) < 0 ? -1 : status;
}

int mpg_critical_print_csv(const struct mpg_critical_report *r, FILE *out, struct mpg_error *err)
{
    struct mpg_table t = {MPG_TABLE_COLUMNS(path_segment_columns)};
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    return put_path_segments(&t, r, err);
}

static void put_sensitivities(struct mpg_json *j, const struct mpg_critical_report *r)
{
    struct sensitivity list[PARAMETERS];
    find_sensitivities(r, list);
    mpg_json_array(j, "sensitivity");
    for (int i = 0; i < PARAMETERS; i++) {
        mpg_json_object(j, NULL);
        mpg_json_string(j, "parameter", list[i].parameter);
        mpg_json_number(j, "derivative", list[i].derivative);
        mpg_json_number(j, "on_path_ns", list[i].on_path_ns);
        mpg_json_number(j, "share", share_of(r, list[i].on_path_ns));
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

static int put_table(struct mpg_json *j, const struct mpg_critical_report *r, const struct mpg_attribution_table *of,
                     struct mpg_error *err)
{
    static const struct mpg_table_column figures[] = {{.key = "share"}, {.key = "time_ns"}, TERM_COLUMNS};
    struct mpg_table_column list[MPG_WHERE_ABOUT + sizeof figures / sizeof *figures];
    const size_t about = mpg_where_about_columns(of->by, list);
    struct mpg_table t = {.column = list, .columns = about + sizeof figures / sizeof *figures};
    memcpy(list + about, figures, sizeof figures);
    mpg_json_object(j, NULL);
    mpg_json_string(j, "by", mpg_attribution_by_word(of->by));
    mpg_json_array(j, "rows");
    mpg_table_begin_json(&t, j);
    for (size_t i = 0; i < of->n; i++) {
        const double *term = of->row[i].term, weight = weight_of(r, of), ns = weight * mpg_critical_ns(term);
        mpg_where_put_about(&t, of->by, &of->row[i]);
        mpg_table_number(&t, share_of(r, ns));
        mpg_table_number(&t, ns);
        put_messages(&t, term, weight);
    }
    mpg_json_close(j);
    mpg_json_close(j);
    return mpg_table_end(&t, err);
}

int mpg_critical_json(struct mpg_json *j, const char *key, const struct mpg_critical_report *r, struct mpg_error *err)
{
    struct mpg_table path_segments = {MPG_TABLE_COLUMNS(path_segment_columns)};
    int status = 0;
    mpg_json_object(j, key);
    mpg_json_count(j, "replica", r->replica);
    mpg_json_number(j, "run_ns", r->path->run_ns);
    mpg_json_integer(j, "rank", r->path->rank);
    put_sensitivities(j, r);
    mpg_json_array(j, "tables");
    for (size_t i = 0; i < r->tables && status == 0; i++)
        status = put_table(j, r, &r->table[i], err);
    mpg_json_close(j);
    mpg_json_count(j, "segments_total", r->path->all);
    mpg_json_array(j, "segments");
    mpg_table_begin_json(&path_segments, j);
    if (status == 0)
        status = put_path_segments(&path_segments, r, err);
    mpg_json_close(j);
    mpg_json_close(j);
    return status;
}
