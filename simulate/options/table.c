/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim's options: words, ranges, --help, and rules between options. CONTRIBUTING.md has the recipe for a new option. */
#include "simulate/options/configuration.h"

#include <string.h>

#include "simulate/rules.h"

enum { MAX_REPLICAS = 1000000, MAX_THREADS = 4096, MAX_SEGMENTS = 1000000, MAX_OPTIONS = 49 };
static const double HUGE = 9e15;

/* The words of options, in the order of the enums. */
static const char *const engines[] = {"events", "graph", NULL};
static const char *const works[] = {"cpu", "wall", NULL};
static const char *const gets[] = {"deferred", "blocking", NULL};
static const char *const paths[] = {"core-complex", "node", "between-nodes", NULL};
static const char *const noise_models[] = {"replay", "ecdf", "renewal", "fit", NULL};
static const char *const time_models[] = {"empirical", "fit", NULL};
static const char *const coscheds[] = {"none", "node", "job", NULL};
static const char *const measurements[] = {"resample", "fixed", NULL};
static const char *const speeds[] = {"launches", "recorded", NULL};
static const char *const absorbs[] = {"none", "wait", "clock", NULL};
static const char *const collectives[] = {"measured", "rounds", "expand", NULL};
static const char *const contentions[] = {"auto", "none", "measured", NULL};
static const char *const pollings[] = {"wait", "work", NULL};
static const char *const tasks[] = {"traced", "by-arrival", NULL};
static const char *const papers[] = {"call-edges", "sync-reduce", "own-edges", NULL};
static const char *const wheres[] = {"call", "callsite", "region", "rank", "pair", "path", "noise", NULL};
static const char *const waits[] = {"call", "callsite", "region", "rank", NULL};
static const char *const caches[] = {"kept", "fresh", NULL};

const char *mpg_collectives_word(enum mpg_collectives how)
{
    return collectives[how];
}

/* Returns the words of --without: the names of the rules, then the words from MPG_WITHOUT_TRACER on. */
static const char *const *list_without(void)
{
    static const char *words[MPG_RULES + 6];
    for (int i = 0; i < MPG_RULES; i++)
        words[i] = mpg_rule_name((enum mpg_rule)i);
    words[MPG_WITHOUT_TRACER] = "tracer";
    words[MPG_WITHOUT_WEAK_PROGRESS] = "weak-progress";
    words[MPG_WITHOUT_CHOICE] = "choice";
    words[MPG_WITHOUT_REQUEST_WAITS] = "request-waits";
    words[MPG_WITHOUT_UNEVEN_SHARES] = "uneven-shares";
    return words;
}

/* --- rules between options --- */

