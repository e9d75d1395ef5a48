/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names regions in every possible way, for tests/trace/pmpi/test-regions.sh: in C and C++, before MPI_Init and
 * after MPI_Finalize, nested, unbalanced, and with the argument "threads" in two threads. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include <mpg_region.h>

static void *in_thread(void *unused)
{
    mpg_region_begin("of a thread");
    MPI_Barrier(MPI_COMM_SELF);
    mpg_region_end("of a thread");
    return unused;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 && strcmp(argv[1], "threads") == 0, provided = 0;
    char name[] = "one";
    mpg_region_begin("over before MPI_Init");
    mpg_region_end("over before MPI_Init");
    mpg_region_begin("begun early");
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    mpg_region_begin("outer phase");
    mpg_region_begin(name);
    MPI_Barrier(MPI_COMM_SELF);
    mpg_region_end(name);
    memcpy(name, "two", sizeof name); /* a region is identified by the text of its name, not by its address */
    mpg_region_begin(name);
    mpg_region_end(name);
    mpg_region_begin("");
    mpg_region_begin("line\nend");
    mpg_region_end("outer phase");
    mpg_region_end("never begun");
    MPI_Pcontrol(MPG_REGION_BEGIN, "by level");
    MPI_Pcontrol(MPG_REGION_END, "by level");
    MPI_Pcontrol(100);
    MPI_Pcontrol(-100);
    MPI_Pcontrol(2);
    MPI_Pcontrol(3);
    MPI_Pcontrol(4);
    MPI_Pcontrol(-3);
    if (threads && provided == MPI_THREAD_MULTIPLE) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
    }
    mpg_region_end("begun early");
    MPI_Finalize();
    mpg_region_begin("too late");
    mpg_region_end("too late");
    return 0;
}
