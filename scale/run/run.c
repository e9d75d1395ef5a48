/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgscale run: runs a program at several process counts, records each run, and analyses all runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/temporary.h"
#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "common/units.h"
#include "scale/commands.h"
#include "scale/run/launch.h"
#include "scale/run/plan.h"
#include "scale/run/words.h"
#include "scale/scale.h"
#include "trace/profile/profile.h"
#include "trace/reader.h"

enum { MIN_FREE_BYTES = 64 << 10 }; /* with less free space the disk counts as full */
enum { TRIES = 2 }; /* number of failed runs, without a successful run, after which a process count is given up */

struct request {
    const char *counts, *folder;
    int64_t repetitions, seed;
    double limit_ns;
    bool traces, profile, only;
    struct scale_run_settings settings;
    char *const *command;
    int program; /* index of the program, or of {record}, in `command` */
};

/* Returns the words "mpgtrace record OPTION... -o" for all recordings, for the caller to free; with room for the folder's
 * name. */
static char **record_words(const struct request *request, const char *mpgtrace)
{
    char **words = calloc(request->settings.record.n + 8, sizeof *words);
    size_t n = 0;
    if (!words)
        return NULL;
    words[n++] = (char *)mpgtrace;
    words[n++] = "record";
    words[n++] = "--quiet";
    if (!request->traces)
        words[n++] = "--profile";
    for (size_t i = 0; i < request->settings.record.n; i++)
        words[n++] = (char *)request->settings.record.item[i];
    words[n++] = "-o";
    return words;
}

static size_t last_of(char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

/* Returns the number of ranks in the recording PATH, a trace if TRACES, else a profile; -1 with ERR. */
static int32_t recorded_ranks(const char *path, bool traces, struct mpg_error *err)
{
    int32_t ranks = -1;
    if (traces) {
        struct mpg_trace *t = mpg_trace_open(path, err);
        ranks = t ? mpg_trace_ranks(t) : -1;
        mpg_trace_close(t);
        return ranks;
    }
    struct mpg_profile_rank rank = {0};
    struct mpg_profile *p = mpg_profile_open(path, err);
    int more = p ? 1 : -1;
    while (more > 0)
        more = mpg_profile_next(p, &rank, err);
    mpg_profile_close(p);
    return more < 0 ? -1 : rank.ranks;
}

/* Returns whether the recording PATH of a run with RANKS ranks is unusable, and writes the reason into WHY. LOG: output
 * of the run, in which the tracer may have said more. */
static bool is_bad(const char *path, const char *log, bool traces, int32_t ranks, char *why, size_t size)
{
    struct mpg_error err = {{0}};
    char message[1024];
    const int32_t found = recorded_ranks(path, traces, &err);
    if (found == ranks)
        return false;
    if (found >= 0)
        snprintf(why, size, "%d %s recorded: does the command start as many as " SCALE_RUN_RANKS "?", found,
                 mpg_units_word((uint64_t)found, "rank was", "ranks were"));
    else
        snprintf(why, size, "no readable recording: %s",
                 mpg_scale_run_tracer_message(log, message, sizeof message) ? message : err.text);
    return true;
}

/* Returns whether a run that failed for the reason WHY failed because FOLDER's disk is full. */
static bool is_full(const char *folder, const char *why)
{
    struct statvfs disk;
    return strstr(why, strerror(ENOSPC)) || strstr(why, strerror(EDQUOT)) ||
           (statvfs(folder, &disk) == 0 && (double)disk.f_bavail * (double)disk.f_frsize < MIN_FREE_BYTES);
}

static char *path_of(const char *folder, const char *name, const char *ending, struct mpg_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s", folder, name, ending) < 0) {
        (void)mpg_error_set(err, "out of memory");
        return NULL;
    }
    return path;
}

static void remove_if_there(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
        mpg_temporary_remove_folder(path);
}

