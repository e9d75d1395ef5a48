/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/extrapolated.h"

#include <inttypes.h>
#include <math.h>

#include "common/units.h"

/* --- assumptions --- */

void mpg_assume_parameters(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_parameters *m = r->p->parameters;
    snprintf(text, size, "by %s: startup %s, a byte %s%s%s, service %s", m->name, m->text[MPG_STARTUP],
             m->text[MPG_BYTE], m->time[MPG_BUILD].a != 0 ? ", build " : "",
             m->time[MPG_BUILD].a != 0 ? m->text[MPG_BUILD] : "", m->text[MPG_SERVICE]);
}

void mpg_assume_barriers(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_parameters *m = r->extrapolation ? r->extrapolation->parameters : NULL;
    if (!m || m->barrier == MPG_BARRIER_ROUNDS)
        snprintf(text, size, "rounds of messages");
    else
        snprintf(text, size, "barriers and fences: %s, %s; all others as rounds of messages, which meet no contention",
                 m->barrier == MPG_BARRIER_LOG ? "rounds of dissemination" : "a master that its slaves tell",
                 m->barrier_by_messages ? "by messages" : "without messages");
}

bool mpg_assume_served(const struct mpg_report *r)
{
    const struct mpg_parameters *m = r->extrapolation ? r->extrapolation->parameters : NULL;
    return m && m->policy != MPG_POLICY_OFFLOAD && m->policy != MPG_POLICY_CALLS;
}

void mpg_assume_policy(const struct mpg_report *r, char *text, size_t size)
{
    static const char *const words[] = {
        "none: requests are served in waits", "interrupt: requests interrupt work, and are served in waits",
        "poll: work looks for requests after each interval; they are served in waits, too",
        "offload: requests are served by the network, and cost their owner nothing",
        "calls: who waits for its receiver is served while that waits in a call; others' memory is read and written by the network"};
    snprintf(text, size, "%s", words[r->extrapolation->parameters->policy]);
}

void mpg_assume_network(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_extrapolation *x = r->extrapolation;
    if (x->parameters->contention > 0)
        snprintf(text, size, "%s, contention %g over %g links", mpg_topology_name(x->parameters->topology),
                 x->parameters->contention, x->processors->links);
    else
        snprintf(text, size, "%s, no contention", mpg_topology_name(x->parameters->topology));
}

