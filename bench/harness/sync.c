/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the clocks of ranks by the shortest of many round trips. */
#include "config.h"

#include "bench/harness/sync.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARMUP = 10, EXCHANGES = 100, MAX_BATCHES = 5, TAG = 17, CLOCK_NAME = 512 };
#define WIDE 1.5 /* a probe's error is acceptable up to WIDE times the smallest error of earlier probes */

/* A comparison of a rank's clock with rank 0's: the shortest round trip. */
struct probe {
    double own_ns;    /* time by the rank's timer since struct clock's BASE */
    double common_ns; /* time by rank 0's timer at the same moment */
    double error_ns;  /* half the round trip */
};

/* State of a rank's clock, on the rank itself and on rank 0. */
struct clock {
    uint64_t base; /* timer reading that counts as time 0 */
    double ns_per_tick;
    bool shared;
    size_t n;
    struct probe *probe;
};

struct mpg_sync {
    MPI_Comm comm;
    int rank, ranks;
    const struct mpg_timer *timer;
    bool shared;
    struct clock *clock; /* rank 0: clocks of all ranks; on other ranks: only this rank's clock, at [rank] */
};

/* ---- detection of common clocks ---- */

static void read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file || !fgets(text, (int)size, file))
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* Returns whether all cores of the host share the timer's clock: the kernel lists the time stamp counter as a
 * clock source unless it finds differences. */
static bool is_constant(const struct mpg_timer *timer)
{
    char sources[256];
    if (timer->kind == MPG_TIMER_CLOCK || !MPG_HAVE_TSC)
        return true;
    read_line("/sys/devices/system/clocksource/clocksource0/available_clocksource", sources,
              sizeof sources);
    for (char *next = sources, *word; (word = strsep(&next, " "));)
        if (strcmp(word, "tsc") == 0)
            return true;
    return false;
}

/* Sets TEXT to a name of the clock that TIMER reads: equal on all processes that read the same clock; empty if the
 * cores' clocks may differ. */
static void name_clock(const struct mpg_timer *timer, char text[CLOCK_NAME])
{
    char boot[64], space[64] = "", host[256] = "";
    memset(text, 0, CLOCK_NAME);
    if (!is_constant(timer) || gethostname(host, sizeof host - 1) < 0)
        return;
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    snprintf(text, CLOCK_NAME, "%d %s %s %s", (int)timer->kind, host, boot, space);
}

/* ---- measuring ---- */

static double own_ns(const struct clock *clock, uint64_t ticks)
{
    return (double)(int64_t)(ticks - clock->base) * clock->ns_per_tick;
}

/* Rank 0: exchanges a batch of messages with RANK. The shortest exchange replaces PROBE if shorter. AGREES becomes false if
 * RANK's reading is not between rank 0's two readings, as on a common clock. */
static void lead_batch(const struct mpg_sync *sync, int rank, struct probe *probe, bool *agrees)
{
    const struct clock *mine = &sync->clock[0], *other = &sync->clock[rank];
    char more = 1;
    uint64_t there = 0;
    for (int i = 0; i < WARMUP + EXCHANGES; i++) {
        uint64_t start = mpg_timer_read(sync->timer->kind);
        MPI_Send(&more, 1, MPI_CHAR, rank, TAG, sync->comm);
        MPI_Recv(&there, 1, MPI_UINT64_T, rank, TAG, sync->comm, MPI_STATUS_IGNORE);
        uint64_t end = mpg_timer_read(sync->timer->kind);
        if (there < start || there > end)
            *agrees = false;
        double half_ns = (double)(end - start) / 2 * mine->ns_per_tick;
        if (i >= WARMUP && half_ns < probe->error_ns)
            *probe = (struct probe){own_ns(other, there), own_ns(mine, start) + half_ns, half_ns};
    }
}