#define OF_ONE_RUN "this option is about one run"
static const struct mpg_option_rule rules[] = {
    {"target", MPG_OPTION_IMPLIES, "predict", NULL},
    {"perturb", MPG_OPTION_EXCLUDES, "target", "a target has no costs of the traced run to compare"},
    /* rules about machines */
    {"predict", MPG_OPTION_NEEDS, "signature|latency|target|--sweep latency", "one of these gives the costs of messages"},
    {"--target=KEY=VALUE", MPG_OPTION_NEEDS, "--target=NAME", NULL},
    {"target=work", MPG_OPTION_NEEDS, "--target=NAME", NULL},
    {"target=get", MPG_OPTION_NEEDS, "--target=NAME", NULL},
    {"target=engine", MPG_OPTION_NEEDS, "--target=NAME", NULL},
    {"against", MPG_OPTION_NEEDS, "--target=NAME", NULL},
    {"a second TRACE", MPG_OPTION_NEEDS, "--target=NAME", NULL},
    {"map", MPG_OPTION_EXCLUDES, "map=path", NULL},
    {"--sweep map", MPG_OPTION_EXCLUDES, "map=path", NULL},
    {"map", MPG_OPTION_NEEDS, "signature|target|output-trace", "only signatures, targets and traces have places of ranks"},
    {"--sweep map", MPG_OPTION_NEEDS, "signature", "the signature has the paths between places"},
    {"map=path", MPG_OPTION_NEEDS, "signature", "the signature has the paths"},
    {"source=map", MPG_OPTION_NEEDS, "signature|a source", NULL},
    {"source=latency", MPG_OPTION_EXCLUDES, "predict", NULL},
    {"source=byte", MPG_OPTION_EXCLUDES, "predict", NULL},
    {"models=noise", MPG_OPTION_NEEDS, "signature", NULL},
    {"models=noise", MPG_OPTION_EXCLUDES, "--noise in place of the signature's", NULL},
    {"models=latency", MPG_OPTION_NEEDS, "signature", NULL},
    {"models=latency", MPG_OPTION_EXCLUDES, "--latency in place of the signature's", NULL},
    {"models=byte", MPG_OPTION_NEEDS, "signature", NULL},
    {"models=byte", MPG_OPTION_EXCLUDES, "--byte in place of the signature's", NULL},
    {"models=cosched", MPG_OPTION_NEEDS, "signature|a source", NULL},
    {"models=measurement", MPG_OPTION_NEEDS, "signature|a source", NULL},
    /* options that are not available with a parametric target */
    {"tolerate", MPG_OPTION_EXCLUDES, "target",
     "--tolerate searches in options, not in keys of a target (--sweep KEY=... varies keys)"},
    {"several --signature", MPG_OPTION_EXCLUDES, "target", "parameters that a target's file lacks come from one signature"},
    {"waits", MPG_OPTION_EXCLUDES, "target",
     "write a trace of the predicted run: --output-trace=FOLDER, then mpgtrace waits FOLDER"},
    {"timeline", MPG_OPTION_EXCLUDES, "target",
     "write a trace of the predicted run: --output-trace=FOLDER, then mpgtrace timeline FOLDER"},
    {"collectives=expand", MPG_OPTION_EXCLUDES, "target", "all collectives but barriers are rounds there"},
    /* rules about the model */
    {"absorb", MPG_OPTION_EXCLUDES, "predict", NULL},
    {"--sweep absorb", MPG_OPTION_EXCLUDES, "predict", NULL},
    {"paper=call-edges", MPG_OPTION_EXCLUDES, "predict", NULL},
    {"paper=own-edges", MPG_OPTION_EXCLUDES, "predict", NULL},
    {"paper=own-edges", MPG_OPTION_EXCLUDES, "paper=call-edges", NULL},
    {"paper=sync-reduce", MPG_OPTION_EXCLUDES, "collectives=expand", "the messages of the algorithm determine who waits"},
    {"collectives=rounds", MPG_OPTION_NEEDS, "signature", "without a signature, all collectives are rounds already"},
    {"collectives=table", MPG_OPTION_NEEDS, "collectives that are messages",
     "the table chooses their algorithms (--collectives=expand: all of them)"},
    {"contention=measured", MPG_OPTION_NEEDS, "signature", "it has the curves"},
    {"contention=measured", MPG_OPTION_EXCLUDES, "perturb", "delays have no order of time"},
    {"contention=measured", MPG_OPTION_EXCLUDES, "target", "its keys PortBandwidth and MemoryBandwidth are the capacities"},
    {"contention=measured", MPG_OPTION_EXCLUDES, "where", "no paths are followed in the order of time"},
    {"contention=measured", MPG_OPTION_EXCLUDES, "waits", "wait states are found in the order of the graph"},
    {"contention=measured", MPG_OPTION_EXCLUDES, "tasks=by-arrival", "tasks are given out in the order of the graph"},
    {"contention=measured", MPG_OPTION_EXCLUDES, "timeline", "it is drawn in the order of the graph"},
    {"cores", MPG_OPTION_NEEDS, "signature", "it has the costs of messages"},
    {"cores", MPG_OPTION_EXCLUDES, "perturb", "delays have no order of time"},
    {"cores", MPG_OPTION_EXCLUDES, "target", "its key Processors is the number of cores"},
    {"cores", MPG_OPTION_EXCLUDES, "where", "no paths are followed in the order of time"},
    {"cores", MPG_OPTION_EXCLUDES, "waits", "wait states are found in the order of the graph"},
    {"cores", MPG_OPTION_EXCLUDES, "tasks=by-arrival", "tasks are given out in the order of the graph"},
    {"cores", MPG_OPTION_EXCLUDES, "timeline", "it is drawn in the order of the graph"},
    {"polling=interval", MPG_OPTION_EXCLUDES, "polling=work", NULL},
    {"without=tracer", MPG_OPTION_EXCLUDES, "predict", NULL},
    {"without=tracer", MPG_OPTION_NEEDS, "signature", "without a signature, the tracer's time stays in the run anyway"},
    {"without-noise", MPG_OPTION_NEEDS, "signature", "the noise is that of the signature's machine"},
    {"without-noise", MPG_OPTION_EXCLUDES, "noise", "--noise replaces the signature's noise"},
    {"without-noise", MPG_OPTION_EXCLUDES, "models=noise", "detours have causes, quanta and drawn detours have none"},
    {"without=weak-progress", MPG_OPTION_NEEDS, "hypothesis", NULL},
    {"tasks=by-arrival", MPG_OPTION_NEEDS, "predict|a prediction", "the order of arrival is that of predicted times"},
    {"tasks=by-arrival", MPG_OPTION_EXCLUDES, "target", "messages of a --signature decide the order of arrival"},
    {"tasks=by-arrival", MPG_OPTION_EXCLUDES, "hypothesis", NULL},
    {"tasks=by-arrival", MPG_OPTION_EXCLUDES, "several scenarios", "each scenario has its own distribution of tasks"},
    {"tasks=by-arrival", MPG_OPTION_EXCLUDES, "tolerate", "each value has its own distribution of tasks"},
    {"tasks=by-arrival", MPG_OPTION_EXCLUDES, "waits", "the recorded run has another distribution of tasks"},
    {"tasks=by-arrival", MPG_OPTION_EXCLUDES, "timeline", "the recorded run has another distribution of tasks"},
    {"tasks=by-arrival", MPG_OPTION_EXCLUDES, "report", "the recorded run has another distribution of tasks"},
    {"horizon", MPG_OPTION_EXCLUDES, "without=choice", NULL},
    {"horizon", MPG_OPTION_EXCLUDES, "absorb=none", NULL},
    {"horizon", MPG_OPTION_EXCLUDES, "absorb=wait", NULL},
    {"horizon", MPG_OPTION_EXCLUDES, "--sweep absorb", NULL},
    /* rules about scenarios */
    {"tolerate", MPG_OPTION_EXCLUDES, "sweep", NULL},
    {"eager-limit", MPG_OPTION_EXCLUDES, "--sweep eager-limit", NULL},
    {"absorb", MPG_OPTION_EXCLUDES, "--sweep absorb", NULL},
    {"map", MPG_OPTION_EXCLUDES, "--sweep map", NULL},
    {"per-rank", MPG_OPTION_EXCLUDES, "several scenarios", NULL},
    {"output-trace", MPG_OPTION_EXCLUDES, "several scenarios", NULL},
    {"output-format", MPG_OPTION_NEEDS, "output-trace", "--output-format is the format of that trace"},
    {"waits", MPG_OPTION_EXCLUDES, "several scenarios", NULL},
    {"where", MPG_OPTION_EXCLUDES, "several scenarios", NULL},
    {"timeline", MPG_OPTION_EXCLUDES, "several scenarios", NULL},
    {"output-trace", MPG_OPTION_EXCLUDES, "a table of traces and targets", OF_ONE_RUN},
    {"per-rank", MPG_OPTION_EXCLUDES, "a table of traces and targets", OF_ONE_RUN " (--json has all)"},
    {"history", MPG_OPTION_EXCLUDES, "a table of traces and targets", "a history keeps answers about one run"},
    {"report", MPG_OPTION_EXCLUDES, "a table of traces and targets", "a report is about one run"},
    {"where", MPG_OPTION_EXCLUDES, "a table of traces and targets", OF_ONE_RUN},
    {"target=engine=graph", MPG_OPTION_EXCLUDES, "a table of traces and targets", "only events simulate processors"},
    {"--target=-", MPG_OPTION_EXCLUDES, "a table of traces and targets", "targets are read more than once"},
    /* rules about output */
    {"where=path", MPG_OPTION_NEEDS, "predict|a prediction", "the critical path is of predicted times"},
    {"where=segments", MPG_OPTION_NEEDS, "where=path", NULL},
    {"where=noise", MPG_OPTION_NEEDS, "signature", "it is the noise of its machine"},
    {"where=noise", MPG_OPTION_EXCLUDES, "noise", "it replaces the signature's noise"},
    {"where=noise", MPG_OPTION_EXCLUDES, "models=noise", "detours have causes, quanta and drawn detours have none"},
    {"where=noise", MPG_OPTION_EXCLUDES, "target", "it is about machines that were measured"},
    {"json", MPG_OPTION_EXCLUDES, "per-rank", NULL},
    {"csv", MPG_OPTION_EXCLUDES, "json", NULL},
    {"csv", MPG_OPTION_NEEDS, "where|per-rank|target|several scenarios", "these options print a table"},
    {"csv", MPG_OPTION_EXCLUDES, "several tables of --where", "CSV holds one table"},
    {"csv", MPG_OPTION_EXCLUDES, "--per-rank with --target", "a target has a table of its own"},
    {"waits", MPG_OPTION_EXCLUDES, "per-rank", NULL},
    {"where", MPG_OPTION_EXCLUDES, "per-rank", NULL},
    {"timeline=calls", MPG_OPTION_NEEDS, "timeline", NULL},
    {"timeline=ranks", MPG_OPTION_NEEDS, "timeline", NULL},
    {"keep", MPG_OPTION_NEEDS, "plot", NULL},
    {"plot", MPG_OPTION_NEEDS, "several scenarios|a table of traces and targets", "--plot draws a table"},
    {"plot", MPG_OPTION_EXCLUDES, "tolerate", NULL},
    {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};

/* Returns true if the values of WHAT, given or swept as times, replace the signature's values. */
static bool replaces(const struct mpg_config *c, const struct mpg_option_list *given, enum mpg_swept what)
{
    const struct mpg_axis *axis = mpg_sweep_find(&c->question.sweep, what);
    return given->n > 0 || (axis && axis->unit == MPG_SWEEP_TIME);
}

static bool replaces_noise(const struct mpg_config *c)
{
    return replaces(c, &c->change.noise, MPG_SWEPT_NOISE) && !mpg_config_wants_target_call_noise(c);
}

static bool is_swept(const struct mpg_config *c, const char *name)
{
    for (size_t i = 0; i < c->question.sweep.axes && !c->question.tolerate; i++)
        if (strcmp(mpg_swept_name(c->question.sweep.axis[i].what), name) == 0)
            return true;
    return false;
}

static bool names_input(const struct mpg_option_list *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->item[i], "-") == 0)
            return true;
    return false;
}

