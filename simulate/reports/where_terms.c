/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/where_terms.h"

#include <inttypes.h>
#include <math.h>

#include "common/units.h"
#include "simulate/rounding.h"

/* ---- sums of a row's terms ---- */

double mpg_where_injected(const double *term)
{
    return term[0] + term[1] + term[2] + term[3];
}

double mpg_where_absorbed(const double *term)
{
    return term[MPG_WHERE_WAITED] + term[MPG_WHERE_HIDDEN];
}

/* delay passed on: injected + propagated - absorbed */
static double passed_on(const double *term)
{
    return mpg_where_injected(term) + term[MPG_WHERE_PROPAGATED] - mpg_where_absorbed(term);
}

double mpg_where_run(const double *term)
{
    return term[0] + term[1] + term[2] + term[3] + term[4] + term[5];
}

const char *mpg_where_class(const double *term)
{
    const double came_ns = mpg_where_injected(term) + term[MPG_WHERE_PROPAGATED];
    const double part = passed_on(term) / came_ns;
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
        {"injected_ns", mpg_where_injected}, {"compute_ns", term_0}, {"calls_ns", term_1}, {"messages_ns", term_2},
        {"collectives_ns", term_3}, {"propagated_ns", term_4}, {"absorbed_ns", mpg_where_absorbed},
        {"absorbed_waiting_ns", term_5}, {"absorbed_hidden_ns", term_6}, {"passed_on_ns", passed_on}};
    static const struct mpg_where_key times[] = {
        {"compute_ns", term_0}, {"noise_ns", term_1}, {"calls_ns", term_2}, {"messages_ns", term_3},
        {"collectives_ns", term_4}, {"threads_ns", term_5}, {"run_ns", mpg_where_run}, {"polled_ns", term_7}};
    *n = predicted ? sizeof times / sizeof *times : sizeof delays / sizeof *delays;
    return predicted ? times : delays;
}

/* ---- for people ---- */

struct mpg_where_figures mpg_where_choose_unit(double largest_ns)
{
    const char *unit;
    const double unit_ns = mpg_units_of_time(largest_ns, &unit), whole = largest_ns / unit_ns;
    const int decimals = largest_ns < MPG_ROUNDING_NS ? 0 : whole >= 1000 ? 1 : whole >= 100 ? 2 : 3;
    return (struct mpg_where_figures){unit_ns * pow(10, -decimals), unit_ns, unit, decimals};
}

struct mpg_table_column mpg_where_figure_column(const struct mpg_where_figures *f, const char *heading, char sign)
{
    static const char *const formats[] = {"%.0f", "%.1f", "%.2f", "%.3f"};
    return (struct mpg_table_column){.heading = heading, .format = formats[f->decimals], .gap = 3, .width = 11, .sign = sign};
}

void mpg_where_put_figure(struct mpg_table *t, const struct mpg_where_figures *f, double quanta)
{
    const double value = quanta * f->quantum_ns / f->unit_ns;
    mpg_table_number(t, value == 0 ? 0 : value);
}

struct mpg_table_column mpg_where_name_column(const char *heading)
{
    return (struct mpg_table_column){.heading = heading, .gap = 2, .left = true};
}

char *mpg_where_name_call(enum mpg_call call, bool computes, const char *site, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s%s%s", computes ? "computation before " : "", mpg_call_prefix(call), mpg_call_name(call),
             site && *site ? ", " : "", site ? site : "");
    return text;
}

void mpg_where_put_name(struct mpg_table *t, enum mpg_attribution_by by, const struct mpg_attribution_row *row)
{
    char text[1024];
    if (by == MPG_ATTRIBUTION_BY_RANK)
        mpg_table_integer(t, row->rank);
    else if (by == MPG_ATTRIBUTION_BY_PAIR && row->from < 0)
        mpg_table_text(t, "(no message)");
    else if (by == MPG_ATTRIBUTION_BY_PAIR)
        mpg_table_printf(t, "%" PRId32 " to %" PRId32, row->from, row->to);
    else if (by == MPG_ATTRIBUTION_BY_REGION)
        mpg_table_text(t, row->name ? row->name : "(none)");
    else
        mpg_table_text(t, mpg_where_name_call(row->call, row->computes, by == MPG_ATTRIBUTION_BY_CALLSITE ? row->name : NULL,
                                              text, sizeof text));
}

/* ---- for programs ---- */

size_t mpg_where_about_columns(enum mpg_attribution_by by, struct mpg_table_column *columns)
{
    static const struct mpg_table_column about[MPG_ATTRIBUTION_BY_COUNT][MPG_WHERE_ABOUT] = {
        [MPG_ATTRIBUTION_BY_CALL] = {{.key = "call"}, {.key = "part"}, {.key = "calls"}},
        [MPG_ATTRIBUTION_BY_CALLSITE] = {{.key = "call"}, {.key = "part"}, {.key = "callsite"}, {.key = "calls"}},
        [MPG_ATTRIBUTION_BY_REGION] = {{.key = "region"}, {.key = "calls"}},
        [MPG_ATTRIBUTION_BY_RANK] = {{.key = "rank"}, {.key = "calls"}},
        [MPG_ATTRIBUTION_BY_PAIR] = {{.key = "from"}, {.key = "to"}, {.key = "calls", .json = ""}}};
    size_t n = 0;
    for (; n < MPG_WHERE_ABOUT && about[by][n].key; n++)
        columns[n] = about[by][n];
    return n;
}

const char *mpg_where_part(bool computes)
{
    return computes ? "computation" : "call";
}

void mpg_where_put_rank(struct mpg_table *t, int32_t rank)
{
    if (rank < 0)
        mpg_table_missing(t);
    else
        mpg_table_integer(t, rank);
}

void mpg_where_put_about(struct mpg_table *t, enum mpg_attribution_by by, const struct mpg_attribution_row *row)
{
    if (by == MPG_ATTRIBUTION_BY_CALL || by == MPG_ATTRIBUTION_BY_CALLSITE) {
        mpg_table_printf(t, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
        mpg_table_text(t, mpg_where_part(row->computes));
    }
    if (by == MPG_ATTRIBUTION_BY_CALLSITE)
        mpg_table_lines(t, row->name);
    if (by == MPG_ATTRIBUTION_BY_REGION)
        mpg_table_text(t, row->name);
    if (by == MPG_ATTRIBUTION_BY_RANK)
        mpg_where_put_rank(t, row->rank);
    if (by == MPG_ATTRIBUTION_BY_PAIR) {
        mpg_where_put_rank(t, row->from);
        mpg_where_put_rank(t, row->to);
        mpg_table_missing(t);
    } else
        mpg_table_count(t, row->calls);
}