/* Prints that a run has failed, and adds the failure to the manifest. */
static int print_failed(struct scale_plan *plan, const struct scale_todo *todo, const char *why,
                        struct mpg_progress *progress, struct mpg_error *err)
{
    mpg_progress_clear(progress);
    mpg_printable_print_error("mpgscale run: %s (%d %s): %s (%s/%s.log)\n", todo->name, todo->ranks,
                              mpg_units_word((uint64_t)todo->ranks, "rank", "ranks"), why, plan->folder, todo->name);
    return mpg_scale_run_failed(plan, todo, why, err);
}

/* Executes a planned run. Returns 1: done; 0: the run failed, which is reported, or a signal (*GOT) ended the run; -1 with
 * ERR: further runs make no sense. */
static int do_run(const struct request *request, struct scale_plan *plan, struct scale_todo *todo, char **record,
                  struct mpg_progress *progress, int *got, struct mpg_error *err)
{
    struct scale_ending ending = {0};
    char why[1200], **words = NULL, *input[] = {(char *)request->settings.input, NULL}, *none[] = {NULL}, **inputs = NULL;
    int status = -1;
    char *folder = path_of(plan->folder, todo->name, "", err), *part = path_of(plan->folder, todo->name, ".part", err);
    char *log = path_of(plan->folder, todo->name, ".log", err), *whole = NULL;
    if (!folder || !part || !log)
        goto out;
    remove_if_there(folder);
    remove_if_there(part);
    if (mkdir(part, 0777) < 0 || !(whole = realpath(part, NULL))) {
        status = mpg_error_errno(err, errno, "%s", part);
        goto out;
    }
    record[last_of(record)] = whole;
    words = mpg_scale_run_words(request->command, request->program, todo->ranks, record);
    record[last_of(record) - 1] = NULL;
    inputs = mpg_scale_run_words(input, -1, todo->ranks, none);
    if (!words || !inputs) {
        status = mpg_error_set(err, "out of memory");
        goto out;
    }
    status = mpg_scale_run_launch(words, inputs[0], log, request->limit_ns / 1e9, progress, &ending, err);
    *got = ending.signal;
    if (status < 0 || ending.signal)
        goto out;
    snprintf(why, sizeof why, "%s", ending.how);
    if (!ending.good || is_bad(part, log, request->traces, todo->ranks, why, sizeof why)) {
        status = print_failed(plan, todo, why, progress, err);
        if (status == 0 && is_full(part, why))
            status = mpg_error_set(err, "%s: no space left: free some, then the same command continues", plan->folder);
    } else if (rename(part, folder) < 0)
        status = mpg_error_errno(err, errno, "%s", folder);
    else
        status = mpg_scale_run_done(plan, todo, ending.seconds, err) < 0 ? -1 : 1;
out:
    if (part)
        remove_if_there(part);
    mpg_scale_run_free_words(words);
    mpg_scale_run_free_words(inputs);
    free(whole);
    free(folder);
    free(part);
    free(log);
    return status;
}

/* Returns whether the process count of the run `todo` is given up: TRIES runs have failed and no run has succeeded. FAILED: for
 * each run of the plan, whether the run has failed. */
static bool has_failed_often(const struct scale_plan *plan, const struct scale_todo *todo, const bool *failed)
{
    int failures = 0;
    for (size_t i = 0; i < plan->n; i++)
        if (plan->todo[i].ranks == todo->ranks) {
            if (plan->todo[i].done)
                return false;
            failures += failed[i];
        }
    return failures >= TRIES;
}

