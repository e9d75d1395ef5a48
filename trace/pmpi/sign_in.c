/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign-in file: a file shared by the processes of a job on one host. The file holds the number of signed-in processes and,
 * once decided, whether all processes will be traced. Both values change only under a lock: finally all processes see one state.
 * The file is read and written instead of mapped: truncation by other processes does no harm. If processes are missing here, or
 * the job has more hosts, the first process asks the other hosts (hosts.h) for all processes here. Missing processes can be on
 * this machine under another host name, as in containers. */
#define _GNU_SOURCE
#include "trace/pmpi/sign_in.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/launcher.h"
#include "trace/pmpi/family.h"
#include "trace/pmpi/hosts.h"
#include "trace/pmpi/paths.h"
#include "trace/store/process.h"
#include "trace/store/segment.h"

enum { WAIT_MS = 1000, OTHERS_MS = 4000, HOSTS_MS = 10000, LATE_MS = 5000, STALE_S = 60 };
#define FOLDER "/dev/shm/"

/* Content of the sign-in file. */
struct record {
    uint64_t maker; /* mark (process id and start time) of the first process that signed in */
    uint64_t number;
    uint64_t asks_hosts; /* the first process is asking other hosts, and processes that sign in later must wait, too */
    uint64_t decided; /* the decision: 0: none yet; else HOSTS_ALL or HOSTS_SOME (enum hosts_answer) */
};

static struct {
    char path[256];
    char job[200];
    char common[300]; /* name of the job on all hosts; empty: unknown */
    bool leads;     /* this process was the first to sign in */
    bool has_decided; /* this process took the decision for this host */
    bool counts; /* the file exists, and this process has signed in */
    int fd;
    uint64_t size; /* number of processes of the job on this host */
} sign_in = {.fd = -1};

/* Stores the job's name as common to all hosts. Returns true. */
static bool use_on_all_hosts(void)
{
    snprintf(sign_in.common, sizeof sign_in.common, "%s", sign_in.job);
    return true;
}

/* Gets the job's name and local size in an srun step from Slurm's variables. Returns false if the step offers a different PMI
 * version than PROTOCOL, which this MPI would not use, or in a heterogeneous job, where each component counts only the
 * component's tasks. */
static bool find_step(enum mpg_srun_protocol protocol)
{
    enum mpg_srun_protocol found;
    const int tasks = mpg_launcher_srun_tasks_here();
    if (!mpg_launcher_srun(&found) || found != protocol || tasks < 1 || getenv("SLURM_HET_SIZE"))
        return false;
    sign_in.size = (uint64_t)tasks;
    return snprintf(sign_in.job, sizeof sign_in.job, "slurm-%s.%s", getenv("SLURM_JOB_ID"), getenv("SLURM_STEP_ID")) <
               (int)sizeof sign_in.job &&
           use_on_all_hosts();
}

/* Hydra, MPICH's launcher, has no job name. Each rank has a socket created by the host's proxy process, whose process id and
 * start time are unique to the job on this host. The proxy's arguments are equal on all hosts. */
static bool find_job_of_hydra(void)
{
    const char *socket_text = getenv("PMI_FD"), *size = getenv("MPI_LOCALNRANKS");
    struct ucred maker;
    socklen_t length = sizeof maker;
    if (!size)
        return find_step(MPG_SRUN_PMI2);
    if (!socket_text ||
        getsockopt(atoi(socket_text), SOL_SOCKET, SO_PEERCRED, &maker, &length) < 0)
        return false;
    uint64_t mark = mpg_process_mark(maker.pid);
    if (!mpg_launcher_hydra_job(maker.pid, sign_in.common, sizeof sign_in.common))
        sign_in.common[0] = '\0';
    sign_in.size = (uint64_t)atoi(size);
    return mark != 0 &&
           snprintf(sign_in.job, sizeof sign_in.job, "%ld-%" PRIx64, (long)maker.pid, mark) < (int)sizeof sign_in.job;
}

