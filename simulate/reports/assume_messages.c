/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assumptions about the costs of messages, from signatures and options. */
#include <inttypes.h>
#include <string.h>

#include "simulate/reports/assume.h"

static const char *against(const struct mpg_perturbation *p)
{
    switch (mpg_flight_rule(p)) {
    case MPG_FLIGHT_DIFFERENCE:
        return "target's one-way time at each message's size minus the source's, both at the same drawn quantile";
    case MPG_FLIGHT_TARGET:
        return "target's one-way time at each message's size minus its minimum: the traced machine is "
               "assumed as fast as the target at its best";
    case MPG_FLIGHT_TRANSFER_DIFFERENCE:
        return "target's transfer time at each message's size, beyond that of the smallest, minus the "
               "source's: one of the two signatures has no one-way times";
    case MPG_FLIGHT_TRANSFER_TARGET:
        return "target's transfer time at each message's size, beyond that of the smallest, minus its "
               "minimum: the signature has no one-way times";
    default:
        return "none";
    }
}

/* Returns TEXT; if MODEL draws from fitted families, TEXT with a note about the fit, in BUF of SIZE bytes. */
static const char *with_model(enum mpg_time_model model, const char *text, char *buf, size_t size)
{
    if (model != MPG_TIME_FIT)
        return text;
    snprintf(buf, size, "%s; of the nearest families fitted to them (fit)", text);
    return buf;
}

void mpg_assume_latency(const struct mpg_report *r, FILE *out)
{
    char buf[512];
    mpg_assume_specs(out, &r->p->latency, mpg_perturbation_latency_measured(r->p),
                     with_model(r->p->latency_model, against(r->p), buf, sizeof buf));
}

void mpg_assume_bytes(const struct mpg_report *r, FILE *out)
{
    const struct mpg_perturbation *p = r->p;
    bool together = mpg_perturbation_latency_measured(p);
    char buf[512];
    mpg_assume_specs(out, &p->byte, mpg_perturbation_bytes_measured(p),
                     with_model(p->byte_model, together ? "in the one-way times" : against(p), buf,
                                sizeof buf));
}

/* Writes the origin of overhead WHICH with the name NAME. Without a source, the call's own part is less the shortest such call,
 * and the part of a message that arrives later is less the target's own minimum (docs/MODEL.md, section 3, Overheads). */
static void print_overhead(const struct mpg_report *r, enum mpg_overhead which, const char *name, FILE *out)
{
    const struct mpg_overhead_sizes *o = &r->p->overhead[which];
    fprintf(out, "%s: %s%s", name,
            !o->target ? "not measured, as traced"
            : o->source ? "target's minus the source's"
            : which == MPG_OVERHEAD_SEND
                ? "target's minus the shortest such call of the trace"
                : "target's minus the shortest such call of the trace, in waiting for the message minus the target's shortest",
            o->in_send ? " (the time in the send stands for it)" : "");
}

void mpg_assume_overheads(const struct mpg_report *r, FILE *out)
{
    print_overhead(r, MPG_OVERHEAD_SEND, "sending", out);
    fputs("; ", out);
    print_overhead(r, MPG_OVERHEAD_RECEIVE, "receiving an arrived message", out);
}

void mpg_assume_rows(const struct mpg_report *r, FILE *out)
{
    const struct mpg_network_sizes *sizes = &r->p->target_path->latency;
    size_t kept = 0, length = 0;
    for (size_t i = 0; i < sizes->n; i++)
        if (sizes->size[i].rows.blocks > 0) {
            kept++;
            length = sizes->size[i].rows.length;
        }
    if (kept == 0)
        fprintf(out, "times of successive messages are independent: the target's signature "
                             "has no successive measurements");
    else
        fprintf(out, "times of up to %zu successive messages between two ranks are drawn together, from successive "
                             "measurements%s", length,
                 kept < sizes->n ? " where the target's signature has these" : "");
}

static const char *limit_from(const struct mpg_report *r)
{
    return r->given.source_eager_limit                       ? "--source=eager-limit"
           : r->options->source_limit == MPG_LIMIT_IN_TRACE ? "the trace shows it"
                                                             : "source's signature";
}

/* Writes how sends are simulated that are eager on only one machine. */
static void print_changes(const struct mpg_report *r, FILE *out)
{
    const struct mpg_graph_counts *c = &r->result->counts;
    int64_t target = r->options->graph.eager_limit_bytes, source = r->result->source_eager_limit_bytes;
    if (r->result->absorb != MPG_ABSORB_CLOCK && r->options->source_limit == MPG_LIMIT_GIVEN &&
        r->options->graph.source_eager_limit_bytes != target)
        fprintf(out, "; also assumed for the traced machine (another limit needs --absorb=clock)");
    else if (source != target) {
        char limit[64];
        if (source == INT64_MAX)
            snprintf(limit, sizeof limit, "none ever did");
        else if (source < 0)
            snprintf(limit, sizeof limit, "all did");
        else
            snprintf(limit, sizeof limit, "%" PRId64 " %s", source, mpg_units_word((uint64_t)source, "byte", "bytes"));
        fprintf(out, "; on the traced machine %s (%s): %" PRIu64 " %s no more, %" PRIu64 " %s that did not", limit,
                 limit_from(r), c->made_eager, mpg_units_word(c->made_eager, "message waits", "messages wait"),
                 c->made_synchronous, mpg_units_word(c->made_synchronous, "waits", "wait"));
    }
}

void mpg_assume_eager(const struct mpg_report *r, FILE *out)
{
    int64_t limit = r->options->graph.eager_limit_bytes;
    const char *from = r->given.eager_limit ? "--eager-limit"
                       : r->options->limit_shown ? "shown by the trace; no option or signature gives a limit"
                       : r->p->target_path &&
                               r->p->target_path->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN
                           ? "signature"
                           : "the traced machine's";
    if (limit == INT64_MAX)
        fprintf(out, "unlimited: standard sends never wait for their receiver");
    else if (limit < 0)
        fprintf(out, "none (%s): every standard send waits for its receiver", from);
    else
        fprintf(out, "%" PRId64 " %s (%s): larger standard sends wait for their receiver", limit,
                 mpg_units_word((uint64_t)limit, "byte", "bytes"), from);
    if (!r->result->predicted) /* predictions do not use an eager limit of the source */
        print_changes(r, out);
}