/* Returns true if CONDITION of a rule holds. */
static bool holds(void *config, const char *condition)
{
    static const char sweep[] = "--sweep ";
    const struct mpg_config *c = config;
    const struct mpg_target_config *t = &c->target;
    const struct {
        const char *name;
        bool holds;
    } all[] = {{"--target=NAME", t->names.n > 0},
               {"--target=KEY=VALUE", t->given_keys > 0},
               {"--target=-", names_input(&t->names)},
               {"a second TRACE", c->trace_number > 1},
               {"a source", c->source.file != NULL},
               {"a prediction", t->predict},
               {"several --signature", t->signatures.n > 1},
               {"--noise in place of the signature's", replaces_noise(c)},
               {"--latency in place of the signature's", replaces(c, &c->change.latency, MPG_SWEPT_LATENCY)},
               {"--byte in place of the signature's", replaces(c, &c->change.byte, MPG_SWEPT_BYTE)},
               {"collectives that are messages", c->model.expand || c->model.expand_some || c->model.expand_rest},
               {"several scenarios", mpg_config_sweeps(c)},
               {"a table of traces and targets", mpg_config_tabulates(c)},
               {"several tables of --where", c->question.where_tables + c->question.critical_path + c->question.noise_causes > 1},
               {"--per-rank with --target", c->output.per_rank && t->name}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, condition) == 0)
            return all[i].holds;
    return is_swept(c, condition + sizeof sweep - 1);
}

