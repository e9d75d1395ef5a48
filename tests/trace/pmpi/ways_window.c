/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication for tests/trace/pmpi/ways.h (MPI-3.1, chapter 11). */
#include "tests/trace/pmpi/ways.h"

#include <stdlib.h>

enum { P = 4, N = 16 };

static int in[N], out[N];

/* Number of windows created on MPI_COMM_WORLD so far. */
static int made;
#define WIN "win=0,1,2,3/%d"

static void do_fence(MPI_Win win, int w, int *memory)
{
    int right = (rank + 1) % P, one = 5;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    say("Win_fence " WIN " assert=%d", w, MPI_MODE_NOPRECEDE);
    MPI_Put(&rank, 1, MPI_INT, right, 2, 1, MPI_INT, win);
    say("Put " WIN " to=%d bytes=4 recvbytes=0", w, right);
    MPI_Get(in, 2, MPI_INT, right, 4, 2, MPI_INT, win);
    say("Get " WIN " to=%d bytes=0 recvbytes=8", w, right);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win);
    say("Accumulate " WIN " to=0 bytes=4 recvbytes=0", w);
    MPI_Put(&rank, 1, MPI_INT, MPI_PROC_NULL, 2, 1, MPI_INT, win);
    say("Put " WIN " to=null bytes=0 recvbytes=0", w);
    MPI_Win_fence(0, win);
    say("Win_fence " WIN " assert=0", w);
    CHECK(memory[2] == (rank + P - 1) % P && (rank > 0 || memory[3] == 20));
}

static void do_atomics(MPI_Win win, int w)
{
    int one = 1, result[2] = {0}, compare = 7;
    MPI_Win_lock_all(0, win);
    say("Win_lock_all " WIN, w);
    MPI_Fetch_and_op(&one, result, MPI_INT, 1, 8, MPI_SUM, win);
    say("Fetch_and_op " WIN " to=1 bytes=4 recvbytes=4", w);
    MPI_Fetch_and_op(NULL, result, MPI_INT, 1, 8, MPI_NO_OP, win);
    say("Fetch_and_op " WIN " to=1 bytes=0 recvbytes=4", w);
    MPI_Compare_and_swap(&one, &compare, result, MPI_INT, 2, 9, win);
    say("Compare_and_swap " WIN " to=2 bytes=8 recvbytes=4", w);
    MPI_Get_accumulate(&one, 1, MPI_INT, result, 2, MPI_INT, 3, 10, 2, MPI_INT, MPI_NO_OP, win);
    say("Get_accumulate " WIN " to=3 bytes=0 recvbytes=8", w);
    MPI_Win_flush(3, win);
    say("Win_flush " WIN " to=3", w);
    MPI_Win_flush_local(3, win);
    say("Win_flush_local " WIN " to=3", w);
    MPI_Win_flush_all(win);
    say("Win_flush_all " WIN, w);
    MPI_Win_flush_local_all(win);
    say("Win_flush_local_all " WIN, w);
    MPI_Win_sync(win);
    say("Win_sync " WIN, w);
    MPI_Win_unlock_all(win);
    say("Win_unlock_all " WIN, w);
}

static void do_requests(MPI_Win win, int w)
{
    MPI_Request r[4];
    int right = (rank + 1) % P;
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    say("Win_lock " WIN " to=%d", w, right);
    MPI_Rput(out, 2, MPI_INT, right, 0, 2, MPI_INT, win, &r[0]);
    say("Rput " WIN " to=%d bytes=8 recvbytes=0 request=%d", w, right, ++last_request);
    MPI_Rget(in, 3, MPI_INT, right, 4, 3, MPI_INT, win, &r[1]);
    say("Rget " WIN " to=%d bytes=0 recvbytes=12 request=%d", w, right, ++last_request);
    MPI_Raccumulate(out, 1, MPI_INT, right, 9, 1, MPI_INT, MPI_SUM, win, &r[2]);
    say("Raccumulate " WIN " to=%d bytes=4 recvbytes=0 request=%d", w, right, ++last_request);
    MPI_Rget_accumulate(out, 1, MPI_INT, in + 8, 1, MPI_INT, right, 10, 1, MPI_INT, MPI_SUM, win,
                        &r[3]);
    say("Rget_accumulate " WIN " to=%d bytes=4 recvbytes=4 request=%d", w, right, ++last_request);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    say("Waitall requests=%d,%d,%d,%d", last_request - 3, last_request - 2, last_request - 1,
        last_request);
    MPI_Win_unlock(right, win);
    say("Win_unlock " WIN " to=%d", w, right);
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK * (rank == 0), win);
    say("Win_lock " WIN " to=0 exclusive=1", w);
    MPI_Win_unlock(0, win);
    say("Win_unlock " WIN " to=0", w);
}

