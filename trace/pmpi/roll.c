/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roll: a file shared by the processes of a job on one host. It holds the number of processes that have signed
 * in, and whether a process has given up waiting for the rest. Both values change under a lock only, so that all
 * processes finally see the same state. The file is read and written instead of mapped: truncation by others does
 * no harm. */
#define _GNU_SOURCE
#include "trace/pmpi/roll.h"

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
#include "trace/pmpi/paths.h"
#include "trace/store/process.h"
#include "trace/store/segment.h"

enum { WAIT_MS = 1000, STALE_S = 60 };
#define FOLDER "/dev/shm/"

/* Content of the file, private to the tracer. */
struct record {
    uint64_t maker; /* mpg_process_mark() of the first process that signed in */
    uint64_t number;
    uint64_t given_up;
};

static struct {
    char path[256];
    bool counts; /* the file exists, and this process has signed in */
    int fd;
    uint64_t size; /* number of the job's processes on this host */
} roll = {.fd = -1};

/* Gets the job's name and local size in an srun step from Slurm's variables. Returns false if the step offers
 * another PMI version than PROTOCOL, which this MPI would not use, or in a heterogeneous job, in which each
 * component counts only its own tasks. */
static bool find_step(char *job, size_t bytes, enum mpg_srun_protocol protocol)
{
    enum mpg_srun_protocol found;
    const int tasks = mpg_launcher_srun_tasks_here();
    if (!mpg_launcher_srun(&found) || found != protocol || tasks < 1 || getenv("SLURM_HET_SIZE"))
        return false;
    roll.size = (uint64_t)tasks;
    return snprintf(job, bytes, "slurm-%s.%s", getenv("SLURM_JOB_ID"), getenv("SLURM_STEP_ID")) < (int)bytes;
}

/* Hydra, MPICH's launcher, has no job name. Each rank has a socket created by its host's proxy process, whose
 * process id and start time are unique to the job. */
static bool find_job_of_hydra(char *job, size_t bytes)
{
    const char *socket_text = getenv("PMI_FD"), *size = getenv("MPI_LOCALNRANKS");
    struct ucred maker;
    socklen_t length = sizeof maker;
    if (!size)
        return find_step(job, bytes, MPG_SRUN_PMI2);
    if (!socket_text ||
        getsockopt(atoi(socket_text), SOL_SOCKET, SO_PEERCRED, &maker, &length) < 0)
        return false;
    uint64_t mark = mpg_process_mark(maker.pid);
    roll.size = (uint64_t)atoi(size);
    return mark != 0 &&
           snprintf(job, bytes, "%ld-%" PRIx64, (long)maker.pid, mark) < (int)bytes;
}

/* Gets the job name from Open MPI's launcher or another PMIx launcher. */
static bool find_job_of_pmix(char *job, size_t bytes)
{
    const char *name = getenv("PMIX_NAMESPACE"), *size = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!size)
        return find_step(job, bytes, MPG_SRUN_PMIX);
    if (!name)
        return false;
    roll.size = (uint64_t)atoi(size);
    return snprintf(job, bytes, "%s", name) < (int)bytes;
}

static bool find_job(char *job, size_t bytes)
{
    return (MPG_TRACER_MPI != MPG_MPI_MPICH && find_job_of_pmix(job, bytes)) ||
           (MPG_TRACER_MPI != MPG_MPI_OPENMPI && find_job_of_hydra(job, bytes));
}

static bool find_path(void)
{
    char job[200];
    if (!find_job(job, sizeof job) || roll.size < 1)
        return false;
    char host[HOST_NAME_MAX + 1] = ""; /* containers on other hosts may share the folder */
    (void)gethostname(host, sizeof host - 1);
    snprintf(roll.path, sizeof roll.path, FOLDER "mpgtrace-%u-%s-%s", (unsigned)getuid(), host,
             job);
    for (char *p = roll.path + sizeof FOLDER - 1; *p; p++)
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

/* Reads the record. An empty or truncated file counts as a roll without signatures. */
static struct record read_record(int fd)
{
    struct record r;
    return pread(fd, &r, sizeof r, 0) == (ssize_t)sizeof r ? r : (struct record){0};
}

static bool write_record(int fd, const struct record *r)
{
    return mpg_file_may_have(sizeof *r) && pwrite(fd, r, sizeof *r, 0) == (ssize_t)sizeof *r;
}

/* Removes rolls of this user's jobs that ended before all of their processes had signed in. */
static void clear_stale(const char *name, void *prefix)
{
    char path[sizeof roll.path + sizeof FOLDER];
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

void roll_sign(void)
{
    char prefix[64];
    struct record r = {0};
    if (roll.counts || !find_path() || (roll.fd = open_own(roll.path, O_CREAT)) < 0)
        return;
    if (set_lock(roll.fd, F_WRLCK)) {
        r = read_record(roll.fd);
        if (r.number++ == 0)
            r.maker = mpg_process_mark(getpid());
        roll.counts = write_record(roll.fd, &r);
        set_lock(roll.fd, F_UNLCK);
    }
    /* All processes have the file open now: removed early, it does not remain if the job dies in MPI_Init. */
    if (roll.counts && r.number == roll.size)
        (void)unlink(roll.path);
    if (r.number != 1)
        return;
    snprintf(prefix, sizeof prefix, "mpgtrace-%u-", (unsigned)getuid());
    (void)paths_list(FOLDER, clear_stale, prefix);
}

/* Gives up waiting, unless another process already has or the last process has signed in meanwhile. */
static struct record give_up(bool *tells)
{
    struct record r = read_record(roll.fd);
    if (!set_lock(roll.fd, F_WRLCK))
        return r;
    r = read_record(roll.fd);
    if (r.number < roll.size && !r.given_up) {
        r.given_up = 1;
        *tells = write_record(roll.fd, &r);
    }
    set_lock(roll.fd, F_UNLCK);
    return r;
}

bool roll_is_complete(int *signed_number, int *size, bool *tells)
{
    *tells = false;
    if (!roll.counts)
        return true;
    struct record now = read_record(roll.fd);
    for (int ms = 0; now.number < roll.size && !now.given_up && ms < WAIT_MS; ms++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        now = read_record(roll.fd);
    }
    if (now.number < roll.size) {
        now = give_up(tells);
        (void)unlink(roll.path); /* later signatures would belong to another run */
    }
    *signed_number = (int)now.number;
    *size = (int)roll.size;
    close(roll.fd);
    roll.fd = -1;
    roll.counts = false;
    return !now.given_up;
}
