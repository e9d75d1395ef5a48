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
#undef TERM

/* What of the path is there; what the run takes more for each ns of latency, ns of a byte, time computation takes, and noise. */
static const struct mpg_where_key keys[] = {
    {"path_ns", mpg_path_ns},       {"path_computation_ns", computation}, {"path_noise_ns", noise},
    {"path_calls_ns", calls},       {"path_latency_ns", latency},         {"path_bytes_ns", bytes},
    {"path_collectives_ns", collectives}, {"per_latency", messages},      {"per_byte", size},
    {"per_compute", computed},      {"per_noise", noise}};
enum { KEYS = sizeof keys / sizeof *keys };

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
    fprintf(out, " %7.2f %%", percent(s->part));
    if (isnan(s->low))
        fputs("                 ", out);
    else
        fprintf(out, "  %6.2f to %6.2f", percent(s->low), percent(s->high));
}

static void print_figures(const struct mpg_where_figures *f, const double *term, double weight, FILE *out)
{
    mpg_where_print_figure(f, round(weight * mpg_path_ns(term) / f->quantum_ns), ' ', out);
    fprintf(out, "  %12.6g %12.6g %12.6g %12.6g", weight * messages(term), weight * size(term), weight * computed(term) / 100,
            weight * noise(term) / 100);
}

void mpg_where_path_print_text(const struct mpg_where_report *r, const struct mpg_where_table *t, FILE *out)
{
    const double weight = weight_of(r, t->by);
    const struct mpg_where_figures f = mpg_where_choose_unit(fabs(r->ranks * mpg_path_ns(r->total.term)));
    const struct mpg_where_share all = {.part = 1, .low = NAN};
    fprintf(out, "\nThe critical path, by %s, time in %s; mean of replicas, the share's 95 %% confidence interval;\n"
                 "ns that the run takes more for 1 ns of latency, 1 ns of each byte, 1 %% of computation, 1 %% of noise\n",
            mpg_where_by_word(t->by), f.unit);
    fprintf(out, "     share     95 %% interval   %11s  %12s %12s %12s %12s  %s\n", "time", "1 ns latency", "1 ns a byte",
            "1 % compute", "1 % noise", mpg_where_by_word(t->by));
    for (size_t i = 0; i < t->n; i++) {
        if (mpg_path_ns(t->row[i].term) == 0 && messages(t->row[i].term) == 0)
            continue;
        print_share(&t->row[i].share, out);
        print_figures(&f, t->row[i].term, weight, out);
        fputs("  ", out);
        mpg_where_print_name(t, &t->row[i], out);
        putc('\n', out);
    }
    print_share(&all, out);
    print_figures(&f, r->total.term, r->ranks, out);
    fputs("  all\n", out);
}

/* --- CSV --- */

void mpg_where_path_print_head_csv(FILE *out)
{
    fputs(",path_share,path_share_low,path_share_high", out);
    for (int k = 0; k < KEYS; k++)
        fprintf(out, ",%s", keys[k].name);
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
    const bool any = !r->no_path;
    print_number(any ? row->share.part : NAN, out);
    print_number(any ? row->share.low : NAN, out);
    print_number(any ? row->share.high : NAN, out);
    for (int k = 0; k < KEYS; k++)
        print_number(any ? weight * keys[k].of(row->term) : NAN, out);
}

/* --- JSON --- */

static json_t *number_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *path_json(const struct mpg_where_share *share, const double *term, double weight)
{
    json_t *o = json_pack("{s:f, s:o, s:o}", "share", share->part, "share_low", number_json(share->low), "share_high",
                          number_json(share->high));
    for (int k = 0; k < KEYS; k++) {
        const char *name = keys[k].name;
        json_object_set_new(o, strcmp(name, "path_ns") == 0 ? "time_ns" : strncmp(name, "path_", 5) == 0 ? name + 5 : name,
                            json_real(weight * keys[k].of(term)));
    }
    return o;
}

json_t *mpg_where_path_json(const struct mpg_where_report *r, enum mpg_where_by by, const struct mpg_where_row *row)
{
    return r->no_path ? json_null() : path_json(&row->share, row->term, weight_of(r, by));
}

json_t *mpg_where_path_total_json(const struct mpg_where_report *r)
{
    const struct mpg_where_share all = {.part = 1, .low = NAN, .high = NAN};
    return r->no_path ? json_null() : path_json(&all, r->total.term, r->ranks);
}
