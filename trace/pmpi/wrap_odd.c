/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C wrappers that are not generated: MPI_Init, MPI_Init_thread, MPI_Finalize and MPI_Abort (pcontrol.c has MPI_Pcontrol).
 * Also a function for the wrappers of extensions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/pmpi/record.h"

/* The generated entry points of wrap.awk call these functions. */
int wrapped_MPI_Init(int *argc, char ***argv);
int wrapped_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int wrapped_MPI_Finalize(void);
int wrapped_MPI_Abort(MPI_Comm comm, int errorcode);

void *tracer_next(const char *name)
{
    void *real = tracer_real_function(name);
    if (!real) {
        fprintf(stderr, "mpgtrace: there is no %s in the program's libraries\n", name);
        abort();
    }
    return real;
}

int wrapped_MPI_Init(int *argc, char ***argv)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Init);
    tracer_before_init();
    int rc = NEXT(Init)(argc, argv);
    tracer_leave(&s, rc);
    if (rc == MPI_SUCCESS)
        tracer_init(&s, MPI_THREAD_SINGLE);
    return rc;
}

int wrapped_MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Init_thread);
    tracer_before_init();
    int rc = NEXT(Init_thread)(argc, argv, required, provided);
    tracer_leave(&s, rc);
    if (rc == MPI_SUCCESS)
        tracer_init(&s, *provided);
    return rc;
}

int wrapped_MPI_Finalize(void)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Finalize);
    tracer_finalize(&s);
    int rc = NEXT(Finalize)();
    if (tracer_leave(&s, rc))
        tracer_finalized(&s);
    return rc;
}

int wrapped_MPI_Abort(MPI_Comm comm, int errorcode)
{
    tracer_end_early("MPI_Abort");
    return NEXT(Abort)(comm, errorcode);
}
