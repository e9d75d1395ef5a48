/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A platform of SimGrid 3.20 and later, for smpirun: a cluster of nodes, with SMPI's options.
 *
 * A message of B bytes takes os + latency f(B) + (B + 16) / (bandwidth g(B)) + or, with overheads os and or, and factors f and g
 * for the size B + 16; a message that is not detached has no overheads. Observed with SimGrid 3.32. */
#include <math.h>
#include <string.h>

#include "signature/simulators/private.h"

enum { HEADER_BYTES = 16 };

/* Bandwidth of the links, in bytes per second, large enough that messages never saturate a link. The alternative, a link of
 * policy FATPIPE, would be a second FATPIPE link on each route, and two FATPIPE links slow messages down in SimGrid 3.32. */
static const double UNSHARED_RATE = 1e15;

/* Messages from FROM_BYTES on have this latency and time per byte, up to the next piece. */
struct piece {
    int64_t from_bytes;
    double latency_ns, ns_per_byte; /* of the network alone: call overheads and header bytes are deducted */
};

struct platform {
    const struct exported_machine *x;
    struct piece piece[WIRE_MAX_LINES];
    double latency_ns, ns_per_byte;           /* of the links, to which SMPI's factors refer: the first nonzero latency of a
                                               * piece, and the smallest time per byte of all pieces */
    double near_latency_ns, near_ns_per_byte; /* of the loopback link within a node */
};

static double overheads_ns(const struct wire *w, double bytes)
{
    return bytes <= (double)w->eager_bytes ? w->send_ns + w->receive_ns : 0;
}

static struct piece piece_of(const struct wire *w, const struct wire_line *line)
{
    const double to = (double)line->to_bytes, own_ns = overheads_ns(w, to);
    struct piece p = {.from_bytes = line->from_bytes, .ns_per_byte = fmax(line->ns_per_byte, 1e-9)};
    p.latency_ns = line->latency_ns - own_ns - HEADER_BYTES * p.ns_per_byte;
    if (p.latency_ns < 0) {
        p.latency_ns = 0;
        p.ns_per_byte = fmax((line->latency_ns + to * line->ns_per_byte - own_ns) / (to + HEADER_BYTES), 1e-9);
    }
    return p;
}

static const struct piece *piece_at(const struct platform *p, double bytes)
{
    size_t i = p->x->far.lines - 1;
    while (i > 0 && bytes < (double)p->piece[i].from_bytes)
        i--;
    return &p->piece[i];
}

static double far_time(const void *context, double bytes)
{
    const struct platform *p = context;
    const struct piece *at = piece_at(p, bytes);
    return overheads_ns(&p->x->far, bytes) + at->latency_ns + (bytes + HEADER_BYTES) * at->ns_per_byte;
}

/* Returns the terms of a message within a node. SMPI applies the factors to all messages, also to messages within a node. */
static struct wire_terms near_terms(const void *context, double bytes)
{
    const struct platform *p = context;
    const struct piece *at = piece_at(p, bytes);
    return (struct wire_terms){.fixed = overheads_ns(&p->x->far, bytes), .x = at->latency_ns / p->latency_ns,
                               .y = (bytes + HEADER_BYTES) * at->ns_per_byte / p->ns_per_byte};
}

static double near_time(const void *context, double bytes)
{
    const struct platform *p = context;
    const struct wire_terms t = near_terms(context, bytes);
    return t.fixed + p->near_latency_ns * t.x + p->near_ns_per_byte * t.y;
}

static void fill(struct platform *p, struct exported_machine *x)
{
    p->x = x;
    p->ns_per_byte = INFINITY;
    for (size_t i = 0; i < x->far.lines; i++) {
        p->piece[i] = piece_of(&x->far, &x->far.line[i]);
        p->ns_per_byte = fmin(p->ns_per_byte, p->piece[i].ns_per_byte);
        p->latency_ns = p->latency_ns > 0 ? p->latency_ns : p->piece[i].latency_ns;
    }
    p->latency_ns = p->latency_ns > 0 ? p->latency_ns : 1e-3;
    mpg_note_deviation(&x->notes, x->far.path, far_time, p);
    if (x->near.path) {
        mpg_wire_fit(x->near.path, near_terms, p, &p->near_latency_ns, &p->near_ns_per_byte);
        p->near_ns_per_byte = fmax(p->near_ns_per_byte, 1e-9);
        mpg_note_deviation(&x->notes, x->near.path, near_time, p);
    }
}

static void print_property(FILE *out, const char *name, const char *value)
{
    fprintf(out, "    <prop id=\"%s\" value=\"%s\"/>\n", name, value);
}

/* Prints SMPI's factors of latency or bandwidth. For a message SMPI takes the last factor with a size below the size of message
 * plus header. */