void mpg_assume_processors(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_extrapolation *x = r->extrapolation;
    char quantum[64] = "until it waits", one[32];
    if (x->parameters->quantum_ns > 0)
        snprintf(quantum, sizeof quantum, "for %s at most",
                 mpg_units_format_time(one, sizeof one, x->parameters->quantum_ns));
    snprintf(text, size, "%d, of %d ranks (%s)%s%s", x->processors->number, x->ranks,
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
    char least[32];
    fputs("\nSizes of messages and transfers\n", out);
    for (int i = 0; i < MPG_SIZE_BINS; i++)
        if (x->sizes[i] > 0)
            fprintf(out, "  from %10s  %12" PRIu64 "\n",
                    mpg_units_format_size(least, sizeof least, (INT64_C(1) << i) / 2), x->sizes[i]);
}

double mpg_report_waited(const struct mpg_report *r, int32_t rank)
{
    const struct mpg_run_account *a = &r->result->run_account[rank];
    const double ns = a->message_ns + a->collective_ns - r->extrapolation->use[rank].barrier_ns;
    return fabs(ns) > 1e-12 * a->run_ns ? ns : 0; /* less is rounding */
}

static void print_rank(const struct mpg_report *r, int32_t rank, FILE *out)
{
    const struct mpg_run_account *a = &r->result->run_account[rank];
    const struct mpg_rank_use *u = &r->extrapolation->use[rank];
    const double parts[] = {a->run_ns, a->compute_ns + a->noise_ns, mpg_report_waited(r, rank), u->service_ns, u->barrier_ns,
                            u->processor_ns};
    char text[32];
    fprintf(out, "  %6d", rank);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fprintf(out, "  %10s", mpg_units_format_time(text, sizeof text, parts[i]));
    fputc('\n', out);
}

void mpg_report_use(const struct mpg_report *r, FILE *out)
{
    enum { MOST_RANKS = 64 };
    const struct mpg_extrapolation *x = r->extrapolation;
    char bytes[32], work[32];
    double work_ns;
    const double run_ns = largest_run(r, &work_ns);
    if (!x)
        return;
    fprintf(out, "\nOn %d processors\n  work of all   %s\n", x->processors->number,
            mpg_units_format_time(work, sizeof work, work_ns));
    if (run_ns > 0)
        fprintf(out, "  speedup       %.5g  (against all work on one processor)\n  efficiency    %.5g\n", work_ns / run_ns,
                work_ns / run_ns / x->processors->number);
    if (r->against_ns > 0 && run_ns > 0)
        fprintf(out, "  speedup       %.5g  (against %s on one processor)\n  efficiency    %.5g\n", r->against_ns / run_ns,
                mpg_units_format_time(work, sizeof work, r->against_ns), r->against_ns / run_ns / x->processors->number);
    fprintf(out, "  sent          %" PRIu64 " messages, %" PRIu64 " gets, %" PRIu64 " puts: %s; %" PRIu64 " barriers\n",
            x->messages, x->gets, x->puts, mpg_units_format_size(bytes, sizeof bytes, (int64_t)x->bytes), x->barriers);
    if (x->bytes > 0)
        print_sizes(x, out);
    fprintf(out, "\n  %6s  %10s  %10s  %10s  %10s  %10s  %10s\n", "rank", "run", "work", "wait", "service", "barrier",
            "processor");
    for (int32_t i = 0; i < x->ranks && i < MOST_RANKS; i++)
        print_rank(r, i, out);
    if (x->ranks > MOST_RANKS)
        fprintf(out, "  and %d more (--per-rank, --json)\n", x->ranks - MOST_RANKS);
}

/* The rest of a line of the table. */
static void print_parts(const double *part, int n, double utilisation, FILE *out)
{
    for (int i = 0; i < n; i++)
        fprintf(out, ",%.17g", part[i]);
    fprintf(out, ",%.17g\n", utilisation);
}

void mpg_report_use_csv(const struct mpg_report *r, FILE *out)
{
    enum { WORK, PARTS = 7 };
    const struct mpg_extrapolation *x = r->extrapolation;
    double unused, all[PARTS] = {0};
    const double run_ns = largest_run(r, &unused), most_ns = run_ns * x->processors->number;
    fputs("rank,processor,run_ns,work_ns,wait_ns,service_ns,barrier_ns,processor_ns,call_ns,requests,utilisation\n", out);
    for (int32_t i = 0; i < x->ranks; i++) {
        const struct mpg_run_account *a = &r->result->run_account[i];
        const struct mpg_rank_use *u = &x->use[i];
        const double parts[PARTS] = {a->compute_ns + a->noise_ns, mpg_report_waited(r, i), u->service_ns, u->barrier_ns,
                                     u->processor_ns, a->call_ns, u->requests};
        fprintf(out, "%d,%d,%.17g", i, x->processors->of[i], a->run_ns);
        print_parts(parts, PARTS, run_ns > 0 ? parts[WORK] / run_ns : 0, out);
        for (int k = 0; k < PARTS; k++)
            all[k] += parts[k];
    }
    fprintf(out, "all,%d,%.17g", x->processors->number, run_ns);
    print_parts(all, PARTS, most_ns > 0 ? all[WORK] / most_ns : 0, out);
}

static json_t *rank_json(const struct mpg_report *r, int32_t rank)
{
    const struct mpg_run_account *a = &r->result->run_account[rank];
    const struct mpg_rank_use *u = &r->extrapolation->use[rank];
    return json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "rank", (int)rank, "processor",
                     (int)r->extrapolation->processors->of[rank], "run_ns", a->run_ns, "work_ns",
                     a->compute_ns + a->noise_ns, "wait_ns", mpg_report_waited(r, rank), "service_ns", u->service_ns, "barrier_ns",
                     u->barrier_ns, "processor_ns", u->processor_ns, "call_ns", a->call_ns, "requests", u->requests);
}

json_t *mpg_report_use_json(const struct mpg_report *r)
{
    const struct mpg_extrapolation *x = r->extrapolation;
    double work_ns;
    const double run_ns = largest_run(r, &work_ns);
    json_t *ranks = json_array(), *sizes = json_array();
    for (int32_t i = 0; i < x->ranks; i++)
        json_array_append_new(ranks, rank_json(r, i));
    for (int i = 0; i < MPG_SIZE_BINS; i++)
        if (x->sizes[i] > 0)
            json_array_append_new(sizes, json_pack("{s:f, s:I}", "from_bytes", i == 0 ? 0 : exp2(i - 1), "number",
                                                   (json_int_t)x->sizes[i]));
    json_t *o = json_pack("{s:s, s:i, s:s, s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:f, s:o, s:o}", "target", x->parameters->name,
                          "processors", (int)x->processors->number, "policy", mpg_policy_name(x->parameters->policy),
                          "work_ns", work_ns, "speedup", run_ns > 0 ? work_ns / run_ns : 0, "messages",
                          (json_int_t)x->messages, "gets", (json_int_t)x->gets, "puts", (json_int_t)x->puts, "barriers",
                          (json_int_t)x->barriers, "bytes", x->bytes, "events", x->events, "sizes", sizes, "ranks", ranks);
    if (r->against_ns > 0 && run_ns > 0) {
        json_object_set_new(o, "against_ns", json_real(r->against_ns));
        json_object_set_new(o, "speedup_against", json_real(r->against_ns / run_ns));
        json_object_set_new(o, "efficiency_against", json_real(r->against_ns / run_ns / x->processors->number));
    }
    return o;
}
