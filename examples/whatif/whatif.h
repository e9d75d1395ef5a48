/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common functions of the programs whatif, crews, farm, shelf, posted, transfers and inserted in this folder: words of the
 * command line, and work that such a word changes in the way that a hypothesis of mpgsim predicts. */
#ifndef WHATIF_H
#define WHATIF_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpg_region.h"

static int rank, ranks, rounds = 12, bytes;
static double unit_ms = 4, factor = 1;
static const char *balanced = "", *scaled = "";

static void sleep_ms(double ms)
{
    const struct timespec t = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static inline void work(const char *region, double units)
{
    mpg_region_begin(region);
    sleep_ms(unit_ms * units * (strcmp(region, scaled) == 0 ? factor : 1));
    mpg_region_end(region);
}

/* Prints the longest run time of all ranks in ms; MINE: this rank's run time in s. Collective over MPI_COMM_WORLD. */
static void print_longest(double mine)
{
    double longest;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.1f\n", longest * 1e3);
}

/* Return the work units of rank R of N in round K: uneven() a number that differs between ranks and rounds, even() a
 * constant. */
static inline double uneven(int r, int n, int k)
{
    return 1 + (r * 3 + k * 2) % (n + 1) + (r == k % n ? 2 : 0);
}

static inline double even(int r, int n, int k)
{
    (void)r;
    (void)n;
    (void)k;
    return 2;
}

/* Works in REGION for SHARE(rank, ranks, K) units, or, if REGION is balanced, for the mean of these units over COMM. */
static inline void work_of(const char *region, double (*share)(int, int, int), MPI_Comm comm, int k)
{
    int r, n;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    double units = share(r, n, k), sum = 0;
    for (int i = 0; i < n; i++)
        sum += share(i, n, k);
    if (strcmp(region, balanced) == 0)
        units = sum / n;
    work(region, units);
}

static void read_words(int argc, char **argv)
{
    char *colon;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "balance=", 8) == 0)
            balanced = argv[i] + 8;
        else if (strncmp(argv[i], "scale=", 6) == 0 && (colon = strchr(argv[i], ':'))) {
            *colon = '\0';
            scaled = argv[i] + 6;
            factor = atof(colon + 1);
        } else if (strncmp(argv[i], "bytes=", 6) == 0)
            bytes = atoi(argv[i] + 6);
        else if (strncmp(argv[i], "rounds=", 7) == 0)
            rounds = atoi(argv[i] + 7);
        else if (strncmp(argv[i], "unit=", 5) == 0)
            unit_ms = atof(argv[i] + 5);
    }
}

#endif
