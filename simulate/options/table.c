/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgsim's options, for parsing and for --help. */
#include "simulate/options/arguments.h"

#include <string.h>

enum { MAX_REPLICAS = 1000000, MAX_THREADS = 4096, MAX_OPTIONS = 128 };

const struct mpg_option *mpg_arguments_table(struct mpg_arguments *a)
{
    static struct mpg_option table[MAX_OPTIONS];
    const double huge = 9e15;
    const struct mpg_option options[] = {
        {.name = "signature", .kind = MPG_OPTION_LIST, .value = &a->signatures, .argument = "FILE",
         .help = "the target machine: its noise, latency, bandwidth, eager limit.\n"
                 "Of several each is a scenario, with the same draws; a table\n"
                 "tells which is how probably faster"},
        {.name = "source", .kind = MPG_OPTION_STRING, .value = &a->source, .argument = "FILE",
         .help = "the traced machine's signature, whose costs the trace contains\n"
                 "(default: the one in the trace; the target's if the trace is of its\n"
                 "machine); none: there is none"},
        {.name = "predict", .kind = MPG_OPTION_FLAG, .value = &a->predict,
         .help = "how long would it take there: times by the target's costs alone,\n"
                 "instead of the traced run's delays"},
        {.name = "target", .kind = MPG_OPTION_LIST, .value = &a->targets,
         .argument = "distributed|shared|cm5|ideal|FILE",
         .help = "how long would it take on a machine of these parameters, mpgtarget(5)\n"
                 "(FILE, or a shipped one of that name), with a processor a rank. What\n"
                 "FILE does not say --signature does, if there is one. Of several, and\n"
                 "of several TRACEs: a table, a line for each trace on each target"},
        {.name = "parameter", .kind = MPG_OPTION_LIST, .value = &a->parameters, .argument = "KEY=VALUE",
         .help = "one of them, in place of what FILE says"},
        {.name = "ideal", .kind = MPG_OPTION_FLAG, .value = &a->ideal,
         .help = "on --target=ideal: work takes what it takes, messages nothing"},
        {.name = "blocking-get", .kind = MPG_OPTION_FLAG, .value = &a->blocking_get,
         .help = "with --target: a rank waits for what it gets or puts at once, not where\n"
                 "it synchronises"},
        {.name = "wall", .kind = MPG_OPTION_FLAG, .value = &a->wall,
         .help = "with --target: work is the time between calls, though ranks shared\n"
                 "cores when they were traced and there is no CPU time"},
        {.name = "engine", .kind = MPG_OPTION_STRING, .value = &a->engine, .argument = "HOW",
         .help = "with --target: events (default): in the order of simulated time; lanes:\n"
                 "replicas side by side, of a target whose ranks need no such order"},
        {.name = "against", .kind = MPG_OPTION_STRING, .value = &a->against, .argument = "TIME|FILE",
         .help = "with --target: the run on one processor that speedup and efficiency\n"
                 "are against, too: a time, or FILE, an answer of it by --json"},
        {.name = "map", .kind = MPG_OPTION_STRING, .value = &a->map, .argument = "PLACES",
         .help = "where ranks are on the target: block:N (N ranks a node),\n"
                 "cyclic:N (over N nodes in turn), or a file with a line a rank:\n"
                 "its node, and core complex if known. Messages take the path\n"
                 "between their places (default: --path for all)"},
        {.name = "source-map", .kind = MPG_OPTION_STRING, .value = &a->source_map,
         .argument = "PLACES",
         .help = "where they were, likewise (default: on the hosts that the trace\n"
                 "names)"},
        {.name = "polling", .kind = MPG_OPTION_STRING, .value = &a->polling, .argument = "wait|work",
         .help = "loops of Test..., Iprobe ... that find nothing wait (default):\n"
                 "noise takes nothing from what is between them, and calls that\n"
                 "come too late go with it; or work: it takes what it took"},
        {.name = "polling-interval", .kind = MPG_OPTION_TIME, .value = &a->polling_interval_ns,
         .argument = "TIME", .minimum = 0, .maximum = huge, .given = &a->given.polling_interval,
         .help = "longer intervals between two of these are work (default 10us)"},
        {.name = "collectives", .kind = MPG_OPTION_STRING, .value = &a->collectives,
         .argument = "measured|rounds|expand",
         .help = "measured (default): as the signature has measured them, others by\n"
                 "the messages of their algorithms, scaled to what was measured;\n"
                 "expand: each by its messages; rounds: all by rounds of messages"},
        {.name = "collective-table", .kind = MPG_OPTION_STRING, .value = &a->collective_table,
         .argument = "FILE",
         .help = "which algorithm that is, mpgcollectives(5) (default: Open MPI 4.1's)"},
        {.name = "carried", .kind = MPG_OPTION_STRING, .value = &a->carried, .argument = "shown|none",
         .help = "with hypotheses: sends that wait until their receiver is in a call\n"
                 "shown (default): those of which the trace shows it; or none"},
        {.name = "output-trace", .kind = MPG_OPTION_STRING, .value = &a->output_trace,
         .argument = "FOLDER",
         .help = "write the trace with its first replica's times (--first-replica) to\n"
                 "FOLDER"},
        {.name = "path", .kind = MPG_OPTION_STRING, .value = &a->path, .argument = "core-complex|node|between-nodes",
         .given = &a->given.path,
         .help = "which of the target's paths messages take: core-complex, node,\n"
                 "between-nodes (default: the farthest measured)"},
        {.name = "noise", .kind = MPG_OPTION_LIST, .value = &a->noise, .argument = "DIST[@RANKS]",
         .help = "time lost to the system, drawn once for each compute interval\n"
                 "DIST: const:T exp:MEAN normal:MEAN,SD gamma:MEAN,SD\n"
                 "lognormal:MEAN,SD pareto:MINIMUM,SHAPE file:SAMPLES\n"
                 "with times like 100ns or 2us; RANKS like 0,4-7.\n"
                 "Several of it add up where they name the same rank"},
        {.name = "call-noise", .kind = MPG_OPTION_LIST, .value = &a->call_noise,
         .argument = "DIST[@RANKS]",
         .help = "time lost inside each MPI call; signature: what the target's noise\n"
                 "takes from what the call itself was traced to do"},
        {.name = "call-edges", .kind = MPG_OPTION_STRING, .value = &a->call_edges,
         .argument = "own|paper", .given = &a->given.call_edges,
         .help = "where --call-noise acts: own: on the call's own rank; paper: also on\n"
                 "messages, as Sottile 2006 prints it (default: own, but paper with\n"
                 "--absorb=none --eager-limit=-1)"},
        {.name = "latency", .kind = MPG_OPTION_LIST, .value = &a->latency, .argument = "DIST",
         .help = "extra latency of each message"},
        {.name = "byte", .kind = MPG_OPTION_LIST, .value = &a->byte, .argument = "DIST",
         .help = "extra transfer time for each byte of a message"},
        {.name = "compute-ratio", .kind = MPG_OPTION_LIST, .value = &a->compute_ratio,
         .argument = "R[@REGION]",
         .help = "how long the target computes for a traced second of\n"
                 "computation: 2 is half as fast (default 1); kernel:NAME by that\n"
                 "kernel's rates in both signatures. Of one region, or of all else"},
        {.name = "hypothesis", .kind = MPG_OPTION_LIST, .value = &a->hypothesis_files,
         .argument = "FILE",
         .help = "what of the program is supposed to be otherwise, mpghypothesis(5):\n"
                 "lines like these"},
        {.name = "suppose", .kind = MPG_OPTION_LIST, .value = &a->hypothesis_lines,
         .argument = "HYPOTHESIS",
         .help = "one of them: 'scale REGION [ranks=LIST] factor=F', 'balance REGION\n"
                 "[comm=C] [by=instance|total]', 'insert REGION [ranks=LIST]\n"
                 "(time=T|bytes=N to=RANK|+K|-K)', 'drop SELECT', 'resize SELECT\n"
                 "(factor=F|bytes=N)', SELECT like 'call=Isend tag=7'"},
        {.name = "sweep", .kind = MPG_OPTION_LIST, .value = &a->sweeps, .argument = "PARAM=LO:HI:N",
         .help = "a table of answers instead of one, for N values from LO to HI with\n"
                 "the same draws; PARAM=LO:HI:N:log: each the same times the one\n"
                 "before; PARAM=V,V...: these. noise, call-noise, latency, byte:\n"
                 "times are const:T; plain numbers are factors of what these\n"
                 "options give. compute-ratio, eager-limit; absorb and map as\n"
                 "lists. Several make a grid. With --target PARAM is a key of\n"
                 "mpgtarget(5), and each value a machine of the table"},
        {.name = "tolerate", .kind = MPG_OPTION_STRING, .value = &a->tolerate, .argument = "LIMIT%:PARAM",
         .help = "the largest value of noise, call-noise, latency, byte or\n"
                 "compute-ratio with which the median run is at most so much longer\n"
                 "than the traced one (with --predict: than it is as given), as in\n"
                 "5%:noise; of several limits, each, as in 1%,2%,5%:latency, and of\n"
                 "several signatures; a factor of what the option of that name gives"},
        {.name = "noise-model", .kind = MPG_OPTION_STRING, .value = &a->noise_model,
         .argument = "replay|renewal|fit|ecdf",
         .help = "replay: signatures' recorded detours; renewal: detours drawn from\n"
                 "the recorded gaps and durations; fit: from the families fitted to\n"
                 "them; ecdf: the time that their FTQ quanta lost (default: replay\n"
                 "where there are any detours, else ecdf)"},
        {.name = "latency-model", .kind = MPG_OPTION_STRING, .value = &a->latency_model,
         .argument = "empirical|fit",
         .help = "empirical (default): latencies as they were measured; fit: as the\n"
                 "nearest of the families that the signature has fitted to them"},
        {.name = "byte-model", .kind = MPG_OPTION_STRING, .value = &a->byte_model, .argument = "empirical|fit",
         .help = "the same of what bytes add"},
        {.name = "cosched", .kind = MPG_OPTION_STRING, .value = &a->cosched, .argument = "none|node|job",
         .given = &a->given.cosched,
         .help = "who meets the recorded noise at the same time: none, the ranks\n"
                 "of a node, of the job (default: node if its cores were recorded\n"
                 "together, else none)"},
        {.name = "measurement", .kind = MPG_OPTION_STRING, .value = &a->measurement,
         .argument = "resample|fixed", .given = &a->given.measurement,
         .help = "resample (default): signatures are samples, and each two\n"
                 "replicas see what another measurement might have found;\n"
                 "fixed: they are taken for exact"},
        {.name = "without", .kind = MPG_OPTION_STRING, .value = &a->without, .argument = "RULE[,RULE...]",
         .help = "leaves rules of the model out, to see what each is worth;\n"
                 "mpgsim(1) lists them"},
        {.name = "absorb", .kind = MPG_OPTION_STRING, .value = &a->absorb, .argument = "none|wait|clock",
         .help = "what absorbs delay: none, wait (waiting in calls), clock (and\n"
                 "messages that lay ready; needs comparable clocks). Default:\n"
                 "clock where clocks are comparable, else wait"},
        {.name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = &a->eager_limit,
         .argument = "BYTES", .minimum = -1, .maximum = huge, .given = &a->given.eager_limit,
         .help = "larger standard sends wait for their receiver; -1: all do\n"
                 "(default: the signature's, else unlimited, or, with hypotheses, as\n"
                 "the trace shows)"},
        {.name = "source-eager-limit", .kind = MPG_OPTION_SIZE, .value = &a->source_eager_limit,
         .argument = "BYTES", .minimum = -1, .maximum = huge,
         .given = &a->given.source_eager_limit,
         .help = "the traced machine's (default: the source's, or the target's\n"
                 "where the trace does not contradict it)"},
        {.name = "source-latency", .kind = MPG_OPTION_TIME, .value = &a->source_latency_ns,
         .argument = "TIME", .minimum = 0, .maximum = huge, .given = &a->given.source_latency,
         .help = "time of a message on the traced machine\n"
                 "(default: found in the trace)"},
        {.name = "source-byte", .kind = MPG_OPTION_TIME, .value = &a->source_byte_ns,
         .argument = "TIME", .minimum = 0, .maximum = huge, .given = &a->given.source_byte,
         .help = "and of each of its bytes"},
        {.name = "floors", .kind = MPG_OPTION_STRING, .value = &a->floors, .argument = "kept|fresh",
         .help = "kept (default): what a first pass over the trace finds is kept in a\n"
                 "file beside it, and not looked for again; fresh: that file is\n"
                 "neither read nor written. No answer depends on it"},
        {.name = "sync-reduce", .kind = MPG_OPTION_FLAG, .value = &a->sync_reduce,
         .help = "ranks that contribute to a Reduce or Gather(v) wait for its root"},
        {.name = "replicas", .kind = MPG_OPTION_INT, .value = &a->replicas, .argument = "N",
         .minimum = 1, .maximum = MAX_REPLICAS, .given = &a->given.replicas,
         .help = "worlds to simulate (default 64, or 1 if nothing is random)"},
        {.name = "first-replica", .kind = MPG_OPTION_INT, .value = &a->first_replica,
         .argument = "K", .minimum = 0, .maximum = MAX_REPLICAS,
         .given = &a->given.first_replica,
         .help = "number of the first one, to repeat a single one (default 0)"},
        {.name = "threads", .kind = MPG_OPTION_INT, .value = &a->threads, .argument = "N",
         .minimum = 1, .maximum = MAX_THREADS, .given = &a->given.threads,
         .help = "that share them (default: all processors that it may use); no answer\n"
                 "depends on it"},
        {.name = "seed", .kind = MPG_OPTION_INT, .value = &a->seed, .argument = "N", .minimum = 0,
         .maximum = huge, .given = &a->given.seed, .help = "of all draws (default 1)"},
        {.name = "deterministic", .kind = MPG_OPTION_FLAG, .value = &a->deterministic,
         .help = "keep what Waitany, Test..., Recv from any source took in the trace"},
        {.name = "horizon", .kind = MPG_OPTION_INT, .value = &a->horizon, .argument = "N",
         .minimum = 0, .maximum = huge, .given = &a->given.horizon,
         .help = "messages in flight, at most, for calls that choose among what is\n"
                 "not sent yet (default 65536)"},
        {.name = "keep-tracer", .kind = MPG_OPTION_FLAG, .value = &a->keep_tracer,
         .help = "leave in the run what recording it took, which --signature takes out"},
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &a->lenient,
         .help = "count what has no partner, or does not fit it, instead of failing"},
        {.name = "waits", .kind = MPG_OPTION_FLAG, .value = &a->waits,
         .help = "also what calls waited for, traced and in the replica of the median\n"
                 "run: late senders and receivers, barriers, collectives"},
        {.name = "waits-by", .kind = MPG_OPTION_STRING, .value = &a->waits_by, .argument = "call|callsite|region|rank",
         .help = "with a row for each call (default), callsite, region or rank"},
        {.name = "where", .kind = MPG_OPTION_STRING, .value = &a->where, .argument = "call|callsite|region|rank|pair",
         .help = "also say where in the program delays are put in, taken over,\n"
                 "absorbed and passed on (several: with commas), or, with --predict,\n"
                 "what time goes to, and the share of all replicas' critical paths\n"
                 "and what the run takes more with each parameter, row by row"},
        {.name = "csv", .kind = MPG_OPTION_FLAG, .value = &a->csv,
         .help = "print the table alone, as CSV: of --where, --per-rank, --target or\n"
                 "several scenarios (as of --sweep), what is tolerated, or the segments\n"
                 "of --critical-path"},
        {.name = "critical-path", .kind = MPG_OPTION_FLAG, .value = &a->critical_path,
         .help = "with --predict: also say what the critical path of the median run\n"
                 "consists of, by --where's words, and what the run takes more for\n"
                 "each ns of latency, ns a byte, % of computation and of noise"},
        {.name = "segments", .kind = MPG_OPTION_INT, .value = &a->segments, .argument = "N", .minimum = 0,
         .maximum = 1000000, .given = &a->given.segments,
         .help = "of it, the longest (default 20)"},
        {.name = "timeline", .kind = MPG_OPTION_STRING, .value = &a->timeline, .argument = "FILE",
         .help = "also write the traced run, and below it the replica of the median\n"
                 "run, as a timeline, for ui.perfetto.dev or chrome://tracing"},
        {.name = "report", .kind = MPG_OPTION_STRING, .value = &a->report, .argument = "FILE",
         .help = "also write the answer as a page for a browser, FILE.html: what was found\n"
                 "in plain words, what to do, pictures; nothing is fetched"},
        {.name = "timeline-calls", .kind = MPG_OPTION_STRING, .value = &a->timeline_calls, .argument = "A-B",
         .help = "with calls A to B of each rank only, counted from 0, MPI_Init"},
        {.name = "timeline-ranks", .kind = MPG_OPTION_STRING, .value = &a->timeline_ranks, .argument = "LIST",
         .help = "with these ranks only, like 0,4-7"},
        {.name = "plot", .letter = 'p', .kind = MPG_OPTION_STRING, .value = &a->plot, .argument = "DIR",
         .help = "of --sweep, several --signature, --target or TRACE: also draw the\n"
                 "table into DIR, as SVG and PNG (needs gnuplot)"},
        {.name = "keep", .letter = 'k', .kind = MPG_OPTION_FLAG, .value = &a->keep,
         .help = "with --plot: keep gnuplot's scripts and data beside the plots"},
        {.name = "history", .kind = MPG_OPTION_STRING, .value = &a->history, .argument = "FILE",
         .help = "keep the answer, with what it was asked for, in FILE, which\n"
                 "mpghistory reads (default: what MPGKIT_HISTORY names; else it is\n"
                 "not kept)"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &a->json,
         .help = "print the whole answer as JSON"},
        {.name = "per-rank", .kind = MPG_OPTION_FLAG, .value = &a->per_rank,
         .help = "print a table of the ranks' delays"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &a->output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    _Static_assert(sizeof options <= sizeof table, "MAX_OPTIONS");
    memcpy(table, options, sizeof options);
    return table;
}
