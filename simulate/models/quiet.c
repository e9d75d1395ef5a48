/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/quiet.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "signature/causes.h"

/* Returns -1 with the error that CAUSE is not among SIG's causes, with a list of SIG's causes. */
static int report_unknown(const struct mpg_signature *sig, const char *cause, struct mpg_error *err)
{
    enum { MOST = 12 };
    struct mpg_cause_total *total;
    char names[512] = "";
    size_t n, used = 0;
    if (mpg_signature_causes(sig, &total, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n && i < MOST && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", total[i].name);
    free(total);
    if (n == 0)
        return mpg_error_set(err, "%s: --without-noise=%s: the causes of its noise are unknown "
                                  "(mpgbench ftq --causes finds them)", sig->path, cause);
    return mpg_error_set(err, "%s: --without-noise=%s: no noise has this cause; there are %s%s", sig->path, cause, names,
                         n > MOST ? " and others (sigshow --all)" : "");
}

/* Sets LEAVES[k] for each cause k of C named in CAUSES, and FOUND[i] for each element i of CAUSES that is a cause of C. */
static void choose(const struct mpg_noise_core *c, const struct mpg_option_list *causes, bool *leaves, bool *found)
{
    for (size_t k = 0; k < c->causes; k++) {
        leaves[k] = false;
        for (size_t i = 0; i < causes->n; i++)
            if (strcmp(c->cause[k], causes->item[i]) == 0)
                leaves[k] = found[i] = true;
    }
}

/* Times and marks of detours. */
struct times {
    double *start_ns, *duration_ns;
    uint8_t *mark;
};

static bool make_times(struct times *t, size_t n)
{
    *t = (struct times){malloc((n + 1) * sizeof *t->start_ns), malloc((n + 1) * sizeof *t->duration_ns), malloc(n + 1)};
    return t->start_ns && t->duration_ns && t->mark;
}

/* Copies the detours that stay, among the N detours FROM, to TO, from element AT on; returns the number of copied detours. */
static size_t keep(const struct times *from, size_t n, const bool *leaves, struct times *to, size_t at)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (leaves[from->mark[i] / 2])
            continue;
        to->start_ns[at + kept] = from->start_ns[i];
        to->duration_ns[at + kept] = from->duration_ns[i];
        to->mark[at + kept++] = from->mark[i];
    }
    return kept;
}

/* Replaces the detours of C, a copy of a core, by the detours that stay. */
static int thin_out(struct mpg_noise_core *c, const bool *leaves, struct mpg_error *err)
{
    struct mpg_noise_blocks *b = &c->blocks;
    const struct times longest = {c->start_ns, c->duration_ns, c->mark}, all = {b->start_ns, b->duration_ns, b->mark};
    const struct mpg_noise_block *block = b->block;
    struct times to, to_blocks = {0};
    struct mpg_cause_sums sums;
    double lost_ns = 0;
    mpg_cause_sums_of(c, &sums);
    for (size_t k = 0; k < c->causes; k++)
        lost_ns += leaves[k] ? sums.lost_ns[k] : 0;
    bool has_room = make_times(&to, c->detours);
    if (b->recorded > 0)
        has_room = make_times(&to_blocks, b->detours) && has_room;
    b->block = b->recorded > 0 ? malloc(b->n * sizeof *b->block) : NULL;
    c->start_ns = to.start_ns, c->duration_ns = to.duration_ns, c->mark = to.mark;
    b->start_ns = to_blocks.start_ns, b->duration_ns = to_blocks.duration_ns, b->mark = to_blocks.mark;
    if (!has_room || (b->recorded > 0 && !b->block))
        return mpg_error_set(err, "out of memory for %zu detours", c->detours + b->detours);
    c->detours = keep(&longest, c->detours, leaves, &to, 0);
    b->detours = 0;
    for (size_t i = 0; i < b->n; i++) {
        const size_t first = block[i].first;
        const struct times from = {all.start_ns + first, all.duration_ns + first, all.mark + first};
        b->block[i] = block[i];
        b->block[i].first = b->detours;
        b->block[i].detours = keep(&from, block[i].detours, leaves, &to_blocks, b->detours);
        b->detours += b->block[i].detours;
    }
    if (c->span_ns > 0)
        c->fraction_lost = fmax(0, c->fraction_lost - lost_ns / c->span_ns);
    c->fraction_off = fmin(c->fraction_off, c->fraction_lost);
    return 0;
}

struct mpg_signature *mpg_quiet_make(const struct mpg_signature *sig, const struct mpg_option_list *causes, struct mpg_error *err)
{
    bool leaves[MPG_SIGNATURE_MAX_CAUSES];
    bool *found = calloc(causes->n + 1, sizeof *found);
    struct mpg_signature *copy = malloc(sizeof *copy);
    struct mpg_noise_core *core = calloc(sig->cores + 1, sizeof *core);
    int status = found && copy && core ? 0 : mpg_error_set(err, "out of memory");
    if (status < 0) {
        free(core);
        free(copy);
        free(found);
        return NULL;
    }
    *copy = *sig;
    copy->core = core;
    for (copy->cores = 0; status == 0 && copy->cores < sig->cores; copy->cores++) {
        core[copy->cores] = sig->core[copy->cores];
        choose(&sig->core[copy->cores], causes, leaves, found);
        if (sig->core[copy->cores].causes > 0)
            status = thin_out(&core[copy->cores], leaves, err);
    }
    for (size_t i = 0; status == 0 && i < causes->n; i++)
        if (!found[i])
            status = report_unknown(sig, causes->item[i], err);
    free(found);
    if (status < 0) {
        mpg_quiet_free(copy);
        return NULL;
    }
    return copy;
}

void mpg_quiet_free(struct mpg_signature *copy)
{
    for (size_t i = 0; copy && i < copy->cores; i++) {
        struct mpg_noise_core *c = &copy->core[i];
        if (c->causes == 0)
            continue;
        free(c->start_ns);
        free(c->duration_ns);
        free(c->mark);
        free(c->blocks.start_ns);
        free(c->blocks.duration_ns);
        free(c->blocks.mark);
        free(c->blocks.block);
    }
    if (copy)
        free(copy->core);
    free(copy);
}