/* Rank 0: probes RANK's clock. A probe with a much larger error than earlier probes was disturbed and is repeated. */
static void lead(const struct mpg_sync *sync, int rank, struct probe *probe, bool *agrees)
{
    const struct clock *other = &sync->clock[rank];
    char more = 0;
    double best_ns = INFINITY;
    for (size_t k = 0; k < other->n; k++)
        best_ns = fmin(best_ns, other->probe[k].error_ns);
    probe->error_ns = INFINITY;
    for (int batch = 0; batch < MAX_BATCHES; batch++) {
        lead_batch(sync, rank, probe, agrees);
        if (probe->error_ns <= WIDE * best_ns)
            break;
    }
    MPI_Send(&more, 1, MPI_CHAR, rank, TAG, sync->comm);
}

static void follow(const struct mpg_sync *sync)
{
    char more;
    for (;;) {
        MPI_Recv(&more, 1, MPI_CHAR, 0, TAG, sync->comm, MPI_STATUS_IGNORE);
        uint64_t now = mpg_timer_read(sync->timer->kind);
        if (!more)
            return;
        MPI_Send(&now, 1, MPI_UINT64_T, 0, TAG, sync->comm);
    }
}

/* Returns the worst STATUS of all ranks; ERR becomes empty on ranks without error. */
static int agree(MPI_Comm comm, int status, struct mpg_error *err)
{
    int worst = status;
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, comm);
    if (worst < 0 && status >= 0)
        mpg_error_set(err, "%s", "");
    return worst;
}

static int reserve_probes(struct mpg_sync *sync, struct mpg_error *err)
{
    int first = sync->rank == 0 ? 1 : sync->rank, last = sync->rank == 0 ? sync->ranks : first + 1;
    for (int r = first; r < last; r++) {
        struct clock *clock = &sync->clock[r];
        struct probe *grown = realloc(clock->probe, (clock->n + 1) * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        clock->probe = grown;
    }
    return 0;
}

/* Probes the clock of every rank that does not share rank 0's clock. FIRST: probes all ranks, to confirm which ranks share rank
 * 0's clock. */
static void probe_all(struct mpg_sync *sync, bool first)
{
    if (sync->rank == 0) {
        for (int r = 1; r < sync->ranks; r++) {
            struct clock *clock = &sync->clock[r];
            struct probe probe;
            bool agrees = true;
            if (clock->shared && !first)
                continue;
            lead(sync, r, &probe, &agrees);
            clock->shared = clock->shared && agrees;
            clock->probe[clock->n++] = probe;
            MPI_Send(&probe, sizeof probe, MPI_BYTE, r, TAG, sync->comm);
            MPI_Send(&clock->shared, sizeof clock->shared, MPI_BYTE, r, TAG, sync->comm);
        }
        return;
    }
    struct clock *clock = &sync->clock[sync->rank];
    if (clock->shared && !first)
        return;
    follow(sync);
    MPI_Recv(&clock->probe[clock->n++], sizeof *clock->probe, MPI_BYTE, 0, TAG, sync->comm,
             MPI_STATUS_IGNORE);
    MPI_Recv(&clock->shared, sizeof clock->shared, MPI_BYTE, 0, TAG, sync->comm,
             MPI_STATUS_IGNORE);
}

/* ---- open and close ---- */

/* Gathers each rank's struct clock on rank 0, and broadcasts rank 0's. A clock whose name equals rank 0's may be
 * shared. */
static void exchange_timers(struct mpg_sync *sync)
{
    char name[CLOCK_NAME], first[CLOCK_NAME];
    struct clock mine = {.base = mpg_timer_read(sync->timer->kind),
                         .ns_per_tick = sync->timer->ns_per_tick};
    name_clock(sync->timer, name);
    memcpy(first, name, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, sync->comm);
    mine.shared = name[0] && strcmp(name, first) == 0;
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, sync->clock, sizeof mine, MPI_BYTE, 0, sync->comm);
    if (sync->rank > 0)
        sync->clock[sync->rank] = mine;
    MPI_Bcast(&sync->clock[0], sizeof mine, MPI_BYTE, 0, sync->comm);
}

