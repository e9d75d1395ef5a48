/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's reports at the end of a run. Environment: MPGTRACE_TOP is "PID yes" or "PID no", if a process reports for the job:
 * id of this process (of mpgtrace record, which has become the program), and whether the program is linked to an MPI.
 * MPGTRACE_QUIET: no reports. */
#include "trace/pmpi/summary.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/peek.h"
#include "common/shell_word.h"
#include "common/units.h"
#include "trace/pmpi/family.h"
#include "trace/pmpi/folder.h"
#include "trace/pmpi/bypass.h"
#include "trace/pmpi/report.h"
#include "trace/store/names.h"

enum { WAIT_MS = 100 };

static struct {
    int64_t spawned_here; /* number of jobs spawned by this process */
    int64_t calls, ranks, spawned; /* sums over all ranks; RANKS: number of ranks that recorded */
    int size;             /* size of MPI_COMM_WORLD */
    char other[PATH_MAX]; /* folder of a rank that differs from rank 0's; "": all ranks have equal folders */
} sums;

static bool is_quiet(void)
{
    return getenv("MPGTRACE_QUIET") != NULL;
}

/* Compares the ranks' folders: the parts of an MPMD run may name different folders. */
static void compare_folders(const char *folder)
{
    char text[PATH_MAX];
    int rank, differs, first;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(text, sizeof text, "%s", folder);
    if (PMPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
        return;
    differs = *folder && strcmp(text, folder) != 0 ? rank : sums.size;
    snprintf(text, sizeof text, "%s", folder);
    if (PMPI_Allreduce(&differs, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS && first < sums.size &&
        PMPI_Bcast(text, sizeof text, MPI_CHAR, first, MPI_COMM_WORLD) == MPI_SUCCESS)
        memcpy(sums.other, text, sizeof sums.other);
}

void summary_gather(int64_t calls, const char *folder)
{
    const int64_t own[3] = {calls, calls > 0, sums.spawned_here};
    int64_t all[3] = {0, 0, 0};
    PMPI_Comm_size(MPI_COMM_WORLD, &sums.size);
    if (PMPI_Reduce(own, all, 3, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD) == MPI_SUCCESS) {
        sums.calls = all[0];
        sums.ranks = all[1];
        sums.spawned = all[2];
    }
    compare_folders(folder);
}

/* Returns FOLDER relative to the working directory, if below, as the user may have written the name. */
static const char *short_name(const char *folder)
{
    char here[PATH_MAX];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length > 1 && strncmp(folder, here, length) == 0 && folder[length] == '/')
        return folder + length + 1;
    return folder;
}

/* Writes the size of the trace to TEXT; an empty text if files are missing or stay open too long. Waits a little, because other
 * ranks close files, and remove segments, at about the same time. */
static void describe_size(char *text, size_t size, const char *folder)
{
    char bytes[32];
    struct folder_content content = folder_scan(folder);
    for (int ms = 0; content.windows > 0 && ms < WAIT_MS; ms += 2) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        content = folder_scan(folder);
    }
    text[0] = '\0';
    if (content.windows == 0 && content.ranks == sums.ranks)
        snprintf(text, size, ", %s", mpg_units_format_size(bytes, sizeof bytes, content.bytes));
}

void summary_spawned(void)
{
    sums.spawned_here++;
}

/* Reports the number of spawned jobs without trace. A traced job has already made a folder in MPI_Init. A spawned job reports
 * nothing, because folders of jobs that it spawned lie beside its own folder and cannot be distinguished from other folders. */
static void report_untraced(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    if (sums.spawned == 0 || mpg_name_is_spawned(slash ? slash + 1 : folder))
        return;
    struct folder_content content = folder_scan(folder);
    for (int ms = 0; content.spawned < sums.spawned && ms < WAIT_MS; ms += 2) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        content = folder_scan(folder);
    }
    if (content.spawned < sums.spawned)
        report("%lld of %lld jobs that it spawned have no trace in %s: spawn 'mpgtrace record' with the program as its "
               "argument",
               (long long)(sums.spawned - content.spawned), (long long)sums.spawned, short_name(folder));
}

