/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals with known cost between two MPI_Barriers: a sleep, 20 ms of CPU time, 1000 page faults
 * (tests/trace/pmpi/test-values.sh). */
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { CPU_NS = 20000000, SLEEP_US = 200000, PAGES = 1000 };

static long long cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(SLEEP_US);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long long start_ns = cpu_ns(); cpu_ns() - start_ns < CPU_NS;) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    long size = sysconf(_SC_PAGESIZE);
    volatile char *pages = mmap(NULL, (size_t)(PAGES * size), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || madvise((void *)pages, (size_t)(PAGES * size), MADV_NOHUGEPAGE) < 0)
        return 1;
    for (int i = 0; i < PAGES; i++)
        pages[i * size] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
