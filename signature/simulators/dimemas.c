/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A configuration of Dimemas 5, without contention. A message of B bytes takes latency + B / bandwidth; the sender's processor is
 * busy during the latency. Dimemas counts a MB as 2^20 bytes. */
#include "signature/simulators/private.h"

static const double mib = 1 << 20;

/* The two numbers by which Dimemas describes a path: a straight line through the message times. */
struct path_line {
    double latency_ns, ns_per_byte;
};

static struct wire_terms terms(const void *context, double bytes)
{
    (void)context;
    return (struct wire_terms){.x = 1, .y = bytes};
}

static double time_of(const void *context, double bytes)
{
    const struct path_line *line = context;
    return line->latency_ns + bytes * line->ns_per_byte;
}

static struct path_line line_of(struct exported_machine *x, const struct wire *w)
{
    struct path_line line;
    mpg_wire_fit(w->path, terms, NULL, &line.latency_ns, &line.ns_per_byte);
    mpg_note_deviation(&x->notes, w->path, time_of, &line);
    return line;
}

/* Returns the bandwidth of LINE for Dimemas, in units of 2^20 bytes per second; 0 (for Dimemas: infinite) if the time per byte is
 * 0. */
static double bandwidth(const struct path_line *line)
{
    return line->ns_per_byte > 1e-9 ? 1e9 / line->ns_per_byte / mib : 0;
}

void mpg_dimemas_print(struct exported_machine *x, FILE *out)
{
    const struct path_line far = line_of(x, &x->far), near = x->near.path ? line_of(x, &x->near) : far;
    const long long nodes = (long long)x->nodes, cores = (long long)x->cores;
    mpg_note(&x->notes, "Dimemas has no overheads: latency occupies the sender's processor");
    mpg_note(&x->notes, "no contention: the numbers of links and buses are unlimited");
    if (x->far.eager_bytes != INT64_MAX)
        mpg_note(&x->notes, "messages of more than %lld bytes wait for their receiver: give Dimemas -S %lld",
                 (long long)x->far.eager_bytes, (long long)x->far.eager_bytes + 1);
    fputs("#DIMEMAS_CONFIGURATION\n// A machine measured by mpgbench, written by sigshow.\n", out);
    mpg_notes_print(x, out, "// ");
    fputs("\n// name, machines, connections, traffic function, most traffic, bandwidth, collectives\n", out);
    fputs("\"wide area network information\" {\"\", 1, 0, 4, 0.0, 0.0, 1};;\n\n", out);
    fputs("// name, machine, architecture, nodes, bandwidth between nodes (2^20 B/s), buses (0: no limit), collectives\n", out);
    fprintf(out, "\"environment information\" {\"\", 0, \"\", %lld, %.12g, 0, 3};;\n\n", nodes, bandwidth(&far));
    fputs("// machine, nodes, architecture, processors, divisor of speed,\n", out);
    fputs("// within a node: latency (s), bandwidth, buses, input and output links (0: no limit),\n", out);
    fputs("// between nodes: latency (s), input and output links, latency of the wide area network\n", out);
    fprintf(out, "\"multi node information\" {0, %lld, \"\", %lld, 1.0, ", nodes, cores);
    fprintf(out, "%.12g, %.12g, 0, 0, 0, ", near.latency_ns * 1e-9, bandwidth(&near));
    fprintf(out, "%.12g, 0, 0, 0.0};;\n\n", far.latency_ns * 1e-9);
    fprintf(out, "\"predefined mapping information\" {\"%lld TASKS_PER_NODE\"};;\n\n", cores);
    fputs("\"configuration files\" {\"\", \"\", \"\", \"\"};;\n\n", out);
    fputs("\"file system parameters\" {0.0, 0.0, 8.0, 0, 1.0};;\n", out);
}
