/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common to the exports: the machine's nodes and paths, and the list of losses. */
#include "signature/simulators/simulators.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "signature/simulators/private.h"

const char *const mpg_simulator_names[] = {"simgrid", "loggopsim", "dimemas", NULL};

void mpg_note(struct notes *notes, const char *format, ...)
{
    va_list arguments;
    if (notes->n == NOTES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(notes->line[notes->n++], NOTE_BYTES, format, arguments);
    va_end(arguments);
}

/* Prints TEXT inside an XML comment. XML forbids "--" in a comment, therefore a blank follows a '-' before another '-' or at the
 * end. */
static void print_text(FILE *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        putc(*p, out);
        if (p[0] == '-' && (p[1] == '-' || p[1] == '\0'))
            putc(' ', out);
    }
}

static void print_fact(const struct mpg_signature *sig, FILE *out, const char *before, const char *key)
{
    const char *value = mpg_fact_find(sig->fact, sig->facts, key);
    if (!value)
        return;
    fprintf(out, "%s%s ", before, key);
    print_text(out, value);
    putc('\n', out);
}

void mpg_notes_print(const struct exported_machine *x, FILE *out, const char *before)
{
    static const char *const keys[] = {"host", "cpu", "mpi", "date"};
    char verdict[NOTE_BYTES];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        print_fact(x->sig, out, before, keys[i]);
    fprintf(out, "%squality: ", before);
    print_text(out, mpg_signature_verdict(x->sig, verdict, sizeof verdict));
    putc('\n', out);
    for (size_t i = 0; i < x->notes.n; i++) {
        fputs(before, out);
        print_text(out, x->notes.line[i]);
        putc('\n', out);
    }
}

/* --- notes on properties that every export loses --- */

static void note_spread(struct notes *notes, const struct mpg_network_path *path)
{
    const struct mpg_network_size *small = &path->latency.size[0];
    char size[32], p1[32], p50[32], p99[32];
    mpg_note(notes, "path %s: times are medians, without spread: %s takes %s, 1 %% of messages less than %s, 1 %% more than %s",
             mpg_path_name(path->path), mpg_units_format_size(size, sizeof size, small->size_bytes),
             mpg_units_format_time(p50, sizeof p50, mpg_distribution_quantile(small->time_ns, 0.5)),
             mpg_units_format_time(p1, sizeof p1, mpg_distribution_quantile(small->time_ns, 0.01)),
             mpg_units_format_time(p99, sizeof p99, mpg_distribution_quantile(small->time_ns, 0.99)));
}

static void note_overheads(struct notes *notes, const struct wire *w)
{
    char send[32], receive[32];
    mpg_note(notes, "overheads, part of these times: %s to send, %s to receive%s",
             mpg_units_format_time(send, sizeof send, w->send_ns), mpg_units_format_time(receive, sizeof receive, w->receive_ns),
             w->has_overheads ? ", medians of small messages; the additional time of larger ones counts as network time"
                              : "; not measured but by the time of a small send");
}

static void note_noise(struct notes *notes, const struct mpg_signature *sig)
{
    const struct mpg_noise_totals t = mpg_signature_noise(sig);
    char longest[32];
    if (t.cores > 0)
        mpg_note(notes, "noise is left out: cores lose %.2g %% of their time, the worst core %.2g %%, longest interruption %s",
                 100 * t.lost, 100 * t.worst, mpg_units_format_time(longest, sizeof longest, t.longest_ns));
    else
        mpg_note(notes, "noise is left out: not measured");
}

static void note_losses(struct exported_machine *x)
{
    struct notes *notes = &x->notes;
    note_spread(notes, x->far.path);
    if (x->near.path)
        note_spread(notes, x->near.path);
    note_overheads(notes, &x->far);
    note_noise(notes, x->sig);
    if (x->sig->collectives > 0)
        mpg_note(notes, "%zu measured times of collectives are left out: the simulator has algorithms of its own",
                 x->sig->collectives);
    mpg_note(notes, "computation takes as long as in the trace: a trace of another machine needs a factor");
}

/* --- the machine --- */

/* Returns the largest number of cores of one host in SIG, at least 1. */
static int64_t cores_of_host(const struct mpg_signature *sig)
{
    int64_t max = 1, n = 0;
    for (size_t i = 0; i < sig->cores; i++) {
        const char *host = sig->core[i].host, *before = i > 0 ? sig->core[i - 1].host : NULL;
        n = i > 0 && strcmp(host ? host : "", before ? before : "") == 0 ? n + 1 : 1;
        max = n > max ? n : max;
    }
    return max;
}

/* Returns SIG's farthest path with latencies among path classes nearer than CLASS; NULL: no path. */
static const struct mpg_network_path *farthest_below(const struct mpg_signature *sig, int class)
{
    for (int c = class - 1; c >= 0; c--) {
        const struct mpg_network_path *path = mpg_signature_path(sig, (enum mpg_path_class)c);
        if (path && path->latency.n > 0)
            return path;
    }
    return NULL;
}

static int describe(struct exported_machine *x, const struct mpg_simulated_machine *machine, struct mpg_error *err)
{
    const struct mpg_network_path *far = farthest_below(x->sig, MPG_PATHS), *near = NULL;
    if (!far)
        return mpg_error_set(err, "%s: no one-way times of messages: nothing to export (mpgbench pingpong measures them)",
                             x->sig->path ? x->sig->path : "the signature");
    mpg_wire_of(far, &x->far);
    x->cores = far->path == MPG_PATH_BETWEEN ? machine->cores > 0 ? machine->cores : cores_of_host(x->sig) : 1;
    x->nodes = (machine->ranks + x->cores - 1) / x->cores;
    if (far->path == MPG_PATH_BETWEEN && (near = farthest_below(x->sig, MPG_PATH_BETWEEN)))
        mpg_wire_of(near, &x->near);
    note_losses(x);
    for (size_t i = 0; i < x->sig->paths; i++)
        if (&x->sig->network[i] != far && &x->sig->network[i] != near)
            mpg_note(&x->notes, "messages of path %s take those of path %s", mpg_path_name(x->sig->network[i].path),
                     mpg_path_name(near ? near->path : far->path));
    if (far->path != MPG_PATH_BETWEEN)
        mpg_note(&x->notes, "no path between nodes was measured: all messages take path %s", mpg_path_name(far->path));
    return 0;
}

int mpg_simulators_print(const struct mpg_signature *sig, const struct mpg_simulated_machine *machine, FILE *out, FILE *notes,
                         struct mpg_error *err)
{
    struct exported_machine *x = calloc(1, sizeof *x);
    if (!x)
        return mpg_error_set(err, "out of memory");
    x->sig = sig;
    const int status = describe(x, machine, err);
    if (status == 0 && machine->simulator == MPG_SIMULATOR_SIMGRID)
        mpg_simgrid_print(x, out);
    else if (status == 0 && machine->simulator == MPG_SIMULATOR_DIMEMAS)
        mpg_dimemas_print(x, out);
    else if (status == 0) {
        mpg_loggopsim_print(x, out);
        mpg_notes_print(x, notes, "sigshow: ");
    }
    free(x);
    return status;
}
