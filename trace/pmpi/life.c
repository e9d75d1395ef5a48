/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start and end of the tracer in a process: start after MPI_Init; end around MPI_Finalize, or at any other end of the program. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/launcher.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/clock_offsets.h"
#include "trace/pmpi/event.h"
#include "trace/pmpi/facts.h"
#include "trace/pmpi/family.h"
#include "trace/pmpi/folder.h"
#include "trace/pmpi/hosts.h"
#include "trace/pmpi/last.h"
#include "trace/pmpi/local.h"
#include "trace/pmpi/memory.h"
#include "trace/pmpi/messages.h"
#include "trace/pmpi/objects.h"
#include "trace/pmpi/off_cpu.h"
#include "trace/pmpi/openmp.h"
#include "trace/pmpi/bypass.h"
#include "trace/pmpi/pauses.h"
#include "trace/pmpi/pcontrol.h"
#include "trace/pmpi/profile.h"
#include "trace/pmpi/regions.h"
#include "trace/pmpi/requests.h"
#include "trace/pmpi/sign_in.h"
#include "trace/pmpi/report.h"
#include "trace/pmpi/settings.h"
#include "trace/pmpi/sites.h"
#include "trace/pmpi/source.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/summary.h"
#include "trace/pmpi/usage.h"
#include "trace/pmpi/values.h"
#include "trace/pmpi/visits.h"

enum { MIN_SEGMENT_BYTES = 4096, DEFAULT_SEGMENT_BYTES = 1 << 18, MAX_SEGMENT_BYTES = 1 << 26 };

static struct {
    bool tried;             /* MPI_Init has been called */
    _Atomic bool session;   /* MPI_Session_init has been called */
    uint64_t run;           /* a number common to all ranks of a run, different for each run */
    /* BEGAN: MPI_Init has returned, and all ranks have run begin(); FINALIZING: MPI_Finalize has been called. */
    bool began, finalizing;
    pid_t pid;              /* process id of the rank, to recognise a forked child */
    struct clock_group clocks;
    char folder[PATH_MAX];
    struct folder_claim claim; /* number 0: nothing is claimed, as in a spawned job */
} life;

/* Turns the tracer off in a forked child, which is not the rank: the child's copies of the buffers do not belong to the trace. */
static void stop_in_child(void)
{
    streams.on = false;
}

static size_t segment_bytes(int rank)
{
    return (size_t)setting_number("MPGTRACE_BUFFER", SETTING_SIZE, MIN_SEGMENT_BYTES,
                                  MAX_SEGMENT_BYTES, DEFAULT_SEGMENT_BYTES, rank);
}

/* --- start --- */

/* Makes a folder for this spawned job inside FOLDER, and sets life.folder to the new folder. Returns 0, or -1 with ERR.
 * Collective. */
static int find_spawned(const char *folder, int rank, struct mpg_error *err)
{
    char path[PATH_MAX];
    int number = rank == 0 ? folder_make_spawned(folder, err) : 0;
    PMPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (number < 0)
        return rank == 0 ? -1 : mpg_error_set(err, "%s: no folder for a spawned job", folder);
    if (folder_make(folder, life.folder, sizeof life.folder, err) < 0)
        return -1;
    if (snprintf(path, sizeof path, "%s/spawned-%d", life.folder, number) >= (int)sizeof path)
        return mpg_error_set(err, "%s: name too long", life.folder);
    return folder_make(path, life.folder, sizeof life.folder, err);
}

/* Returns the name of rank 0's file, which claims a folder. */
static const char *claiming_file(void)
{
    return getenv("MPGTRACE_PROFILE") ? "rank-0.profile.mpgt" : "rank-0.mpgt";
}

/* Rank 0 claims FOLDER or, if FOLDER holds a trace, a new folder beside FOLDER. Sets life.folder on all ranks. Returns 0, or -1
 * with ERR. Collective. */