/* Even ranks expose the window to their neighbour. */
static void do_epochs(MPI_Win win, int w)
{
    MPI_Group world, beside;
    int flag = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &beside);
    for (int round = 0; round < 2; round++)
        if (rank % 2) {
            MPI_Win_start(beside, 0, win);
            say("Win_start " WIN " group=%d", w, peer);
            MPI_Put(&rank, 1, MPI_INT, peer, 0, 1, MPI_INT, win);
            say("Put " WIN " to=%d bytes=4 recvbytes=0", w, peer);
            MPI_Win_complete(win);
            say("Win_complete " WIN, w);
        } else {
            MPI_Win_post(beside, 0, win);
            say("Win_post " WIN " group=%d", w, peer);
            while (round == 1 && !flag)
                MPI_Win_test(win, &flag);
            if (round == 0)
                MPI_Win_wait(win);
            say("Win_%s " WIN, round ? "test" : "wait", w);
        }
    MPI_Group_free(&beside);
    MPI_Group_free(&world);
}

static void do_dynamic(void)
{
    MPI_Win win;
    MPI_Aint at, all[P];
    int memory[N] = {0}, w = made++;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    say("Win_create_dynamic " WORLD " " WIN " bytes=0", w);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Get_address(memory, &at);
    MPI_Allgather(&at, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    say("Allgather " WORLD " bytes=8");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    say("Win_lock_all " WIN, w);
    MPI_Put(&rank, 1, MPI_INT, peer, all[peer], 1, MPI_INT, win);
    say("Put " WIN " to=%d bytes=4 recvbytes=0", w, peer);
    MPI_Win_unlock_all(win);
    say("Win_unlock_all " WIN, w);
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    say("Win_free " WIN, w);
}

/* A window on a communicator of two ranks, with different rank numbers. */
static void do_pair(void)
{
    MPI_Comm pair;
    MPI_Win win;
    int *memory, other = rank % 2 == 0;
    const char *name = rank < 2 ? "0,1#1" : "2,3#1";
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    say("Comm_split " WORLD " newcomm=%s", name);
    /* MPICH 5.0.2 in Debian does not support shared memory windows. */
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    if (MPI_Win_allocate_shared(40, 4, MPI_INFO_NULL, pair, &memory, &win) == MPI_SUCCESS)
        say("Win_allocate_shared comm=%s win=%s/0 bytes=40", name, name);
    else {
        say("Win_allocate_shared failed=1");
        MPI_Win_allocate(40, 4, MPI_INFO_NULL, pair, &memory, &win);
        say("Win_allocate comm=%s win=%s/0 bytes=40", name, name);
    }
    MPI_Win_fence(0, win);
    say("Win_fence win=%s/0 assert=0", name);
    MPI_Put(&rank, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    say("Put win=%s/0 to=%d bytes=4 recvbytes=0", name, other);
    MPI_Win_fence(0, win);
    say("Win_fence win=%s/0 assert=0", name);
    CHECK(memory[0] == peer);
    MPI_Win_free(&win);
    say("Win_free win=%s/0", name);
    MPI_Comm_free(&pair);
    say("Comm_free comm=%s", name);
}

void do_windows(void)
{
    MPI_Win win;
    int *memory, w = made++;
    memory = calloc(N, sizeof *memory);
    MPI_Win_create(memory, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    say("Win_create " WORLD " " WIN " bytes=64", w);
    do_fence(win, w, memory);
    do_epochs(win, w);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
    say("Win_free " WIN, w);
    free(memory);
    w = made++;
    MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    say("Win_allocate " WORLD " " WIN " bytes=64", w);
    do_atomics(win, w);
    do_requests(win, w);
    MPI_Win_free(&win);
    say("Win_free " WIN, w);
    do_dynamic();
    do_pair();
}
