/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/extrapolated.h"

#include <inttypes.h>
#include <math.h>

#include "common/table/table.h"
#include "common/units.h"
#include "simulate/reports/assume.h"

/* --- assumptions --- */

void mpg_assume_parameters(const struct mpg_report *r, FILE *out)
{
    const struct mpg_parameters *m = r->p->parameters;
    fprintf(out, "by %s: startup %s, a byte %s%s%s, service %s", m->name, m->text[MPG_STARTUP],
             m->text[MPG_BYTE], m->time[MPG_BUILD].a != 0 ? ", build " : "",
             m->time[MPG_BUILD].a != 0 ? m->text[MPG_BUILD] : "", m->text[MPG_SERVICE]);
}

void mpg_assume_barriers(const struct mpg_report *r, FILE *out)
{
    const struct mpg_parameters *m = r->extrapolation ? r->extrapolation->parameters : NULL;
    if (!m || m->barrier == MPG_BARRIER_ROUNDS)
        fprintf(out, "rounds of messages");
    else
        fprintf(out, "barriers and fences: %s, %s; all others as rounds of messages, which meet no contention",
                 m->barrier == MPG_BARRIER_LOG ? "rounds of dissemination" : "a master that the other members notify",
                 m->barrier_by_messages ? "by messages" : "without messages");
}

bool mpg_assume_target_progress(const struct mpg_report *r)
{
    const struct mpg_parameters *m = r->extrapolation ? r->extrapolation->parameters : NULL;
    return m && m->policy != MPG_POLICY_OFFLOAD && m->policy != MPG_POLICY_CALLS;
}

void mpg_assume_policy(const struct mpg_report *r, FILE *out)
{
    static const char *const words[] = {"none: requests are served only while the rank waits in a call",
                                        "interrupt: requests interrupt a rank that computes; while it waits, they are served "
                                        "at once",
                                        "poll: a rank that computes looks for requests after each interval; while it waits, "
                                        "they are served at once",
                                        "offload: requests are served by the network, without the rank's processor",
                                        "calls: messages that wait for their receiver are served only while the receiver waits "
                                        "in a call; requests for data are served by the network"};
    fprintf(out, "%s", words[r->extrapolation->parameters->policy]);
}

/* Whether messages on the target P share ports, memory or links. */
static bool shares(const struct mpg_parameters *p)
{
    return p->port_bytes_per_s > 0 || p->memory_bytes_per_s > 0 || p->link_levels > 0;
}

static void print_capacities(const struct mpg_parameters *m, FILE *out)
{
    fputs(m->topology_text, out);
    for (int i = 0; i < m->link_levels; i++)
        fprintf(out, "%s%g", i > 0 ? ", " : "; messages share its links: ", m->link_bytes_per_s[i] / 1e6);
    if (m->link_levels > 0)
        fputs(" MB/s in each direction", out);
    if (mpg_parameters_have_background(m))
        fprintf(out, ", of which other jobs use the fraction %s", m->text[MPG_BACKGROUND]);
    if (m->port_bytes_per_s > 0 || m->memory_bytes_per_s > 0)
        fputs("; the messages of a host share", out);
    if (m->port_bytes_per_s > 0)
        fprintf(out, " its port: %g MB/s in each direction", m->port_bytes_per_s / 1e6);
    if (m->port_bytes_per_s > 0 && m->port_bucket_bytes > 0)
        fprintf(out, ", and %g kB more after a rest", m->port_bucket_bytes / 1e3);
    if (m->memory_bytes_per_s > 0)
        fprintf(out, "%s its memory: %g MB/s", m->port_bytes_per_s > 0 ? ", and" : "", m->memory_bytes_per_s / 1e6);
    if (m->port_queue_bytes > 0)
        fprintf(out, "; requests wait behind up to %g kB in a port", m->port_queue_bytes / 1e3);
    if (m->opposite_bytes > 0)
        fprintf(out, "; two ranks send %g kB or more to each other in turns", m->opposite_bytes / 1e3);
}

void mpg_assume_network(const struct mpg_report *r, FILE *out)
{
    const struct mpg_extrapolation *x = r->extrapolation;
    if (x->parameters->contention > 0)
        fprintf(out, "%s, contention %g over %g links", x->parameters->topology_text,
                 x->parameters->contention, x->processors->links);
    else if (shares(x->parameters))
        print_capacities(x->parameters, out);
    else
        fprintf(out, "%s, no contention", x->parameters->topology_text);
}

