/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start and end of tests/trace/pmpi/ways.h. */
#include "tests/trace/pmpi/ways.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank, peer, errors, last_request, last_persistent, last_message;
static FILE *expected;

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(expected, format, args);
    va_end(args);
    fputc('\n', expected);
}

void check(int cond, const char *text, const char *file, int line)
{
    if (cond)
        return;
    errors++;
    fprintf(stderr, "%s:%d: rank %d: not true: %s\n", file, line, rank, text);
}

/* --- short programs for other tests --- */

static int run(const char *what)
{
    int data = 0, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 1000; i++)
        MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(what, "abort") == 0) {
        if (rank == size - 1)
            MPI_Abort(MPI_COMM_WORLD, 5);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; strcmp(what, "long") == 0 && i < 200000; i++)
        MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, rand() % 30000, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("the program's own words\n");
    return 0;
}

int main(int argc, char **argv)
{
    char path[4096];
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 2)
        return run(argv[1]);
    peer = rank ^ 1;
    snprintf(path, sizeof path, "%s/%d.expected", argc == 3 ? argv[2] : "", rank);
    if (argc != 3 || size != 4 || !(expected = fopen(path, "w")))
        MPI_Abort(MPI_COMM_WORLD, 1);
    say("Init");
    do_point_to_point();
    do_messages();
    do_collectives();
    do_in_place();
    do_nonblocking();
    do_neighbors();
    do_constructors();
    do_windows();
    do_files(argv[2]);
    do_failures();
    do_later();
    if (strcmp(argv[1], "cut") == 0)
        do_truncated();
    MPI_Finalize();
    say("Finalize");
    printf("rank %d: %d errors\n", rank, errors);
    return fclose(expected) != 0 || errors;
}
