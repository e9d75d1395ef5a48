/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgreplay: makes the MPI calls of a trace again. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/table/escape.h"
#include "common/kind.h"
#include "common/launcher.h"
#include "common/module.h"
#include "common/option.h"
#include "common/units.h"
#include "graph/work/bound_hypotheses.h"
#include "replay/elapse.h"
#include "replay/feed.h"
#include "replay/interface.h"
#include "replay/survey.h"
#include "replay/tags.h"

struct request {
    const char *trace;
    int elapse;                      /* waits: 0: spin, 1: sleep */
    double timeout_ns;
    int64_t memory_bytes;
    struct mpg_option_list hypothesis_words; /* arguments of --hypothesis: files and hypotheses */
    struct mpg_hypotheses hypotheses;
    bool deterministic, quiet, json;
};

/* Input of a thread of the rank. */
struct thread_input {
    struct mpg_changes *changes; /* changes of calls by hypotheses; NULL: none */
    struct mpg_feed *feed;
    struct mpg_elapse elapse;
};

/* State of this process, which replays one rank. */
struct process {
    struct mpg_trace *trace;
    int32_t rank;
    struct mpg_needs needs;
    int64_t traced_ns;
    struct mpg_bound_hypotheses *bound; /* NULL: no hypotheses */
    struct mpg_changes *changes;   /* changes of the rank's calls by hypotheses; NULL: none */
    struct thread_input *thread;   /* an element for each thread of the rank */
    struct mpg_tags tags;          /* tags.above = 0: tags stay as in the trace */
    const char *name, *program;
    const struct mpg_enactor *mpi;
    bool readable; /* the trace could be read; else `error` has the reason */
    struct mpg_error error;
};

/* --- functions for the replay library --- */

/* Held while a thread reads the trace, which two threads must not use at the same time. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static const struct process *lock_trace(const struct process *p)
{
    if (p->needs.threads > 1)
        pthread_mutex_lock(&reading);
    return p;
}

static void unlock_trace(const struct process *p)
{
    if (p->needs.threads > 1)
        pthread_mutex_unlock(&reading);
}

static const struct mpg_action *next(void *context, int thread, struct mpg_error *err)
{
    const struct process *p = lock_trace(context);
    const struct mpg_action *action = mpg_feed_next(p->thread[thread].feed, err);
    unlock_trace(p);
    return action;
}

static int64_t elapse(void *context, int thread, int64_t from_ns, int64_t ns, int64_t late_ns)
{
    struct process *p = context;
    return mpg_elapse(&p->thread[thread].elapse, from_ns, ns, late_ns);
}

static const struct mpg_comm *find_comm(void *context, int32_t comm)
{
    const struct process *p = lock_trace(context);
    const struct mpg_comm *found =
        comm >= 0 && comm < mpg_trace_comm_count(p->trace) ? mpg_trace_comm(p->trace, comm) : NULL;
    unlock_trace(p);
    return found;
}

static const struct mpg_object *find_object(void *context, int32_t object)
{
    const struct process *p = lock_trace(context);
    const struct mpg_object *found = mpg_trace_object(p->trace, object);
    unlock_trace(p);
    return found;
}

static const char *find_string(void *context, int32_t string)
{
    const struct process *p = lock_trace(context);
    const char *found = mpg_trace_string(p->trace, string);
    unlock_trace(p);
    return found;
}

static bool find_neighbors(void *context, int32_t comm, struct mpg_neighbors *found)
{
    const struct process *p = lock_trace(context);
    const bool has = mpg_trace_find_neighbors(p->trace, p->rank, comm, found);
    unlock_trace(p);
    return has;
}

static void end_all(void *context, const struct mpg_error *err)
{
    const struct process *p = context;
    struct mpg_error full = *err;
    mpg_error_prefix(&full, "%s", p->name);
    mpg_error_print(p->program, &full);
    p->mpi->abort(MPG_EXIT_FAILURE);
}

static void own_outcome(void *context, struct mpg_outcome *o)
{
    const struct process *p = context;
    o->traced_ns = p->traced_ns;
    for (int i = 0; i < p->needs.threads; i++) {
        o->elapsed += mpg_feed_elapsed(p->thread[i].feed);
        o->late_ns += (uint64_t)p->thread[i].elapse.late_ns;
    }
}

/* --- reading --- */

