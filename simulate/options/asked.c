/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What options ask of perturbations, models and modes: words into values, and what cannot go together. */
#include "simulate/options/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "graph/graph.h"

/* An option of a distribution: what was given, where it goes, whether it may name ranks. */
struct dist_option {
    const char *name;
    const struct mpg_option_list *given;
    struct mpg_specs *specs;
    bool of_ranks;
};

enum { DIST_OPTIONS = 4 };

static void list_dists(const struct mpg_arguments *a, struct mpg_perturbation *p,
                       struct dist_option list[DIST_OPTIONS])
{
    list[0] = (struct dist_option){"--noise", &a->noise, &p->noise, true};
    list[1] = (struct dist_option){"--call-noise", &a->call_noise, &p->call_noise, true};
    list[2] = (struct dist_option){"--latency", &a->latency, &p->latency, false};
    list[3] = (struct dist_option){"--byte", &a->byte, &p->byte, false};
}

/* Of --call-noise: that calls' own work meets the target's noise; one that was asked for already is an
 * error. */
static int ask_call_noise(const struct mpg_arguments *a, struct mpg_perturbation *p,
                          struct mpg_error *err)
{
    if (!a->signature)
        return mpg_error_set(err, "there is no --signature whose noise it is");
    if (a->predict)
        return mpg_error_set(err, "'signature' is about traced calls, which --predict does not take");
    if (p->call_noise_of_target)
        return mpg_error_set(err, "'signature' is given twice");
    p->call_noise_of_target = true;
    return 0;
}