/* Gets the job name from Open MPI's launcher or another PMIx launcher. */
static bool find_job_of_pmix(void)
{
    const char *name = getenv("PMIX_NAMESPACE"), *size = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!size)
        return find_step(MPG_SRUN_PMIX);
    if (!name)
        return false;
    sign_in.size = (uint64_t)atoi(size);
    return snprintf(sign_in.job, sizeof sign_in.job, "%s", name) < (int)sizeof sign_in.job && use_on_all_hosts();
}

static bool find_job(void)
{
    return (MPG_TRACER_MPI != MPG_MPI_MPICH && find_job_of_pmix()) ||
           (MPG_TRACER_MPI != MPG_MPI_OPENMPI && find_job_of_hydra());
}

static bool find_path(void)
{
    if (!find_job() || sign_in.size < 1)
        return false;
    char host[HOST_NAME_MAX + 1] = ""; /* containers on other hosts may share the folder */
    (void)gethostname(host, sizeof host - 1);
    snprintf(sign_in.path, sizeof sign_in.path, FOLDER "mpgtrace-%u-%s-%s", (unsigned)getuid(), host,
             sign_in.job);
    for (char *p = sign_in.path + sizeof FOLDER - 1; *p; p++)
        if (*p == '/')
            *p = '-';
    return true;
}

/* --- the file --- */

/* Opens PATH if the file belongs to this user, is inaccessible to others and has no other link; returns -1 otherwise. */
static int open_own(const char *path, int flags)
{
    struct stat st;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        (st.st_mode & 077) == 0 && st.st_nlink <= 1)
        return fd;
    close(fd);
    return -1;
}

/* Waits for the lock. Holders write only some bytes; a timer of the program may interrupt the wait repeatedly. */
static bool set_lock(int fd, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    int status;
    while ((status = fcntl(fd, F_SETLKW, &lock)) < 0 && errno == EINTR)
        ;
    return status == 0;
}

/* Reads the record. An empty or truncated file counts as a sign-in file without signatures. */
static struct record read_record(int fd)
{
    struct record r;
    return pread(fd, &r, sizeof r, 0) == (ssize_t)sizeof r ? r : (struct record){0};
}

static bool write_record(int fd, const struct record *r)
{
    return mpg_file_may_have(sizeof *r) && pwrite(fd, r, sizeof *r, 0) == (ssize_t)sizeof *r;
}

/* Removes sign-in files of this user's jobs that ended before all processes had signed in. */
static void clear_stale(const char *name, void *prefix)
{
    char path[sizeof sign_in.path + sizeof FOLDER];
    struct stat st;
    if (strncmp(name, prefix, strlen(prefix)) != 0 ||
        snprintf(path, sizeof path, FOLDER "%s", name) >= (int)sizeof path)
        return;
    const int fd = open_own(path, 0);
    if (fd < 0)
        return;
    const struct record r = read_record(fd);
    if (fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > STALE_S && !mpg_process_runs(r.maker))
        (void)unlink(path);
    close(fd);
}

void sign_in_process(void)
{
    char prefix[64];
    struct record r = {0};
    if (sign_in.counts || !find_path() || (sign_in.fd = open_own(sign_in.path, O_CREAT)) < 0)
        return;
    if (set_lock(sign_in.fd, F_WRLCK)) {
        r = read_record(sign_in.fd);
        sign_in.leads = r.number++ == 0;
        if (sign_in.leads)
            r.maker = mpg_process_mark(getpid());
        sign_in.counts = write_record(sign_in.fd, &r);
        set_lock(sign_in.fd, F_UNLCK);
    }
    /* All processes of the host have opened the file by now. Without a name the file vanishes even if the job dies in
     * MPI_Init. */
    if (sign_in.counts && r.number == sign_in.size)
        (void)unlink(sign_in.path);
    if (r.number != 1)
        return;
    snprintf(prefix, sizeof prefix, "mpgtrace-%u-", (unsigned)getuid());
    (void)paths_list(FOLDER, clear_stale, prefix);
}

