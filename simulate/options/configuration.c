/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the command line, and resolves the options. */
#include "simulate/options/configuration.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "graph/graph.h"
#include "signature/signature.h"
#include "simulate/options/inputs.h"

enum { DEFAULT_REPLICAS = 64, DEFAULT_HORIZON = 65536, DEFAULT_SEGMENTS = 20 };

bool mpg_config_sweeps(const struct mpg_config *c)
{
    return c->question.sweep.points > 1 || c->target.signatures.n > 1;
}

bool mpg_config_gives_short_answer(const struct mpg_config *c)
{
    return c->target.both && !mpg_config_sweeps(c) && !c->output.csv && !c->output.per_rank;
}

bool mpg_config_signature_is_all(const struct mpg_config *c)
{
    const struct mpg_perturbation_config *x = &c->change;
    return c->target.signature && strcmp(c->target.signature, "-") != 0 && x->noise.n == 0 && x->call_noise.n == 0 &&
           x->latency.n == 0 && x->byte.n == 0 && c->model.noise < 0 && c->model.latency == MPG_TIME_EMPIRICAL &&
           c->model.byte == MPG_TIME_EMPIRICAL && !c->given.eager_limit && !mpg_config_scales_messages(c) &&
           !x->factor[MPG_SWEPT_NOISE].given && !x->factor[MPG_SWEPT_CALL_NOISE].given;
}

/* --- texts --- */

/* Returns true if TEXT, a value of --target, is of the form KEY=VALUE, not a name or a file. */
static bool is_key(const char *text)
{
    size_t n = 0;
    while (isalpha((unsigned char)text[n]))
        n++;
    return n > 0 && text[n] == '=';
}

/* Appends each text of GIVEN to YES if ARE(text) is true, else to NO. If YES or NO is NULL, the text is dropped. */
static void sort(const struct mpg_option_list *given, bool (*are)(const char *text), struct mpg_option_list *yes,
                 struct mpg_option_list *no)
{
    for (size_t i = 0; i < given->n; i++) {
        struct mpg_option_list *to = are(given->item[i]) ? yes : no;
        if (to)
            to->item[to->n++] = given->item[i];
    }
}

static void sort_targets(struct mpg_target_config *t)
{
    sort(&t->given, is_key, &t->keys, &t->names);
    t->name = t->names.n > 0 ? t->names.item[0] : NULL;
    t->given_keys = t->keys.n;
}

static int parse_against(struct mpg_target_config *t, struct mpg_error *err)
{
    struct mpg_error no_time;
    if (!t->against)
        return 0;
    if (mpg_units_parse_time(t->against, &t->against_ns, &no_time) == 0)
        return t->against_ns > 0 ? 0 : mpg_error_set(err, "--against=%s: a run time is greater than 0", t->against);
    t->against_ns = 0;
    return t->against[strspn(t->against, "+-.0123456789")] ? 0 : mpg_error_set(err, "--against: %s", no_time.text);
}

static int read_hypotheses(struct mpg_config *c, struct mpg_error *err)
{
    struct mpg_hypotheses *all = &c->change.hypotheses;
    if (mpg_hypotheses_take(all, c->change.given.item, c->change.given.n, err) < 0)
        return -1;
    for (size_t i = 0; i < all->n && (c->output.output_trace || c->output.timeline); i++)
        if (!mpg_hypothesis_is_of_work(&all->item[i]))
            return mpg_error_set(err, "--%s: '%s': this hypothesis changes messages or calls, and a trace has the recorded ones",
                                 c->output.output_trace ? "output-trace" : "timeline", all->item[i].text);
    return 0;
}

static int parse_timeline(struct mpg_output_config *o, struct mpg_error *err)
{
    if (mpg_timeline_part_parse(o->timeline_calls, NULL, &o->timeline_part, err) < 0)
        return mpg_error_prefix(err, "--timeline=calls");
    return o->timeline_ranks && mpg_rank_set_parse(o->timeline_ranks, &o->timeline_part.ranks, err) < 0
               ? mpg_error_prefix(err, "--timeline=ranks")
               : 0;
}

