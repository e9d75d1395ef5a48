/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Embar: the "embarrassingly parallel" NAS benchmark (RNR-94-007, section 2.2). From 2^m pairs of random numbers,
 * pairs inside the unit circle become Gaussian deviates. The result is the sums of the deviates and the number of
 * deviates in each square ring. Every rank computes a part of the sequence; rank 0 reads the results of all ranks. */
#include "extrap.h"
#include "nas.h"

#include <math.h>
#include <string.h>

enum { RINGS = 10 };

/* Only doubles, since other ranks read the bytes. */
struct found {
    double x, y;          /* sums */
    double rings[RINGS];  /* counts */
};

/* Published results for 2^m pairs. */
static const struct {
    long log2_pairs;
    double x, y;
} published[] = {
    {24, -3.247834652034740e3, -6.958407078382297e3},
    {25, -2.863319731645753e3, -6.320053679109499e3},
    {28, -4.295875165629892e3, -1.580732573678431e4},
    {30, 4.033815542441498e4, -2.660669192809235e4},
};

/* Processes pairs FIRST to LAST - 1 of the sequence. */
static void generate(uint64_t first, uint64_t last, struct found *found)
{
    uint64_t seed = nas_skip(271828183, 2 * first);
    for (uint64_t i = first; i < last; i++) {
        const double x = 2 * nas_next(&seed) - 1, y = 2 * nas_next(&seed) - 1;
        const double t = x * x + y * y;
        if (t > 1)
            continue;
        const double scale = sqrt(-2 * log(t) / t);
        const double gx = x * scale, gy = y * scale;
        found->rings[(int)fmax(fabs(gx), fabs(gy))]++;
        found->x += gx;
        found->y += gy;
    }
}

static void add(struct found *sum, const struct found *more)
{
    sum->x += more->x;
    sum->y += more->y;
    for (int i = 0; i < RINGS; i++)
        sum->rings[i] += more->rings[i];
}

/* Returns the relative difference of the sums from the published sums; if no sums are published, from a
   computation on one rank. */
static double difference(const struct found *found, long log2_pairs)
{
    struct found want = *found;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].log2_pairs == log2_pairs) {
            want.x = published[i].x;
            want.y = published[i].y;
            return fabs(found->x / want.x - 1) + fabs(found->y / want.y - 1);
        }
    memset(&want, 0, sizeof want);
    generate(0, UINT64_C(1) << log2_pairs, &want);
    if (memcmp(want.rings, found->rings, sizeof want.rings) != 0)
        return INFINITY;
    return fabs(found->x / want.x - 1) + fabs(found->y / want.y - 1);
}

int main(int argc, char **argv)
{
    long log2_pairs = 24;
    const struct extrap_option options[] = {
        {"log2-pairs", &log2_pairs, 4, 40, "2^N pairs; results for 24, 25, 28, 30 are published"},
    };
    extrap_options(argc, argv, "Gaussian deviates from pairs of random numbers.", options, 1);
    struct extrap team;
    extrap_start(&team, "embar");
    extrap_open(&team, sizeof(struct found));
    extrap_barrier(&team);

    const long pairs = 1L << log2_pairs;
    struct found found = {0}, *own = (struct found *)team.memory;
    generate((uint64_t)extrap_first(pairs, team.ranks, team.rank),
             (uint64_t)extrap_first(pairs, team.ranks, team.rank + 1), own);
    extrap_barrier(&team);
    if (team.rank == 0) {
        found = *own;
        for (int r = 1; r < team.ranks; r++) {
            struct found other;
            extrap_read(&team, r, 0, sizeof other, &other);
            add(&found, &other);
        }
    }
    extrap_close(&team);
    const double error = team.rank == 0 ? difference(&found, log2_pairs) : 0;
    double inside = 0;
    for (int i = 0; i < RINGS; i++)
        inside += found.rings[i];
    return extrap_print_result(&team, error <= 1e-8, "2^%ld pairs, %.0f inside, sums %.15g %.15g, difference %.1e",
                      log2_pairs, inside, found.x, found.y, error);
}