static void close_threads(struct process *p)
{
    for (int i = 0; p->thread && i < p->needs.threads; i++) {
        mpg_feed_close(p->thread[i].feed);
        mpg_changes_free(p->thread[i].changes);
    }
    free(p->thread);
    p->thread = NULL;
}

static void close_process(struct process *p)
{
    close_threads(p);
    mpg_tags_clear(&p->tags);
    mpg_changes_free(p->changes);
    mpg_bound_free(p->bound);
    mpg_needs_clear(&p->needs);
    mpg_trace_close(p->trace);
    *p = (struct process){.rank = -1};
}

/* Opens a feed for each thread of the rank, which share the memory evenly, and fills the feeds. */
static int read_threads(struct process *p, const struct request *request, struct mpg_error *err)
{
    const int n = p->needs.threads;
    if (!(p->thread = calloc((size_t)n, sizeof *p->thread)))
        return mpg_error_set(err, "out of memory");
    for (int i = 0; i < n; i++) {
        struct thread_input *t = &p->thread[i];
        t->changes = mpg_changes_copy(p->changes, err);
        if (p->changes && !t->changes)
            return -1;
        t->feed = mpg_feed_open(p->trace, p->rank, &p->needs, i, (size_t)(request->memory_bytes / n), p->bound,
                                t->changes, err);
        if (!t->feed)
            return -1;
        mpg_feed_rename(t->feed, p->tags.above > 0 ? &p->tags : NULL);
        mpg_elapse_init(&t->elapse, t->feed, n > 1 ? &reading : NULL, request->elapse == 1);
        while (mpg_feed_fill(t->feed)) {
        }
    }
    return 0;
}

static int read_input(struct process *p, const struct request *request, struct mpg_error *err)
{
    p->trace = mpg_trace_open(request->trace, err);
    if (!p->trace)
        return mpg_kind_explain(request->trace, MPG_FILE_TRACE, err);
    if (p->rank >= mpg_trace_ranks(p->trace))
        return 0; /* more processes than ranks: reported by check_ranks() after MPI_Init */
    if (request->hypotheses.n > 0 &&
        !(p->bound = mpg_bound_new(p->trace, &request->hypotheses, err)))
        return -1;
    if (p->bound && mpg_bound_inserting(p->bound, mpg_bound_all(p->bound)))
        return mpg_error_set(err, "an inserted message cannot be replayed: use mpgsim");
    if (p->bound && mpg_bound_of_messages(p->bound, mpg_bound_all(p->bound)) &&
        !(p->changes = mpg_changes_new(p->trace, p->rank, p->bound, err)))
        return -1;
    if (mpg_survey(p->trace, p->rank, p->changes, &p->needs, &p->traced_ns, err) < 0)
        return mpg_error_prefix(err, "%s", request->trace);
    return read_threads(p, request, err);
}

/* Reads the hypotheses of the command line. */
static int read_hypotheses(struct request *r, struct mpg_error *err)
{
    for (size_t i = 0; i < r->hypothesis_words.n; i++)
        if (strcmp(r->hypothesis_words.item[i], "-") == 0)
            return mpg_error_set(err, "--hypothesis=-: only one process can read standard input");
    return mpg_hypotheses_take(&r->hypotheses, r->hypothesis_words.item, r->hypothesis_words.n, err);
}

/* Reads the input before MPI_Init, if the launcher tells the rank: after MPI_Init, processes would wait in MPI for a slow
 * reader. */
static void prepare(struct process *p, const struct request *request, int32_t rank)
{
    *p = (struct process){.rank = rank};
    if (rank >= 0)
        p->readable = read_input(p, request, &p->error) == 0;
}

