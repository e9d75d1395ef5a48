/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Division of a host's cores among its ranks through shared memory. */
#include "bench/harness/cores.h"
#include "config.h"

#include "bench/ftq/host_cores.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/harness/timer.h"

enum { CORES = 65536, POLL_US = 2000, LEAVING_POLL_US = 50000 };
enum { NAMES = 8, NAME_SIZE = 224 }; /* number of names tried; room for a name (a file name has at most 255 bytes) */
#define TIMEOUT_NS 30e9

enum state { ABSENT, PRESENT, ENDED };

struct slot {
    atomic_int state, pid;
    int allowed;                     /* number of cores available to the rank */
    unsigned char core[CORES / 8];   /* bit C: core C is available to the rank */
};

struct mpg_host_memory {
    atomic_bool error_reported;
    struct slot slot[]; /* indexed by the rank's number on this host */
};

static bool may_run(const struct slot *slot, int core)
{
    return slot->core[core / 8] >> core % 8 & 1;
}

/* Makes a name common to the ranks of a launch only: the launcher's name of the job, or the number of the parent
 * process. */
static void find_name(char *name, size_t size)
{
    const char *space = getenv("PMIX_NAMESPACE"), *job = getenv("SLURM_JOB_ID");
    const char *step = getenv("SLURM_STEP_ID");
    char host[65] = ""; /* containers with different host names may share /dev/shm */
    if (gethostname(host, sizeof host - 1) < 0)
        host[0] = '\0';
    int used = snprintf(name, size, "/mpgkit-ftq-%u-%s-", (unsigned)getuid(), host);
    if (space)
        snprintf(name + used, size - (size_t)used, "%s", space);
    else if (!getenv("MPI_LOCALRANKID") && job && step)
        snprintf(name + used, size - (size_t)used, "%s.%s", job, step);
    else
        snprintf(name + used, size - (size_t)used, "%ld", (long)getppid());
    for (char *p = name + 1; *p; p++)
        *p = *p == '/' ? '_' : *p;
}

static void enter(struct slot *slot, const int *core, int n)
{
    memset(slot->core, 0, sizeof slot->core);
    for (int i = 0; i < n; i++)
        slot->core[core[i] / 8] |= (unsigned char)(1 << core[i] % 8);
    slot->allowed = n;
    atomic_store(&slot->pid, (int)getpid());
    atomic_store(&slot->state, PRESENT);
}

/* ---- the shared memory: the name is predictable, and another process may have created the memory first ---- */

enum join { JOINED, TAKEN, RETRY, FAILED };

/* Returns whether no other user can change or truncate file FD. */
static bool is_ours(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & 077) == 0 && st.st_nlink <= 1;
}

/* Returns whether NAME still refers to file FD. */
static bool is_named(int fd, const char *name)
{
    struct stat held, named;
    int again = shm_open(name, O_RDONLY, 0);
    bool same = again >= 0 && fstat(fd, &held) == 0 && fstat(again, &named) == 0 &&
                held.st_dev == named.st_dev && held.st_ino == named.st_ino;
    if (again >= 0)
        close(again);
    return same;
}

/* Returns whether the file with status ST is left over from a launch killed while ranks joined: the size is neither SIZE nor 0,
 * or the file is older than the maximum time that ranks of a launch wait for each other. */
static bool is_stale(const struct stat *st, size_t size)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (st->st_size && (size_t)st->st_size != size) ||
           (double)(now.tv_sec - st->st_ctim.tv_sec) * 1e9 > 2 * TIMEOUT_NS;
}

/* Joins the ranks that share file FD, named NAME, which this user owns and this process has locked. TAKEN: another launch uses
 * the file. RETRY: the name now belongs to another file, or to no file. */
static enum join enter_locked(int fd, const char *name, struct mpg_ftq_cores *division)
{
    const size_t size = sizeof(struct mpg_host_memory) +
                        (size_t)division->launch.local_ranks * sizeof(struct slot);
    struct stat st;
    if (!is_named(fd, name))
        return RETRY;
    if (fstat(fd, &st) < 0)
        return FAILED;
    if (is_stale(&st, size)) {
        (void)shm_unlink(name);
        return RETRY;
    }
    /* A new file is filled with zeros. Allocating the memory now avoids a fatal signal at the first access if memory is
     * full. */
    if (st.st_size == 0 && (errno = posix_fallocate(fd, 0, (off_t)size)) != 0) {
        int saved = errno;
        (void)shm_unlink(name);
        errno = saved;
        return FAILED;
    }
    struct mpg_host_memory *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return FAILED;
    struct slot *slot = &memory->slot[division->launch.local_rank];
    if (atomic_load(&slot->state) != ABSENT) {
        munmap(memory, size);
        return TAKEN;
    }
    enter(slot, division->core, division->n);
    division->memory = memory;
    return JOINED;
}

static enum join join_named(const char *name, struct mpg_ftq_cores *division)
{
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    bool first = fd >= 0 || errno != EEXIST;
    if (!first)
        fd = shm_open(name, O_RDWR, 0); /* shm_open() does not follow symbolic links */
    if (fd < 0)
        return first || errno == EMFILE || errno == ENFILE ? FAILED
               : errno == ENOENT                           ? RETRY
                                                           : TAKEN;
    enum join result = TAKEN;
    if (is_ours(fd))
        result = flock(fd, LOCK_EX) < 0 ? FAILED : enter_locked(fd, name, division);
    int saved = errno;
    (void)flock(fd, LOCK_UN); /* the mapping keeps the open file and the lock */
    close(fd);
    errno = saved;
    return result;
}

/* Joins the ranks of this host and launch. All ranks of a launch try the same names in equal order and skip names used by another
 * launch. NAME, of SIZE bytes, becomes the name used. */
