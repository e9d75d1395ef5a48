/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a signature's texts printable in tables, plots and gnuplot scripts: a text cannot send commands to a terminal. */
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "signature/show/show.h"

/* Makes *TEXT (may be NULL) printable in place. */
static int make_fit(char **text, struct mpg_error *err)
{
    enum { MAX_CHARS_PER_BYTE = 4 }; /* a byte can become four characters: "\x1b" */
    if (!*text || mpg_printable_is(*text))
        return 0;
    size_t room = MAX_CHARS_PER_BYTE * strlen(*text) + 1;
    char *fit = malloc(room);
    if (!fit)
        return mpg_error_set(err, "out of memory");
    mpg_printable(fit, room, *text);
    free(*text);
    *text = fit;
    return 0;
}

static int fit_facts(struct mpg_fact *fact, size_t n, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (make_fit(&fact[i].key, err) < 0 || make_fit(&fact[i].value, err) < 0)
            return -1;
    return 0;
}

static int fit_distribution(struct mpg_distribution *d, struct mpg_error *err)
{
    for (size_t i = 0; d && i < d->fits; i++) {
        struct mpg_distribution_fit *fit = &d->fit[i];
        if (make_fit(&fit->family, err) < 0)
            return -1;
        for (int p = 0; p < fit->parameters; p++)
            if (make_fit(&fit->name[p], err) < 0)
                return -1;
    }
    return 0;
}

static int fit_core(struct mpg_noise_core *c, struct mpg_error *err)
{
    if (make_fit(&c->host, err) < 0 || fit_facts(c->event, c->events, err) < 0 ||
        fit_distribution(c->gap_ns, err) < 0 || fit_distribution(c->length_ns, err) < 0 ||
        fit_distribution(c->ftq.lost_ns, err) < 0)
        return -1;
    return fit_distribution(c->fwq.lost_ns, err);
}

static int fit_groups(struct mpg_network_group *group, size_t n, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (make_fit(&group[i].name, err) < 0)
            return -1;
    return 0;
}

static int fit_path(struct mpg_network_path *path, struct mpg_error *err)
{
    struct mpg_network_sizes *all[MPG_NETWORK_LISTS];
    mpg_network_lists(path, all);
    for (size_t k = 0; k < MPG_NETWORK_LISTS; k++)
        for (size_t i = 0; i < all[k]->n; i++)
            if (fit_distribution(all[k]->size[i].time_ns, err) < 0)
                return -1;
    if (make_fit(&path->one_way, err) < 0 ||
        fit_groups(path->launch, path->launches, err) < 0)
        return -1;
    return fit_groups(path->pair, path->pairs, err);
}

static int fit_failures(struct mpg_signature_failure *failure, size_t n, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (make_fit(&failure[i].check, err) < 0 || make_fit(&failure[i].found, err) < 0 ||
            make_fit(&failure[i].remedy, err) < 0)
            return -1;
    return 0;
}

static int fit_collectives(struct mpg_collective_time *times, size_t n, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (make_fit(&times[i].operation, err) < 0 || fit_distribution(times[i].time_ns, err) < 0)
            return -1;
    return 0;
}

int show_make_printable(struct mpg_signature *sig, struct mpg_error *err)
{
    if (fit_facts(sig->fact, sig->facts, err) < 0 ||
        fit_facts(sig->source, sig->sources, err) < 0 ||
        fit_failures(sig->failure, sig->failures, err) < 0)
        return -1;
    for (size_t i = 0; i < sig->cores; i++)
        if (fit_core(&sig->core[i], err) < 0)
            return -1;
    for (size_t i = 0; i < sig->paths + sig->device_paths; i++)
        if (fit_path(mpg_signature_each_path(sig, i), err) < 0)
            return -1;
    if (fit_collectives(sig->collective, sig->collectives, err) < 0 ||
        fit_collectives(sig->reduction, sig->reductions, err) < 0)
        return -1;
    for (size_t i = 0; i < sig->rates; i++) {
        struct mpg_compute_rate *r = &sig->rate[i];
        if (make_fit(&r->kernel, err) < 0 || make_fit(&r->unit, err) < 0 ||
            make_fit(&r->host, err) < 0 || fit_distribution(r->rate, err) < 0)
            return -1;
    }
    return 0;
}