/* 0, -1, or MPG_SPEC_UNREADABLE. */
static int parse_specs(const struct mpg_arguments *a, struct mpg_perturbation *p, struct mpg_error *err)
{
    struct dist_option list[DIST_OPTIONS];
    list_dists(a, p, list);
    for (const struct dist_option *o = list; o < list + DIST_OPTIONS; o++) {
        for (size_t i = 0; i < o->given->n; i++) {
            const char *text = o->given->item[i];
            bool asked = o->specs == &p->call_noise && strcmp(text, "signature") == 0;
            int status = asked ? ask_call_noise(a, p, err) : mpg_specs_add(o->specs, text, err);
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

int mpg_arguments_check_ranks(const struct mpg_arguments *a, struct mpg_perturbation *p,
                              int32_t ranks, struct mpg_error *err)
{
    struct dist_option list[DIST_OPTIONS];
    list_dists(a, p, list);
    for (const struct dist_option *o = list; o < list + DIST_OPTIONS; o++)
        if (mpg_specs_check(o->specs, ranks, err) < 0)
            return mpg_error_prefix(err, "%s", o->name);
    return 0;
}

static int parse_absorb(const char *text, struct mpg_simulation_options *options,
                        struct mpg_error *err)
{
    static const char *const names[] = {"none", "wait", "clock"};
    options->absorb_given = text != NULL;
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            options->absorb = (enum mpg_absorb)i;
            return 0;
        }
    return text ? mpg_error_set(err, "--absorb: '%s' is not none, wait or clock", text) : 0;
}

/* The paper's run is that without slack in which every send waits: it has the paper's edges. */
static int parse_call_edges(const struct mpg_arguments *a,
                            const struct mpg_simulation_options *options,
                            struct mpg_perturbation *p, struct mpg_error *err)
{
    bool faithful = options->absorb_given && options->absorb == MPG_ABSORB_NONE &&
                    a->given.eager_limit && a->eager_limit == -1;
    p->call_edges = faithful ? MPG_CALL_EDGES_PAPER : MPG_CALL_EDGES_OWN;
    if (!a->call_edges)
        return 0;
    p->call_edges = strcmp(a->call_edges, "paper") == 0 ? MPG_CALL_EDGES_PAPER : MPG_CALL_EDGES_OWN;
    if (p->call_edges == MPG_CALL_EDGES_PAPER || strcmp(a->call_edges, "own") == 0)
        return 0;
    return mpg_error_set(err, "--call-edges: '%s' is not own or paper", a->call_edges);
}

static int parse_cosched(struct mpg_arguments *a, struct mpg_error *err)
{
    static const char *const names[] = {"none", "node", "job"};
    a->cosched_kind = MPG_COSCHEDS;
    if (!a->cosched)
        return 0;
    for (int i = 0; i < MPG_COSCHEDS; i++)
        if (strcmp(a->cosched, names[i]) == 0) {
            a->cosched_kind = (enum mpg_cosched)i;
            return 0;
        }
    return mpg_error_set(err, "--cosched: '%s' is not none, node or job", a->cosched);
}

static int parse_noise_model(const struct mpg_arguments *a, struct mpg_perturbation *p,
                             struct mpg_error *err)
{
    static const struct {
        const char *name;
        enum mpg_noise_model model;
    } models[] = {{"replay", MPG_NOISE_REPLAY},
                  {"renewal", MPG_NOISE_RENEWAL},
                  {"ecdf", MPG_NOISE_ECDF},
                  {"fit", MPG_NOISE_FIT}};
    if (!a->noise_model)
        return 0;
    if (!a->signature)
        return mpg_error_set(err, "--noise-model: there is no --signature whose noise it is about");
    if (a->noise.n > 0 && !p->call_noise_of_target)
        return mpg_error_set(err, "--noise-model: there is '%s' in place of the signature's noise",
                             a->noise.item[0]);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(a->noise_model, models[i].name) == 0) {
            p->noise_model = models[i].model;
            return 0;
        }
    return mpg_error_set(err, "--noise-model: '%s' is not replay, renewal, ecdf or fit",
                         a->noise_model);
}

/* --NAME: what the signatures' lambda, or tau, is drawn from, unless GIVEN replaces that. */
static int parse_time_model(const struct mpg_arguments *a, const char *name, const char *text,
                            const struct mpg_option_list *given, enum mpg_time_model *model,
                            struct mpg_error *err)
{
    if (!text)
        return 0;
    if (!a->signature)
        return mpg_error_set(err, "--%s: there is no --signature whose times it is about", name);
    if (given->n > 0)
        return mpg_error_set(err, "--%s: there is '%s' in place of the signature's times", name,
                             given->item[0]);
    *model = strcmp(text, "fit") == 0 ? MPG_TIME_FIT : MPG_TIME_EMPIRICAL;
    return *model == MPG_TIME_FIT || strcmp(text, "empirical") == 0
               ? 0
               : mpg_error_set(err, "--%s: '%s' is not empirical or fit", name, text);
}

static int parse_time_models(const struct mpg_arguments *a, struct mpg_perturbation *p,
                             struct mpg_error *err)
{
    if (parse_time_model(a, "latency-model", a->latency_model, &a->latency, &p->latency_model, err) < 0)
        return -1;
    return parse_time_model(a, "byte-model", a->byte_model, &a->byte, &p->byte_model, err);
}

/* Whether X, in perturb mode, may give a size to a collective with a root, or a scan: its messages have one only. */
static bool may_resize_some(const struct mpg_hypothesis *x)
{
    const struct mpg_select *s = &x->select;
    if (x->kind != MPG_HYPOTHESIS_RESIZE || s->has_from || s->has_to || s->has_tag)
        return false;
    return s->call == MPG_CALL_COUNT || s->call == MPG_CALL_Start || s->call == MPG_CALL_Startall ||
           mpg_collective_is_partial(s->call);
}

/* Whether X, in perturb mode, may give a size to a collective. */
static bool may_resize_collective(const struct mpg_hypothesis *x)
{
    const struct mpg_select *s = &x->select;
    if (x->kind != MPG_HYPOTHESIS_RESIZE || s->has_from || s->has_to || s->has_tag)
        return false;
    const enum mpg_kind kind = s->call == MPG_CALL_COUNT ? MPG_KIND_COLLECTIVE : mpg_call_kind(s->call);
    return kind == MPG_KIND_COLLECTIVE || kind == MPG_KIND_ICOLLECTIVE || s->call == MPG_CALL_Start ||
           s->call == MPG_CALL_Startall;
}

/* A signature says what messages take, and measured some collectives: the others are their messages, which are what has one size. */
static bool expands_rest(const struct mpg_arguments *a)
{
    if (!a->signature || a->latency.n + a->byte.n > 0 || a->sync_reduce || a->target ||
        (a->collectives && strcmp(a->collectives, "measured") != 0))
        return false;
    for (size_t i = 0; i < a->hypotheses.n && !a->predict; i++)
        if (may_resize_collective(&a->hypotheses.item[i]))
            return false;
    return true;
}

/* Hypotheses change who waits, and for whom within a collective only its messages say. What else is asked for may
 * need collectives as they are without hypotheses. */
static bool expands_some(const struct mpg_arguments *a)
{
    if (a->hypotheses.n == 0 || a->collectives || a->sync_reduce || a->target)
        return false;
    for (size_t i = 0; i < a->hypotheses.n && !a->predict; i++)
        if (may_resize_some(&a->hypotheses.item[i]))
            return false;
    return true;
}

static int parse_collectives(struct mpg_arguments *a, struct mpg_perturbation *p,
                             struct mpg_error *err)
{
    a->expand = a->collectives && strcmp(a->collectives, "expand") == 0;
    const bool rounds = a->collectives && strcmp(a->collectives, "rounds") == 0;
    p->ignores_collectives = a->expand || rounds;
    if (a->collectives && !p->ignores_collectives && strcmp(a->collectives, "measured") != 0)
        return mpg_error_set(err, "--collectives: '%s' is not measured, rounds or expand",
                             a->collectives);
    if (rounds && !a->signature)
        return mpg_error_set(err, "--collectives=rounds: there is no --signature that has measured any");
    if (a->expand && a->sync_reduce)
        return mpg_error_set(err, "--sync-reduce and --collectives=expand exclude each other: the "
                                  "messages say who waits");
    a->expand_some = expands_some(a);
    a->expand_rest = expands_rest(a);
    if (a->collective_table && !a->expand && !a->expand_some && !a->expand_rest)
        return mpg_error_set(err, "--collective-table says nothing without --signature or --collectives=expand");
    return 0;
}

static int parse_carried(struct mpg_arguments *a, struct mpg_error *err)
{
    a->carries = a->hypotheses.n > 0 && !(a->carried && strcmp(a->carried, "none") == 0);
    if (a->carried && a->hypotheses.n == 0)
        return mpg_error_set(err, "--carried says nothing without hypotheses (--suppose, --hypothesis)");
    return !a->carried || !a->carries || strcmp(a->carried, "shown") == 0
               ? 0
               : mpg_error_set(err, "--carried: '%s' is not shown or none", a->carried);
}

/* The order in which a trace is read says which labels its communicators have where it is written. */
static int parse_floors(struct mpg_arguments *a, struct mpg_error *err)
{
    const bool fresh = a->floors && strcmp(a->floors, "fresh") == 0;
    a->keeps_floors = !fresh && !a->output_trace;
    return !a->floors || fresh || strcmp(a->floors, "kept") == 0
               ? 0
               : mpg_error_set(err, "--floors: '%s' is not kept or fresh", a->floors);
}

static int parse_polling(const struct mpg_arguments *a, struct mpg_times_options *times,
                         struct mpg_error *err)
{
    times->polling_interval_ns = (int64_t)a->polling_interval_ns;
    times->polling = a->polling && strcmp(a->polling, "work") == 0 ? MPG_POLLING_WORK
                                                                   : MPG_POLLING_WAIT;
    if (!a->polling || times->polling == MPG_POLLING_WORK || strcmp(a->polling, "wait") == 0)
        return 0;
    return mpg_error_set(err, "--polling: '%s' is not wait or work", a->polling);
}

/* Options of the one mode say nothing in the other. */
static int check_mode(const struct mpg_arguments *a, struct mpg_error *err)
{
    const struct {
        const char *name;
        bool given, predicts;
    } list[] = {{"absorb", a->absorb != NULL, false},
                {"keep-tracer", a->keep_tracer, false},
                {"call-edges", a->call_edges != NULL, false},
                {"source-latency", a->given.source_latency, false},
                {"source-byte", a->given.source_byte, false}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].given && list[i].predicts != a->predict)
            return mpg_error_set(err, "--%s says nothing %s --predict", list[i].name,
                                 a->predict ? "with" : "without");
    if (a->predict && !a->signature && a->latency.n == 0 && !a->target)
        return mpg_error_set(err, "--predict: neither --signature nor --latency says what messages "
                                  "take");
    if (a->map && a->path)
        return mpg_error_set(err, "--map and --path exclude each other");
    if (a->map && !a->signature && !a->output_trace && !a->target)
        return mpg_error_set(err, "--map: there is no --signature whose paths messages take");
    if (a->source_map && !a->signature && !mpg_arguments_source(a))
        return mpg_error_set(err, "--source-map: there is no --signature, nor --source");
    if (a->given.polling_interval && a->polling && strcmp(a->polling, "work") == 0)
        return mpg_error_set(err, "--polling-interval says nothing with --polling=work");
    return 0;
}

