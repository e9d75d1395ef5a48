/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim: what would a machine's noise, latency and bandwidth do to a traced run? */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/kind.h"
#include "common/option.h"
#include "common/output.h"
#include "simulate/reports/report.h"
#include "trace/untraced.h"

enum { DEFAULT_REPLICAS = 64, MAX_REPLICAS = 1000000 };

struct arguments {
    const char *signature, *source, *path, *absorb, *cosched, *measurement, *noise_model, *output;
    const char *latency_model, *byte_model, *call_edges;
    struct mpg_option_list noise, call_noise, latency, byte;
    double compute_ratio, source_latency_ns, source_byte_ns;
    int64_t eager_limit, source_eager_limit, replicas, first_replica, seed;
    struct mpg_given given;
    bool json, per_rank, lenient, deterministic, keep_tracer;
    enum mpg_path_class path_class; /* MPG_PATHS: the farthest */
    enum mpg_cosched cosched_kind;  /* MPG_COSCHEDS: what the records were made for */
};

struct inputs {
    struct mpg_signature *target, *given_source;
    struct mpg_source source;
    struct mpg_trace *trace;
    struct mpg_perturbation p;
};

/* An option of a distribution: what was given, where it goes, whether it may name ranks. */
struct dist_option {
    const char *name;
    const struct mpg_option_list *given;
    struct mpg_specs *specs;
    bool of_ranks;
};

enum { DIST_OPTIONS = 4 };

static void list_dists(const struct arguments *a, struct mpg_perturbation *p,
                       struct dist_option list[DIST_OPTIONS])
{
    list[0] = (struct dist_option){"--noise", &a->noise, &p->noise, true};
    list[1] = (struct dist_option){"--call-noise", &a->call_noise, &p->call_noise, true};
    list[2] = (struct dist_option){"--latency", &a->latency, &p->latency, false};
    list[3] = (struct dist_option){"--byte", &a->byte, &p->byte, false};
}

static int parse_specs(const struct arguments *a, struct mpg_perturbation *p, struct mpg_error *err)
{
    struct dist_option list[DIST_OPTIONS];
    list_dists(a, p, list);
    for (const struct dist_option *o = list; o < list + DIST_OPTIONS; o++) {
        for (size_t i = 0; i < o->given->n; i++)
            if (mpg_specs_add(o->specs, o->given->item[i], err) < 0)
                return mpg_error_prefix(err, "%s", o->name);
        if (!o->of_ranks && !mpg_specs_are_for_all(o->specs))
            return mpg_error_set(err, "%s takes no @RANKS: a message has two ranks", o->name);
    }
    return 0;
}

