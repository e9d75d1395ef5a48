/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of the critical paths of all replicas, and what the run takes more with each parameter, row by row
 * (docs/MODEL.md, 8). mpgsim-json(5) is the schema. */
#include "simulate/reports/where_path.h"

#include <math.h>
#include <string.h>

#include "simulate/reports/where_terms.h"
#include "simulate/where/path.h"

static double computed(const double *t)
{
    return t[MPG_WHERE_COMPUTATION] + t[MPG_WHERE_SCALED];
}

#define TERM(NAME, TERM)                  \
    static double NAME(const double *t) \
    {                                    \
        return t[TERM];                  \
    }
TERM(computation, MPG_WHERE_COMPUTATION)
TERM(noise, MPG_WHERE_NOISE)
TERM(calls, MPG_WHERE_CALL)
TERM(latency, MPG_WHERE_LATENCY)
TERM(bytes, MPG_WHERE_BYTES)
TERM(collectives, MPG_WHERE_WHOLE)
TERM(messages, MPG_WHERE_MESSAGES)
TERM(size, MPG_WHERE_SIZE)
TERM(order, MPG_WHERE_ORDER)
#undef TERM

static double absorbed(const double *t)
{
    return 0 - t[MPG_WHERE_ABSORBED];
}

static double tracer(const double *t)
{
    return 0 - t[MPG_WHERE_TRACER];
}

/* What the run takes more for each ns of latency, ns of a byte, time computation takes, and noise. */
#define PER {"per_latency", messages}, {"per_byte", size}, {"per_compute", computed}, {"per_noise", noise}

/* What of the path is there. */
static const struct mpg_where_key times[] = {
    {"path_ns", mpg_path_ns},       {"path_computation_ns", computation}, {"path_noise_ns", noise},
    {"path_calls_ns", calls},       {"path_latency_ns", latency},         {"path_bytes_ns", bytes},
    {"path_collectives_ns", collectives}, PER};
static const struct mpg_where_key delays[] = {
    {"path_put_in_ns", mpg_path_put_ns}, {"path_computation_ns", computation}, {"path_noise_ns", noise},
    {"path_calls_ns", calls},       {"path_messages_ns", latency},        {"path_collectives_ns", collectives}, {"path_order_ns", order},
    {"path_absorbed_ns", absorbed}, {"path_tracer_ns", tracer},           {"path_delay_ns", mpg_path_ns}, PER};
#undef PER

static const struct mpg_where_key *keys_of(const struct mpg_where_report *r, size_t *n)
{
    *n = r->predicted ? sizeof times / sizeof *times : sizeof delays / sizeof *delays;
    return r->predicted ? times : delays;
}

/* Rows are means over ranks, but of ranks and pairs; there is one path, of all of them. */
static double weight_of(const struct mpg_where_report *r, enum mpg_where_by by)
{
    return by == MPG_WHERE_BY_RANK || by == MPG_WHERE_BY_PAIR ? 1 : r->ranks;
}

/* --- text --- */

static double percent(double part)
{
    const double rounded = round(part * 1e4) / 100;
    return rounded == 0 ? 0 : rounded;
}

static void print_share(const struct mpg_where_share *s, FILE *out)
{
    if (isnan(s->part))
        fputs("       -  ", out);
    else
        fprintf(out, " %7.2f %%", percent(s->part));
    if (isnan(s->low))
        fputs("                 ", out);
    else
        fprintf(out, "  %6.2f to %6.2f", percent(s->low), percent(s->high));
}

static void print_derivatives(const double *term, double weight, FILE *out)
{
    fprintf(out, "  %12.6g %12.6g %12.6g %12.6g", weight * messages(term), weight * size(term), weight * computed(term) / 100,
            weight * noise(term) / 100);
}

/* Quanta of a row: a time, or what adds up to a delay. */
struct quanta {
    double put, absorbed, tracer;
};

static struct quanta quanta_of(const struct mpg_where_figures *f, const double *term, double weight)
{
    return (struct quanta){round(weight * mpg_path_put_ns(term) / f->quantum_ns), round(weight * absorbed(term) / f->quantum_ns),
                           round(weight * tracer(term) / f->quantum_ns)};
}

static void print_figures(const struct mpg_where_report *r, const struct mpg_where_figures *f, const struct quanta *q, FILE *out)
{
    mpg_where_print_figure(f, q->put, ' ', out);
    if (r->predicted)
        return;
    mpg_where_print_figure(f, q->absorbed, '-', out);
    if (tracer(r->total.term) != 0)
        mpg_where_print_figure(f, q->tracer, '-', out);
    mpg_where_print_figure(f, q->put - q->absorbed - q->tracer, '=', out);
}