static void print_factors(const struct platform *p, FILE *out, bool of_latency)
{
    fprintf(out, "    <prop id=\"smpi/%s-factor\" value=\"", of_latency ? "lat" : "bw");
    for (size_t i = 0; i < p->x->far.lines; i++) {
        const struct piece *at = &p->piece[i];
        fprintf(out, "%s%lld:%.12g", i > 0 ? ";" : "", (long long)(i > 0 ? at->from_bytes + HEADER_BYTES - 1 : 0),
                of_latency ? at->latency_ns / p->latency_ns : p->ns_per_byte / at->ns_per_byte);
    }
    fputs("\"/>\n", out);
}

/* Returns SMPI's name for the collective algorithms of the measured MPI library; NULL: SMPI has no set for this library. */
static const char *algorithms_of(const struct mpg_signature *sig)
{
    const char *mpi = mpg_fact_find(sig->fact, sig->facts, "mpi");
    return !mpi ? NULL : strncmp(mpi, "Open MPI", 8) == 0 ? "ompi" : strncmp(mpi, "MPICH", 5) == 0 ? "mpich" : NULL;
}

static void print_config(const struct platform *p, FILE *out)
{
    const char *algorithms = algorithms_of(p->x->sig);
    const struct wire *w = &p->x->far;
    /* SMPI stores this limit as an int */
    const long long detached = w->eager_bytes >= INT32_MAX ? INT32_MAX : (long long)w->eager_bytes + 1;
    fputs("  <config>\n", out);
    print_property(out, "surf/precision", "1e-12");
    print_property(out, "network/TCP-gamma", "0");
    print_property(out, "network/crosstraffic", "0");
    print_property(out, "network/weight-S", "0");
    print_factors(p, out, true);
    print_factors(p, out, false);
    fprintf(out, "    <prop id=\"smpi/os\" value=\"0:%.12g:0\"/>\n", w->send_ns * 1e-9);
    fprintf(out, "    <prop id=\"smpi/ois\" value=\"0:%.12g:0\"/>\n", w->send_ns * 1e-9);
    fprintf(out, "    <prop id=\"smpi/or\" value=\"0:%.12g:0\"/>\n", w->receive_ns * 1e-9);
    fprintf(out, "    <prop id=\"smpi/async-small-thresh\" value=\"%lld\"/>\n", detached);
    fprintf(out, "    <prop id=\"smpi/send-is-detached-thresh\" value=\"%lld\"/>\n", detached);
    if (algorithms)
        print_property(out, "smpi/coll-selector", algorithms);
    fputs("  </config>\n", out);
}

/* Returns the rate of a stream of messages in bytes per second, at least the rate of a single message; 0: no streams
 * were measured. */
static double stream_rate(const struct platform *p)
{
    const struct mpg_network_sizes *s = &p->x->far.path->streaming;
    const struct mpg_network_size *large = s->n > 0 ? &s->size[s->n - 1] : NULL;
    const double time_ns = large ? mpg_distribution_quantile(large->time_ns, 0.5) : 0;
    const double rate = time_ns > 0 ? fmin((double)large->size_bytes / time_ns * 1e9, UNSHARED_RATE) : 0;
    return rate > 0 ? fmax(rate, 1e9 / p->ns_per_byte) : 0;
}

static void print_cluster(const struct platform *p, FILE *out)
{
    const struct exported_machine *x = p->x;
    fputs("  <cluster id=\"machine\" prefix=\"node\" suffix=\"\" speed=\"1Gf\" ", out);
    fprintf(out, "radical=\"0-%lld\" core=\"%lld\"\n", (long long)(x->nodes - 1), (long long)x->cores);
    const double stream = stream_rate(p);
    fprintf(out, "           bw=\"%.12gBps\" lat=\"0s\" sharing_policy=\"SPLITDUPLEX\"\n", stream > 0 ? stream : UNSHARED_RATE);
    if (x->near.path)
        fprintf(out, "           loopback_bw=\"%.12gBps\" loopback_lat=\"%.12gns\"\n", 1e9 / p->near_ns_per_byte,
                p->near_latency_ns);
    fprintf(out, "           bb_bw=\"%.12gBps\" bb_lat=\"%.12gns\" bb_sharing_policy=\"FATPIPE\"/>\n", 1e9 / p->ns_per_byte,
            p->latency_ns);
}

void mpg_simgrid_print(struct exported_machine *x, FILE *out)
{
    struct platform p = {.x = NULL};
    fill(&p, x);
    mpg_note(&x->notes, "speed is 1Gf, as mpgtrace export writes one flop for each ns of computation");
    mpg_note(&x->notes, "%s", stream_rate(&p) > 0
                 ? "messages share only the link of their node, which has the measured streaming rate"
                 : "messages share no link, as streaming was not measured");
    mpg_note(&x->notes, "rendezvous messages follow SimGrid's model, without overheads");
    fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n", out);
    fputs("<!-- A machine measured by mpgbench, written by sigshow.\n", out);
    mpg_notes_print(x, out, "     ");
    fputs("-->\n<platform version=\"4.1\">\n", out);
    print_config(&p, out);
    print_cluster(&p, out);
    fputs("</platform>\n", out);
}