void mpg_assume_processors(const struct mpg_report *r, FILE *out)
{
    const struct mpg_extrapolation *x = r->extrapolation;
    char quantum[64] = "until it waits", one[32];
    if (x->parameters->quantum_ns > 0)
        snprintf(quantum, sizeof quantum, "for %s at most",
                 mpg_units_format_time(one, sizeof one, x->parameters->quantum_ns));
    fprintf(out, "%d, of %d ranks (%s)%s%s", x->processors->number, x->ranks,
             x->parameters->map ? x->parameters->map : "block",
             x->processors->number < x->ranks ? "; one runs " : "", x->processors->number < x->ranks ? quantum : "");
}

/* --- the answer --- */

static double largest_run(const struct mpg_report *r, double *work_ns)
{
    const struct mpg_result *q = r->result;
    double run_ns = 0;
    *work_ns = 0;
    for (uint32_t w = 0; w < q->replicas; w++)
        run_ns += q->run_ns[w] / q->replicas;
    for (int32_t i = 0; i < q->ranks; i++)
        *work_ns += q->run_account[i].compute_ns;
    return run_ns;
}

static void print_sizes(const struct mpg_extrapolation *x, FILE *out)
{
    char min[32];
    fputs("\nSizes of messages and transfers\n", out);
    for (int i = 0; i < MPG_SIZE_BINS; i++)
        if (x->sizes[i] > 0)
            fprintf(out, "  from %10s  %12" PRIu64 "\n",
                    mpg_units_format_size(min, sizeof min, (INT64_C(1) << i) / 2), x->sizes[i]);
}

double mpg_report_waited(const struct mpg_report *r, int32_t rank)
{
    const struct mpg_run_account *a = &r->result->run_account[rank];
    const double ns = a->message_ns + a->collective_ns - r->extrapolation->use[rank].barrier_ns;
    return fabs(ns) > 1e-12 * a->run_ns ? ns : 0; /* rounding errors */
}

/* The columns; each rank has one row. */
static const struct mpg_table_column columns[] = {
    {.key = "rank", .heading = "rank", .width = 6},
    {.key = "processor"},
    {.key = "run_ns", .heading = "run", .formatter = mpg_units_format_time, .width = 10},
    {.key = "work_ns", .heading = "work", .formatter = mpg_units_format_time, .width = 10},
    {.key = "wait_ns", .heading = "wait", .formatter = mpg_units_format_time, .width = 10},
    {.key = "service_ns", .heading = "service", .formatter = mpg_units_format_time, .width = 10},
    {.key = "barrier_ns", .heading = "barrier", .formatter = mpg_units_format_time, .width = 10},
    {.key = "processor_ns", .heading = "processor", .formatter = mpg_units_format_time, .width = 10},
    {.key = "call_ns"},
    {.key = "requests"},
    {.key = "utilisation", .json = ""}};

/* Numbers of columns after the run time. */
enum { WORK, PARTS = 7 };

/* Puts the row of rank I, and adds the row's figures after the run time to ALL. */
static void put_rank(struct mpg_table *t, const struct mpg_report *r, int32_t i, double run_ns, double *all)
{
    const struct mpg_run_account *a = &r->result->run_account[i];
    const struct mpg_rank_use *u = &r->extrapolation->use[i];
    const double parts[PARTS] = {a->compute_ns + a->noise_ns, mpg_report_waited(r, i), u->service_ns, u->barrier_ns,
                                 u->processor_ns, a->call_ns, u->requests};
    mpg_table_integer(t, i);
    mpg_table_integer(t, r->extrapolation->processors->of[i]);
    mpg_table_number(t, a->run_ns);
    mpg_table_numbers(t, parts, PARTS);
    mpg_table_number(t, run_ns > 0 ? parts[WORK] / run_ns : 0);
    for (int k = 0; k < PARTS; k++)
        all[k] += parts[k];
}