void summary_report(const char *folder)
{
    char size[48] = "", ranks[64];
    const bool profile = getenv("MPGTRACE_PROFILE") != NULL;
    if (is_quiet() || sums.ranks == 0)
        return;
    if (!profile)
        describe_size(size, sizeof size, folder);
    if (sums.ranks == sums.size)
        snprintf(ranks, sizeof ranks, "%d rank%s", sums.size, sums.size == 1 ? "" : "s");
    else
        snprintf(ranks, sizeof ranks, "%lld of %d ranks", (long long)sums.ranks, sums.size);
    const char *name = short_name(folder);
    char word[PATH_MAX], other[PATH_MAX];
    mpg_shell_word(word, sizeof word, name);
    if (*sums.other)
        report("%s, %s: %s%s, %lld calls, in folders of their own; 'cat %s/* %s/* >all.mpgt' makes one trace of them for "
               "'mpgtrace stat all.mpgt'",
               name, short_name(sums.other), profile ? "profile of " : "", ranks, (long long)sums.calls, word,
               mpg_shell_word(other, sizeof other, short_name(sums.other)));
    else
        report("%s: %s%s, %lld calls%s; 'mpgtrace stat %s' shows it", name, profile ? "profile of " : "",
               ranks, (long long)sums.calls, size, word);
    report_untraced(folder);
}

/* --- a run in which nothing was traced --- */

/* Returns whether this process reports for the job. *LINKED: whether the program is linked to an MPI. */
static bool is_top(bool *linked)
{
    const char *text = getenv("MPGTRACE_TOP");
    char *end;
    if (!text || is_quiet() || strtol(text, &end, 10) != getpid())
        return false;
    *linked = strcmp(end, " yes") == 0;
    return true;
}

__attribute__((constructor)) static void identify_standard_error(void)
{
    bool linked;
    if (is_top(&linked))
        report_start();
}

static void signal_watch(int signal)
{
    char path[64], name[32];
    const char *text = getenv("MPGTRACE_WATCH");
    const long number = text ? strtol(text, NULL, 10) : 0;
    if (number <= 1)
        return;
    snprintf(path, sizeof path, "/proc/%ld/comm", number);
    if (mpg_peek(path, name, sizeof name) > 0 && strncmp(name, MPG_WATCH_NAME, strlen(MPG_WATCH_NAME)) == 0)
        kill((pid_t)number, signal);
}

void summary_end_watch(void)
{
    signal_watch(SIGTERM);
}

void summary_warn_watch(void)
{
    signal_watch(MPG_WATCH_IN_INIT);
}

void summary_report_nothing(bool session)
{
    bool linked, ended;
    char names[256];
    const char *folder = getenv("MPGTRACE_OUTPUT"), *line = getenv("MPGTRACE_PROGRAM"), *file;
    if (!folder || !line || !is_top(&linked) || folder_scan(folder).ranks > 0)
        return;
    const int length = (int)strcspn(line, " ");
    struct mpg_error err;
    summary_end_watch();
    if (folder_try(folder, &err) < 0) /* this error has kept ranks, if any, from recording */
        report("nothing was traced: %s", err.text);
    else if (session)
        report("nothing was traced: no MPI_Init was seen in %.*s, but MPI_Session_init: sessions alone are not recorded",
               length, line);
    else if (tracer_real_before("MPI_Init"))
        report("nothing was traced: MPI_Init is defined in %s, before the tracer's (a tool of its own is linked to it?)",
               tracer_real_before("MPI_Init"));
    else if (tracer_real_was_initialized(&ended) && (file = bypass_initializer()))
        report("nothing was traced: %s calls PMPI_Init past the tracer, which records MPI_ functions, not PMPI_ (a tool of its "
               "own is in it?)", file);
    else if (bypass_describe(names, sizeof names))
        report("nothing was traced: no MPI_Init was seen in %.*s, which looked up %s in %s (dlsym); this tracer is for %s: "
               "mpgtrace record --mpi names another",
               length, line, names, bypass_describe(names, sizeof names), mpg_mpi_name(MPG_TRACER_MPI));
    else if (tracer_real_was_initialized(&ended))
        report("nothing was traced: %.*s initialized MPI by a call that the tracer does not see%s", length, line,
               MPG_TRACER_MPI == MPG_MPI_ABI ? ": it records calls from C, and MPI's standard ABI has no Fortran for it" : "");
    else if ((file = tracer_real_loaded_other()))
        report("nothing was traced: no MPI_Init was seen in %.*s, which has loaded %s, and this tracer is for %s: mpgtrace "
               "record --mpi names another",
               length, line, file, mpg_mpi_name(MPG_TRACER_MPI));
    else if (linked)
        report("nothing was traced: no MPI_Init was seen in %.*s", length, line);
    else
        report("nothing was traced: no MPI_Init was seen in %.*s, which is linked to no MPI, nor in "
               "its child processes", length, line);
}