/* Executes all runs still to be done. Returns 0, or -1 with ERR. *GOT: signal that ended a run; unchanged without signal. */
static int do_all(const struct request *request, struct scale_plan *plan, int *got, struct mpg_error *err)
{
    char mpgtrace[PATH_MAX], label[96];
    mpg_scale_run_find_mpgtrace(mpgtrace, sizeof mpgtrace);
    char **record = record_words(request, mpgtrace);
    bool *failed = calloc(plan->n + 1, sizeof *failed);
    int status = record && failed ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; status >= 0 && !*got && i < plan->n; i++) {
        struct mpg_progress progress;
        struct scale_todo *todo = &plan->todo[i];
        if (todo->done || has_failed_often(plan, todo, failed))
            continue;
        *got = mpg_scale_run_signal_waits();
        if (*got)
            break;
        snprintf(label, sizeof label, "mpgscale run: %zu of %zu runs done, %d %s now, seconds:", plan->done, plan->n,
                 todo->ranks, mpg_units_word((uint64_t)todo->ranks, "rank", "ranks"));
        mpg_progress_start(&progress, label, 0);
        status = do_run(request, plan, todo, record, &progress, got, err);
        mpg_progress_end(&progress);
        failed[i] = status == 0 && !*got;
        if (failed[i] && has_failed_often(plan, todo, failed))
            fprintf(stderr, "mpgscale run: %d %s: given up after %d runs that failed\n", todo->ranks,
                    mpg_units_word((uint64_t)todo->ranks, "rank", "ranks"), TRIES);
    }
    free(failed);
    free(record);
    return status < 0 ? -1 : 0;
}

static void print_plan(const struct request *request, const struct scale_plan *plan)
{
    mpg_printable_print_error("mpgscale run: %zu %s of %s, order by seed %lld, into %s", plan->n,
            mpg_units_word(plan->n, "run", "runs"),
            strcmp(request->command[request->program], SCALE_RUN_RECORD) == 0
                ? request->command[request->program + 1] : request->command[request->program],
            (long long)request->seed, plan->folder);
    if (plan->done)
        fprintf(stderr, "; %zu done already", plan->done);
    fputc('\n', stderr);
}

/* Warns, before the runs, if --counts has too few process counts for an analysis. */
static void print_counts(const struct request *request, int n)
{
    if (n < SCALE_MIN_COUNTS && !request->only)
        fprintf(stderr, "mpgscale run: attention: %d process %s in --counts: growth needs runs at %d counts, earlier runs "
                "in this folder included\n", n, n == 1 ? "count" : "counts", SCALE_MIN_COUNTS);
}

/* Executes the runs, without the analysis. Returns 0 or an exit status. */
static int run(const struct request *request, struct scale_plan *plan, int *got)
{
    int32_t counts[SCALE_RUN_MAX_COUNTS];
    struct mpg_error err = {{0}};
    const int n = mpg_scale_run_counts(request->counts, counts, &err);
    if (n < 0) {
        mpg_error_prefix(&err, "--counts");
        mpg_error_print("mpgscale run", &err);
        return MPG_EXIT_USAGE;
    }
    mpg_scale_run_keep_limits();
    int status = mpg_scale_run_plan(counts, (size_t)n, (int)request->repetitions, request->seed, plan, &err);
    if (status == 0)
        status = mpg_scale_run_open(plan, request->folder, request->command, request->traces ? "traces" : "profile",
                                    &request->settings, &err);
    if (status == 0) {
        print_plan(request, plan);
        print_counts(request, n);
        mpg_scale_run_hold_signals();
        status = do_all(request, plan, got, &err);
    }
    if (status < 0)
        mpg_error_print("mpgscale run", &err);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}

static bool good_labels(const struct mpg_option_list *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        const char *equals = strchr(labels->item[i], '=');
        if (!equals || equals == labels->item[i] || !equals[1] || strpbrk(labels->item[i], "\t\n\r"))
            return false;
    }
    return true;
}

static int analyse(const char *folder)
{
    char *argv[] = {"mpgscale", (char *)folder, NULL};
    optind = 0;
    return mpg_scale_main(2, argv);
}

