/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path: what it is made of, place by place and call by call, and what the run gains with each parameter.
 * mpgsim-json(5) is the schema. */
#include "simulate/reports/critical.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/table/escape.h"
#include "common/printable.h"
#include "simulate/reports/json_parts.h"
#include "simulate/reports/where_terms.h"
#include "trace/stat/names.h"

static const struct column {
    const char *name, *key;
    enum mpg_where_term term;
} columns[] = {{"computation", "computation_ns", MPG_WHERE_COMPUTATION}, {"noise", "noise_ns", MPG_WHERE_NOISE},
               {"calls", "calls_ns", MPG_WHERE_CALL},                    {"latency", "latency_ns", MPG_WHERE_LATENCY},
               {"bytes", "bytes_ns", MPG_WHERE_BYTES},                   {"collectives", "collectives_ns", MPG_WHERE_WHOLE}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What the run gains: NS for each UNIT of a parameter, and what of the path that is. */
struct sensitivity {
    const char *parameter, *unit;
    double derivative, on_path_ns;
};
enum { PARAMETERS = 4 };

static void find_sensitivities(const struct mpg_critical_report *r, struct sensitivity *list)
{
    const struct mpg_where_row all = mpg_where_total(r->where, 1);
    const double *t = all.term, computed_ns = t[MPG_WHERE_COMPUTATION] + t[MPG_WHERE_SCALED];
    list[0] = (struct sensitivity){"latency", "ns of each latency", t[MPG_WHERE_MESSAGES], t[MPG_WHERE_LATENCY]};
    list[1] = (struct sensitivity){"byte", "ns of each byte", t[MPG_WHERE_SIZE], t[MPG_WHERE_BYTES]};
    list[2] = (struct sensitivity){"compute", "% of computation", computed_ns, computed_ns};
    list[3] = (struct sensitivity){"noise", "% of noise", t[MPG_WHERE_NOISE], t[MPG_WHERE_NOISE]};
}

static double share_of(const struct mpg_critical_report *r, double ns)
{
    return r->path->run_ns > 0 ? ns / r->path->run_ns : 0;
}

/* The same in percent, to be printed with two digits: what rounds to 0 has no sign. */
static double percent_of(const struct mpg_critical_report *r, double ns)
{
    const double percent = 100 * share_of(r, ns);
    return fabs(percent) < 0.005 ? 0 : percent;
}

/* Tables' rows are means over ranks, but of ranks. */
static double weight_of(const struct mpg_critical_report *r, const struct mpg_where_table *t)
{
    return t->by == MPG_WHERE_BY_RANK ? 1 : mpg_trace_ranks(r->trace);
}

/* --- names of segments' callsites --- */

struct names {
    struct stat_places places;
    struct mpg_symbols *symbols;
};

/* The caller's own; NULL with ERR. */
static char *name_site(struct names *x, uint32_t site, struct mpg_error *err)
{
    return mpg_stat_name_site(&x->places, site ? (int32_t)site - 1 : MPG_NO_SITE, x->symbols, 1, err);
}

static int begin_names(struct names *x, const struct mpg_trace *trace, struct mpg_error *err)
{
    *x = (struct names){.places = mpg_stat_places_of(trace)};
    return (x->symbols = mpg_symbols_new(NULL, err)) ? 0 : -1;
}

static const struct mpg_where_place *place_of(const struct mpg_critical_report *r, const struct mpg_path_segment *s)
{
    return &r->path->tally->places.place[s->place];
}

/* --- text --- */

/* Figures of TERM, weighed, add up to their time. */
static void print_terms(const struct mpg_critical_report *r, const struct mpg_where_figures *f, const double *term,
                        double weight, FILE *out)
{
    double sum = 0;
    for (int k = 0; k < COLUMNS; k++) {
        const double quanta = round(weight * term[columns[k].term] / f->quantum_ns);
        mpg_where_print_figure(f, quanta, k ? '+' : ' ', out);
        sum += quanta;
    }
    mpg_where_print_figure(f, sum, '=', out);
    fprintf(out, " %7.2f %%  ", percent_of(r, weight * mpg_path_ns(term)));
}

static void print_head(const char *what, FILE *out)
{
    for (int k = 0; k < COLUMNS; k++)
        fprintf(out, "   %11s", columns[k].name);
    fprintf(out, "   %11s %9s  %s\n", "time", "share", what);
}

static void print_table(const struct mpg_critical_report *r, const struct mpg_where_table *t,
                        const struct mpg_where_figures *f, FILE *out)
{
    const double weight = weight_of(r, t);
    fprintf(out, "\nThe critical path by %s, %s\n", mpg_where_by_word(t->by), f->unit);
    print_head(mpg_where_by_word(t->by), out);
    for (size_t i = 0; i < t->n; i++) {
        bool any = false;
        for (int k = 0; k < COLUMNS; k++)
            any = any || t->row[i].term[columns[k].term] != 0;
        if (!any)
            continue;
        print_terms(r, f, t->row[i].term, weight, out);
        mpg_where_print_name(t, &t->row[i], out);
        putc('\n', out);
    }
}

static int print_segments(const struct mpg_critical_report *r, const struct mpg_where_figures *f, FILE *out,
                          struct mpg_error *err)
{
    const struct mpg_path *p = r->path;
    struct names names;
    int status = begin_names(&names, r->trace, err);
    if (status == 0 && p->segments > 0) {
        fprintf(out, "\n%" PRIu32 " of %" PRIu64 " segments of the critical path, the longest, %s\n   %11s", p->segments, p->all,
                f->unit, "from");
        print_head("rank, call", out);
    }
    for (uint32_t i = 0; i < p->segments && status == 0; i++) {
        const struct mpg_path_segment *s = &p->segment[i];
        const struct mpg_where_place *place = place_of(r, s);
        char *site = name_site(&names, place->site, err);
        status = site ? 0 : -1;
        mpg_where_print_figure(f, round(s->begin_ns / f->quantum_ns), ' ', out);
        print_terms(r, f, s->term, 1, out);
        fprintf(out, "%" PRId32 "  %s%s  ", place->rank, mpg_call_prefix(place->call), mpg_call_name(place->call));
        if (site)
            mpg_printable_put(out, site);
        if (s->from >= 0)
            fprintf(out, "  (waits for rank %" PRId32 ")", s->from);
        putc('\n', out);
        free(site);
    }
    mpg_symbols_free(names.symbols);
    return status;
}

static void print_sensitivities(const struct mpg_critical_report *r, FILE *out)
{
    struct sensitivity list[PARAMETERS];
    find_sensitivities(r, list);
    fputs("\nWhat the run takes more for each, as long as its path stays the same\n", out);
    for (int i = 0; i < PARAMETERS; i++)
        fprintf(out, "  %-9s %16.12g ns for each %s (%.2f %% of the run)\n", list[i].parameter,
                i < 2 ? list[i].derivative : list[i].derivative / 100, list[i].unit,
                percent_of(r, list[i].on_path_ns));
}

int mpg_critical_print_text(const struct mpg_critical_report *r, FILE *out, struct mpg_error *err)
{
    const struct mpg_where_figures f = mpg_where_choose_unit(fabs(r->path->run_ns));
    fprintf(out, "\nCritical path of replica %" PRIu32 ", the median run: to the end of rank %" PRId32 ", %.*f %s\n", r->replica,
            r->path->rank, f.decimals, r->path->run_ns / f.unit_ns, f.unit);
    print_sensitivities(r, out);
    for (size_t i = 0; i < r->tables; i++)
        print_table(r, &r->table[i], &f, out);
    return print_segments(r, &f, out, err);
}

/* --- CSV --- */

static void print_segment_csv(const struct mpg_critical_report *r, const struct mpg_path_segment *s, const char *site, FILE *out)
{
    const struct mpg_where_place *place = place_of(r, s);
    fprintf(out, "%" PRId32 ",%s%s,", place->rank, mpg_call_prefix(place->call), mpg_call_name(place->call));
    mpg_csv_write_string(out, site);
    putc(',', out);
    if (place->region >= 0)
        mpg_csv_write_string(out, mpg_trace_string(r->trace, place->region));
    putc(',', out);
    if (s->from >= 0)
        fprintf(out, "%" PRId32, s->from);
    fprintf(out, ",%.17g,%.17g", s->begin_ns, s->end_ns);
    for (int k = 0; k < COLUMNS; k++)
        fprintf(out, ",%.17g", s->term[columns[k].term]);
    fprintf(out, ",%.17g,%.17g\n", s->term[MPG_WHERE_MESSAGES], s->term[MPG_WHERE_SIZE]);
}

int mpg_critical_print_csv(const struct mpg_critical_report *r, FILE *out, struct mpg_error *err)
{
    struct names names;
    int status = begin_names(&names, r->trace, err);
    fputs("rank,call,callsite,region,from_rank,begin_ns,end_ns", out);
    for (int k = 0; k < COLUMNS; k++)
        fprintf(out, ",%s", columns[k].key);
    fputs(",messages,bytes\n", out);
    for (uint32_t i = 0; i < r->path->segments && status == 0; i++) {
        char *site = name_site(&names, place_of(r, &r->path->segment[i])->site, err);
        status = site ? 0 : -1;
        if (site)
            print_segment_csv(r, &r->path->segment[i], site, out);
        free(site);
    }
    mpg_symbols_free(names.symbols);
    return status;
}

/* --- JSON --- */

static void add_terms(json_t *o, const double *term, double weight)
{
    for (int k = 0; k < COLUMNS; k++)
        json_object_set_new(o, columns[k].key, json_real(weight * term[columns[k].term]));
    json_object_set_new(o, "messages", json_real(weight * term[MPG_WHERE_MESSAGES]));
    json_object_set_new(o, "bytes", json_real(weight * term[MPG_WHERE_SIZE]));
}

static json_t *table_json(const struct mpg_critical_report *r, const struct mpg_where_table *t)
{
    const double weight = weight_of(r, t);
    json_t *rows = json_array();
    for (size_t i = 0; i < t->n; i++) {
        const double *term = t->row[i].term, ns = weight * mpg_path_ns(term);
        json_t *o = mpg_where_row_json(t->by, &t->row[i]);
        json_object_set_new(o, "share", json_real(share_of(r, ns)));
        json_object_set_new(o, "time_ns", json_real(ns));
        add_terms(o, term, weight);
        json_array_append_new(rows, o);
    }
    return json_pack("{s:s, s:o}", "by", mpg_where_by_word(t->by), "rows", rows);
}

static json_t *segment_json(const struct mpg_critical_report *r, const struct mpg_path_segment *s, const char *site)
{
    const struct mpg_where_place *place = place_of(r, s);
    const struct mpg_where_row row = {.call = place->call};
    json_t *o = mpg_where_row_json(MPG_WHERE_BY_CALL, &row);
    json_object_del(o, "calls");
    json_object_set_new(o, "rank", json_integer(place->rank));
    json_object_set_new(o, "callsite", mpg_where_places_json(site));
    json_object_set_new(o, "region",
                        place->region >= 0 ? mpg_answer_text(mpg_trace_string(r->trace, place->region)) : json_null());
    json_object_set_new(o, "from_rank", mpg_where_rank_json(s->from));
    json_object_set_new(o, "begin_ns", json_real(s->begin_ns));
    json_object_set_new(o, "end_ns", json_real(s->end_ns));
    add_terms(o, s->term, 1);
    return o;
}

/* NULL with ERR. */
static json_t *segments_json(const struct mpg_critical_report *r, struct mpg_error *err)
{
    json_t *list = json_array();
    struct names names;
    int status = begin_names(&names, r->trace, err);
    for (uint32_t i = 0; i < r->path->segments && status == 0; i++) {
        char *site = name_site(&names, place_of(r, &r->path->segment[i])->site, err);
        status = site ? 0 : -1;
        if (site)
            json_array_append_new(list, segment_json(r, &r->path->segment[i], site));
        free(site);
    }
    mpg_symbols_free(names.symbols);
    if (status == 0)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *sensitivities_json(const struct mpg_critical_report *r)
{
    struct sensitivity list[PARAMETERS];
    json_t *all = json_array();
    find_sensitivities(r, list);
    for (int i = 0; i < PARAMETERS; i++)
        json_array_append_new(all, json_pack("{s:s, s:f, s:f, s:f}", "parameter", list[i].parameter, "derivative",
                                             list[i].derivative, "on_path_ns", list[i].on_path_ns, "share",
                                             share_of(r, list[i].on_path_ns)));
    return all;
}

json_t *mpg_critical_json(const struct mpg_critical_report *r, struct mpg_error *err)
{
    json_t *tables = json_array(), *segments = segments_json(r, err);
    for (size_t i = 0; i < r->tables; i++)
        json_array_append_new(tables, table_json(r, &r->table[i]));
    if (segments)
        return json_pack("{s:I, s:f, s:i, s:o, s:o, s:I, s:o}", "replica", (json_int_t)r->replica, "run_ns",
                         r->path->run_ns, "rank", r->path->rank, "sensitivity", sensitivities_json(r), "tables", tables,
                         "segments_total", (json_int_t)r->path->all, "segments", segments);
    json_decref(tables);
    return NULL;
}