struct mpg_sync *mpg_sync_open(MPI_Comm comm, const struct mpg_timer *timer,
                               struct mpg_error *err)
{
    struct mpg_sync *sync = calloc(1, sizeof *sync);
    struct clock *clock = NULL;
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (sync)
        clock = calloc((size_t)ranks, sizeof *clock);
    if (agree(comm, clock ? 0 : mpg_error_set(err, "out of memory"), err) < 0) {
        free(clock);
        free(sync);
        return NULL;
    }
    *sync = (struct mpg_sync){comm, rank, ranks, timer, false, clock};
    exchange_timers(sync);
    if (agree(comm, reserve_probes(sync, err), err) < 0) {
        mpg_sync_close(sync);
        return NULL;
    }
    probe_all(sync, true);
    sync->shared = true;
    for (int r = 0; r < ranks; r++)
        sync->shared = sync->shared && clock[r].shared;
    MPI_Bcast(&sync->shared, sizeof sync->shared, MPI_BYTE, 0, comm);
    return sync;
}

void mpg_sync_close(struct mpg_sync *sync)
{
    if (!sync)
        return;
    for (int r = 0; r < sync->ranks; r++)
        free(sync->clock[r].probe);
    free(sync->clock);
    free(sync);
}

int mpg_sync_probe(struct mpg_sync *sync, struct mpg_error *err)
{
    if (sync->shared)
        return 0;
    if (agree(sync->comm, reserve_probes(sync, err), err) < 0)
        return -1;
    probe_all(sync, false);
    return 0;
}

/* ---- synchronised time ---- */

/* Returns the synchronised time at time TIME_NS of a rank's timer, on the line through two probes. */
static double along(const struct probe *a, const struct probe *b, double time_ns)
{
    double rate = (b->common_ns - a->common_ns) / (b->own_ns - a->own_ns);
    return a->common_ns + (time_ns - a->own_ns) * rate;
}

double mpg_sync_time_ns(const struct mpg_sync *sync, int rank, uint64_t ticks)
{
    const struct clock *clock = &sync->clock[rank];
    if (rank == 0 || clock->shared)
        return own_ns(&sync->clock[0], ticks);
    double time_ns = own_ns(clock, ticks);
    if (clock->n == 1)
        return clock->probe[0].common_ns + (time_ns - clock->probe[0].own_ns);
    size_t low = 0, high = clock->n - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (clock->probe[middle].own_ns <= time_ns)
            low = middle;
        else
            high = middle;
    }
    return along(&clock->probe[low], &clock->probe[high], time_ns);
}

double mpg_sync_error_ns(const struct mpg_sync *sync, int rank)
{
    const struct clock *clock = &sync->clock[rank];
    double widest_ns = 0, residual_ns = 0;
    if (rank == 0 || clock->shared)
        return sync->timer->resolution_ns;
    for (size_t k = 0; k < clock->n; k++) {
        const struct probe *p = &clock->probe[k];
        widest_ns = fmax(widest_ns, p->error_ns);
        if (k > 0 && k + 1 < clock->n)
            residual_ns = fmax(residual_ns, fabs(p->common_ns - along(p - 1, p + 1, p->own_ns)));
    }
    return widest_ns + residual_ns;
}

double mpg_sync_drift(const struct mpg_sync *sync, int rank)
{
    const struct clock *clock = &sync->clock[rank];
    if (rank == 0 || clock->shared || clock->n < 2)
        return 0;
    const struct probe *first = &clock->probe[0], *last = &clock->probe[clock->n - 1];
    return (last->own_ns - first->own_ns) / (last->common_ns - first->common_ns) - 1;
}

bool mpg_sync_shared(const struct mpg_sync *sync)
{
    return sync->shared;
}