int mpg_scale_run_main(int argc, char **argv)
{
    struct request request = {.counts = "2,4,8,16", .folder = "scale-runs", .settings = {.input = "/dev/null"},
                              .repetitions = 3, .seed = 1};
    const struct mpg_option options[] = {
        {.name = "counts", .kind = MPG_OPTION_STRING, .value = &request.counts, .argument = "N,...",
         .help = "process counts (default 2,4,8,16)"},
        {.name = "repetitions", .kind = MPG_OPTION_INT, .value = &request.repetitions, .argument = "N",
         .help = "runs at each of them (default 3)", .minimum = 1, .maximum = SCALE_RUN_MAX_REPETITIONS},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &request.folder, .argument = "FOLDER",
         .help = "where the runs are kept (default scale-runs); one that was\ninterrupted goes on"},
        {.name = "profile", .kind = MPG_OPTION_FLAG, .value = &request.profile,
         .help = "record sums for each callsite (the default)"},
        {.name = "traces", .kind = MPG_OPTION_FLAG, .value = &request.traces,
         .help = "record all events: waiting is known then, too"},
        {.name = "record", .kind = MPG_OPTION_LIST, .value = &request.settings.record, .argument = "OPTION",
         .help = "a further option of mpgtrace record, as in\n--record=--cpu-time; can be given several times"},
        {.name = "input", .kind = MPG_OPTION_STRING, .value = &request.settings.input, .argument = "FILE",
         .help = "standard input of the command (default: none); in its name, too,\n{ranks} is the number"},
        {.name = "label", .kind = MPG_OPTION_LIST, .value = &request.settings.labels, .argument = "KEY=VALUE",
         .help = "said of all runs (size=..., scaling=fixed or scaled); can be\ngiven several times"},
        {.name = "time-limit", .kind = MPG_OPTION_TIME, .value = &request.limit_ns, .argument = "TIME",
         .help = "a run that takes longer has failed (default: none)", .minimum = 1e6, .maximum = 1e17},
        {.name = "seed", .kind = MPG_OPTION_INT, .value = &request.seed, .argument = "N",
         .help = "of the order of the runs (default 1)", .minimum = 0, .maximum = 9e15},
        {.name = "no-analysis", .kind = MPG_OPTION_FLAG, .value = &request.only, .help = "do the runs only"},
        {.name = NULL}};
    static const struct mpg_option_rule rules[] = {{"traces", MPG_OPTION_EXCLUDES, "profile", "a run records one of them"},
                                                   {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_program program = {
        .name = "mpgscale run",
        .arguments = "-- LAUNCHER ... " SCALE_RUN_RANKS " ... PROGRAM [ARGUMENT]...",
        .summary = "Run a program at several process counts, record each run, and report growing callsites.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = -1,
        .stop_at_argument = true,
        .rules = rules};
    request.command = argv + mpg_option_parse(&program, argc, argv);
    if (!mpg_scale_run_has_ranks(request.command))
        mpg_option_usage_error(&program, "the command has no " SCALE_RUN_RANKS ": mpirun -np " SCALE_RUN_RANKS
                                         " ./app");
    if (!good_labels(&request.settings.labels))
        mpg_option_usage_error(&program, "--label: not KEY=VALUE");
    struct mpg_error err = {{0}};
    request.program = mpg_scale_run_program(request.command, &err);
    if (request.program < 0) {
        mpg_error_print("mpgscale run", &err);
        return MPG_EXIT_FAILURE;
    }
    struct scale_plan plan = {.manifest = -1};
    int got = 0;
    int status = run(&request, &plan, &got);
    const size_t done = plan.done, all = plan.n;
    mpg_scale_run_close(&plan);
    if (got) {
        fprintf(stderr, "mpgscale run: interrupted with %zu of %zu runs done: the same command goes on\n", done, all);
        signal(got, SIG_DFL);
        mpg_scale_run_release_signals();
        raise(got);
    }
    if (status == MPG_EXIT_OK)
        mpg_scale_run_release_signals();
    if (status == MPG_EXIT_OK && done < all)
        fprintf(stderr, "mpgscale run: %zu of %zu runs failed or were given up; the same command tries them again\n",
                all - done, all);
    if (status == MPG_EXIT_OK && done == 0)
        status = MPG_EXIT_FAILURE;
    return status != MPG_EXIT_OK || request.only ? status : analyse(request.folder);
}
