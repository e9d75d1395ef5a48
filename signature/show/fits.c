/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigshow --all: all fitted families of all distributions. */
#include <inttypes.h>
#include <stdio.h>

#include "common/printable.h"
#include "common/units.h"
#include "signature/show/show.h"

static void show_fit(const struct mpg_distribution_fit *f)
{
    printf("  %-12s KS %.4f", f->family, f->distance);
    if (f->location != 0)
        printf("  above %.6g", f->location);
    for (int i = 0; i < f->parameters; i++)
        printf("  %s %.5g (%.5g to %.5g)", f->name[i], f->value[i], f->low[i], f->high[i]);
    if (f->tail_fraction < 1)
        printf("  of the largest %.2g %%", 100 * f->tail_fraction);
    putchar('\n');
}

/* Prints the fits of D, if any, under the heading NAME. *ANY: the heading of the whole section has been printed. */
static void show_distribution(const char *name, const struct mpg_distribution *d, bool *any)
{
    if (!d || d->fits == 0)
        return;
    if (!*any)
        printf("\nFitted families, parameters with 95 %% confidence intervals\n");
    *any = true;
    printf("%s\n", name);
    for (size_t i = 0; i < d->fits; i++)
        show_fit(&d->fit[i]);
}

static void show_core(const struct mpg_noise_core *c, bool *any)
{
    const struct {
        const char *what;
        const struct mpg_distribution *d;
    } part[] = {{"gaps between detours, ns", c->gap_ns},
                {"durations of detours, ns", c->length_ns},
                {"time lost in an FTQ quantum, ns", c->ftq.lost_ns},
                {"time lost in an FWQ quantum, ns", c->fwq.lost_ns}};
    char core[SHOW_TEXT], name[2 * SHOW_TEXT];
    show_core_name(core, c->host, c->core);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        snprintf(name, sizeof name, "core %s: %s", core, part[i].what);
        show_distribution(name, part[i].d, any);
    }
}

static void show_sizes(const char *path, const char *what, const struct mpg_network_sizes *sizes,
                       bool *any)
{
    char size[SHOW_TEXT], name[3 * SHOW_TEXT];
    for (size_t i = 0; i < sizes->n; i++) {
        mpg_units_format_size(size, sizeof size, sizes->size[i].size_bytes);
        snprintf(name, sizeof name, "%s: %s, %s, ns", path, what, size);
        show_distribution(name, sizes->size[i].time_ns, any);
    }
}

static void show_collective_fits(const struct mpg_collective_time *times, size_t n, bool *any)
{
    char name[3 * SHOW_TEXT], text[SHOW_TEXT], what[41]; /* of a long name, mpg_printable() keeps only whole characters */
    for (size_t i = 0; i < n; i++) {
        const struct mpg_collective_time *c = &times[i];
        mpg_units_format_size(text, sizeof text, c->size_bytes);
        snprintf(name, sizeof name, "%s of %d processes, %s, ns",
                 mpg_printable(what, sizeof what, c->operation), c->processes, text);
        show_distribution(name, c->time_ns, any);
    }
}

void show_fits(const struct mpg_signature *sig)
{
    char name[3 * SHOW_TEXT], text[SHOW_TEXT], what[41], unit[41]; /* of a long name, mpg_printable() keeps only whole
                                                                      characters */
    bool any = false;
    for (size_t i = 0; i < sig->cores; i++)
        show_core(&sig->core[i], &any);
    for (size_t i = 0; i < sig->paths; i++) {
        const struct mpg_network_path *p = &sig->network[i];
        show_sizes(mpg_path_name(p->path), "one way", &p->latency, &any);
        show_sizes(mpg_path_name(p->path), "round trip", &p->round_trip, &any);
        show_sizes(mpg_path_name(p->path), "transfer", &p->bandwidth, &any);
        show_sizes(mpg_path_name(p->path), "in send", &p->sender, &any);
        show_sizes(mpg_path_name(p->path), "streaming", &p->streaming, &any);
    }
    show_collective_fits(sig->collective, sig->collectives, &any);
    show_collective_fits(sig->reduction, sig->reductions, &any);
    for (size_t i = 0; i < sig->rates; i++) {
        const struct mpg_compute_rate *r = &sig->rate[i];
        show_core_name(text, r->host, r->core);
        snprintf(name, sizeof name, "%s, core %s, %s",
                 mpg_printable(what, sizeof what, r->kernel), text,
                 mpg_printable(unit, sizeof unit, r->unit));
        show_distribution(name, r->rate, &any);
    }
    if (!any)
        printf("\nNo fitted families.\n");
}