static int check_ranks(struct process *p, const struct request *request, int ranks)
{
    if (!p->readable || mpg_trace_ranks(p->trace) == ranks)
        return 0;
    p->readable = false;
    return mpg_error_set(&p->error, "%s has %d rank%s, but %d process%s %s started: mpirun -np %d mpgreplay ...",
                         request->trace, mpg_trace_ranks(p->trace),
                         mpg_trace_ranks(p->trace) == 1 ? "" : "s", ranks,
                         ranks == 1 ? "" : "es", ranks == 1 ? "was" : "were", mpg_trace_ranks(p->trace));
}

/* Returns an error if the rank has several threads but MPI does not provide MPI_THREAD_MULTIPLE (ENOUGH is false). */
static int check_threads(struct process *p, const struct request *request, bool enough)
{
    if (!p->readable || p->needs.threads < 2 || enough)
        return 0;
    p->readable = false;
    return mpg_error_set(&p->error, "%s: rank %d made calls from %d threads, but this MPI provides no MPI_THREAD_MULTIPLE",
                         request->trace, p->rank, p->needs.threads);
}

/* STATUS < 0: this process has failed with p->error. Returns whether any of RANKS processes has failed; the first failed
 * process prints the error. Collective. */
static bool has_failed(const struct process *p, int status, int ranks)
{
    const int first = p->mpi->first_failed(status < 0);
    if (first == p->rank)
        mpg_error_print(p->program, &p->error);
    return first < ranks;
}

static int collect_tags(struct process *p, int32_t above)
{
    return mpg_tags_collect(p->trace, p->rank, above, &p->tags, &p->error) == 0
               ? 0
               : mpg_error_prefix(&p->error, "%s", p->name);
}

/* Checks that the renumbered tags fit below LIMIT, and opens the feeds again, since the open feeds have actions with the
 * trace's tags. */
static int apply_tags(struct process *p, const struct request *request, int32_t limit)
{
    int status = 0;
    if (p->tags.n > (size_t)(limit - p->tags.above))
        status = mpg_error_set(&p->error, "%zu tags above %d exceed this MPI's largest tag %d", p->tags.n,
                               p->tags.above, limit);
    else {
        close_threads(p);
        status = read_threads(p, request, &p->error);
    }
    return status == 0 ? 0 : mpg_error_prefix(&p->error, "%s", p->name);
}

/* If a tag of the trace exceeds this MPI's MPI_TAG_UB, all RANKS processes agree on new numbers for large tags. Returns false
 * if a process failed and has reported the error. Collective. */
static bool rename_tags(struct process *p, const struct request *request, int ranks)
{
    const int32_t limit = p->mpi->tag_limit(p->needs.max_tag);
    if (limit < 0)
        return true;
    if (has_failed(p, collect_tags(p, mpg_tags_above(limit)), ranks))
        return false;
    if (mpg_tags_join(&p->tags, p->mpi, p->rank, ranks, &p->error) < 0)
        end_all(p, &p->error); /* the remaining processes are waiting for this process's list */
    return !has_failed(p, apply_tags(p, request, limit), ranks);
}

/* Returns whether TRACE was recorded with the library MPI. */
static bool was_recorded_with(const struct mpg_trace *trace, enum mpg_mpi mpi)
{
    const char *recorded = mpg_trace_find_fact(trace, 0, "mpi");
    const char *name = mpg_mpi_name(mpi);
    return recorded && strncmp(recorded, name, strlen(name)) == 0;
}

/* --- summary --- */

static void print_count(uint64_t n, const char *text)
{
    if (n > 0)
        printf("%-12" PRIu64 " %s\n", n, text);
}