/* Ranks that are named and not in the trace would be without effect. */
static int check_ranks(const struct arguments *a, struct inputs *in, struct mpg_error *err)
{
    struct dist_option list[DIST_OPTIONS];
    list_dists(a, &in->p, list);
    for (const struct dist_option *o = list; o < list + DIST_OPTIONS; o++)
        if (mpg_specs_check(o->specs, mpg_trace_ranks(in->trace), err) < 0)
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
static int parse_call_edges(const struct arguments *a, const struct mpg_simulation_options *options,
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

static int parse_cosched(struct arguments *a, struct mpg_error *err)
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

static int parse_noise_model(const struct arguments *a, struct mpg_perturbation *p,
                             struct mpg_error *err)
{
    if (!a->noise_model)
        return 0;
    if (!a->signature)
        return mpg_error_set(err, "--noise-model: there is no --signature whose noise it is about");
    if (strcmp(a->noise_model, "replay") == 0)
        p->noise_model = MPG_NOISE_REPLAY;
    else if (strcmp(a->noise_model, "ecdf") == 0)
        p->noise_model = MPG_NOISE_ECDF;
    else
        return mpg_error_set(err, "--noise-model: '%s' is not replay or ecdf", a->noise_model);
    return 0;
}

/* --NAME: what the signatures' lambda, or tau, is drawn from, unless GIVEN replaces that. */
static int parse_time_model(const struct arguments *a, const char *name, const char *text,
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

static int parse_time_models(const struct arguments *a, struct mpg_perturbation *p,
                             struct mpg_error *err)
{
    if (parse_time_model(a, "latency-model", a->latency_model, &a->latency, &p->latency_model, err) < 0)
        return -1;
    return parse_time_model(a, "byte-model", a->byte_model, &a->byte, &p->byte_model, err);
}

/* What --source names; NULL: nothing, or that there is none. */
static const char *source_file(const struct arguments *a)
{
    return a->source && strcmp(a->source, "none") != 0 ? a->source : NULL;
}

/* What says how signatures are used says nothing without one. */
static int check_signatures(const struct arguments *a, struct mpg_error *err)
{
    if (a->keep_tracer && !a->signature)
        return mpg_error_set(err, "--keep-tracer: without --signature nothing is taken out");
    if (a->signature || source_file(a) || (!a->cosched && !a->measurement))
        return 0;
    return mpg_error_set(err, "--%s: there is no --signature that it is about",
                         a->cosched ? "cosched" : "measurement");
}

static int parse_measurement(const struct arguments *a, struct mpg_perturbation *p,
                             struct mpg_error *err)
{
    p->measurement_fixed = a->measurement && strcmp(a->measurement, "fixed") == 0;
    if (!a->measurement || p->measurement_fixed || strcmp(a->measurement, "resample") == 0)
        return 0;
    return mpg_error_set(err, "--measurement: '%s' is not resample or fixed", a->measurement);
}

/* A class of path, with blanks or hyphens between its words. */
static int parse_path(struct arguments *a, struct mpg_error *err)
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

static int load_signature(const char *path, struct mpg_signature **sig, struct mpg_error *err)
{
    if (!path || (*sig = mpg_signature_load(path, err)))
        return 0;
    return mpg_kind_explain(path, MPG_FILE_SIGNATURE, err);
}

/* What is read twice from standard input is empty the second time. */
static int check_standard_input(const struct arguments *a, const char *trace,
                                struct mpg_error *err)
{
    int n = strcmp(trace, "-") == 0;
    n += a->signature && strcmp(a->signature, "-") == 0;
    n += a->source && strcmp(a->source, "-") == 0;
    return n > 1 ? mpg_error_set(err, "only one of TRACE, --signature and --source can be -") : 0;
}

/* The answer would replace what it was made of. */
static int check_output(const struct arguments *a, const char *trace, struct mpg_error *err)
{
    const char *const inputs[] = {trace, a->signature, source_file(a)};
    struct stat out, in;
    if (strcmp(a->output, "-") == 0 || stat(a->output, &out) < 0 || !S_ISREG(out.st_mode))
        return 0;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] && stat(inputs[i], &in) == 0 && in.st_dev == out.st_dev &&
            in.st_ino == out.st_ino)
            return mpg_error_set(err, "--output: %s is what is read", a->output);
    return 0;
}

static int seat_ranks(const struct arguments *a, struct inputs *in, struct mpg_error *err)
{
    int32_t ranks = mpg_trace_ranks(in->trace);
    int32_t *host = malloc((size_t)ranks * sizeof *host);
    if (!host)
        return mpg_error_set(err, "out of memory");
    for (int32_t i = 0; i < ranks; i++)
        host[i] = mpg_trace_host(in->trace, i);
    int status = mpg_perturbation_seat(&in->p, ranks, host, a->cosched_kind, err);
    free(host);
    return status;
}

static int open_inputs(const struct arguments *a, const char *trace, struct inputs *in,
                       struct mpg_error *err)
{
    if (check_output(a, trace, err) < 0 ||
        load_signature(a->signature, &in->target, err) < 0 ||
        load_signature(source_file(a), &in->given_source, err) < 0 ||
        !(in->trace = mpg_trace_open(trace, err)) ||
        mpg_source_find(&in->source, in->trace, in->target, in->given_source,
                        a->source && !source_file(a), err) < 0 ||
        mpg_perturbation_use(&in->p, in->target, in->source.signature, a->path_class, err) < 0)
        return -1;
    return check_ranks(a, in, err) < 0 ? -1 : seat_ranks(a, in, err);
}

static void close_inputs(struct inputs *in)
{
    mpg_perturbation_clear(&in->p);
    mpg_signature_free(in->target);
    mpg_source_clear(&in->source);
    mpg_signature_free(in->given_source);
    mpg_trace_close(in->trace);
}

/* PATH's eager limit; false: it is not known. */
static bool find_limit(const struct mpg_network_path *path, int64_t *limit_bytes)
{
    if (!path || path->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN)
        return false;
    *limit_bytes = path->eager_limit_bytes;
    return true;
}

/* Eager limits of target and source: each one's own as far as it is known, else the
 * other's; without both nothing is synchronous. */
static void set_limits(const struct arguments *a, const struct inputs *in,
                       struct mpg_simulation_options *o)
{
    int64_t target = INT64_MAX, source = INT64_MAX;
    bool has_target = a->given.eager_limit || find_limit(in->p.target_path, &target);
    bool has_source = a->given.source_eager_limit || find_limit(in->p.source_path, &source);
    if (a->given.eager_limit)
        target = a->eager_limit;
    if (a->given.source_eager_limit)
        source = a->source_eager_limit;
    if (!has_target)
        target = source;
    o->graph.eager_limit_bytes = target;
    o->graph.source_eager_limit_bytes = has_source ? source : target;
    o->source_limit = !has_target                ? MPG_LIMIT_OF_TARGET
                      : has_source               ? MPG_LIMIT_GIVEN
                      : a->given.eager_limit     ? MPG_LIMIT_OF_TARGET
                                                 : MPG_LIMIT_IN_TRACE;
}

static void set_options(const struct arguments *a, struct inputs *in,
                        struct mpg_simulation_options *o)
{
    o->graph.lenient = a->lenient;
    in->p.without_tracer = in->p.target && !a->keep_tracer;
    set_limits(a, in, o);
    o->floors.has_source_cost = a->given.source_latency || a->given.source_byte;
    o->floors.latency_ns = a->source_latency_ns;
    o->floors.byte_ns = a->source_byte_ns;
    o->floors.source = in->p.source_path;
    o->first_replica = (uint32_t)a->first_replica;
    bool one = !a->given.replicas && !mpg_perturbation_is_random(&in->p);
    o->replicas = one ? 1 : (uint32_t)a->replicas;
}

/* The table has no room for what needs attention. */
static void warn(const struct mpg_attention *attention)
{
    for (size_t i = 0; i < attention->n; i++)
        fprintf(stderr, "mpgsim: attention: %s: %s\n", attention->line[i].topic,
                attention->line[i].text);
}

static int write_report(const struct arguments *a, const struct mpg_report *report,
                        struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    int status = a->json       ? mpg_report_json(report, stream, err)
                 : a->per_rank ? mpg_report_per_rank(report, stream, err)
                               : mpg_report_text(report, stream, err);
    if (status < 0) {
        mpg_output_discard(out);
        return -1;
    }
    if (mpg_output_commit(out, err) < 0)
        return -1;
    if (a->per_rank)
        warn(report->attention);
    return 0;
}

static int answer(const struct arguments *a, struct mpg_report *report, struct mpg_error *err)
{
    struct mpg_attention attention = {0};
    report->attention = &attention;
    int status = mpg_attention_gather(report, &attention, err);
    if (status == 0)
        status = write_report(a, report, err);
    mpg_attention_clear(&attention);
    return status;
}

/* Says in ERR, of a trace that could not be placed, that calls are missing in it. */
static void add_untraced(struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_untraced_calls list;
    char words[512];
    size_t used = strlen(err->text);
    if (mpg_untraced_find(trace, true, &list, NULL) == 0 &&
        mpg_untraced_words(&list, words, sizeof words))
        snprintf(err->text + used, sizeof err->text - used,
                 "; the trace misses %s, which the tracer did not know", words);
    mpg_untraced_clear(&list);
}

static int run(const struct arguments *a, const char *trace, struct mpg_simulation_options *options,
               struct inputs *in, struct mpg_error *err)
{
    struct mpg_result result = {0};
    if (open_inputs(a, trace, in, err) < 0)
        return -1;
    if (mpg_trace_cut(in->trace) && !a->lenient)
        return mpg_error_set(err, "%s (--lenient goes on with what is whole)",
                             mpg_trace_cut(in->trace));
    set_options(a, in, options);
    if (mpg_perturbation_measure(&in->p, options->first_replica, options->replicas, err) < 0)
        return -1;
    if (mpg_simulate(in->trace, &in->p, options, &result, err) < 0) {
        if (strncmp(err->text, "rank ", 5) == 0)
            mpg_error_prefix(err, "%s", mpg_trace_path(in->trace));
        add_untraced(in->trace, err);
        return -1;
    }
    struct mpg_report report = {.trace = in->trace,
                                .p = &in->p,
                                .source = &in->source,
                                .options = options,
                                .result = &result,
                                .given = a->given};
    int status = answer(a, &report, err);
    mpg_result_clear(&result);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments a = {
        .output = "-", .compute_ratio = 1, .replicas = DEFAULT_REPLICAS, .seed = 1};
    const double huge = 9e15;
    const struct mpg_option options[] = {
        {.name = "signature", .kind = MPG_OPTION_STRING, .value = &a.signature, .argument = "FILE",
         .help = "the target machine: its noise, latency, bandwidth, eager limit"},
        {.name = "source", .kind = MPG_OPTION_STRING, .value = &a.source, .argument = "FILE",
         .help = "the traced machine's signature, whose costs the trace contains\n"
                 "(default: the one in the trace; the target's if the trace is of its\n"
                 "machine); none: there is none"},
        {.name = "path", .kind = MPG_OPTION_STRING, .value = &a.path, .argument = "CLASS",
         .given = &a.given.path,
         .help = "which of the target's paths messages take: core-complex, node,\n"
                 "between-nodes (default: the farthest measured)"},
        {.name = "noise", .kind = MPG_OPTION_LIST, .value = &a.noise, .argument = "DIST[@RANKS]",
         .help = "time lost to the system, drawn once for each compute interval\n"
                 "DIST: const:T exp:MEAN normal:MEAN,SD gamma:MEAN,SD\n"
                 "lognormal:MEAN,SD pareto:MINIMUM,SHAPE file:SAMPLES\n"
                 "with times like 100ns or 2us; RANKS like 0,4-7.\n"
                 "Several of it add up where they name the same rank"},
        {.name = "call-noise", .kind = MPG_OPTION_LIST, .value = &a.call_noise,
         .argument = "DIST[@RANKS]", .help = "time lost inside each MPI call"},
        {.name = "call-edges", .kind = MPG_OPTION_STRING, .value = &a.call_edges,
         .argument = "WHERE",
         .help = "where --call-noise acts: own: on the call's own rank; paper: also on\n"
                 "messages, as Sottile 2006 prints it (default: own, but paper with\n"
                 "--absorb=none --eager-limit=-1)"},
        {.name = "latency", .kind = MPG_OPTION_LIST, .value = &a.latency, .argument = "DIST",
         .help = "extra latency of each message"},
        {.name = "byte", .kind = MPG_OPTION_LIST, .value = &a.byte, .argument = "DIST",
         .help = "extra transfer time for each byte of a message"},
        {.name = "compute-ratio", .kind = MPG_OPTION_REAL, .value = &a.compute_ratio,
         .argument = "R", .help = "how long the target computes for a traced second of\n"
                                 "computation: 2 is half as fast (default 1)",
         .minimum = 1e-9, .maximum = 1e9},
        {.name = "noise-model", .kind = MPG_OPTION_STRING, .value = &a.noise_model,
         .argument = "HOW",
         .help = "replay: signatures' recorded detours; ecdf: the time that their\n"
                 "FTQ quanta lost (default: replay where there are any)"},
        {.name = "latency-model", .kind = MPG_OPTION_STRING, .value = &a.latency_model,
         .argument = "HOW",
         .help = "empirical (default): latencies as they were measured; fit: as the\n"
                 "nearest of the families that the signature has fitted to them"},
        {.name = "byte-model", .kind = MPG_OPTION_STRING, .value = &a.byte_model, .argument = "HOW",
         .help = "the same of what bytes add"},
        {.name = "cosched", .kind = MPG_OPTION_STRING, .value = &a.cosched, .argument = "WHO",
         .given = &a.given.cosched,
         .help = "who meets the recorded noise at the same time: none, the ranks\n"
                 "of a node, of the job (default: node if its cores were recorded\n"
                 "together, else none)"},
        {.name = "measurement", .kind = MPG_OPTION_STRING, .value = &a.measurement,
         .argument = "HOW", .given = &a.given.measurement,
         .help = "resample (default): signatures are samples, and each two\n"
                 "replicas see what another measurement might have found;\n"
                 "fixed: they are taken for exact"},
        {.name = "absorb", .kind = MPG_OPTION_STRING, .value = &a.absorb, .argument = "MODE",
         .help = "what absorbs delay: none, wait (waiting in calls), clock (and\n"
                 "messages that lay ready; needs comparable clocks). Default:\n"
                 "clock where clocks are comparable, else wait"},
        {.name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = &a.eager_limit,
         .argument = "BYTES", .minimum = -1, .maximum = huge, .given = &a.given.eager_limit,
         .help = "larger standard sends wait for their receiver; -1: all do\n"
                 "(default: the signature's, else unlimited)"},
        {.name = "source-eager-limit", .kind = MPG_OPTION_SIZE, .value = &a.source_eager_limit,
         .argument = "BYTES", .minimum = -1, .maximum = huge,
         .given = &a.given.source_eager_limit,
         .help = "the traced machine's (default: the source's, or the target's\n"
                 "where the trace does not contradict it)"},
        {.name = "source-latency", .kind = MPG_OPTION_TIME, .value = &a.source_latency_ns,
         .argument = "TIME", .minimum = 0, .maximum = huge, .given = &a.given.source_latency,
         .help = "least cost of a message on the traced machine\n"
                 "(default: found in the trace)"},
        {.name = "source-byte", .kind = MPG_OPTION_TIME, .value = &a.source_byte_ns,
         .argument = "TIME", .minimum = 0, .maximum = huge, .given = &a.given.source_byte,
         .help = "and of each of its bytes"},
        {.name = "replicas", .kind = MPG_OPTION_INT, .value = &a.replicas, .argument = "N",
         .minimum = 1, .maximum = MAX_REPLICAS, .given = &a.given.replicas,
         .help = "worlds to simulate (default 64, or 1 if nothing is random)"},
        {.name = "first-replica", .kind = MPG_OPTION_INT, .value = &a.first_replica,
         .argument = "K", .minimum = 0, .maximum = MAX_REPLICAS,
         .given = &a.given.first_replica,
         .help = "number of the first one, to repeat a single one (default 0)"},
        {.name = "seed", .kind = MPG_OPTION_INT, .value = &a.seed, .argument = "N", .minimum = 0,
         .maximum = huge, .given = &a.given.seed, .help = "of all draws (default 1)"},
        {.name = "deterministic", .kind = MPG_OPTION_FLAG, .value = &a.deterministic,
         .help = "keep what Waitany, Test... completed in the trace (always so)"},
        {.name = "keep-tracer", .kind = MPG_OPTION_FLAG, .value = &a.keep_tracer,
         .help = "leave in the run what recording it took, which --signature takes out"},
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &a.lenient,
         .help = "count what has no partner, or does not fit it, instead of failing"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &a.json,
         .help = "print the whole answer as JSON"},
        {.name = "per-rank", .kind = MPG_OPTION_FLAG, .value = &a.per_rank,
         .help = "print a table of the ranks' delays"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &a.output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgsim", .arguments = "TRACE",
        .summary = "Perturb TRACE (a folder, a file, mpgtext, or - for standard input) and say how "
                   "its run time changes.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    struct mpg_simulation_options simulation = {0};
    struct inputs in = {.p = {.seed = (uint64_t)a.seed, .compute_ratio = a.compute_ratio}};
    if (a.json && a.per_rank)
        mpg_option_usage_error(&program, "--json and --per-rank exclude each other");
    if (parse_absorb(a.absorb, &simulation, &err) < 0 || parse_specs(&a, &in.p, &err) < 0 ||
        parse_call_edges(&a, &simulation, &in.p, &err) < 0 ||
        parse_path(&a, &err) < 0 || parse_cosched(&a, &err) < 0 ||
        parse_measurement(&a, &in.p, &err) < 0 || parse_noise_model(&a, &in.p, &err) < 0 ||
        parse_time_models(&a, &in.p, &err) < 0 || check_signatures(&a, &err) < 0 || check_standard_input(&a, argv[first], &err) < 0)
        mpg_option_usage_error(&program, "%s", err.text);
    int status = run(&a, argv[first], &simulation, &in, &err);
    if (status < 0)
        mpg_error_print(program.name, &err);
    close_inputs(&in);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