static int find_claimed(const char *folder, int rank, struct mpg_error *err)
{
    char path[PATH_MAX];
    struct folder_claim claim = {.number = 0};
    int status = 0;
    if (rank == 0 && folder_claim(folder, claiming_file(), &claim, err) < 0) {
        claim.number = -1;
        status = -1;
    }
    PMPI_Bcast(&claim, sizeof claim, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (claim.number < 0)
        return rank == 0 ? status : mpg_error_set(err, "%s: not for rank 0", folder);
    if (folder_name(folder, claim.number, path, sizeof path, err) < 0 ||
        folder_make(path, life.folder, sizeof life.folder, err) < 0)
        return -1;
    if (rank != 0)
        return folder_check(life.folder, claiming_file(), &claim, err);
    life.claim = claim;
    return 0;
}

static int find_folder(int rank, struct mpg_error *err)
{
    MPI_Comm parent = MPI_COMM_NULL;
    const char *folder = getenv("MPGTRACE_OUTPUT");
    if (!folder)
        folder = "app.trace";
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return find_spawned(folder, rank, err);
    return find_claimed(folder, rank, err);
}

/* Reports once for all ranks the number of failed ranks (STATUS < 0), with the first failed rank's error ERR. Collective. */
static void report_status(int status, int rank, const struct mpg_error *err)
{
    int ranks, failed = status < 0, mine = failed ? rank : INT_MAX, first = 0, number = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    PMPI_Allreduce(&failed, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (failed && first == rank)
        report("%s; %d of %d ranks run untraced", err->text, number, ranks);
}

static int open_streams(int rank, bool threads, struct mpg_error *err)
{
    int ranks;
    char complaint[MPG_ERROR_SIZE];
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    values_open(complaint, sizeof complaint);
    if (complaint[0] && rank == 0)
        report("not counted: %s", complaint);
    settings_check_names(rank);
    const bool profile = getenv("MPGTRACE_PROFILE") != NULL;
    const struct stream_options options = {.directory = profile ? NULL : life.folder,
                                           .claimed_device = (dev_t)life.claim.device,
                                           .claimed_inode = (ino_t)life.claim.inode,
                                           .rank = rank,
                                           .ranks = ranks,
                                           .segment_bytes = profile ? MIN_SEGMENT_BYTES : segment_bytes(rank),
                                           .value_number = values_number,
                                           .off_cpu = off_cpu_start(!profile, rank) != OFF_CPU_NONE,
                                           .threads = threads};
    streams.special = profile;
    sites_start(rank);
    local_start(rank);
    pcontrol_start(rank);
    if (streams_open(&options, err) < 0 ||
        (profile && profile_open(life.folder, rank, ranks, values_number, err) < 0))
        return -1;
    struct mpg_trace_writer *w = streams.first->writer;
    if (facts_write_first(w, rank, life.run, life.clocks.all, life.clocks.leads, err) < 0 || values_write_names(w, err) < 0)
        return -1;
    if (rank == 0 && !profile)
        source_store(w);
    return mpg_trace_writer_flush(w, err);
}

/* The collective part of the start: all ranks agree on the folder and measure clock offsets. Returns true if this rank may
 * record. */
static bool begin(bool threads)
{
    struct mpg_error err;
    struct clock_offset offset;
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = find_folder(rank, &err);
    life.run = facts_agree_on_run(rank);
    PMPI_Barrier(MPI_COMM_WORLD); /* no rank may write to the folder before all ranks have checked the claim */
    if (status == 0)
        status = open_streams(rank, threads, &err);
    if (status < 0 && life.claim.number > 0)
        folder_release(life.folder, claiming_file(), &life.claim);
    report_status(status, rank, &err);
    bool measured = clock_measure(&life.clocks, &offset);
    if (status == 0 && measured)
        status = facts_write_offset(streams.first->writer, &offset, &err);
    return status == 0;
}

/* Returns true if srun alone started this process, without PMIx. */
static bool lacks_pmix(void)
{
    enum mpg_srun_protocol protocol;
    return mpg_launcher_srun(&protocol) && protocol != MPG_SRUN_PMIX && !getenv("OMPI_COMM_WORLD_SIZE");
}

void tracer_before_init(void)
{
    if (life.began || tracer_real_is_other())
        return;
    if (tracer_stands_aside()) {
        tracer_real_chain(false);
        return;
    }
    /* Open MPI 4 ends the process in MPI_Init if srun offers no protocol known to Open MPI. Then the watch process continues, to
     * report the failure. */
    if (MPG_TRACER_MPI == MPG_MPI_OPENMPI && lacks_pmix())
        summary_warn_watch();
    else
        summary_end_watch();
    report_start();
    openmp_before_init();
    tracer_real_chain(mpg_launcher_is_first());
    sign_in_process();
}

void tracer_before_session(void)
{
    life.session = true;
}

static bool all_are_here(void)
{
    struct sign_in_missing missing;
    int ranks;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (sign_in_is_complete(ranks, &missing))
        return true;
    if (missing.reports && missing.where)
        report("only %d of %d ranks run under mpgtrace record (found in %s, which all hosts must share): they run untraced",
               missing.traced, missing.ranks, missing.where);
    else if (missing.reports)
        report("only %d of %d ranks run under mpgtrace record: they run untraced", missing.traced, missing.ranks);
    return false;
}

/* Returns a text for messages: which PMI version srun offered to the tasks of this step. */
static const char *srun_gave(void)
{
    enum mpg_srun_protocol protocol;
    mpg_launcher_srun(&protocol);
    switch (protocol) {
    case MPG_SRUN_PMI2: return "srun gave them PMI-2, which this MPI did not use";
    case MPG_SRUN_PMIX: return "srun gave them PMIx, which this MPI did not use";
    case MPG_SRUN_NONE: break;
    }
    return "srun gave them no PMI";
}

/* Warns of processes that a launcher started together, but that MPI treats as separate jobs, each with a separate trace: launcher
 * and program use different MPIs, or have no common protocol. */
static void report_singletons(void)
{
    int size, started;
    const char *launcher = NULL;
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_get_parent(&parent);
    started = mpg_launcher_started(&launcher);
    if (size > 1 || parent != MPI_COMM_NULL || started <= 1 || !mpg_launcher_is_first())
        return;
    /* The program's launcher, inside a step of srun, has started only this process. */
    if ((MPG_TRACER_MPI == MPG_MPI_ABI || mpg_launcher_mpi() == MPG_TRACER_MPI) && mpg_launcher_processes() == 1)
        return;
    if (strcmp(launcher, "srun") == 0)
        report("MPI_COMM_WORLD has 1 rank, though srun started %d: each is a job with a trace of its own; %s; %s usually needs "
               "'srun --mpi=%s' ('srun --mpi=list' says which there are)",
               started, srun_gave(), mpg_mpi_name(MPG_TRACER_MPI),
               MPG_TRACER_MPI == MPG_MPI_MPICH ? "pmi2" : MPG_TRACER_MPI == MPG_MPI_OPENMPI ? "pmix" : "pmix' or '--mpi=pmi2");
    else
        report("MPI_COMM_WORLD has 1 rank, though %s started %d: each is a job with a trace of its own; the program's MPI is "
               "%s, and is to be started by its own", launcher, started, mpg_mpi_name(MPG_TRACER_MPI));
}

void tracer_init(struct tracer_scope *s, int thread_level)
{
    if (life.began || tracer_real_is_other() || tracer_stands_aside())
        return;
    life.tried = true;
    summary_end_watch();
    report_start();
    if (!all_are_here())
        return;
    life.began = true;
    life.pid = getpid();
    report_singletons();
    clock_calibrate();
    clock_group_find(&life.clocks);
    s->enter_ns = clock_convert((uint64_t)s->enter_ns);
    stream_thread.depth++; /* the tracer's calls are not recorded */
    bool records = begin(thread_level > MPI_THREAD_SERIALIZED);
    hosts_end(); /* all ranks have taken part in begin(), and have read the other hosts' answer */
    stream_thread.depth--;
    if (!records || pthread_atfork(NULL, NULL, stop_in_child) != 0)
        return;
    usage_start();
    openmp_start();
    tracer_memory_prepare();
    streams.calls = streams.measured = streams.measured_ns = 0; /* do not count the calls made to measure the overhead */
    streams.on = true;
    if (!tracer_lock())
        return;
    tracer_comm(MPI_COMM_WORLD);
    s->leave_ns = clock_now_ns();
    off_cpu_leave(&stream_thread.off_cpu, s->leave_ns); /* begin of the first compute interval */
    struct mpg_event e = event_of(s);
    tracer_write(s, &e);
    if (!profile_is_on() && tracer_lock()) {
        last_start(streams.rank, s->leave_ns);
        if (!last_is_on())
            visits_start(streams.rank);
        tracer_unlock();
    }
    regions_start(s);
    if (profile_is_on() || !tracer_lock())
        return;
    pauses_start(streams.rank, s->leave_ns);
    tracer_unlock();
}

/* --- end --- */

void tracer_finalize(struct tracer_scope *s)
{
    struct mpg_error err;
    struct clock_offset offset;
    if (!s->outermost || !life.began || life.finalizing || life.pid != getpid())
        return;
    life.finalizing = true;
    openmp_end();
    /* Collective: also ranks whose tracer has failed take part. */
    bool measured = clock_measure(&life.clocks, &offset);
    clock_group_free(&life.clocks);
    summary_gather(streams.on ? streams_calls() - last_dropped_calls() + 1 : 0, life.folder);
    if (!measured || !tracer_lock())
        return;
    streams_wait();
    if (facts_write_offset(streams.first->writer, &offset, &err) < 0)
        tracer_fail(&err);
    tracer_unlock();
}

static void close_trace(enum mpg_profile_state state)
{
    struct mpg_error err;
    if (facts_write_last(streams.first->writer, &err) < 0 || profile_close(state, &err) < 0)
        tracer_fail(&err);
    streams_close();
}

void tracer_finalized(struct tracer_scope *s)
{
    if (!tracer_lock())
        return;
    pauses_finish();
    struct mpg_event e = event_of(s); /* after a pause without times, hence at the present time */
    tracer_write(s, &e);
    if (!tracer_lock())
        return;
    streams_wait();
    close_trace(MPG_PROFILE_FINALIZED);
    tracer_comms_end();
    tracer_requests_end();
    tracer_messages_end();
    tracer_objects_end();
    tracer_unlock();
    if (streams.rank == 0) {
        bypass_report();
        pcontrol_report();
        visits_report();
        openmp_report();
        summary_report(life.folder);
    }
}

void tracer_end_early(const char *reason)
{
    struct mpg_error err;
    if (!streams.on || life.pid != getpid())
        return;
    /* If this or another thread is in the middle of a record, the trace ends with the current content of the segment. */
    if (!stream_lock_at_end())
        return;
    streams_wait();
    if (facts_write(streams.first->writer, "incomplete", reason, &err) < 0)
        tracer_fail(&err);
    close_trace(MPG_PROFILE_ENDED);
    stream_unlock();
}

__attribute__((destructor)) static void at_exit(void)
{
    bool ended;
    if (!life.began && !life.tried && !tracer_real_is_other() && !tracer_stands_aside())
        summary_report_nothing(life.session);
    if (life.tried && !life.began && tracer_real_was_initialized(&ended) && ended)
        hosts_end(); /* all ranks have called MPI_Finalize, and have read the other hosts' answer */
    if (!streams.on || life.pid != getpid())
        return;
    tracer_real_was_initialized(&ended);
    tracer_end_early(ended ? "MPI_Finalize was called past the tracer" : "the program ended without MPI_Finalize");
    if (streams.rank == 0)
        bypass_report();
}