/* --- the options --- */

/* Copies the options listed below, and an end mark, into TABLE. */
#define FILL(table, ...)                                                                                                       \
    do {                                                                                                                       \
        const struct mpg_option options[] = {__VA_ARGS__, {0}};                                                                \
        _Static_assert(sizeof options <= sizeof(table), "too many options");                                                   \
        memcpy(table, options, sizeof options);                                                                                \
    } while (0)

struct keys {
    struct mpg_option source[5], target[4], map[2], models[7], polling[2], collectives[2], where[2], replicas[2], timeline[3];
};

static void fill_keys(struct mpg_config *c, struct keys *k)
{
    FILL(k->source, {.name = "map", .kind = MPG_OPTION_STRING, .value = &c->source.map, .argument = "PLACES"},
         {.name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = &c->source.eager_limit, .argument = "BYTES", .minimum = -1,
          .maximum = HUGE, .given = &c->given.source_eager_limit},
         {.name = "latency", .kind = MPG_OPTION_TIME, .value = &c->source.latency_ns, .argument = "TIME", .maximum = HUGE,
          .given = &c->given.source_latency},
         {.name = "byte", .kind = MPG_OPTION_TIME, .value = &c->source.byte_ns, .argument = "TIME", .maximum = HUGE,
          .given = &c->given.source_byte});
    FILL(k->target, {.name = "work", .kind = MPG_OPTION_WORD, .value = &c->target.work, .words = works},
         {.name = "get", .kind = MPG_OPTION_WORD, .value = &c->target.gets, .words = gets},
         {.name = "engine", .kind = MPG_OPTION_WORD, .value = &c->target.engine, .words = engines});
    FILL(k->map, {.name = "path", .kind = MPG_OPTION_WORD, .value = &c->target.path, .words = paths, .given = &c->given.path});
    FILL(k->models, {.name = "noise", .kind = MPG_OPTION_WORD, .value = &c->model.noise, .words = noise_models},
         {.name = "latency", .kind = MPG_OPTION_WORD, .value = &c->model.latency, .words = time_models},
         {.name = "byte", .kind = MPG_OPTION_WORD, .value = &c->model.byte, .words = time_models},
         {.name = "cosched", .kind = MPG_OPTION_WORD, .value = &c->model.cosched, .words = coscheds, .given = &c->given.cosched},
         {.name = "measurement", .kind = MPG_OPTION_WORD, .value = &c->model.measurement, .words = measurements,
          .given = &c->given.measurement},
         {.name = "speed", .kind = MPG_OPTION_WORD, .value = &c->model.speed, .words = speeds});
    FILL(k->polling, {.name = "interval", .kind = MPG_OPTION_TIME, .value = &c->model.polling_interval_ns, .argument = "TIME",
                      .maximum = HUGE, .given = &c->given.polling_interval});
    FILL(k->collectives,
         {.name = "table", .kind = MPG_OPTION_STRING, .value = &c->model.collective_table, .argument = "FILE"});
    FILL(k->where, {.name = "segments", .kind = MPG_OPTION_INT, .value = &c->question.segments, .argument = "N",
                    .maximum = MAX_SEGMENTS, .given = &c->given.segments});
    FILL(k->replicas, {.name = "first", .kind = MPG_OPTION_INT, .value = &c->first_replica, .argument = "K",
                       .maximum = MAX_REPLICAS, .given = &c->given.first_replica});
    FILL(k->timeline, {.name = "calls", .kind = MPG_OPTION_STRING, .value = &c->output.timeline_calls, .argument = "A-B"},
         {.name = "ranks", .kind = MPG_OPTION_STRING, .value = &c->output.timeline_ranks, .argument = "LIST"});
}