/* Error: two options name standard input, which can be read only once. */
static int check_standard_input(const struct mpg_config *c, struct mpg_error *err)
{
    const struct mpg_option_list *const lists[] = {&c->target.names, &c->target.signatures, &c->change.files};
    const char *const files[] = {c->source.file, c->model.collective_table};
    int n = 0;
    for (size_t i = 0; i < c->trace_number; i++)
        n += strcmp(c->traces[i], "-") == 0;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < lists[k]->n; i++)
            n += strcmp(lists[k]->item[i], "-") == 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        n += files[k] && strcmp(files[k], "-") == 0;
    if (n > 0 && c->processes > 1)
        return mpg_error_set(err, "- (standard input) cannot be read by %d processes: give a file "
                                  "name", c->processes);
    return n > 1 ? mpg_error_set(err, "only one of TRACE, --target, --signature, --source, "
                                      "--hypothesis and --collectives=table can be -")
                 : 0;
}

/* --- consequences of several options --- */

/* Returns true if X may change the size of a collective, in perturb mode. PARTIAL: only of collectives with messages of one size
 * (rooted collectives and scans). */
static bool may_resize(const struct mpg_hypothesis *x, bool partial)
{
    const struct mpg_select *s = &x->select;
    if (x->kind != MPG_HYPOTHESIS_RESIZE || s->has_from || s->has_to || s->has_tag)
        return false;
    if (s->call == MPG_CALL_COUNT || s->call == MPG_CALL_Start || s->call == MPG_CALL_Startall)
        return true;
    const enum mpg_kind kind = mpg_call_kind(s->call);
    return partial ? mpg_collective_is_partial(s->call) : kind == MPG_KIND_COLLECTIVE || kind == MPG_KIND_ICOLLECTIVE;
}

static bool resizes(const struct mpg_config *c, bool partial)
{
    for (size_t i = 0; i < c->change.hypotheses.n && !c->target.predict; i++)
        if (may_resize(&c->change.hypotheses.item[i], partial))
            return true;
    return false;
}

void mpg_config_expand(struct mpg_config *c)
{
    struct mpg_model_config *m = &c->model;
    const bool waits = !mpg_option_has_word(&m->paper, MPG_PAPER_SYNC_REDUCE) && !c->target.name;
    const bool has_message_times = c->target.signature && c->change.latency.n + c->change.byte.n == 0;
    m->expand = m->collectives == MPG_COLLECTIVES_EXPAND;
    /* Hypotheses change the waits of a collective's members, which follow from the collective's messages. Other options may need
     * unchanged collectives. */
    m->expand_some = c->change.hypotheses.n > 0 && m->collectives == MPG_COLLECTIVES_DEFAULT && waits && !resizes(c, true);
    /* The signature has message times, and some measured collectives; the other collectives are expanded into messages. */
    m->expand_rest = has_message_times && waits && !resizes(c, false) &&
                     (m->collectives == MPG_COLLECTIVES_DEFAULT || m->collectives == MPG_COLLECTIVES_MEASURED);
}

static void resolve_where(struct mpg_question_config *q)
{
    for (size_t i = 0; i < q->where.n; i++) {
        const enum mpg_attribution_by by = (enum mpg_attribution_by)q->where.word[i];
        if (by >= MPG_ATTRIBUTION_BY_COUNT) { /* path and noise, the last words, are not kinds of rows */
            q->critical_path = q->critical_path || by == MPG_ATTRIBUTION_BY_COUNT;
            q->noise_causes = q->noise_causes || by > MPG_ATTRIBUTION_BY_COUNT;
            continue;
        }
        q->where_by[q->where_tables++] = by;
        q->where_wanted.places = true;
        q->where_wanted.pairs = q->where_wanted.pairs || by == MPG_ATTRIBUTION_BY_PAIR;
    }
}

