/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of LogGOPSim, which takes whole ns. A message of B bytes takes 2 o + L + (B - 1) max(G, O). */
#include <math.h>

#include "signature/simulators/private.h"

/* LogGOPSim's parameters L, o, g and G. */
struct options {
    double latency_ns, overhead_ns, gap_ns, ns_per_byte;
};

static struct wire_terms terms(const void *context, double bytes)
{
    (void)context;
    return (struct wire_terms){.x = 1, .y = fmax(bytes - 1, 0)};
}

static double time_of(const void *context, double bytes)
{
    const struct options *o = context;
    return 2 * o->overhead_ns + o->latency_ns + fmax(bytes - 1, 0) * o->ns_per_byte;
}

void mpg_loggopsim_print(struct exported_machine *x, FILE *out)
{
    const struct wire *w = &x->far;
    const long long limit = w->eager_bytes > INT32_MAX ? INT32_MAX : w->eager_bytes < 0 ? 0 : (long long)w->eager_bytes;
    struct options o;
    double fitted_ns, ns_per_byte;
    mpg_wire_fit(w->path, terms, NULL, &fitted_ns, &ns_per_byte);
    o.overhead_ns = round(fmin(w->send_ns + w->receive_ns, fitted_ns) / 2);
    o.latency_ns = fmax(round(fitted_ns - 2 * o.overhead_ns), 0);
    o.ns_per_byte = round(ns_per_byte);
    o.gap_ns = round(fmax(w->path->loggp.gap_ns, 0));
    mpg_note(&x->notes, "LogGOPSim has one time per byte for all sizes, in whole ns: -G is rounded from %.4g ns", ns_per_byte);
    mpg_note(&x->notes, "LogGOPSim has one overhead: -o is the mean of sending and receiving");
    if (!(w->path->loggp.gap_ns > 0))
        mpg_note(&x->notes, "the gap g between messages was not measured: 0");
    mpg_note_deviation(&x->notes, w->path, time_of, &o);
    if (x->near.path)
        mpg_note(&x->notes, "messages within a node take as long as those between nodes");
    if (w->eager_bytes < 0)
        mpg_note(&x->notes, "no message is eager on this machine, but -S 0 makes empty messages eager");
    fprintf(out, "-L %.0f -o %.0f -g %.0f -G %.0f -O 0 -S %lld\n", o.latency_ns, o.overhead_ns, o.gap_ns, o.ns_per_byte, limit);
}
