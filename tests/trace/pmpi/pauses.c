/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "pauses MODE STEPS": a ring whose messages are in flight over the borders of steps, with receives from any source and
 * persistent requests, and a communicator of its own. MODE: "once" pauses recording at first, records steps STEPS / 3 to 2 STEPS
 * / 3 (odd ranks a step less at both ends), and pauses again; "twice" records steps 2 to 5 and STEPS / 2 to STEPS - 3, with
 * region early from step 4 to 8 and region late from step 10 to STEPS - 5; "time" repeats the steps for 60 ms; "region" marks
 * the steps as regions step, within a region block of 10 steps each; "killed" does the same, and rank 1 is killed after two
 * thirds of the steps; "never" pauses all. "tags STEPS": in a pause each rank sends itself STEPS messages of different tags,
 * then, recorded, one message of each tenth tag. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/mpg_region.h"

enum { AHEAD = 1, ANY = 5, PERSISTENT = 3 };

struct ring {
    int rank, right, left, in[4], out[4];
    MPI_Comm half;
    MPI_Request persistent[2], any;
};

static void step(struct ring *r, int i)
{
    MPI_Request late;
    MPI_Status statuses[2];
    int sum;
    MPI_Startall(2, r->persistent);
    MPI_Send(r->out, 2, MPI_INT, r->right, AHEAD, MPI_COMM_WORLD);
    MPI_Recv(r->in, 2, MPI_INT, r->left, AHEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(r->out, 1, MPI_INT, r->right, ANY, MPI_COMM_WORLD, &late);
    MPI_Wait(&r->any, MPI_STATUS_IGNORE);
    MPI_Irecv(r->in + 3, 1, MPI_INT, MPI_ANY_SOURCE, ANY, MPI_COMM_WORLD, &r->any);
    MPI_Wait(&late, MPI_STATUS_IGNORE);
    if (i % 4 == 0)
        MPI_Allreduce(&r->rank, &sum, 1, MPI_INT, MPI_SUM, r->half);
    MPI_Waitall(2, r->persistent, statuses);
    if (i % 10 == 9)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Before step I of N in mode "twice": begins and ends regions across the edges of pauses. */
static void mark_edges(int i, int n)
{
    if (i == 4)
        mpg_region_begin("early");
    if (i == 8)
        mpg_region_end("early");
    if (i == 10)
        mpg_region_begin("late");
    if (i == n - 5)
        mpg_region_end("late");
}

static void steps(struct ring *r, const char *mode, int n)
{
    const int once = strcmp(mode, "once") == 0, twice = strcmp(mode, "twice") == 0, odd = r->rank % 2;
    const int killed = strcmp(mode, "killed") == 0, regions = killed || strcmp(mode, "region") == 0;
    for (int i = 0; i < n; i++) {
        if ((once && i == n / 3 + odd) || (twice && (i == 2 || i == n / 2)))
            MPI_Pcontrol(1);
        if (killed && r->rank == 1 && i == 2 * n / 3)
            raise(SIGKILL);
        if (twice)
            mark_edges(i, n);
        if (regions && i % 10 == 0)
            MPI_Pcontrol(MPG_REGION_BEGIN, "block");
        if (regions)
            mpg_region_begin("step");
        step(r, i);
        if (regions)
            mpg_region_end("step");
        if (regions && i % 10 == 9)
            MPI_Pcontrol(MPG_REGION_END, "block");
        if ((once && i == 2 * n / 3 - odd) || (twice && (i == 5 || i == n - 3)))
            MPI_Pcontrol(0);
    }
}

/* Repeats steps for 60 ms, by the clock of rank 0. */
static void timed_steps(struct ring *r, int n)
{
    const double begin = MPI_Wtime();
    int goes_on = 1;
    while (goes_on) {
        steps(r, "", n);
        goes_on = MPI_Wtime() - begin < 0.06;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void send_to_itself(const struct ring *r, int tag)
{
    int received;
    MPI_Sendrecv(&r->rank, 1, MPI_INT, r->rank, tag, &received, 1, MPI_INT, r->rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int tags(const struct ring *r, int n)
{
    MPI_Pcontrol(0);
    for (int i = 0; i < n; i++)
        send_to_itself(r, i);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i += 10)
        send_to_itself(r, i);
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    struct ring r = {.rank = 0};
    const char *mode = argc > 2 ? argv[1] : "";
    const int n = argc > 2 ? atoi(argv[2]) : 0;
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(mode, "tags") == 0)
        return tags(&r, n);
    r.right = (r.rank + 1) % size;
    r.left = (r.rank + size - 1) % size;
    MPI_Comm_split(MPI_COMM_WORLD, r.rank % 2, r.rank, &r.half);
    MPI_Send_init(r.out, 1, MPI_INT, r.right, PERSISTENT, MPI_COMM_WORLD, &r.persistent[0]);
    MPI_Recv_init(r.in + 2, 1, MPI_INT, MPI_ANY_SOURCE, PERSISTENT, MPI_COMM_WORLD, &r.persistent[1]);
    if (strcmp(mode, "time") != 0 && strcmp(mode, "region") != 0 && strcmp(mode, "killed") != 0)
        MPI_Pcontrol(0);
    MPI_Send(r.out, 2, MPI_INT, r.right, AHEAD, MPI_COMM_WORLD); /* received in the first step */
    MPI_Irecv(r.in + 3, 1, MPI_INT, MPI_ANY_SOURCE, ANY, MPI_COMM_WORLD, &r.any);
    if (strcmp(mode, "time") == 0)
        timed_steps(&r, n);
    else
        steps(&r, mode, n);
    MPI_Recv(r.in, 2, MPI_INT, r.left, AHEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(r.out, 1, MPI_INT, r.right, ANY, MPI_COMM_WORLD);
    MPI_Wait(&r.any, MPI_STATUS_IGNORE);
    MPI_Request_free(&r.persistent[0]);
    MPI_Request_free(&r.persistent[1]);
    MPI_Comm_free(&r.half);
    return MPI_Finalize();
}