static void fill_options(struct mpg_config *c, const struct keys *k, struct mpg_option table[MAX_OPTIONS])
{
    const struct mpg_option options[] = {
        {.group = "Machines", .name = "signature", .kind = MPG_OPTION_LIST, .value = &c->target.signatures, .argument = "FILE",
         .brief = "the target machine, measured by mpgbench and sigmake",
         .help = "the target machine: its noise, latency, bandwidth, eager limit.\n"
                 "\"reference\" is a shipped one. Of several each is a scenario,\n"
                 "with the same draws; a table tells which is how probably faster"},
        {.name = "source", .kind = MPG_OPTION_STRING, .value = &c->source.file, .argument = "FILE|none", .keys = k->source,
         .brief = "the machine of the trace (default: its own signature)",
         .help = "the traced machine's signature, whose costs the trace contains\n"
                 "(default: the signature in the trace; the target's if the trace was\n"
                 "recorded there); none: no signature exists. Keys: map=PLACES of the\n"
                 "ranks (default: the trace's hosts); eager-limit=BYTES; latency=TIME\n"
                 "of a message, byte=TIME of each of its bytes (default: as seen in\n"
                 "the trace)"},
        {.name = "predict", .kind = MPG_OPTION_FLAG, .value = &c->target.predict,
         .brief = "only predict the run on the target, with all tables",
         .help = "predict the run on the target, with all tables: computation from\n"
                 "the trace, messages and collectives from the target"},
        {.name = "perturb", .kind = MPG_OPTION_FLAG, .value = &c->target.perturb,
         .brief = "only perturb the traced run, with all tables",
         .help = "perturb the traced run by the target's noise and network, with all\n"
                 "tables (default without a signature). With both, which is the\n"
                 "default with a signature: both answers, in short"},
        {.name = "target", .kind = MPG_OPTION_LIST, .value = &c->target.given, .keys = k->target,
         .argument = "ethernet25|hdr|slingshot|tukey|distributed|shared|cm5|ideal|FILE",
         .brief = "how long on a machine of parameters, mpgtarget(5)?",
         .help = "predict the run on a machine of these parameters, mpgtarget(5): FILE,\n"
                 "or a shipped file of that name; one processor a rank. Parameters that\n"
                 "FILE lacks come from --signature, if given. Several targets, or a\n"
                 "second TRACE: a table, a line for each trace on each target.\n"
                 "KEY=VALUE: one parameter, instead of FILE's. Other keys: work=wall:\n"
                 "computation is the time between calls, even if ranks shared cores and\n"
                 "the trace has no CPU time; get=blocking: a rank waits at once for its\n"
                 "MPI_Get and MPI_Put; engine=graph: in the order of the graph, for\n"
                 "targets that need no order of simulated time (default: events)"},
        {.name = "map", .kind = MPG_OPTION_STRING, .value = &c->target.map, .argument = "PLACES", .keys = k->map,
         .help = "places of ranks on the target: block:N (N ranks a node),\n"
                 "cyclic:N (over N nodes in turn), or a file with a line a rank:\n"
                 "its node, and core complex if known. Messages take the path\n"
                 "between the places of their ranks. Or path=core-complex, path=node,\n"
                 "path=between-nodes: all messages take this path (default: the\n"
                 "farthest measured path)"},
        {.name = "models", .kind = MPG_OPTION_KEYS, .argument = "KEY=MODEL[,KEY=MODEL...]", .keys = k->models,
         .help = "models of a signature's measurements: noise=replay: recorded detours;\n"
                 "noise=renewal: detours drawn from the recorded gaps and durations;\n"
                 "noise=fit: from families fitted to gaps and durations; noise=ecdf:\n"
                 "the time that FTQ quanta lost (default: replay where detours were\n"
                 "recorded). latency=fit, byte=fit: families fitted to the measurements\n"
                 "(default: empirical). cosched=none, node, job: ranks that meet\n"
                 "recorded noise at the same time (default: node if its cores were\n"
                 "recorded together). measurement=fixed: signatures are exact (default:\n"
                 "resample: each pair of replicas sees another measurement).\n"
                 "speed=recorded: the interval of 90 % of runs is at the recorded speed\n"
                 "(default: launches, as speed differs from launch to launch)"},
        {.group = "Perturbations", .name = "noise", .kind = MPG_OPTION_LIST, .value = &c->change.noise,
         .argument = "DIST[@RANKS]",
         .brief = "time lost in each compute interval, like exp:2us",
         .help = "time lost to the system, drawn once for each compute interval;\n"
                 "x0.1: 0.1 times the signature's noise\n"
                 "DIST: T or const:T exp:MEAN normal:MEAN,SD gamma:MEAN,SD\n"
                 "lognormal:MEAN,SD pareto:MINIMUM,SHAPE file:SAMPLES\n"
                 "with times like 100ns or 2us; RANKS like 0,4-7.\n"
                 "Several --noise for one rank add up"},
        {.name = "without-noise", .kind = MPG_OPTION_LIST, .value = &c->change.quiet, .argument = "CAUSE",
         .brief = "leave out the target's noise of CAUSE",
         .help = "leave out the target's noise of this cause, as sigshow names it:\n"
                 "\"timer tick\" (mpgbench ftq --causes)"},
        {.name = "call-noise", .kind = MPG_OPTION_LIST, .value = &c->change.call_noise, .argument = "DIST[@RANKS]",
         .help = "time lost inside each MPI call; signature: the target's noise during\n"
                 "the call's own traced time; x0.5: half of this time"},
        {.name = "latency", .kind = MPG_OPTION_LIST, .value = &c->change.latency, .argument = "DIST",
         .brief = "extra latency of each message, like 10us; x2: twice the signature's",
         .help = "extra latency of each message; x2: twice the signature's"},
        {.name = "byte", .kind = MPG_OPTION_LIST, .value = &c->change.byte, .argument = "DIST",
         .brief = "extra time of each byte of a message, like 0.1ns; x2: half the bandwidth",
         .help = "extra transfer time for each byte of a message; x2: twice the\n"
                 "signature's, which is half the bandwidth"},
        {.name = "compute-ratio", .kind = MPG_OPTION_LIST, .value = &c->change.compute_ratio, .argument = "R[@REGION]",
         .brief = "computation takes R times as long",
         .help = "how long the target computes for a traced second of\n"
                 "computation: 2 is half as fast (default 1); kernel:NAME by that\n"
                 "kernel's rates in both signatures; counters: by the trace's\n"
                 "counters and all rates (default in predictions, where both are\n"
                 "known). @REGION: for this region only"},
        {.name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = &c->change.eager_limit, .argument = "BYTES", .minimum = -1,
         .maximum = HUGE, .given = &c->given.eager_limit,
         .help = "larger standard sends wait for their receiver; -1: all do\n"
                 "(default: the signature's, else unlimited, or, with hypotheses, as\n"
                 "the trace shows)"},
        {.name = "hypothesis", .kind = MPG_OPTION_LIST, .value = &c->change.given, .argument = "FILE|HYPOTHESIS",
         .brief = "change the program, like 'balance sweep'",
         .help = "changes of the program to simulate, mpghypothesis(5):\n"
                 "a file, or one of its lines: 'scale REGION [ranks=LIST] factor=F',\n"
                 "'balance REGION [comm=C] [by=instance|total]', 'insert REGION\n"
                 "[ranks=LIST] (time=T|bytes=N to=RANK|+K|-K)', 'drop SELECT',\n"
                 "'resize SELECT (factor=F|bytes=N)', SELECT like 'call=Isend tag=7'"},
        {.group = "Model", .name = "absorb", .kind = MPG_OPTION_WORD, .value = &c->model.absorb, .words = absorbs,
         .help = "none: nothing absorbs delay; wait: waiting in calls absorbs it;\n"
                 "clock: early messages, too (needs comparable clocks). Default:\n"
                 "clock where clocks are comparable, else wait"},
        {.name = "collectives", .kind = MPG_OPTION_WORD, .value = &c->model.collectives, .words = collectives,
         .keys = k->collectives,
         .help = "measured (default): a collective takes its time in the signature; if\n"
                 "the signature lacks it, it is simulated as the messages of its\n"
                 "algorithm, scaled to measured times. expand: all are simulated as the\n"
                 "messages of their algorithms; rounds: all as rounds of messages.\n"
                 "table=FILE: the algorithms, mpgcollectives(5) (default: those of Open\n"
                 "MPI 4.1)"},
        {.name = "contention", .kind = MPG_OPTION_WORD, .value = &c->model.contention, .words = contentions,
         .help = "messages that share a port or the memory of a host: measured: by the\n"
                 "sharing curves of the signature; auto (default): the same, if they\n"
                 "delay each other; none: they share nothing"},
        {.name = "cores", .kind = MPG_OPTION_INT, .value = &c->model.cores, .argument = "N", .minimum = 1,
         .maximum = MAX_REPLICAS,
         .help = "all ranks share N cores, in turns: rank r has core r mod N (default: a\n"
                 "core for each rank)"},
        {.name = "polling", .kind = MPG_OPTION_WORD, .value = &c->model.polling, .words = pollings, .keys = k->polling,
         .help = "time between unsuccessful polls (Test..., Iprobe ...) of a loop: wait\n"
                 "(default): waiting, which noise does not lengthen; work: computation.\n"
                 "interval=TIME: longer intervals between two polls are computation\n"
                 "(default 10us)"},
        {.name = "tasks", .kind = MPG_OPTION_WORD, .value = &c->model.tasks, .words = tasks,
         .help = "tasks that a rank hands out as others ask for them: traced (default):\n"
                 "each worker gets those of the recorded run; by-arrival: the worker\n"
                 "that asks first on the target gets the next one, with its\n"
                 "computation (a warning says what it changes)"},
        {.name = "paper", .kind = MPG_OPTION_WORDS, .value = &c->model.paper, .words = papers,
         .alone = "call-edges,sync-reduce",
         .help = "follow the paper on the message-passing graph in one or both points:\n"
                 "call-edges: --call-noise acts on messages, too (default with\n"
                 "--absorb=none --eager-limit=-1, unless own-edges); sync-reduce:\n"
                 "ranks that contribute to a Reduce or Gather(v) wait for its root"},
        {.name = "without", .kind = MPG_OPTION_WORDS, .value = &c->model.without, .words = list_without(),
         .argument = "RULE[,RULE...]",
         .help = "leave rules of the model out; mpgsim(1) lists the rules. Some are\n"
                 "choice: Waitany, Test..., Recv from any source complete the traced\n"
                 "message; tracer: the time for recording stays in the run;\n"
                 "weak-progress: with hypotheses, no send waits until its receiver is\n"
                 "in a call"},
        {.name = "horizon", .kind = MPG_OPTION_INT, .value = &c->model.horizon, .argument = "N", .maximum = HUGE,
         .given = &c->given.horizon,
         .help = "maximum number of messages in flight, for calls that choose among\n"
                 "messages not yet sent (default 65536)"},
        MPG_ROWS_OF_EXCERPT(&c->excerpt),
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &c->model.lenient,
         .help = "count unmatched messages and calls instead of failing"},
        {.group = "Question", .name = "sweep", .kind = MPG_OPTION_LIST, .value = &c->question.sweeps,
         .argument = "PARAM=LO:HI:N",
         .brief = "a table of answers, like latency=1us,10us,100us",
         .help = "a table of answers, for N values from LO to HI with the same draws;\n"
                 "PARAM=LO:HI:N:log: spaced by a constant ratio; PARAM=V,V...: these\n"
                 "values. noise, call-noise, latency, byte: times are const:T; x1,x2\n"
                 "are factors of the signature's values; plain numbers are factors of\n"
                 "the values of these options. compute-ratio, eager-limit; absorb and\n"
                 "map as lists. Several --sweep make a grid. With --target PARAM is a\n"
                 "key of mpgtarget(5), and each value a machine of the table"},
        {.name = "tolerate", .kind = MPG_OPTION_STRING, .value = &c->question.tolerate, .argument = "LIMIT%:PARAM",
         .brief = "how much of it is tolerable, like 5%:latency?",
         .help = "the largest value of noise, call-noise, latency, byte or\n"
                 "compute-ratio with which the median run is at most LIMIT% longer than\n"
                 "the traced run (with --predict: than the predicted run), as in\n"
                 "5%:noise. Several limits, as in 1%,2%,5%:latency, and several\n"
                 "signatures make a table. If the option of that name is given, the\n"
                 "answer is a factor of its value"},
        {.name = "where", .kind = MPG_OPTION_WORDS, .value = &c->question.where, .words = wheres, .keys = k->where,
         .brief = "where in the program does the time go?",
         .help = "also say where in the program delays are injected, propagated,\n"
                 "absorbed and passed on (several words: with commas), or, in a\n"
                 "prediction, where time is spent: a row for each place, with its share\n"
                 "of the critical paths of all replicas, and the increase of the run\n"
                 "time with each parameter. path, with --predict: the critical path of\n"
                 "the median run by the other words, and the increase of the run time\n"
                 "for 1 ns of latency, 1 ns a byte, 1 % of computation and of noise;\n"
                 "segments=N: the N longest segments of the path (default 20).\n"
                 "noise: by how much the run would be shorter without each cause of\n"
                 "the target's noise (mpgbench ftq --causes)"},
        {.name = "waits", .kind = MPG_OPTION_WORD, .value = &c->question.waits, .words = waits, .alone = "call",
         .help = "also the wait states of the traced run and of the replica with the median\n"
                 "run: late senders and receivers, barriers, collectives; with a row\n"
                 "for each call (default), callsite, region or rank"},
        {.name = "against", .kind = MPG_OPTION_STRING, .value = &c->target.against, .argument = "TIME|FILE",
         .help = "with --target: a run on one processor, for a further speedup and\n"
                 "efficiency: its time, or FILE, its answer by --json"},
        {.group = "Run", .name = "replicas", .kind = MPG_OPTION_INT, .value = &c->replicas, .argument = "N", .minimum = 1,
         .maximum = MAX_REPLICAS, .given = &c->given.replicas, .keys = k->replicas,
         .help = "replicas to simulate (default 64, or 1 if nothing is random).\n"
                 "first=K: the number of the first, to repeat a single one (default 0)"},
        {.name = "seed", .kind = MPG_OPTION_INT, .value = &c->seed, .argument = "N", .maximum = HUGE, .given = &c->given.seed,
         .help = "seed of all draws (default 1)"},
        {.name = "threads", .kind = MPG_OPTION_INT, .value = &c->threads, .argument = "N", .minimum = 1,
         .maximum = MAX_THREADS, .given = &c->given.threads,
         .help = "number of threads (default: all available processors); the answer\n"
                 "does not depend on the number"},
        {.name = "cache", .kind = MPG_OPTION_WORD, .value = &c->cache, .words = caches,
         .help = "kept (default): the findings of the first pass over the trace are\n"
                 "kept in a file beside the trace, and used again; fresh: the file is\n"
                 "neither read nor written. The answer does not depend on the file"},
        {.group = "Output", .name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &c->output.output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &c->output.json, .brief = "print the whole answer as JSON",
         .help = "print the whole answer as JSON"},
        {.name = "verbose", .letter = 'v', .kind = MPG_OPTION_FLAG, .value = &c->output.verbose,
         .help = "print all tables and assumptions of both questions"},
        {.name = "csv", .kind = MPG_OPTION_FLAG, .value = &c->output.csv,
         .help = "print the table alone, as CSV: of --where, --per-rank, --target or\n"
                 "several scenarios (--sweep, several signatures), the tolerances, or\n"
                 "the segments of --where=path"},
        {.name = "per-rank", .kind = MPG_OPTION_FLAG, .value = &c->output.per_rank, .help = "print a table of the ranks' delays"},
        {.name = "report", .kind = MPG_OPTION_STRING, .value = &c->output.report, .argument = "FILE",
         .brief = "also write the answer as a page for a browser",
         .help = "also write the answer as a page for a browser, FILE.html: the\n"
                 "findings in plain words, what to do, pictures; nothing is fetched"},
        {.name = "plot", .letter = 'p', .kind = MPG_OPTION_STRING, .value = &c->output.plot, .argument = "DIR",
         .help = "of --sweep, several --signature, --target or TRACE: also draw the\n"
                 "table into DIR, as SVG and PNG (needs gnuplot)"},
        {.name = "keep", .letter = 'k', .kind = MPG_OPTION_FLAG, .value = &c->output.keep,
         .help = "with --plot: keep gnuplot's scripts and data beside the plots"},
        {.name = "timeline", .kind = MPG_OPTION_STRING, .value = &c->output.timeline, .argument = "FILE", .keys = k->timeline,
         .help = "also write the traced run, and below it the replica of the median\n"
                 "run, as a timeline, for ui.perfetto.dev or chrome://tracing.\n"
                 "calls=A-B: calls A to B of each rank only, counted from 0, MPI_Init;\n"
                 "ranks=LIST: these ranks only, like 0,4-7"},
        {.name = "output-trace", .kind = MPG_OPTION_STRING, .value = &c->output.output_trace, .argument = "FOLDER",
         .help = "write the trace with its first replica's times (--replicas=first=K)\n"
                 "to FOLDER, or in the format of the ending of the name: x.otf2"},
        {.name = "output-format", .kind = MPG_OPTION_WORD, .value = &c->output.trace_format,
         .given = &c->output.trace_format_given, .words = mpg_export_names,
         .help = "the format of --output-trace: that of mpgtrace export"},
        {.name = "history", .kind = MPG_OPTION_STRING, .value = &c->output.history, .argument = "FILE",
         .help = "keep the answer, with the command line and the input files, in FILE,\n"
                 "for mpghistory (default: the file that MPGKIT_HISTORY names; if\n"
                 "unset, the answer is not kept)"},
        {0}};
    _Static_assert(sizeof options / sizeof *options <= MAX_OPTIONS, "too many options");
    memcpy(table, options, sizeof options);
}

struct mpg_program mpg_config_program(struct mpg_config *c)
{
    static struct keys keys;
    static struct mpg_option table[MAX_OPTIONS];
    fill_keys(c, &keys);
    fill_options(c, &keys, table);
    return (struct mpg_program){
        .name = "mpgsim", .arguments = "TRACE [TRACE...]",
        .summary = "Say how the run time of TRACE (a folder, a file, mpgtext, or - for standard input) "
                   "changes under perturbations, or would be on another machine.",
        .options = table, .min_arguments = 1, .max_arguments = -1, .context = c, .note = mpg_config_note,
        .renamed = mpg_history_renamed_options, .rules = rules, .resolve = mpg_config_resolve, .holds = holds};
}