bool mpg_config_wants_target_call_noise(const struct mpg_config *c)
{
    bool wants = false;
    for (size_t i = 0; i < c->change.call_noise.n; i++)
        wants = wants || strcmp(c->change.call_noise.item[i], "signature") == 0;
    return wants;
}

/* Returns true if an option of perturb mode is given: these options exclude --predict (table.c). */
static bool has_perturb_option(const struct mpg_config *c)
{
    return mpg_config_wants_target_call_noise(c) || c->change.factor[MPG_SWEPT_CALL_NOISE].given ||
           c->model.absorb != MPG_ABSORB_DEFAULT || mpg_sweep_find(&c->question.sweep, MPG_SWEPT_ABSORB) ||
           c->given.source_latency || c->given.source_byte || c->given.call_edges ||
           mpg_option_has_word(&c->model.without, MPG_WITHOUT_TRACER);
}

/* Returns true if all paths of all signatures have message times. Assumed true for standard input, which can be read only once,
 * and for a file that cannot be read: opening the file later will report the error. */
static bool have_message_times(const struct mpg_option_list *signatures)
{
    bool all = true;
    for (size_t i = 0; i < signatures->n && all; i++) {
        struct mpg_error ignored;
        struct mpg_signature *signature =
            strcmp(signatures->item[i], "-") == 0 ? NULL : mpg_signature_load(signatures->item[i], &ignored);
        all = !signature || signature->paths > 0;
        for (size_t k = 0; signature && k < signature->paths; k++)
            all = all && signature->network[k].latency.n + signature->network[k].bandwidth.n > 0;
        mpg_signature_free(signature);
    }
    return all;
}

/* Records --FLAG in the run for a history, as if given. */
static void note_flag(struct mpg_config *c, const char *flag)
{
    const struct mpg_option option = {.name = flag};
    mpg_config_note(c, &option, NULL);
}

/* Chooses the question if no option does: prediction and perturbed run, with a signature that has message times and without
 * options of perturb mode; else the perturbed run. */
static void choose_questions(struct mpg_config *c)
{
    struct mpg_target_config *t = &c->target;
    if (!t->predict && !t->perturb && t->signatures.n > 0 && !has_perturb_option(c) &&
        (c->change.latency.n > 0 || have_message_times(&t->signatures))) {
        t->predict = t->perturb = true;
        note_flag(c, "predict");
        note_flag(c, "perturb");
    }
    t->both = t->predict && t->perturb;
    if (mpg_config_gives_short_answer(c))
        c->question.where_wanted.places = true;
}

int mpg_config_resolve(void *config, char **traces, size_t n, struct mpg_error *err)
{
    struct mpg_config *c = config;
    struct mpg_model_config *m = &c->model;
    c->traces = traces;
    c->trace_number = n;
    c->target.signature = c->target.signatures.n > 0 ? c->target.signatures.item[0] : NULL;
    c->source.none = c->source.file && strcmp(c->source.file, "none") == 0;
    c->source.file = c->source.none ? NULL : c->source.file;
    c->given.call_edges =
        mpg_option_has_word(&m->paper, MPG_PAPER_CALL_EDGES) || mpg_option_has_word(&m->paper, MPG_PAPER_OWN_EDGES);
    m->deterministic = mpg_option_has_word(&m->without, MPG_WITHOUT_CHOICE);
    c->output.timeline_part.lenient = m->lenient;
    for (size_t i = 0; i < m->without.n; i++)
        if (m->without.word[i] < MPG_RULES)
            mpg_rule_leave_out((enum mpg_rule)m->without.word[i]);
    sort_targets(&c->target);
    sort(&c->change.given, mpg_hypothesis_is_file, &c->change.files, NULL);
    resolve_where(&c->question);
    if (parse_against(&c->target, err) < 0 || mpg_config_take_factors(c, err) < 0 || mpg_config_parse_sweep(c, err) < 0 ||
        parse_timeline(&c->output, err) < 0 || check_standard_input(c, err) < 0 || read_hypotheses(c, err) < 0)
        return -1;
    choose_questions(c);
    if (m->tasks && c->processes > 1)
        return mpg_error_set(err, "--tasks=by-arrival is for one process");
    m->has_weak_progress = c->change.hypotheses.n > 0 && !mpg_option_has_word(&m->without, MPG_WITHOUT_WEAK_PROGRESS);
    mpg_config_expand(c);
    return 0;
}

