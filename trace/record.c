/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace record: runs a program with a preloaded tracer for the program's MPI. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/kind.h"
#include "common/launcher.h"
#include "common/option.h"
#include "common/printable.h"
#include "common/units.h"
#include "trace/commands.h"
#include "trace/record/folder.h"
#include "trace/record/target.h"
#include "trace/record/tracers.h"
#include "trace/record/watch.h"

enum { LOCAL_DEFAULT = 1, REFUSED_WAIT_S = 2 };

/* The options of mpgtrace record. */
struct request {
    const char *output;
    const char *papi, *signature; /* NULL: option not given */
    const char *region, *iterations; /* NULL: option not given */
    double after_ns, for_ns, last_ns; /* 0: option not given */
    int mpi;                      /* argument of --mpi: index in `mpis`; -1: not given */
    int pcontrol;                 /* argument of --pcontrol: index in `pcontrols`; -1: not given */
    int64_t buffer_bytes, callsites, local;
    bool cpu_time, profile, no_local, force, quiet;
    bool refused; /* the run is refused, because the folder holds a trace */
};

static const char *const mpis[] = {"openmpi", "mpich", "abi", NULL}, *const pcontrols[] = {"ipm", NULL};

/* Stores the command line as one line in an environment variable. The tracer copies it to the trace. */
static void describe_program(char **argv)
{
    char text[2000] = "";
    size_t used = 0;
    for (; *argv && used + strlen(*argv) + 2 < sizeof text; argv++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", *argv);
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = ' ';
    setenv("MPGTRACE_PROGRAM", text, 1);
}

/* Passes PATH to the tracer as an absolute path, as the program can change its working folder before MPI_Init. The tracer creates
 * the folder: a program that cannot start leaves no folder. Errors are reported once for all ranks, and the program runs
 * nevertheless. */
static int set_output(struct request *request, struct mpg_error *err)
{
    const char *path = request->output;
    char absolute[PATH_MAX], here[PATH_MAX];
    if (!realpath(path, absolute)) {
        if (!getcwd(here, sizeof here))
            return mpg_error_errno(err, errno, "the current folder");
        if (snprintf(absolute, sizeof absolute, "%s%s%s", path[0] == '/' ? "" : here,
                     path[0] == '/' ? "" : "/", path) >= (int)sizeof absolute)
            return mpg_error_set(err, "%s: name too long", path);
    }
    /* A recorded program can itself start recorded programs, and a spawned program finds its parents' trace: the tracer then
     * writes beside or into the parents' trace. */
    const char *outer = getenv("MPGTRACE_OUTPUT");
    const bool inside = mpg_launcher_spawned() || (outer && strcmp(outer, absolute) == 0);
    if (request->force && !inside && mpg_folder_clear(absolute, err) < 0)
        return -1;
    request->refused = !request->force && !inside && mpg_folder_has_trace(absolute);
    if (request->refused)
        return mpg_error_set(err, "%s: holds a trace already: --force replaces it, -o names "
                                  "another folder", path);
    return setenv("MPGTRACE_OUTPUT", absolute, 1) < 0 ? mpg_error_errno(err, errno, "%s", path)
                                                       : 0;
}

/* Passes the signature as an absolute path to the tracer, because the program may change its working folder before MPI_Init. The
 * tracer of rank 0 stores the signature in the trace. */
static int set_signature(const struct request *request, struct mpg_error *err)
{
    char absolute[PATH_MAX];
    const char *path = request->signature;
    if (!path || !mpg_launcher_is_first()) {
        unsetenv("MPGTRACE_SIGNATURE");
        return 0;
    }
    const enum mpg_file_kind kind = mpg_kind_of(path);
    if (kind == MPG_FILE_ABSENT || !realpath(path, absolute))
        return mpg_error_errno(err, errno ? errno : ENOENT, "--signature: %s", path);
    if (kind != MPG_FILE_SIGNATURE) {
        mpg_kind_error(path, kind, MPG_FILE_SIGNATURE, err);
        return mpg_error_prefix(err, "--signature");
    }
    return setenv("MPGTRACE_SIGNATURE", absolute, 1) < 0 ? mpg_error_errno(err, errno, "%s", path)
                                                          : 0;
}

/* Tells the tracer that this process reports for the job if nothing is traced. LINKED: the program is linked to an MPI
 * library. */
static void set_top(bool linked)
{
    char top[48];
    snprintf(top, sizeof top, "%ld %s", (long)getpid(), linked ? "yes" : "no");
    if (mpg_launcher_is_first())
        setenv("MPGTRACE_TOP", top, 1);
    else
        unsetenv("MPGTRACE_TOP");
}

/* Passes TEXT to the tracer as variable NAME; removes the variable if TEXT is NULL. */
static void set_text(const char *name, const char *text)
{
    if (text)
        setenv(name, text, 1);
    else
        unsetenv(name);
}

/* Passes the time TIME_NS to the tracer as variable NAME; removes the variable if the option is not given. */
static void set_time(const char *name, double time_ns)
{
    char number[32];
    snprintf(number, sizeof number, "%.0f", time_ns);
    set_text(name, time_ns > 0 ? number : NULL);
}

/* Passes options to the tracer in environment variables. The variable of an absent option is removed, because an outer run may
 * have set the variable. */
static void set_values(const struct request *request)
{
    set_text("MPGTRACE_CPU_TIME", request->cpu_time ? "1" : NULL);
    set_text("MPGTRACE_PAPI", request->papi);
    set_text("MPGTRACE_PCONTROL", request->pcontrol >= 0 ? pcontrols[request->pcontrol] : NULL);
    set_text("MPGTRACE_MPI", request->mpi >= 0 ? mpis[request->mpi] : NULL);
    set_text("MPGTRACE_PROFILE", request->profile ? "1" : NULL);
    set_text("MPGTRACE_REGION", request->region);
    set_text("MPGTRACE_ITERATIONS", request->iterations);
    set_time("MPGTRACE_AFTER", request->after_ns);
    set_time("MPGTRACE_FOR", request->for_ns);
    set_time("MPGTRACE_LAST", request->last_ns);
    set_text("MPGTRACE_QUIET", request->quiet ? "1" : NULL);
}

/* Reports once for all ranks the reason WHY PROGRAM is not traced. */
static void report_untraced(const char *program, const char *why)
{
    if (mpg_launcher_is_first())
        mpg_printable_print_error("mpgtrace record: %s runs untraced: %s\n", program, why);
}

/* Returns the MPI library whose tracer is preloaded; also for a program without a linked MPI, which can load an MPI later, or run
 * programs linked to an MPI. */
static enum mpg_mpi choose_mpi(const struct request *request, const struct mpg_record_target *target)
{
    if (request->mpi >= 0)
        return mpg_mpi_of_word(mpis[request->mpi]);
    if (target->mpi != MPG_MPI_NONE)
        return target->mpi;
    const enum mpg_mpi launcher = mpg_launcher_mpi();
    return launcher != MPG_MPI_NONE ? launcher : mpg_mpi_default();
}

/* Sets LD_PRELOAD to the tracer for TARGET. Reports if PROGRAM, or a part of PROGRAM, cannot be traced. */
static int preload_for(const struct request *request, const struct mpg_record_target *target,
                       const char *program, struct mpg_error *err)
{
    char tracer[PATH_MAX], names[PATH_MAX], counters[PATH_MAX];
    const char *libraries[5] = {NULL};
    int n = 0;
    const enum mpg_mpi mpi = choose_mpi(request, target);
    if (target->unknown_mpi[0]) {
        snprintf(tracer, sizeof tracer, "%s is of no kind that mpgtrace knows", target->unknown_mpi);
        report_untraced(program, tracer);
        return 0;
    }
    if (target->mpi != MPG_MPI_NONE && target->mpi != mpi && !target->loads_late)
        return mpg_error_set(err, "--mpi=%s: %s is linked to %s (%s)", mpis[request->mpi], program,
                             mpg_mpi_name(target->mpi), target->mpi_library);
    const int status = mpg_tracer_find(mpi, target->mpi == mpi ? target->mpi_library : "", tracer,
                                       sizeof tracer, err);
    if (status < 0 || (request->papi && mpg_tracer_library("libmpgtrace-papi.so", counters,
                                                           sizeof counters, err) < 0))
        return -1;
    if (status > 0) {
        report_untraced(program, err->text);
        return 0;
    }
    if (target->gains_rights)
        report_untraced(program, "it is setuid, setgid or has capabilities, so the dynamic linker "
                               "preloads nothing");
    else if (target->kind == MPG_ELF_STATIC && !target->has_tracer)
        report_untraced(program, "it is linked statically, so nothing can be preloaded; link it "
                               "with -lmpgtrace (see mpgtrace(1))");
    if (target->sanitizer[0])
        libraries[n++] = target->sanitizer;
    libraries[n++] = tracer;
    if (mpi == MPG_MPI_OPENMPI && target->odd_fortran &&
        mpg_tracer_library("libmpgtrace-openmpi-names.so", names, sizeof names, NULL) == 0)
        libraries[n++] = names;
    if (request->papi)
        libraries[n++] = counters;
    if (mpg_preload(libraries, err) < 0)
        return -1;
    if (!request->quiet && !mpg_launcher_spawned() && mpg_launcher_is_first() && !target->gains_rights &&
        target->kind != MPG_ELF_STATIC)
        mpg_watch(getenv("MPGTRACE_OUTPUT"), program);
    return 0;
}

static int prepare(struct request *request, const char *program, struct mpg_error *err)
{
    static const char *const none[] = {NULL};
    struct mpg_record_target target;
    char number[32];
    unsetenv("MPGTRACE_WATCH");
    if (mpg_preload(none, err) < 0 || mpg_target_find(&target, program, err) < 0 ||
        set_signature(request, err) < 0 || set_output(request, err) < 0)
        return -1;
    snprintf(number, sizeof number, "%lld", (long long)request->buffer_bytes);
    setenv("MPGTRACE_BUFFER", number, 1);
    snprintf(number, sizeof number, "%lld", (long long)request->callsites);
    setenv("MPGTRACE_CALLSITES", number, 1);
    snprintf(number, sizeof number, "%lld", request->no_local ? 0 : (long long)request->local);
    setenv("MPGTRACE_LOCAL", number, 1);
    set_values(request);
    set_top(target.mpi != MPG_MPI_NONE && !target.loads_late);
    return preload_for(request, &target, program, err);
}

/* The only condition in the rules of options: --local is given with another number than the default. */
static bool records_local(void *request, const char *condition)
{
    (void)condition;
    const int64_t local = ((const struct request *)request)->local;
    return local > 0 && local != LOCAL_DEFAULT;
}

/* Refuses a wrong range of --iterations. */
static int check_iterations(void *request, char **arguments, size_t n, struct mpg_error *err)
{
    uint64_t first = 0, last;
    const char *text = ((const struct request *)request)->iterations;
    (void)arguments, (void)n;
    if (text && mpg_units_parse_range(text, "iterations", &first, &last, err) < 0)
        return mpg_error_prefix(err, "--iterations");
    return text && first == 0 ? mpg_error_set(err, "--iterations=%s: iterations count from 1", text) : 0;
}

int mpg_record_main(int argc, char **argv)
{
    struct request request = {.output = "app.trace", .buffer_bytes = 1 << 18, .callsites = 8,
                              .local = LOCAL_DEFAULT, .mpi = -1, .pcontrol = -1};
    const struct mpg_option options[] = {
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &request.output,
         .argument = "TRACE", .help = "the trace folder to make (default app.trace)"},
        {.name = "force", .kind = MPG_OPTION_FLAG, .value = &request.force,
         .help = "replace the trace that the folder holds"},
        {.name = "quiet", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &request.quiet,
         .help = "do not say in the end where the trace is"},
        {.name = "buffer", .kind = MPG_OPTION_SIZE, .value = &request.buffer_bytes,
         .argument = "SIZE", .minimum = 4096, .maximum = 1 << 26,
         .help = "records that each thread gathers before they are\n"
                 "compressed (default 256KiB)"},
        {.name = "callsites", .kind = MPG_OPTION_INT, .value = &request.callsites,
         .argument = "N", .minimum = 0, .maximum = 64,
         .help = "frames of each call's stack to record (default 8)"},
        {.name = "local", .kind = MPG_OPTION_INT, .value = &request.local,
         .argument = "N", .minimum = 0, .maximum = 0x1p61,
         .help = "of local calls (MPI_Wtime), record N from each callsite,\n"
                 "and only the sum of the others (default 1)"},
        {.name = "no-local", .kind = MPG_OPTION_FLAG, .value = &request.no_local,
         .help = "record only sums of local calls, as --local=0"},
        {.name = "after", .kind = MPG_OPTION_TIME, .value = &request.after_ns, .argument = "TIME", .minimum = 1, .maximum = 1e18,
         .help = "begin to record TIME after MPI_Init"},
        {.name = "for", .kind = MPG_OPTION_TIME, .value = &request.for_ns, .argument = "TIME", .minimum = 1, .maximum = 1e18,
         .help = "record for TIME, from then on or from MPI_Init on"},
        {.name = "region", .kind = MPG_OPTION_STRING, .value = &request.region, .argument = "NAME",
         .help = "record only inside of region NAME of the program"},
        {.name = "iterations", .kind = MPG_OPTION_STRING, .value = &request.iterations, .argument = "A-B",
         .help = "record from the begin of the region's visit A\n"
                 "to the end of visit B, as one part"},
        {.name = "last", .kind = MPG_OPTION_TIME, .value = &request.last_ns, .argument = "TIME", .minimum = 1, .maximum = 1e18,
         .help = "keep only the last TIME of the run on disk"},
        {.name = "profile", .kind = MPG_OPTION_FLAG, .value = &request.profile,
         .help = "record only sums: number, time, bytes for each callsite"},
        {.name = "signature", .kind = MPG_OPTION_STRING, .value = &request.signature,
         .argument = "FILE", .help = "store this machine's signature, which mpgsim then takes\n"
                                     "for the source"},
        {.name = "cpu-time", .kind = MPG_OPTION_FLAG, .value = &request.cpu_time,
         .help = "also record the CPU time between calls"},
        {.name = "papi", .kind = MPG_OPTION_STRING, .value = &request.papi,
         .argument = "EVENT,...", .help = "also count PAPI's events between calls"},
        {.name = "pcontrol", .kind = MPG_OPTION_WORD, .value = &request.pcontrol,
         .words = pcontrols, .help = "MPI_Pcontrol(1, \"name\") and (-1, \"name\") begin and end\n"
                                    "regions, as for IPM"},
        {.name = "mpi", .kind = MPG_OPTION_WORD, .value = &request.mpi, .words = mpis,
         .argument = "MPI", .help = "openmpi, mpich or abi (default: the one\n"
                                    "of PROGRAM or its launcher)"},
        {0}};
    static const struct mpg_option_rule rules[] = {
        {"no-local", MPG_OPTION_EXCLUDES, "--local=N", "--no-local means --local=0"},
        {"after", MPG_OPTION_EXCLUDES, "profile", "a profile is paused by MPI_Pcontrol"},
        {"for", MPG_OPTION_EXCLUDES, "profile", "a profile is paused by MPI_Pcontrol"},
        {"region", MPG_OPTION_EXCLUDES, "profile", "a profile is paused by MPI_Pcontrol"},
        {"region", MPG_OPTION_EXCLUDES, "after", "a part is given by time or by region"},
        {"region", MPG_OPTION_EXCLUDES, "for", "a part is given by time or by region"},
        {"iterations", MPG_OPTION_NEEDS, "region", "iterations are visits of a region"},
        {"last", MPG_OPTION_EXCLUDES, "profile", "a profile has a fixed size in runs of any length"},
        {"last", MPG_OPTION_EXCLUDES, "after", "a run is recorded up to its end, or in a part"},
        {"last", MPG_OPTION_EXCLUDES, "for", "a run is recorded up to its end, or in a part"},
        {"last", MPG_OPTION_EXCLUDES, "region", "a run is recorded up to its end, or in a part"},
        {"signature", MPG_OPTION_EXCLUDES, "profile", "profiles cannot be simulated"},
        {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_program program = {
        .name = "mpgtrace record", .arguments = "PROGRAM [ARGUMENT]...",
        .summary = "Run PROGRAM as one MPI process and record its calls; started by mpirun.",
        .options = options, .min_arguments = 1, .max_arguments = -1, .stop_at_argument = true,
        .rules = rules, .holds = records_local, .resolve = check_iterations, .context = &request};
    const int first = mpg_option_parse(&program, argc, argv);
    struct mpg_error err;
    describe_program(argv + first);
    if (prepare(&request, argv[first], &err) == 0) {
        execvp(argv[first], argv + first);
        mpg_error_errno(&err, errno, "%s", argv[first]);
    }
    if (!request.refused || mpg_launcher_is_first_here())
        mpg_error_print(program.name, &err);
    else
        sleep(REFUSED_WAIT_S); /* launchers kill all processes when a process fails, also the process about to print the error */
    return MPG_EXIT_FAILURE;
}
