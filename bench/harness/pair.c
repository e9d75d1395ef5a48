/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two MPI ranks. */
#include "config.h"

#include "bench/harness/pair.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness/machine.h"
#include "bench/harness/topology.h"

/* What one rank of the pair tells the other about its place. */
struct place {
    char host[256], cores[256];
    char complex[256]; /* the cores that share a last-level cache with all of its own, or "" */
};

/* ---- life ---- */

int mpg_pair_begin(struct mpg_pair *pair, int *argc, char ***argv, struct mpg_error *err)
{
    *pair = (struct mpg_pair){.comm = MPI_COMM_NULL};
    MPI_Init(argc, argv); /* MPI's default handler ends the program on its errors */
    MPI_Comm_rank(MPI_COMM_WORLD, &pair->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &pair->ranks);
    MPI_Comm_split(MPI_COMM_WORLD, pair->rank < 2 ? 0 : MPI_UNDEFINED, pair->rank, &pair->comm);
    if (pair->ranks < 2)
        return mpg_error_set(err, "needs two ranks, was started with one: use mpirun -np 2");
    return 0;
}

void mpg_pair_end(struct mpg_pair *pair)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        usleep(10000);
    free(pair->buffer);
    if (pair->comm != MPI_COMM_NULL)
        MPI_Comm_free(&pair->comm);
    MPI_Finalize();
}

int mpg_pair_agree(const struct mpg_pair *pair, int status, struct mpg_error *err)
{
    int worst = status;
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, pair->comm);
    if (worst < 0 && status >= 0)
        mpg_error_set(err, "%s", "");
    return worst < 0 ? -1 : 0;
}

int mpg_pair_allocate(struct mpg_pair *pair, int64_t size_bytes, struct mpg_error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = ((size_t)size_bytes / page + 1) * page;
    pair->buffer = aligned_alloc(page, size);
    if (!pair->buffer)
        return mpg_error_set(err, "out of memory for messages of %lld bytes",
                             (long long)size_bytes);
    memset(pair->buffer, 1, size);
    return 0;
}

/* ---- description ---- */

static const char *path_class(const struct place *a, const struct place *b)
{
    if (strcmp(a->host, b->host) != 0)
        return "between nodes";
    return a->complex[0] && strcmp(a->complex, b->complex) == 0 ? "core complex" : "node";
}

int mpg_pair_describe(const struct mpg_pair *pair, struct mpg_header *header,
                      struct mpg_error *err)
{
    struct place mine = {{0}, {0}, {0}}, places[2];
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "unknown";
    int length = 0;
    struct mpg_topology *topology = mpg_topology_open(err);
    if (mpg_pair_agree(pair, topology ? 0 : -1, err) < 0) {
        mpg_topology_close(topology);
        return -1;
    }
    mpg_topology_complex(topology, mine.complex, sizeof mine.complex);
    mpg_topology_close(topology);
    if (gethostname(mine.host, sizeof mine.host - 1) < 0)
        snprintf(mine.host, sizeof mine.host, "unknown");
    mpg_cores_text(mine.cores, sizeof mine.cores);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, places, sizeof mine, MPI_BYTE, pair->comm);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    const char *path = path_class(&places[0], &places[1]);
    if (mpg_header_add(header, err, "mpi", "%s", library) < 0 ||
        mpg_header_add(header, err, "ranks", "%d", pair->ranks) < 0 ||
        mpg_header_add(header, err, "path", "%s", path) < 0 ||
        mpg_header_add(header, err, "binding", "rank 0: cores %s, rank 1: cores %s",
                       places[0].cores, places[1].cores) < 0)
        return -1;
    if (strcmp(path, "between nodes") == 0)
        return mpg_header_add(header, err, "peer_host", "%s", places[1].host);
    return 0;
}