/* --- the whole command line --- */

static int read_scenario(struct mpg_config *c, struct mpg_processes *processes, struct mpg_config *at,
                         struct mpg_setting *setting, struct mpg_error *err)
{
    const int status = mpg_config_read_target(c, err);
    if (status < 0)
        return status;
    mpg_config_at(c, c->target.signature, 0, at);
    return mpg_setting_make(setting, at, processes, NULL, err);
}

/* Reads all machines: keeps the first machine, and only checks the rest. */
static int read_machines(struct mpg_config *c, struct mpg_processes *processes, struct mpg_config *at,
                        struct mpg_setting *setting, struct mpg_error *err)
{
    int status = mpg_config_target_point(c, 0, at, err);
    if (status == 0)
        status = mpg_setting_make(setting, at, processes, NULL, err);
    for (size_t i = 1; i < mpg_config_target_points(c) && status == 0; i++) {
        struct mpg_config other;
        struct mpg_setting of_other = {.borrows = false};
        status = mpg_config_target_point(c, i, &other, err);
        if (status == 0)
            status = mpg_setting_make(&of_other, &other, processes, setting, err);
        mpg_setting_close(&of_other);
        mpg_config_target_point_clear(&other);
    }
    return status;
}

const char *mpg_config_read(struct mpg_config *c, int argc, char **argv, struct mpg_processes *processes,
                            struct mpg_config *at, struct mpg_setting *setting, struct mpg_error *err)
{
    *c = (struct mpg_config){.target = {.engine = MPG_ENGINE_DEFAULT, .path = MPG_PATHS},
                             .model = {.absorb = MPG_ABSORB_DEFAULT,
                                       .noise = -1,
                                       .cosched = MPG_COSCHEDS,
                                       .polling_interval_ns = 10e3,
                                       .collectives = MPG_COLLECTIVES_DEFAULT,
                                       .horizon = DEFAULT_HORIZON},
                             .question = {.segments = DEFAULT_SEGMENTS, .waits = MPG_WAITS_BY_COUNT},
                             .output = {.output = "-"},
                             .replicas = DEFAULT_REPLICAS,
                             .seed = 1,
                             .processes = processes->size};
    struct mpg_program program = mpg_config_program(c);
    program.silent = !processes->prints;
    const int first = mpg_option_parse(&program, argc, argv);
    const char *history = getenv("MPGKIT_HISTORY");
    if (!c->output.history && history && *history)
        c->output.history = history;
    int status = mpg_config_read_against(c, err);
    if (status == 0)
        status = mpg_config_tabulates(c) ? read_machines(c, processes, at, setting, err)
                                         : read_scenario(c, processes, at, setting, err);
    if (status == MPG_SPEC_UNREADABLE)
        return NULL;
    if (status < 0)
        mpg_option_usage_error(&program, "%s", err->text);
    return argv[first];
}

void mpg_config_clear(struct mpg_config *c)
{
    mpg_sweep_clear(&c->question.sweep);
    mpg_sweep_clear(&c->question.keys);
    mpg_hypotheses_clear(&c->change.hypotheses);
    mpg_parameters_free(c->target.machine);
    mpg_rank_set_clear(&c->output.timeline_part.ranks);
    mpg_history_run_clear(&c->run);
}