/* Where calls complete what they completed in the trace nobody waits for what they may complete. */
static int check_horizon(const struct mpg_arguments *a,
                         const struct mpg_simulation_options *options, struct mpg_error *err)
{
    const char *keeps = a->deterministic      ? "--deterministic"
                        : options->absorb_given && options->absorb != MPG_ABSORB_CLOCK
                            ? "--absorb other than clock"
                            : NULL;
    return keeps && a->given.horizon
               ? mpg_error_set(err, "--horizon says nothing with %s", keeps)
               : 0;
}

bool mpg_arguments_signature_is_all(const struct mpg_arguments *a)
{
    return a->signature && strcmp(a->signature, "-") != 0 && a->noise.n == 0 &&
           a->call_noise.n == 0 && a->latency.n == 0 && a->byte.n == 0 && !a->noise_model &&
           !a->latency_model && !a->byte_model && !a->given.eager_limit;
}

const char *mpg_arguments_source(const struct mpg_arguments *a)
{
    return a->source && strcmp(a->source, "none") != 0 ? a->source : NULL;
}

/* What says how signatures are used says nothing without one. */
static int check_signatures(const struct mpg_arguments *a, struct mpg_error *err)
{
    if (a->keep_tracer && !a->signature)
        return mpg_error_set(err, "--keep-tracer: without --signature nothing is taken out");
    if (a->signature || mpg_arguments_source(a) || (!a->cosched && !a->measurement))
        return 0;
    return mpg_error_set(err, "--%s: there is no --signature that it is about",
                         a->cosched ? "cosched" : "measurement");
}

