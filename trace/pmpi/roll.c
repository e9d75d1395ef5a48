/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A word of memory that the processes of a job on a host share: how many have signed, and
 * whether one has given up waiting for the rest. Both change by atomic operations only,
 * so that all who look at it in the end see the same. */
#define _GNU_SOURCE
#include "trace/pmpi/roll.h"

#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "trace/store/process.h"
#include "trace/store/window.h"

enum { WAIT_MS = 1000, PAGE_BYTES = 4096 };
#define GIVEN_UP ((uint64_t)1 << 63)

static struct {
    char path[256];
    uint64_t *word; /* NULL: nobody counts */
    uint64_t size;  /* processes of the job on this host */
} roll;

#ifdef MPICH
/* Hydra, MPICH's launcher, has no name for a job; but each rank has a socket that was made
 * by the process that starts those of this host, which no other has in its place and time. */
static bool find_job(char *job, size_t bytes)
{
    const char *socket_text = getenv("PMI_FD"), *size = getenv("MPI_LOCALNRANKS");
    struct ucred maker;
    socklen_t length = sizeof maker;
    if (!socket_text || !size ||
        getsockopt(atoi(socket_text), SOL_SOCKET, SO_PEERCRED, &maker, &length) < 0)
        return false;
    uint64_t mark = mpg_process_mark(maker.pid);
    roll.size = (uint64_t)atoi(size);
    return mark != 0 &&
           snprintf(job, bytes, "%ld-%" PRIx64, (long)maker.pid, mark) < (int)bytes;
}
#else
/* Open MPI's launcher, and others of PMIx, tell a name of the job. */
static bool find_job(char *job, size_t bytes)
{
    const char *name = getenv("PMIX_NAMESPACE"), *size = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!name || !size)
        return false;
    roll.size = (uint64_t)atoi(size);
    return snprintf(job, bytes, "%s", name) < (int)bytes;
}
#endif

static bool find_path(void)
{
    char job[200];
    if (!find_job(job, sizeof job) || roll.size < 1)
        return false;
    snprintf(roll.path, sizeof roll.path, "/dev/shm/mpgtrace-%u-%s", (unsigned)getuid(), job);
    for (char *p = roll.path + sizeof "/dev/shm/"; *p; p++)
        if (*p == '/')
            *p = '-';
    return true;
}

void roll_sign(void)
{
    if (roll.word || !find_path())
        return;
    int fd = open(roll.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    if (mpg_file_may_have(PAGE_BYTES) && posix_fallocate(fd, 0, PAGE_BYTES) == 0) {
        void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        roll.word = page == MAP_FAILED ? NULL : page;
    }
    close(fd);
    if (roll.word)
        __atomic_fetch_add(roll.word, 1, __ATOMIC_ACQ_REL);
}

bool roll_is_complete(int *signed_number, int *size, bool *tells)
{
    *tells = false;
    if (!roll.word)
        return true;
    uint64_t now = __atomic_load_n(roll.word, __ATOMIC_ACQUIRE);
    for (int ms = 0; now < roll.size && ms < WAIT_MS; ms++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        now = __atomic_load_n(roll.word, __ATOMIC_ACQUIRE);
    }
    while (now < roll.size && !*tells)
        *tells = __atomic_compare_exchange_n(roll.word, &now, now | GIVEN_UP, false,
                                             __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    *signed_number = (int)(now & ~GIVEN_UP);
    *size = (int)roll.size;
    /* All have opened it; further ones would be of another run. */
    (void)unlink(roll.path);
    (void)munmap(roll.word, PAGE_BYTES);
    roll.word = NULL;
    return !*tells && !(now & GIVEN_UP);
}
