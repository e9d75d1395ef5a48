/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload: every send begins MPGKIT_DELAY_NS later, as over a transport that delays sender and message by a
 * known time. The library also replaces the PMPI functions, to delay below a tracer and below the Fortran functions.
 * Collectives are unchanged: their internal messages do not use these functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void delay(void)
{
    static int64_t delay_ns = -1;
    int64_t until_ns = now_ns();
    if (delay_ns < 0)
        delay_ns = getenv("MPGKIT_DELAY_NS") ? atoll(getenv("MPGKIT_DELAY_NS")) : 0;
    until_ns += delay_ns;
    while (now_ns() < until_ns) {
    }
}

/* Returns the MPI library's own function NAME. */
static void *library(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "slowsend: MPI's library has no %s\n", name);
        abort();
    }
    return function;
}

/* Defines MPI_NAME and PMPI_NAME, which delay and then call the library's PMPI_NAME. PARAMETERS: declarations; ARGUMENTS:
 * names of the parameters. */
#define SLOW(name, parameters, arguments)                                                         \
    int PMPI_##name parameters                                                                    \
    {                                                                                             \
        static int(*original) parameters;                                                         \
        if (!original)                                                                            \
            *(void **)&original = library("PMPI_" #name);                                         \
        delay();                                                                                  \
        return original arguments;                                                                \
    }                                                                                             \
    int MPI_##name parameters                                                                     \
    {                                                                                             \
        return PMPI_##name arguments;                                                             \
    }

#define BUFFER const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm
#define BUFFER_ARGUMENTS buffer, count, type, to, tag, comm
SLOW(Send, (BUFFER), (BUFFER_ARGUMENTS))
SLOW(Ssend, (BUFFER), (BUFFER_ARGUMENTS))
SLOW(Rsend, (BUFFER), (BUFFER_ARGUMENTS))
SLOW(Isend, (BUFFER, MPI_Request *request), (BUFFER_ARGUMENTS, request))
SLOW(Issend, (BUFFER, MPI_Request *request), (BUFFER_ARGUMENTS, request))
SLOW(Irsend, (BUFFER, MPI_Request *request), (BUFFER_ARGUMENTS, request))
SLOW(Sendrecv,
     (const void *buffer, int count, MPI_Datatype type, int to, int tag, void *into, int room,
      MPI_Datatype into_type, int from, int into_tag, MPI_Comm comm, MPI_Status *status),
     (buffer, count, type, to, tag, into, room, into_type, from, into_tag, comm, status))
SLOW(Sendrecv_replace,
     (void *buffer, int count, MPI_Datatype type, int to, int tag, int from, int from_tag,
      MPI_Comm comm, MPI_Status *status),
     (buffer, count, type, to, tag, from, from_tag, comm, status))
