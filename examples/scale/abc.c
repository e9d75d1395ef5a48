/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three receives with known scaling: one grows with the number of processes. Checks mpgscale's verdicts.
 *
 *     abc [VISITS [SEED [SIGMA]]]
 *
 * Processes form pairs (an even number). The second process of a pair waits for the first, VISITS times (20) at each of
 *     A  0.1 N exp(SIGMA g) ms, N processes
 *     B  5 exp(SIGMA h) ms
 *     C  exp(k) ms: noise (about 30 % over 20 visits)
 * g and h are normal and constant during a run, like differences between runs on real machines (SIGMA 0). k is normal
 * and new at each visit. SEED (1) and N seed the generator. The late process sleeps, so two cores suffice. */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state;

/* Returns a random number between 0 and 1, without both, by SplitMix64. */
static double uniform(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns exp(SIGMA g), with a normal random number g by Box and Muller. */
static double lognormal(double sigma)
{
    const double r = sqrt(-2 * log(uniform())), angle = 2 * acos(-1) * uniform();
    return exp(sigma * r * cos(angle));
}

static void late(double ms, int partner)
{
    const double s = floor(ms / 1e3);
    const struct timespec t = {(time_t)s, (long)((ms - 1e3 * s) * 1e6)};
    nanosleep(&t, NULL);
    MPI_Ssend(&ms, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, n;
    double ms;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const int visits = argc > 1 ? atoi(argv[1]) : 20, partner = rank ^ 1;
    const double sigma = argc > 3 ? atof(argv[3]) : 0;
    if (visits < 1 || n % 2 != 0) {
        fprintf(stderr, "abc: needs an even number of processes, and a visit\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    state = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 1000003 + (uint64_t)n;
    const double a = 0.1 * n * lognormal(sigma), b = 5 * lognormal(sigma);
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD); /* startup imbalance is not recorded */
    MPI_Pcontrol(1);
    for (int visit = 0; visit < visits; visit++) {
        const double c = lognormal(1);
        if (rank % 2 == 0) {
            late(b, partner);
            late(a, partner);
            late(c, partner);
        } else {
            MPI_Recv(&ms, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* B */
            MPI_Recv(&ms, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* A */
            MPI_Recv(&ms, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* C */
        }
    }
    MPI_Finalize();
    return 0;
}