static void print_head(const struct mpg_where_report *r, const struct mpg_where_table *t, const struct mpg_where_figures *f,
                       FILE *out)
{
    const char *by = mpg_where_by_word(t->by);
    if (r->predicted)
        fprintf(out, "\nThe critical path, by %s, time in %s; mean of replicas, the share's 95 %% confidence interval;\n", by, f->unit);
    else
        fprintf(out, "\nThe path of the longest rank's delay, by %s, %s; mean of replicas, the share of what is put in on it and that\n"
                     "share's 95 %% confidence interval;\n", by, f->unit);
    fputs("ns that the run takes more for 1 ns of latency, 1 ns of each byte, 1 % of computation, 1 % of noise\n", out);
    fprintf(out, "     share     95 %% interval   %11s", r->predicted ? "time" : "put in");
    if (!r->predicted)
        fprintf(out, "   %11s%s%s   %11s", "absorbed", tracer(r->total.term) != 0 ? "   " : "",
                tracer(r->total.term) != 0 ? "     tracer" : "", "delay");
    fprintf(out, "  %12s %12s %12s %12s  %s\n", "1 ns latency", "1 ns a byte", "1 % compute", "1 % noise", by);
}

/* Not on any path. */
static bool is_empty(const struct mpg_where_report *r, const double *term)
{
    size_t n;
    const struct mpg_where_key *key = keys_of(r, &n);
    bool any = false;
    for (size_t k = 0; k < n; k++)
        any = any || key[k].of(term) != 0;
    return !any;
}

void mpg_where_path_print_text(const struct mpg_where_report *r, const struct mpg_where_table *t, FILE *out)
{
    const double weight = weight_of(r, t->by), *all = r->total.term;
    const double largest_ns = fmax(fabs(mpg_path_put_ns(all)), fmax(fabs(absorbed(all)), fabs(tracer(all))));
    const struct mpg_where_figures f = mpg_where_choose_unit(r->ranks * largest_ns);
    const struct mpg_where_share whole = {.part = mpg_path_put_ns(all) > 0 ? 1 : NAN, .low = NAN};
    struct quanta sum = {0};
    print_head(r, t, &f, out);
    for (size_t i = 0; i < t->n; i++) {
        const double *term = t->row[i].term;
        const struct quanta q = quanta_of(&f, term, weight);
        if (is_empty(r, term))
            continue;
        sum = (struct quanta){sum.put + q.put, sum.absorbed + q.absorbed, sum.tracer + q.tracer};
        print_share(&t->row[i].share, out);
        print_figures(r, &f, &q, out);
        print_derivatives(term, weight, out);
        fputs("  ", out);
        mpg_where_print_name(t, &t->row[i], out);
        putc('\n', out);
    }
    print_share(&whole, out);
    print_figures(r, &f, &sum, out);
    print_derivatives(all, r->ranks, out);
    fputs("  all\n", out);
}

/* --- CSV --- */

void mpg_where_path_print_head_csv(const struct mpg_where_report *r, FILE *out)
{
    size_t n;
    const struct mpg_where_key *key = keys_of(r, &n);
    fputs(",path_share,path_share_low,path_share_high", out);
    for (size_t k = 0; k < n; k++)
        fprintf(out, ",%s", key[k].name);
}

static void print_number(double value, FILE *out)
{
    if (isnan(value))
        putc(',', out);
    else
        fprintf(out, ",%.17g", value);
}

void mpg_where_path_print_csv(const struct mpg_where_report *r, const struct mpg_where_table *t, const struct mpg_where_row *row,
                              FILE *out)
{
    const double weight = weight_of(r, t->by);
    size_t n;
    const struct mpg_where_key *key = keys_of(r, &n);
    print_number(row->share.part, out);
    print_number(row->share.low, out);
    print_number(row->share.high, out);
    for (size_t k = 0; k < n; k++)
        print_number(weight * key[k].of(row->term), out);
}

/* --- JSON --- */

static json_t *number_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *path_json(const struct mpg_where_report *r, const struct mpg_where_share *share, const double *term, double weight)
{
    size_t n;
    const struct mpg_where_key *key = keys_of(r, &n);
    json_t *o = json_pack("{s:o, s:o, s:o}", "share", number_json(share->part), "share_low", number_json(share->low),
                          "share_high", number_json(share->high));
    for (size_t k = 0; k < n; k++) {
        const char *name = key[k].name;
        json_object_set_new(o, strcmp(name, "path_ns") == 0 ? "time_ns" : strncmp(name, "path_", 5) == 0 ? name + 5 : name,
                            json_real(weight * key[k].of(term)));
    }
    return o;
}

json_t *mpg_where_path_json(const struct mpg_where_report *r, enum mpg_where_by by, const struct mpg_where_row *row)
{
    return path_json(r, &row->share, row->term, weight_of(r, by));
}

json_t *mpg_where_path_total_json(const struct mpg_where_report *r)
{
    const struct mpg_where_share all = {.part = mpg_path_put_ns(r->total.term) > 0 ? 1 : NAN, .low = NAN, .high = NAN};
    return path_json(r, &all, r->total.term, r->ranks);
}