static int join(char *name, size_t size, struct mpg_ftq_cores *division, struct mpg_error *err)
{
    char base[NAME_SIZE];
    find_name(base, sizeof base);
    enum join result = TAKEN;
    for (int n = 0; n < NAMES && result == TAKEN; n++) {
        snprintf(name, size, n ? "%s+%d" : "%s", base, n);
        do
            result = join_named(name, division);
        while (result == RETRY);
    }
    if (result == JOINED)
        return 0;
    if (result == TAKEN)
        return mpg_error_set(err, "the ranks of this host cannot share memory: /dev/shm%s* belong"
                                  " to other launches; remove these files", base);
    return mpg_error_errno(err, errno, "the ranks of this host cannot share memory in /dev/shm%s", name);
}

static int await_all(const struct mpg_ftq_cores *division, struct mpg_error *err)
{
    const uint64_t start_ns = mpg_clock_ns();
    for (int here = 0;;) {
        here = 0;
        for (int r = 0; r < division->launch.local_ranks; r++)
            here += atomic_load(&division->memory->slot[r].state) != ABSENT;
        if (here == division->launch.local_ranks)
            return 0;
        if ((double)(mpg_clock_ns() - start_ns) > TIMEOUT_NS)
            return mpg_error_set(err, "of %d ranks of this host only %d have started",
                                 division->launch.local_ranks, here);
        usleep(POLL_US);
    }
}

/* Collects all cores available to any rank of this host. */
static int unite(struct mpg_ftq_cores *division, struct mpg_error *err)
{
    int n = 0, *core = malloc(CORES * sizeof *core);
    if (!core)
        return mpg_error_set(err, "out of memory");
    for (int c = 0; c < CORES; c++)
        for (int r = 0; r < division->launch.local_ranks; r++)
            if (may_run(&division->memory->slot[r], c)) {
                core[n++] = c;
                break;
            }
    free(division->core);
    division->core = core;
    division->n = n;
    return 0;
}

int mpg_ftq_cores_join(const struct mpg_launch *launch, struct mpg_ftq_cores *division,
                   struct mpg_error *err)
{
    char name[NAME_SIZE + 16];
    *division = (struct mpg_ftq_cores){.launch = *launch, .ranks = 1};
    if (launch->local_rank < 0)
        return mpg_error_set(err, "the launcher does not say which ranks are on this host;"
                                  " start ftq on each host without the launcher");
    int n = mpg_cores_allowed(&division->core, err);
    if (n < 0)
        return -1;
    division->n = n;
    if (launch->local_ranks == 1)
        return 0;
    if (join(name, sizeof name, division, err) < 0)
        return -1;
    int status = await_all(division, err);
    if (status < 0 || launch->local_rank == 0)
        (void)shm_unlink(name); /* all ranks have mapped the memory by now; another rank may have removed the name already */
    return status < 0 ? -1 : unite(division, err);
}

int mpg_ftq_cores_assign(struct mpg_ftq_cores *division, int *core, int n, struct mpg_error *err)
{
    const struct slot *slot = division->memory ? division->memory->slot : NULL;
    int ranks = division->launch.local_ranks, mine = 0;
    if (!slot)
        return n;
    int *has = calloc((size_t)ranks, sizeof *has);
    if (!has)
        return mpg_error_set(err, "out of memory for %d ranks", ranks);
    for (int i = 0; i < n; i++) {
        int receiver = -1;
        for (int r = 0; r < ranks; r++)
            if (may_run(&slot[r], core[i]) &&
                (receiver < 0 || has[r] < has[receiver] ||
                 (has[r] == has[receiver] && slot[r].allowed < slot[receiver].allowed)))
                receiver = r;
        if (receiver >= 0)
            has[receiver]++;
        if (receiver == division->launch.local_rank)
            core[mine++] = core[i];
    }
    division->ranks = 0;
    for (int r = 0; r < ranks; r++)
        division->ranks += has[r] > 0;
    free(has);
    return mine;
}

double mpg_host_other_cpu_ns(const struct mpg_ftq_cores *division)
{
    double sum_ns = 0;
    for (int r = 0; division->memory && r < division->launch.local_ranks; r++) {
        clockid_t clock;
        struct timespec t;
        if (r != division->launch.local_rank &&
            clock_getcpuclockid(atomic_load(&division->memory->slot[r].pid), &clock) == 0 &&
            clock_gettime(clock, &t) == 0)
            sum_ns += (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
    }
    return sum_ns;
}

const atomic_bool *mpg_host_error_reported(const struct mpg_ftq_cores *division)
{
    return division->memory ? &division->memory->error_reported : &division->error_reported;
}

bool mpg_host_report_error(struct mpg_ftq_cores *division)
{
    return !atomic_exchange(division->memory ? &division->memory->error_reported : &division->error_reported, true);
}

/* Returns whether the rank's process is alive and has not left: a killed rank never marks its slot as ended. */
static bool is_there(struct slot *slot)
{
    pid_t pid = atomic_load(&slot->pid);
    return atomic_load(&slot->state) == PRESENT && (kill(pid, 0) == 0 || errno == EPERM);
}

void mpg_ftq_cores_leave(struct mpg_ftq_cores *division, bool well)
{
    if (division->memory) {
        atomic_store(&division->memory->slot[division->launch.local_rank].state, ENDED);
        for (int r = 0; well && r < division->launch.local_ranks; r++)
            while (is_there(&division->memory->slot[r]))
                usleep(LEAVING_POLL_US);
    } /* the memory stays mapped, since a signal handler may read error_reported until the process ends */
    free(division->core);
    division->core = NULL;
}