static void print_outcome(const struct mpg_outcome *o, int ranks)
{
    char traced[32], run[32], late[32];
    const double change = o->traced_ns > 0 ? 100.0 * (double)(o->run_ns - o->traced_ns) / (double)o->traced_ns : 0;
    mpg_units_format_time(traced, sizeof traced, (double)o->traced_ns);
    mpg_units_format_time(run, sizeof run, (double)o->run_ns);
    printf("run          %s, traced %s (%+.2f %%)\n", run, traced, change);
    printf("calls        %" PRIu64 " of %d rank%s\n", o->calls, ranks, ranks == 1 ? "" : "s");
    print_count(o->elapsed, "calls were replaced by their duration (files, other jobs, failed calls)");
    print_count(o->exchanged, "requests completed in place of the traced ones");
    print_count(o->waited, "successful tests became waits");
    print_count(o->unneeded, "tests and waits for completed requests were left out");
    print_count(o->unreceived, "messages were not received");
    print_count(o->dropped, "calls were removed by hypotheses");
    print_count(o->cut, "one-sided transfers were reduced to the size of their window");
    if ((double)o->late_ns > 0.005 * (double)o->run_ns * ranks)
        printf("late         %s over all ranks, deducted from later computation\n",
               mpg_units_format_time(late, sizeof late, (double)o->late_ns));
}

/* Prints the summary as JSON; mpgreplay(1) is the schema. */
static void print_json(const struct mpg_outcome *o, int ranks, const char *trace)
{
    const struct {
        const char *name;
        uint64_t n;
    } count[] = {{"calls", o->calls},         {"elapsed", o->elapsed},       {"exchanged", o->exchanged}, {"waited", o->waited},
                 {"unneeded", o->unneeded},   {"unreceived", o->unreceived}, {"dropped", o->dropped},     {"cut", o->cut},
                 {"late_ns", o->late_ns}};
    fputs("{\"format\": \"mpgreplay\", \"version\": 1, \"trace\": ", stdout);
    mpg_json_write_string(stdout, trace);
    printf(", \"ranks\": %d, \"run_ns\": %" PRId64 ", \"traced_ns\": %" PRId64, ranks, o->run_ns, o->traced_ns);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        printf(", \"%s\": %" PRIu64, count[i].name, count[i].n);
    puts("}");
}

/* --- one process --- */

/* Returns the largest number of threads of a rank in the trace PATH; 0: the trace cannot be read. */
static int most_threads(const char *path)
{
    struct mpg_error err;
    struct mpg_trace *t = mpg_trace_open(path, &err);
    uint32_t most = 0;
    for (int32_t r = 0; t && r < mpg_trace_ranks(t); r++)
        most = mpg_trace_threads(t, r) > most ? mpg_trace_threads(t, r) : most;
    mpg_trace_close(t);
    return (int)most;
}

static int play(const struct mpg_enactor *mpi, struct process *p, const struct request *request,
                enum mpg_mpi family, const char *program)
{
    int rank, ranks;
    int64_t left_ns;
    bool enough;
    struct mpg_error err;
    const struct mpg_needs unknown = {.threads = p->rank < 0 ? most_threads(request->trace) : 0};
    if (mpi->begin(p->readable ? &p->needs : &unknown, &rank, &ranks, &left_ns, &enough, &err) < 0) {
        mpg_error_print(program, &err);
        return MPG_EXIT_FAILURE;
    }
    if (p->rank != rank) {
        close_process(p);
        prepare(p, request, rank);
    }
    (void)check_ranks(p, request, ranks);
    (void)check_threads(p, request, enough);
    p->name = request->trace;
    p->program = program;
    p->mpi = mpi;
    if (has_failed(p, p->readable ? 0 : -1, ranks) || !rename_tags(p, request, ranks)) {
        mpi->end();
        return MPG_EXIT_FAILURE;
    }
    const struct mpg_replay_host host = {
        .context = p, .rank = rank, .ranks = ranks, .deterministic = request->deterministic,
        .same_mpi = was_recorded_with(p->trace, family), .timeout_ns = request->timeout_ns, .needs = &p->needs,
        .next = next, .elapse = elapse, .comm = find_comm, .object = find_object, .string = find_string,
        .neighbors = find_neighbors, .call_name = mpg_call_name, .own_outcome = own_outcome, .failed = end_all};
    struct mpg_outcome outcome;
    if (mpi->perform(&host, left_ns, &outcome, &err) < 0) {
        mpg_error_prefix(&err, "%s", request->trace);
        mpg_error_print(program, &err);
        mpi->abort(MPG_EXIT_FAILURE);
        return MPG_EXIT_FAILURE;
    }
    if (rank == 0 && request->json)
        print_json(&outcome, ranks, request->trace);
    else if (rank == 0 && !request->quiet)
        print_outcome(&outcome, ranks);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "%s: standard output: cannot be written\n", program);
        return MPG_EXIT_FAILURE;
    }
    return MPG_EXIT_OK;
}

