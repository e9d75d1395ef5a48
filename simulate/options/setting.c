/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies a configuration to the perturbation and the simulation options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "simulate/options/inputs.h"

/* An option with distributions: the texts, the destination of parsed distributions, and whether a text may name ranks. */
struct dist_option {
    const char *name;
    const struct mpg_option_list *given;
    struct mpg_specs *specs;
    bool of_ranks;
};

enum { DIST_OPTIONS = 4 };

static void list_dists(const struct mpg_config *c, struct mpg_perturbation *p,
                       struct dist_option list[DIST_OPTIONS])
{
    list[0] = (struct dist_option){"--noise", &c->change.noise, &p->noise, true};
    list[1] = (struct dist_option){"--call-noise", &c->change.call_noise, &p->call_noise, true};
    list[2] = (struct dist_option){"--latency", &c->change.latency, &p->latency, false};
    list[3] = (struct dist_option){"--byte", &c->change.byte, &p->byte, false};
}

/* Applies --call-noise=signature: the target's noise also interrupts work inside calls. Errors: no signature; --predict; given
 * twice. */
static int set_call_noise(const struct mpg_config *c, struct mpg_perturbation *p,
                          struct mpg_error *err)
{
    if (!c->target.signature)
        return mpg_error_set(err, "'signature' is the noise of a --signature, which is not given");
    if (c->target.predict)
        return mpg_error_set(err, "'signature' is noise in recorded calls, and --predict does not use recorded calls");
    if (p->call_noise_of_target)
        return mpg_error_set(err, "'signature' is given twice");
    p->call_noise_of_target = true;
    return 0;
}

/* Parses the distributions of C into P. Returns 0, -1, or MPG_SPEC_UNREADABLE. */
static int parse_specs(const struct mpg_config *c, struct mpg_perturbation *p, struct mpg_error *err)
{
    struct dist_option list[DIST_OPTIONS];
    list_dists(c, p, list);
    for (const struct dist_option *o = list; o < list + DIST_OPTIONS; o++) {
        for (size_t i = 0; i < o->given->n; i++) {
            const char *text = o->given->item[i];
            bool from_signature = o->specs == &p->call_noise && strcmp(text, "signature") == 0;
            int status = from_signature ? set_call_noise(c, p, err) : mpg_specs_add(o->specs, text, err);
            if (status == 0)
                continue;
            mpg_error_prefix(err, "%s", o->name);
            return status;
        }
        if (!o->of_ranks && !mpg_specs_are_for_all(o->specs))
            return mpg_error_set(err, "%s takes no @RANKS: a message has two ranks", o->name);
    }
    return 0;
}

int mpg_setting_check_ranks(const struct mpg_config *c, struct mpg_perturbation *p,
                            int32_t ranks, struct mpg_error *err)
{
    struct dist_option list[DIST_OPTIONS];
    list_dists(c, p, list);
    for (const struct dist_option *o = list; o < list + DIST_OPTIONS; o++)
        if (mpg_specs_check(o->specs, ranks, err) < 0)
            return mpg_error_prefix(err, "%s", o->name);
    return 0;
}

/* Returns the number of threads for this process, if SHARING processes share the processors. */
static unsigned usable_processors(unsigned sharing)
{
    const unsigned usable = mpg_machine_threads() / sharing;
    return usable < 1 ? 1 : usable;
}

static void borrow_specs(struct mpg_setting *in, const struct mpg_setting *like)
{
    struct mpg_perturbation *p = &in->p;
    in->borrows = true;
    p->noise = like->p.noise;
    p->call_noise = like->p.call_noise;
    p->latency = like->p.latency;
    p->byte = like->p.byte;
    p->call_noise_of_target = like->p.call_noise_of_target;
}

/* Returns the edges with kappa: the edges of Sottile 2006 if the options select that model, without slack and with every send
 * synchronous. */
static enum mpg_call_edges call_edges(const struct mpg_config *c)
{
    const struct mpg_model_config *m = &c->model;
    const bool is_paper = m->absorb == MPG_ABSORB_NONE && c->given.eager_limit && c->change.eager_limit == -1 &&
                          !mpg_option_has_word(&m->paper, MPG_PAPER_OWN_EDGES);
    return is_paper || mpg_option_has_word(&m->paper, MPG_PAPER_CALL_EDGES) ? MPG_CALL_EDGES_PAPER : MPG_CALL_EDGES_OWN;
}

static void set_models(const struct mpg_config *c, struct mpg_setting *in)
{
    const struct mpg_model_config *m = &c->model;
    struct mpg_perturbation *p = &in->p;
    p->call_edges = call_edges(c);
    p->measurement_fixed = m->measurement;
    p->speed_recorded = m->speed;
    p->ignores_collectives = m->collectives == MPG_COLLECTIVES_ROUNDS || m->collectives == MPG_COLLECTIVES_EXPAND;
    p->noise_model = (enum mpg_noise_model)(m->noise + 1);
    p->latency_model = m->latency;
    p->byte_model = m->byte;
    in->simulation.times.polling_interval_ns = (int64_t)m->polling_interval_ns;
    in->simulation.times.polling = m->polling;
    in->simulation.absorb_given = m->absorb != MPG_ABSORB_DEFAULT;
    if (in->simulation.absorb_given)
        in->simulation.absorb = (enum mpg_absorb)m->absorb;
}

static int use_target(const struct mpg_config *c, struct mpg_perturbation *p, struct mpg_error *err)
{
    if (!c->target.machine)
        return 0;
    p->work_alone = true;
    if (!mpg_config_target_has_messages(c))
        return 0;
    if (c->change.latency.n > 0 || c->change.byte.n > 0)
        return mpg_error_set(err, "--%s: the target %s gives the costs of messages", c->change.latency.n > 0 ? "latency" : "byte",
                             c->target.machine->name);
    p->parameters = c->target.machine;
    p->calls_cost_nothing = true;
    return 0;
}

int mpg_setting_make(struct mpg_setting *in, const struct mpg_config *c, struct mpg_processes *processes,
                     const struct mpg_setting *like, struct mpg_error *err)
{
    const unsigned threads = c->given.threads ? (unsigned)c->threads : usable_processors(processes->sharing);
    *in = (struct mpg_setting){
        .p = {.seed = (uint64_t)c->seed, .compute_ratio = 1},
        .simulation = {.processes = processes, .where = c->question.where_wanted, .threads = threads}};
    int status = 0;
    if (like)
        borrow_specs(in, like);
    else
        status = parse_specs(c, &in->p, err);
    if (status < 0)
        return status;
    set_models(c, in);
    mpg_setting_take_factors(in, c);
    return mpg_ratios_parse(&in->ratios, &c->change.compute_ratio, err) < 0 ? -1 : use_target(c, &in->p, err);
}