static int parse_measurement(const struct mpg_arguments *a, struct mpg_perturbation *p,
                             struct mpg_error *err)
{
    p->measurement_fixed = a->measurement && strcmp(a->measurement, "fixed") == 0;
    if (!a->measurement || p->measurement_fixed || strcmp(a->measurement, "resample") == 0)
        return 0;
    return mpg_error_set(err, "--measurement: '%s' is not resample or fixed", a->measurement);
}

/* A class of path, with blanks or hyphens between its words. */
static int parse_path(struct mpg_arguments *a, struct mpg_error *err)
{
    char text[32];
    a->path_class = MPG_PATHS;
    if (!a->path)
        return 0;
    if (!a->signature)
        return mpg_error_set(err, "--path: there is no --signature to take it from");
    snprintf(text, sizeof text, "%s", a->path);
    for (char *c = text; *c; c++)
        if (*c == '-')
            *c = ' ';
    a->path_class = mpg_path_find(text);
    if (a->path_class == MPG_PATHS)
        return mpg_error_set(err, "--path: '%s' is not core-complex, node or between-nodes",
                             a->path);
    return 0;
}

/* As many threads as can keep processors busy, which so many processes share. */
static unsigned usable_processors(unsigned sharing)
{
    char cores[64]; /* which is not asked */
    const double n = mpg_machine_cores(cores, sizeof cores), most = ceil(mpg_machine_core_limit());
    const double usable = (most > 0 && most < n ? most : n) / sharing;
    return usable < 1 ? 1 : (unsigned)usable;
}

static void borrow_specs(struct mpg_asked *asked, const struct mpg_asked *like)
{
    struct mpg_perturbation *p = &asked->p;
    asked->borrows = true;
    p->noise = like->p.noise;
    p->call_noise = like->p.call_noise;
    p->latency = like->p.latency;
    p->byte = like->p.byte;
    p->call_noise_of_target = like->p.call_noise_of_target;
}

int mpg_arguments_ask(struct mpg_arguments *a, struct mpg_processes *processes,
                      const struct mpg_asked *like, struct mpg_asked *asked, struct mpg_error *err)
{
    struct mpg_perturbation *p = &asked->p;
    *asked = (struct mpg_asked){.p = {.seed = (uint64_t)a->seed, .compute_ratio = 1},
                                .simulation = {.processes = processes, .where = a->where_wanted}};
    int status = 0;
    if (like)
        borrow_specs(asked, like);
    else
        status = parse_specs(a, p, err);
    if (status < 0)
        return status;
    if (parse_absorb(a->absorb, &asked->simulation, err) < 0 ||
        mpg_ratios_parse(&asked->ratios, &a->compute_ratio, err) < 0 ||
        parse_call_edges(a, &asked->simulation, p, err) < 0 || parse_path(a, err) < 0 ||
        parse_cosched(a, err) < 0 || parse_measurement(a, p, err) < 0 ||
        parse_polling(a, &asked->times, err) < 0 || parse_collectives(a, p, err) < 0 || parse_carried(a, err) < 0 ||
        parse_floors(a, err) < 0 ||
        check_mode(a, err) < 0 || mpg_arguments_use_target(a, p, err) < 0 || check_horizon(a, &asked->simulation, err) < 0 ||
        parse_noise_model(a, p, err) < 0 || parse_time_models(a, p, err) < 0 ||
        check_signatures(a, err) < 0)
        return -1;
    asked->simulation.threads =
        a->given.threads ? (unsigned)a->threads : usable_processors(processes->sharing);
    return 0;
}

void mpg_asked_clear(struct mpg_asked *asked)
{
    const struct mpg_specs none = {0};
    struct mpg_perturbation *p = &asked->p;
    if (asked->borrows)
        p->noise = p->call_noise = p->latency = p->byte = none;
    mpg_perturbation_clear(&asked->p);
    mpg_ratios_clear(&asked->ratios);
    *asked = (struct mpg_asked){0};
}