int main(int argc, char **argv)
{
    struct request request = {.timeout_ns = 60e9, .memory_bytes = 64 << 20};
    static const char *const elapses[] = {"spin", "sleep", NULL};
    static const struct mpg_option_renamed renamed[] = {{"suppose=", "hypothesis="}, {NULL, NULL}};
    static const struct mpg_option_rule rules[] = {{"json", MPG_OPTION_EXCLUDES, "quiet", NULL},
                                                   {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        {.name = "deterministic", .kind = MPG_OPTION_FLAG, .value = &request.deterministic,
         .help = "receives from any source, Waitany and similar calls complete the\ntraced message"},
        {.name = "hypothesis", .kind = MPG_OPTION_LIST, .value = &request.hypothesis_words,
         .argument = "FILE|HYPOTHESIS",
         .help = "change the program: a file or one line of mpghypothesis(5),\n"
                 "like --hypothesis='balance solve'"},
        {.name = "elapse", .kind = MPG_OPTION_WORD, .value = &request.elapse, .words = elapses,
         .help = "computation time passes in a loop or asleep (default spin)"},
        {.name = "patience", .kind = MPG_OPTION_TIME, .value = &request.timeout_ns, .argument = "TIME",
         .minimum = 1e6, .maximum = 1e15,
         .help = "if no rank of a host progresses for TIME, print the calls that\n"
                 "ranks wait in, and exit with 1 (default 60s)"},
        {.name = "memory", .kind = MPG_OPTION_SIZE, .value = &request.memory_bytes, .argument = "SIZE",
         .minimum = 1 << 16, .maximum = 0x1p40,
         .help = "memory of each rank for events read ahead (default 64MiB)"},
        {.name = "quiet", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &request.quiet,
         .help = "print no summary"},
        {.name = "json", .kind = MPG_OPTION_FLAG, .value = &request.json, .help = "print the summary as JSON"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgreplay",
        .arguments = "TRACE",
        .summary = "Make the MPI calls of a trace again, with delays in place of computation; start with mpirun.",
        .options = options,
        .renamed = renamed,
        .rules = rules,
        .min_arguments = 1,
        .max_arguments = 1,
        .silent = !mpg_launcher_is_first()};
    const int first = mpg_option_parse(&program, argc, argv);
    request.trace = argv[first];
    if (strcmp(request.trace, "-") == 0)
        mpg_option_usage_error(&program, "only one process can read standard input: give a file or folder");

    struct mpg_error err;
    if (read_hypotheses(&request, &err) < 0)
        mpg_option_usage_error(&program, "%s", err.text);
    enum mpg_mpi family = mpg_module_mpi();
    if (family == MPG_MPI_NONE)
        family = mpg_mpi_default();
    const struct mpg_enactor *mpi = NULL;
    if (!mpg_mpi_built(family))
        mpg_error_set(&err, "mpgkit was built without %s", family == MPG_MPI_NONE ? "MPI" : mpg_mpi_name(family));
    else
        mpi = mpg_module_load(family, "libmpgreplay", "enact", "mpg_enactor", &err);
    if (!mpi) {
        if (!mpg_launcher_is_first())
            sleep(1); /* a launcher kills all processes when a process ends with an error: the first process must have printed
                         the message before */
        else
            mpg_error_print(program.name, &err);
        return MPG_EXIT_FAILURE;
    }
    prctl(PR_SET_TIMERSLACK, 1UL);
    struct process process;
    prepare(&process, &request, mpg_launcher_processes() == 1 ? 0 : mpg_launcher_rank());
    const int status = play(mpi, &process, &request, family, program.name);
    close_process(&process);
    mpg_hypotheses_clear(&request.hypotheses);
    return status;
}
