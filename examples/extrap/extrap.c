/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common functions of the programs in this folder; see extrap.h. */
#include "extrap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The memory begins with the sums: EXTRAP_SUMS values of this rank and EXTRAP_SUMS totals. */
static const size_t SUMS_BYTES = 2 * EXTRAP_SUMS * sizeof(double);

/* Ends the program after PRINT has written its text, once for all ranks. */
static void leave(int status, void (*print)(FILE *, const void *), const void *what)
{
    int rank, started;
    MPI_Initialized(&started);
    if (!started)
        MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        print(status ? stderr : stdout, what);
    MPI_Finalize();
    exit(status);
}

struct help {
    const char *program, *what;
    const struct extrap_option *options;
    int n;
};

static void print_help(FILE *out, const void *of)
{
    const struct help *help = of;
    fprintf(out, "Usage: mpirun -np N %s [OPTION]...\n%s\n\n", help->program, help->what);
    for (int i = 0; i < help->n; i++) {
        const struct extrap_option *o = &help->options[i];
        char name[40];
        snprintf(name, sizeof name, "--%s%s", o->name, o->max ? " N" : "");
        fprintf(out, "  %-20s %s", name, o->help);
        if (o->max)
            fprintf(out, " (%ld to %ld; %ld)", o->min, o->max, *o->value);
        fprintf(out, "\n");
    }
    fprintf(out, "  %-20s %s\n", "--help", "print this help and exit");
}

static void print_line(FILE *out, const void *text)
{
    fprintf(out, "%s\n", (const char *)text);
}

static void refuse(const char *program, const char *format, ...)
{
    char text[300];
    va_list list;
    const int n = snprintf(text, sizeof text, "%s: ", program);
    va_start(list, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, list);
    va_end(list);
    leave(2, print_line, text);
}

void extrap_options(int argc, char **argv, const char *what, const struct extrap_option *options, int n)
{
    const char *slash = strrchr(argv[0], '/');
    const char *program = slash ? slash + 1 : argv[0];
    const struct help help = {program, what, options, n};
    for (int i = 1; i < argc; i++) {
        const struct extrap_option *o = NULL;
        for (int j = 0; j < n; j++)
            if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, options[j].name) == 0)
                o = &options[j];
        if (strcmp(argv[i], "--help") == 0)
            leave(0, print_help, &help);
        if (!o)
            refuse(program, "%.99s: unknown option (try --help)", argv[i]);
        if (o->max == 0) {
            *o->value = 1;
            continue;
        }
        char *end = "";
        errno = 0;
        const char *text = i + 1 < argc ? argv[++i] : "";
        const long value = strtol(text, &end, 10);
        if (end == text || *end || errno || value < o->min || value > o->max)
            refuse(program, "--%s %.99s: must be a number from %ld to %ld", o->name, text, o->min,
                   o->max);
        *o->value = value;
    }
}

void extrap_start(struct extrap *team, const char *name)
{
    *team = (struct extrap){.name = name, .win = MPI_WIN_NULL};
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team->ranks);
}

void extrap_require(const struct extrap *team, bool may, const char *what)
{
    if (!may)
        refuse(team->name, "%d ranks: %s", team->ranks, what);
}

void extrap_open(struct extrap *team, size_t bytes)
{
    char *memory;
    MPI_Win_allocate((MPI_Aint)(SUMS_BYTES + bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &team->win);
    memset(memory, 0, SUMS_BYTES + bytes);
    team->sums = (double *)memory;
    team->memory = memory + SUMS_BYTES;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, team->win);
}

void extrap_alone(struct extrap *team, size_t bytes)
{
    char *memory = calloc(1, SUMS_BYTES + bytes);
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    *team = (struct extrap){.name = "", .ranks = 1, .alone = true, .win = MPI_WIN_NULL,
                            .sums = (double *)memory, .memory = memory + SUMS_BYTES};
}

void extrap_free(struct extrap *team)
{
    free(team->sums);
}

void extrap_barrier(struct extrap *team)
{
    if (team->alone)
        return;
    MPI_Win_sync(team->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(team->win);
}

static void get(struct extrap *team, int owner, size_t offset, size_t bytes, void *to)
{
    MPI_Get(to, (int)bytes, MPI_BYTE, owner, (MPI_Aint)offset, (int)bytes, MPI_BYTE, team->win);
    MPI_Win_flush(owner, team->win);
}

void extrap_read(struct extrap *team, int owner, size_t offset, size_t bytes, void *to)
{
    get(team, owner, SUMS_BYTES + offset, bytes, to);
}

void extrap_sum(struct extrap *team, double *values, int n)
{
    const size_t bytes = (size_t)n * sizeof *values;
    double *total = team->sums + EXTRAP_SUMS;
    memcpy(team->sums, values, bytes);
    extrap_barrier(team);
    if (team->rank == 0) {
        memcpy(total, values, bytes);
        for (int r = 1; r < team->ranks; r++) {
            double other[EXTRAP_SUMS];
            get(team, r, 0, bytes, other);
            for (int i = 0; i < n; i++)
                total[i] += other[i];
        }
        memcpy(values, total, bytes);
    }
    /* Rank 0 has read all values before this barrier, so the ranks may overwrite their values after it. Rank 0
     * overwrites the totals only after the first barrier of the next sum, when all ranks have fetched them. */
    extrap_barrier(team);
    if (team->rank > 0)
        get(team, 0, EXTRAP_SUMS * sizeof *values, bytes, values);
}

void extrap_total(const struct extrap *team, double *values, int n)
{
    if (team->rank == 0)
        MPI_Reduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(values, NULL, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

void extrap_close(struct extrap *team)
{
    MPI_Win_unlock_all(team->win);
    MPI_Win_free(&team->win);
    team->memory = NULL;
    team->sums = NULL;
    MPI_Finalize();
}

int extrap_print_result(const struct extrap *team, bool right, const char *format, ...)
{
    if (team->rank > 0)
        return 0;
    va_list list;
    printf("%s: %d rank%s, ", team->name, team->ranks, team->ranks == 1 ? "" : "s");
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf(": result %s\n", right ? "correct" : "WRONG");
    return right ? 0 : 1;
}
