/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that completes requests in every way, calls every collective with and without MPI_IN_PLACE, and creates
 * communicators with equal groups. It prints the expected content of the trace in the format of mpgtext(5), without
 * times; a communicator is printed as its members. Four ranks, each communicating with its neighbour. */
#ifndef MPG_WAYS_H
#define MPG_WAYS_H

#include <mpi.h>

#define WORLD "comm=0,1,2,3"

extern int rank, peer, errors;
extern int last_request, last_persistent, last_message; /* numbers of the last request, persistent request and message, as the
                                                           tracer counts them */

/* Prints a line that the trace must contain. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
/* Counts an error unless COND. */
#define CHECK(cond) check(cond, #cond, __FILE__, __LINE__)
void check(int cond, const char *text, const char *file, int line);

/* Makes calls on C, whose members are NAME, and frees it. */
void use_and_free(MPI_Comm c, const char *name);

void do_point_to_point(void);
void do_collectives(void);
void do_in_place(void);
void do_nonblocking(void);
void do_neighbors(void);
void do_constructors(void);
void do_messages(void);
void do_failures(void);
void do_later(void);
void do_truncated(void);
void do_windows(void);
void do_files(const char *folder);

#endif
