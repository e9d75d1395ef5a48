/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Crews of ranks with leads.
 *
 *     crews [balance=REGION] [scale=REGION:F] [bytes=N] [rounds=N] [unit=MS]
 *
 * Ranks form crews of two or three (sub-communicators); the lowest ranks, the leads, share another communicator.
 * In each round all ranks dig (region `dig`, uneven). Members send to the lead of their crew, who receives in order
 * of arrival (Waitany) and sorts (region `sort` per message). Leads exchange messages (Sendrecv) and broadcast to
 * their crews. Every third round all ranks agree (Iallreduce, with work before the Wait). Work is sleep, so ranks
 * may share cores. balance= and scale= change the work as the hypotheses of mpgsim do. Prints the run time in ms. */
#include "whatif.h"

enum { MAX_REQUESTS = 64 };
static char *in, *out;

/* Returns the work units of rank R in round K. */
static double ground(int r, int k)
{
    return 1 + (3 * r + k * (r + 1)) % 6;
}

static void dig(int k)
{
    double mean = 0;
    for (int i = 0; i < ranks; i++)
        mean += ground(i, k) / ranks;
    work("dig", strcmp(balanced, "dig") == 0 ? mean : ground(rank, k));
}

static void gather(MPI_Comm crew, int place, int size)
{
    MPI_Request q[MAX_REQUESTS];
    if (place > 0) {
        MPI_Send(out, bytes, MPI_BYTE, 0, 1, crew);
        return;
    }
    for (int i = 1; i < size; i++)
        MPI_Irecv(in + i * bytes, bytes, MPI_BYTE, i, 1, crew, &q[i - 1]);
    for (int i = 1, which; i < size; i++) {
        MPI_Waitany(size - 1, q, &which, MPI_STATUS_IGNORE);
        work("sort", 1);
    }
}

static void run(MPI_Comm crew, MPI_Comm leads)
{
    int place, size, lead, crews;
    MPI_Comm_rank(crew, &place);
    MPI_Comm_size(crew, &size);
    for (int k = 0; k < rounds; k++) {
        dig(k);
        gather(crew, place, size);
        if (leads != MPI_COMM_NULL) {
            MPI_Comm_rank(leads, &lead);
            MPI_Comm_size(leads, &crews);
            MPI_Sendrecv(out, bytes, MPI_BYTE, (lead + 1) % crews, 2, in, bytes, MPI_BYTE, (lead + crews - 1) % crews, 2,
                         leads, MPI_STATUS_IGNORE);
        }
        MPI_Bcast(in, bytes, MPI_BYTE, 0, crew);
        if (k % 3 == 2) {
            MPI_Request agreed;
            int all;
            MPI_Iallreduce(&k, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &agreed);
            work("plan", 1);
            MPI_Wait(&agreed, MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm crew, leads;
    int place;
    bytes = 700;
    read_words(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc((size_t)ranks, (size_t)bytes);
    out = calloc((size_t)ranks, (size_t)bytes);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &crew);
    MPI_Comm_rank(crew, &place);
    MPI_Comm_split(MPI_COMM_WORLD, place == 0 ? 0 : MPI_UNDEFINED, rank, &leads);
    const double begin = MPI_Wtime();
    run(crew, leads);
    print_longest(MPI_Wtime() - begin);
    MPI_Comm_free(&crew);
    if (leads != MPI_COMM_NULL)
        MPI_Comm_free(&leads);
    MPI_Finalize();
    free(in);
    free(out);
    return 0;
}