int mpg_report_use(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    enum { MAX_RANKS = 64 };
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .indent = 2};
    const struct mpg_extrapolation *x = r->extrapolation;
    char bytes[32], work[32];
    double work_ns, all[PARTS] = {0};
    const double run_ns = largest_run(r, &work_ns);
    fprintf(out, "\nOn %d processors\n  total work    %s\n", x->processors->number,
            mpg_units_format_time(work, sizeof work, work_ns));
    if (run_ns > 0)
        fprintf(out, "  speedup       %.5g  (total work / run time)\n  efficiency    %.5g\n", work_ns / run_ns,
                work_ns / run_ns / x->processors->number);
    if (r->against_ns > 0 && run_ns > 0)
        fprintf(out, "  speedup       %.5g  (%s on one processor / run time)\n  efficiency    %.5g\n", r->against_ns / run_ns,
                mpg_units_format_time(work, sizeof work, r->against_ns), r->against_ns / run_ns / x->processors->number);
    fprintf(out, "  sent          %" PRIu64 " messages, %" PRIu64 " gets, %" PRIu64 " puts: %s; %" PRIu64 " barriers\n",
            x->messages, x->gets, x->puts, mpg_units_format_size(bytes, sizeof bytes, (int64_t)x->bytes), x->barriers);
    if (x->delayed > 0)
        fprintf(out, "  shared        %" PRIu64 " of them delayed by others on a %s, by %s on average\n", x->delayed,
                x->parameters->link_levels > 0 ? "port, memory or link" : "port or memory",
                mpg_units_format_time(work, sizeof work, x->delay_ns / (double)x->delayed));
    if (x->bytes > 0)
        print_sizes(x, out);
    fputc('\n', out);
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (int32_t i = 0; i < x->ranks && i < MAX_RANKS; i++)
        put_rank(&t, r, i, run_ns, all);
    if (mpg_table_end(&t, err) < 0)
        return -1;
    if (x->ranks > MAX_RANKS)
        fprintf(out, "  and %d more (--per-rank, --json)\n", x->ranks - MAX_RANKS);
    return 0;
}

int mpg_report_use_csv(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    const struct mpg_extrapolation *x = r->extrapolation;
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns)};
    double unused, all[PARTS] = {0};
    const double run_ns = largest_run(r, &unused), max_ns = run_ns * x->processors->number;
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    for (int32_t i = 0; i < x->ranks; i++)
        put_rank(&t, r, i, run_ns, all);
    mpg_table_text(&t, "all");
    mpg_table_integer(&t, x->processors->number);
    mpg_table_number(&t, run_ns);
    mpg_table_numbers(&t, all, PARTS);
    mpg_table_number(&t, max_ns > 0 ? all[WORK] / max_ns : 0);
    return mpg_table_end(&t, err);
}

static void put_sizes(struct mpg_json *j, const struct mpg_extrapolation *x)
{
    mpg_json_array(j, "sizes");
    for (int i = 0; i < MPG_SIZE_BINS; i++)
        if (x->sizes[i] > 0) {
            mpg_json_object(j, NULL);
            mpg_json_number(j, "from_bytes", i == 0 ? 0 : exp2(i - 1));
            mpg_json_count(j, "number", x->sizes[i]);
            mpg_json_close(j);
        }
    mpg_json_close(j);
}

int mpg_report_use_json(struct mpg_json *j, const char *key, const struct mpg_report *r, struct mpg_error *err)
{
    const struct mpg_extrapolation *x = r->extrapolation;
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns)};
    double work_ns, all[PARTS] = {0};
    const double run_ns = largest_run(r, &work_ns);
    mpg_json_object(j, key);
    mpg_json_string(j, "target", x->parameters->name);
    mpg_json_integer(j, "processors", x->processors->number);
    mpg_json_string(j, "policy", mpg_policy_name(x->parameters->policy));
    mpg_json_number(j, "work_ns", work_ns);
    mpg_json_number(j, "speedup", run_ns > 0 ? work_ns / run_ns : 0);
    mpg_json_count(j, "messages", x->messages);
    mpg_json_count(j, "gets", x->gets);
    mpg_json_count(j, "puts", x->puts);
    mpg_json_count(j, "barriers", x->barriers);
    mpg_json_number(j, "bytes", x->bytes);
    if (shares(x->parameters)) {
        mpg_json_count(j, "delayed", x->delayed);
        mpg_json_number(j, "delay_ns", x->delay_ns);
    }
    mpg_json_number(j, "events", x->events);
    put_sizes(j, x);
    mpg_json_array(j, "ranks");
    mpg_table_begin_json(&t, j);
    for (int32_t i = 0; i < x->ranks; i++)
        put_rank(&t, r, i, run_ns, all);
    mpg_json_close(j);
    if (r->against_ns > 0 && run_ns > 0) {
        mpg_json_number(j, "against_ns", r->against_ns);
        mpg_json_number(j, "speedup_against", r->against_ns / run_ns);
        mpg_json_number(j, "efficiency_against", r->against_ns / run_ns / x->processors->number);
    }
    mpg_json_close(j);
    return mpg_table_end(&t, err);
}
