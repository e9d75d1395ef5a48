/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace record: run a program with libmpgtrace.so preloaded. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/option.h"
#include "trace/commands.h"

/* What a run is asked to do. */
struct request {
    const char *output, *papi; /* papi: NULL for none */
    int64_t buffer_bytes, callsites;
    bool cpu_time, profile;
};

static bool join(char *path, size_t size, const char *folder, const char *name)
{
    return snprintf(path, size, "%s/%s", folder, name) < (int)size && access(path, R_OK) == 0;
}

/* The folder of this executable into FOLDER. */
static bool own_folder(char *folder, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n <= 0)
        return false;
    folder[n] = '\0';
    *strrchr(folder, '/') = '\0';
    return true;
}

/* The library called NAME: of $MPGKIT_LIBDIR, of this build tree, or installed. */
static int find_library(const char *name, char *path, size_t size, struct mpg_error *err)
{
    char folder[4000], beside[4096];
    const char *given = getenv("MPGKIT_LIBDIR");
    if (given)
        return join(path, size, given, name)
                   ? 0
                   : mpg_error_set(err, "no %s in MPGKIT_LIBDIR=%s", name, given);
    if (own_folder(folder, sizeof folder)) {
        snprintf(beside, sizeof beside, "%s/pmpi/.libs", folder);
        if (join(path, size, beside, name))
            return 0;
        /* A program run by libtool from the build tree is one folder further down. */
        snprintf(beside, sizeof beside, "%s/../pmpi/.libs", folder);
        if (join(path, size, beside, name))
            return 0;
        snprintf(beside, sizeof beside, "%s/../lib", folder);
        if (join(path, size, beside, name))
            return 0;
    }
    if (join(path, size, MPGKIT_INSTALLED, name))
        return 0;
    return mpg_error_set(err, "%s is not installed in %s (MPGKIT_LIBDIR can name its folder)",
                         name, MPGKIT_INSTALLED);
}

/* Puts LIBRARY in front of what is preloaded already. */
static int preload(const char *library, struct mpg_error *err)
{
    const char *old = getenv("LD_PRELOAD");
    size_t size = strlen(library) + (old ? strlen(old) : 0) + 2;
    char *both = malloc(size);
    if (!both)
        return mpg_error_set(err, "out of memory");
    snprintf(both, size, "%s%s%s", library, old && *old ? ":" : "", old ? old : "");
    int status = setenv("LD_PRELOAD", both, 1);
    free(both);
    return status < 0 ? mpg_error_errno(err, errno, "LD_PRELOAD") : 0;
}

/* The command line as one line, for the trace. */
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

/* The program may change its folder before MPI_Init: PATH as an absolute one. The tracer
 * makes it, so that a program that cannot start leaves none, and says what is wrong with
 * it, once for all ranks; the program then runs all the same. */
static int set_output(const char *path, struct mpg_error *err)
{
    char absolute[PATH_MAX], here[PATH_MAX];
    if (!realpath(path, absolute)) {
        if (!getcwd(here, sizeof here))
            return mpg_error_errno(err, errno, "the current folder");
        if (snprintf(absolute, sizeof absolute, "%s%s%s", path[0] == '/' ? "" : here,
                     path[0] == '/' ? "" : "/", path) >= (int)sizeof absolute)
            return mpg_error_set(err, "%s: name too long", path);
    }
    return setenv("MPGTRACE_OUTPUT", absolute, 1) < 0 ? mpg_error_errno(err, errno, "%s", path)
                                                       : 0;
}

/* Without them the environment of an outer run would decide. */
static void set_values(const struct request *request)
{
    if (request->cpu_time)
        setenv("MPGTRACE_CPU_TIME", "1", 1);
    else
        unsetenv("MPGTRACE_CPU_TIME");
    if (request->papi)
        setenv("MPGTRACE_PAPI", request->papi, 1);
    else
        unsetenv("MPGTRACE_PAPI");
    if (request->profile)
        setenv("MPGTRACE_PROFILE", "1", 1);
    else
        unsetenv("MPGTRACE_PROFILE");
}

static int prepare(const struct request *request, struct mpg_error *err)
{
    char tracer[PATH_MAX], counters[PATH_MAX], number[32];
    if (find_library("libmpgtrace.so", tracer, sizeof tracer, err) < 0 ||
        set_output(request->output, err) < 0)
        return -1;
    snprintf(number, sizeof number, "%lld", (long long)request->buffer_bytes);
    setenv("MPGTRACE_BUFFER", number, 1);
    snprintf(number, sizeof number, "%lld", (long long)request->callsites);
    setenv("MPGTRACE_CALLSITES", number, 1);
    set_values(request);
    if (request->papi &&
        (find_library("libmpgtrace-papi.so", counters, sizeof counters, err) < 0 ||
         preload(counters, err) < 0))
        return -1;
    return preload(tracer, err);
}

int mpg_record_main(int argc, char **argv)
{
    struct request request = {.output = "app.trace", .buffer_bytes = 1 << 16, .callsites = 8};
    const struct mpg_option options[] = {
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &request.output,
         .argument = "TRACE", .help = "the trace folder to make (default app.trace)"},
        {.name = "buffer", .kind = MPG_OPTION_SIZE, .value = &request.buffer_bytes,
         .argument = "SIZE", .minimum = 4096, .maximum = 1 << 26,
         .help = "records that each thread gathers before they are\n"
                 "compressed (default 64KiB)"},
        {.name = "callsites", .kind = MPG_OPTION_INT, .value = &request.callsites,
         .argument = "N", .minimum = 0, .maximum = 64,
         .help = "frames of each call's stack to record (default 8)"},
        {.name = "profile", .kind = MPG_OPTION_FLAG, .value = &request.profile,
         .help = "no events: number, time and bytes for each callsite"},
        {.name = "cpu-time", .kind = MPG_OPTION_FLAG, .value = &request.cpu_time,
         .help = "also record the CPU time between calls"},
        {.name = "papi", .kind = MPG_OPTION_STRING, .value = &request.papi,
         .argument = "EVENT,...", .help = "also count PAPI's events between calls"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace record", .arguments = "PROGRAM [ARGUMENT]...",
        .summary = "Run PROGRAM as one MPI process and record its calls; started by mpirun.",
        .options = options, .min_arguments = 1, .max_arguments = -1, .stop_at_argument = true};
    int first = mpg_option_parse(&program, argc, argv);

    if (!*request.output)
        mpg_option_usage_error(&program, "--output: no name given");
    if (request.papi && !*request.papi)
        mpg_option_usage_error(&program, "--papi: no event given");
    struct mpg_error err;
    describe_program(argv + first);
    if (prepare(&request, &err) == 0) {
        execvp(argv[first], argv + first);
        mpg_error_errno(&err, errno, "%s", argv[first]);
    }
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
