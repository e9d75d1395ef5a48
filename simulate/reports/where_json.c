/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a row's terms come to; rows for programs. mpgsim-json(5) is the schema. */
#include <string.h>

#include "simulate/reports/json_parts.h"
#include "simulate/reports/where.h"
#include "simulate/reports/where_path.h"
#include "simulate/reports/where_terms.h"
#include "simulate/rounding.h"

double mpg_where_put_in(const double *term)
{
    return term[0] + term[1] + term[2] + term[3];
}

double mpg_where_absorbed(const double *term)
{
    return term[MPG_WHERE_WAITED] + term[MPG_WHERE_HIDDEN];
}

double mpg_where_passed_on(const double *term)
{
    return mpg_where_put_in(term) + term[MPG_WHERE_TAKEN] - mpg_where_absorbed(term);
}

double mpg_where_run(const double *term)
{
    return term[0] + term[1] + term[2] + term[3] + term[4] + term[5];
}

const char *mpg_where_class(const double *term)
{
    const double came_ns = mpg_where_put_in(term) + term[MPG_WHERE_TAKEN];
    const double part = mpg_where_passed_on(term) / came_ns;
    if (!(came_ns > MPG_ROUNDING_NS))
        return NULL;
    return part < 0.1 ? "tolerant" : part > 0.9 ? "sensitive" : "mixed";
}

#define TERM(I)                            \
    static double term_##I(const double *t) \
    {                                      \
        return t[I];                       \
    }
TERM(0) TERM(1) TERM(2) TERM(3) TERM(4) TERM(5) TERM(6) TERM(7)
#undef TERM

const struct mpg_where_key *mpg_where_keys(bool predicted, size_t *n)
{
    static const struct mpg_where_key delays[] = {
        {"put_in_ns", mpg_where_put_in}, {"compute_ns", term_0}, {"calls_ns", term_1}, {"messages_ns", term_2},
        {"collectives_ns", term_3}, {"taken_over_ns", term_4}, {"absorbed_ns", mpg_where_absorbed},
        {"absorbed_waiting_ns", term_5}, {"absorbed_hidden_ns", term_6}, {"passed_on_ns", mpg_where_passed_on}};
    static const struct mpg_where_key times[] = {
        {"compute_ns", term_0}, {"noise_ns", term_1}, {"calls_ns", term_2}, {"messages_ns", term_3},
        {"collectives_ns", term_4}, {"threads_ns", term_5}, {"run_ns", mpg_where_run}, {"polled_ns", term_7}};
    *n = predicted ? sizeof times / sizeof *times : sizeof delays / sizeof *delays;
    return predicted ? times : delays;
}

/* ROW's figures, into O. */
static void add_figures(const struct mpg_where_report *r, const struct mpg_where_row *row, json_t *o)
{
    size_t n;
    const struct mpg_where_key *key = mpg_where_keys(r->predicted, &n);
    const char *class = r->predicted ? NULL : mpg_where_class(row->term);
    for (size_t k = 0; k < n; k++)
        json_object_set_new(o, key[k].name, json_real(key[k].of(row->term)));
    if (!r->predicted)
        json_object_set_new(o, "class", class ? json_string(class) : json_null());
}

json_t *mpg_where_rank_json(int32_t rank)
{
    return rank < 0 ? json_null() : json_integer(rank);
}

json_t *mpg_where_places_json(const char *places)
{
    json_t *list = json_array();
    for (const char *p = places, *end; p; p = end ? end + 1 : NULL) {
        char line[4096];
        end = strchr(p, '\n');
        const size_t length = end ? (size_t)(end - p) : strlen(p);
        snprintf(line, sizeof line, "%.*s", (int)length, p);
        json_array_append_new(list, mpg_answer_text(line));
    }
    return list;
}

json_t *mpg_where_row_json(enum mpg_where_by by, const struct mpg_where_row *row)
{
    char call[128];
    json_t *o = json_object();
    snprintf(call, sizeof call, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
    if (by == MPG_WHERE_BY_CALL || by == MPG_WHERE_BY_CALLSITE)
        json_object_set_new(o, "call", json_string(call));
    if (by == MPG_WHERE_BY_CALLSITE)
        json_object_set_new(o, "callsite", mpg_where_places_json(row->name));
    if (by == MPG_WHERE_BY_REGION)
        json_object_set_new(o, "region", row->name ? mpg_answer_text(row->name) : json_null());
    if (by == MPG_WHERE_BY_RANK)
        json_object_set_new(o, "rank", json_integer(row->rank));
    if (by == MPG_WHERE_BY_PAIR) {
        json_object_set_new(o, "from", mpg_where_rank_json(row->from));
        json_object_set_new(o, "to", mpg_where_rank_json(row->to));
    } else
        json_object_set_new(o, "calls", json_integer((json_int_t)row->calls));
    return o;
}

static json_t *row_json(const struct mpg_where_report *r, enum mpg_where_by by, const struct mpg_where_row *row)
{
    json_t *o = mpg_where_row_json(by, row);
    add_figures(r, row, o);
    json_object_set_new(o, "path", mpg_where_path_json(r, by, row));
    return o;
}

json_t *mpg_where_json(const struct mpg_where_report *r)
{
    json_t *tables = json_array(), *total = json_object();
    for (size_t i = 0; i < r->n; i++) {
        json_t *rows = json_array();
        for (size_t k = 0; k < r->table[i].n; k++)
            json_array_append_new(rows, row_json(r, r->table[i].by, &r->table[i].row[k]));
        json_array_append_new(tables, json_pack("{s:s, s:o}", "by", mpg_where_by_word(r->table[i].by), "rows", rows));
    }
    json_object_set_new(total, "calls", json_integer((json_int_t)r->total.calls));
    add_figures(r, &r->total, total);
    json_object_set_new(total, "path", mpg_where_path_total_json(r));
    return json_pack("{s:o, s:o}", "tables", tables, "total", total);
}
