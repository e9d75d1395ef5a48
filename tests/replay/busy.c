/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose ranks communicate in many ways at once, with different sizes, as input for trace replay:
 *
 *     busy [ROUNDS]        at least 2 ranks
 *
 * Prints "right" if all received data equal the sent data. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/mpg_region.h"

enum { MOST = 4096, TAG = 11, WORK_TAG = 23 };

static int rank, ranks, errors;

static void check(int right)
{
    errors += !right;
}

static void work(int us)
{
    const double until = MPI_Wtime() + us * 1e-6;
    while (MPI_Wtime() < until) {
    }
}

/* Sends from every rank to every rank. Messages are received in any order: some with MPI_Waitany, the others with
 * MPI_Waitsome. */
static void any_order(MPI_Comm comm, int round)
{
    MPI_Request receive[64], send[64];
    int from[64], n = ranks - 1, index, some, which[64];
    for (int i = 0; i < n; i++) {
        MPI_Irecv(&from[i], 1, MPI_INT, (rank + 1 + i) % ranks, TAG, comm, &receive[i]);
        MPI_Isend(&rank, 1, MPI_INT, (rank + 1 + i) % ranks, TAG, comm, &send[i]);
    }
    work(20 * ((rank + round) % 3));
    MPI_Waitany(n, receive, &index, MPI_STATUS_IGNORE);
    check(from[index] == (rank + 1 + index) % ranks);
    for (int left = n - 1; left > 0; left -= some) {
        MPI_Waitsome(n, receive, &some, which, MPI_STATUSES_IGNORE);
        for (int i = 0; i < some; i++)
            check(from[which[i]] == (rank + 1 + which[i]) % ranks);
        work(5);
    }
    MPI_Waitall(n, send, MPI_STATUSES_IGNORE);
}

/* Rank 0 hands out items of different sizes to the ranks that ask. */
static void hand_out(MPI_Comm comm, int items)
{
    static char text[MOST];
    MPI_Status status;
    if (rank == 0) {
        for (int done = 0, given = 0; done < ranks - 1;) {
            MPI_Recv(text, MOST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
            const int size = given < items ? 1 + 37 * given : 0;
            MPI_Send(text, size, MPI_BYTE, status.MPI_SOURCE, WORK_TAG, comm);
            done += given >= items;
            given++;
        }
        return;
    }
    for (int size = 1; size > 0;) {
        MPI_Send(text, rank, MPI_BYTE, 0, rank, comm);
        MPI_Probe(0, WORK_TAG, comm, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        MPI_Recv(text, size, MPI_BYTE, 0, WORK_TAG, comm, MPI_STATUS_IGNORE);
        work(10 * rank);
    }
}

/* Polls a receive with MPI_Test, while a receive that gets no message is posted. */
static void poll(MPI_Comm comm)
{
    int flag = 0, got = -1;
    MPI_Request request, never;
    MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % ranks, TAG, comm, &request);
    MPI_Irecv(&flag, 1, MPI_INT, MPI_ANY_SOURCE, TAG + 1, comm, &never);
    if (rank % 2)
        work(100);
    MPI_Send(&rank, 1, MPI_INT, (rank + ranks - 1) % ranks, TAG, comm);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    check(got == (rank + 1) % ranks);
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm, int rounds)
{
    MPI_Request request[3];
    int left = -1, right = -1, index;
    MPI_Recv_init(&left, 1, MPI_INT, (rank + ranks - 1) % ranks, TAG, comm, &request[0]);
    MPI_Recv_init(&right, 1, MPI_INT, (rank + 1) % ranks, TAG + 1, comm, &request[1]);
    MPI_Send_init(&rank, 1, MPI_INT, (rank + 1) % ranks, TAG, comm, &request[2]);
    for (int i = 0; i < rounds; i++) {
        MPI_Startall(3, request);
        work(7 * rank);
        MPI_Send(&rank, 1, MPI_INT, (rank + ranks - 1) % ranks, TAG + 1, comm);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        MPI_Wait(&request[1 - index], MPI_STATUS_IGNORE);
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
        check(left == (rank + ranks - 1) % ranks && right == (rank + 1) % ranks);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&request[i]);
}

/* Collectives in which a rank's sizes depend on rank and round. */
static void uneven(MPI_Comm comm, int round)
{
    static char from[MOST], into[MOST];
    int size, own, sent[64], received[64], there[64], here[64], all[64], sum = 0;
    MPI_Request request;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &own);
    for (int i = 0; i < size; i++) {
        sent[i] = (own + i + round) % 3 * 5;
        received[i] = (own + i + round) % 3 * 5;
        there[i] = here[i] = i * 16;
    }
    MPI_Alltoallv(from, sent, there, MPI_BYTE, into, received, here, MPI_BYTE, comm);
    for (int i = 0; i < size; i++) {
        all[i] = (i + 1) * 3 + round % 2;
        here[i] = sum;
        sum += all[i];
    }
    MPI_Allgatherv(from, all[own], MPI_BYTE, into, all, here, MPI_BYTE, comm);
    MPI_Igatherv(from, all[own], MPI_BYTE, into, all, here, MPI_BYTE, round % size, comm, &request);
    work(3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ialltoallv(from, sent, there, MPI_BYTE, into, received, there, MPI_BYTE, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void one_sided(MPI_Comm comm)
{
    MPI_Win win;
    int *own, add = rank, got;
    MPI_Win_allocate(64 * sizeof *own, sizeof *own, MPI_INFO_NULL, comm, &own, &win);
    memset(own, 0, 64 * sizeof *own);
    MPI_Win_fence(0, win);
    MPI_Put(&add, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    check(own[0] == (rank + ranks - 1) % ranks);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&add, &got, MPI_INT, 0, 5, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(comm);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Comm half, dup, grid;
    int all = 0, sides[1] = {0}, round_about[1] = {1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rounds < 1 || ranks < 2 || ranks > 64)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    sides[0] = ranks;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sides, round_about, 0, &grid);
    for (int i = 0; i < rounds; i++) {
        mpg_region_begin("messages");
        any_order(i % 2 ? dup : grid, i);
        hand_out(dup, 5);
        poll(MPI_COMM_WORLD);
        mpg_region_end("messages");
        mpg_region_begin("collectives");
        uneven(half, i);
        mpg_region_begin("sum");
        MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, half);
        mpg_region_end("sum");
        mpg_region_end("collectives");
    }
    persistent(grid, rounds);
    one_sided(dup);
    MPI_Comm_free(&half);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&grid);
    MPI_Reduce(&errors, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", all ? "WRONG" : "right");
    MPI_Finalize();
    return 0;
}