/* Applies CHANGE to the content of the file, under the lock. Returns the new content. */
static struct record change_record(void (*change)(struct record *r))
{
    struct record r = read_record(sign_in.fd);
    if (!set_lock(sign_in.fd, F_WRLCK))
        return r;
    r = read_record(sign_in.fd);
    const struct record before = r;
    change(&r);
    if (memcmp(&r, &before, sizeof r) != 0 && !write_record(sign_in.fd, &r))
        r = before;
    set_lock(sign_in.fd, F_UNLCK);
    return r;
}

static void begin_query(struct record *r)
{
    r->asks_hosts = 1;
}

static void decide(struct record *r, enum hosts_answer answer)
{
    sign_in.has_decided = r->decided == 0;
    r->decided = r->decided ? r->decided : answer;
}

static void decide_all(struct record *r)
{
    decide(r, HOSTS_ALL);
}

static void decide_some(struct record *r)
{
    decide(r, HOSTS_SOME);
}

/* Decides by the sign-ins on this host alone whether all processes will be traced; the last process may have signed in
 * meanwhile. */
static void decide_here(struct record *r)
{
    decide(r, r->number < sign_in.size ? HOSTS_SOME : HOSTS_ALL);
}

/* Waits until IS_OVER(content of the file), but at most MS milliseconds. Returns the content. */
static struct record wait_for(bool (*is_over)(const struct record *r), int ms)
{
    struct record now = read_record(sign_in.fd);
    for (; !is_over(&now) && ms > 0; ms--) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        now = read_record(sign_in.fd);
    }
    return now;
}

static bool is_here(const struct record *r)
{
    return r->decided || r->asks_hosts || r->number >= sign_in.size;
}

static bool is_decided(const struct record *r)
{
    return r->decided != 0;
}

/* Decides without asking other hosts whether all processes will be traced. */
static struct record decide_alone(struct sign_in_missing *missing)
{
    const struct record now = change_record(decide_here);
    missing->reports = sign_in.has_decided && now.decided == HOSTS_SOME;
    return now;
}

/* Decides together with the job's other hosts whether all RANKS processes will be traced. */
static struct record decide_together(int ranks, struct sign_in_missing *missing)
{
    const int wait_ms = (uint64_t)ranks > sign_in.size ? HOSTS_MS : OTHERS_MS;
    struct record now = sign_in.leads ? change_record(begin_query) : wait_for(is_decided, WAIT_MS + wait_ms + LATE_MS);
    struct hosts_count count;
    if (now.decided)
        return now;
    const int number = sign_in.leads ? (int)now.number : 0;
    const enum hosts_answer answer = hosts_query(sign_in.common, number, ranks, sign_in.leads ? wait_ms : 0, &count);
    if (answer == HOSTS_UNKNOWN)
        return decide_alone(missing);
    missing->traced = count.traced;
    missing->ranks = ranks;
    missing->reports = count.reports;
    missing->where = (uint64_t)ranks > sign_in.size ? count.where : NULL;
    return change_record(answer == HOSTS_ALL ? decide_all : decide_some);
}

bool sign_in_is_complete(int ranks, struct sign_in_missing *missing)
{
    *missing = (struct sign_in_missing){.where = NULL};
    if (!sign_in.counts)
        return true;
    struct record now = wait_for(is_here, WAIT_MS);
    const bool is_whole = now.number >= sign_in.size && !now.asks_hosts &&
                          ((uint64_t)ranks <= sign_in.size || !sign_in.common[0]);
    missing->ranks = (int)sign_in.size;
    if (!now.decided && !is_whole)
        now = sign_in.common[0] ? decide_together(ranks, missing) : decide_alone(missing);
    if (now.number < sign_in.size)
        (void)unlink(sign_in.path); /* processes that sign in later belong to another run */
    if (!missing->traced)
        missing->traced = (int)now.number;
    close(sign_in.fd);
    sign_in.fd = -1;
    sign_in.counts = false;
    return now.decided != HOSTS_SOME;
}
