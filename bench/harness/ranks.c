/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a benchmark: agreement on errors, location and binding, header lines. */
#include "bench/harness/cores.h"
#include "config.h"

#include "bench/harness/ranks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/machine.h"

enum { MIN_SLEEP_US = 500, MAX_SLEEP_US = 10000 };

/* ---- agreement ---- */

void mpg_ranks_wait(MPI_Request *request)
{
    int done = 0;
    useconds_t sleep_us = MIN_SLEEP_US;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        usleep(sleep_us);
        sleep_us = 2 * sleep_us < MAX_SLEEP_US ? 2 * sleep_us : MAX_SLEEP_US;
    }
}

int64_t mpg_ranks_maximum(const struct mpg_ranks *ranks, int64_t value)
{
    (void)ranks; /* only MPI_COMM_WORLD is used */
    int64_t max = value;
    MPI_Request request;
    MPI_Iallreduce(&value, &max, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
    mpg_ranks_wait(&request);
    return max;
}

int mpg_ranks_agree(const struct mpg_ranks *ranks, int status, struct mpg_error *err)
{
    /* MPI_MAX over the ranks finds the lowest failed rank with an error text, since this rank contributes the largest value. */
    int64_t mine = status >= 0 ? 0 : err->text[0] ? 1 + ranks->ranks - ranks->rank : 1;
    int64_t max = mpg_ranks_maximum(ranks, mine);
    if (max > 0 && mine < max)
        mpg_error_set(err, "%s", "");
    return max > 0 ? -1 : 0;
}

double mpg_ranks_other_cpu_ns(const struct mpg_ranks *ranks, double own_ns)
{
    bool near = ranks->rank > 0 &&
                strcmp(ranks->location[ranks->rank].host, ranks->location[0].host) == 0;
    double mine_ns = near && own_ns > 0 ? own_ns : 0, sum_ns = 0;
    MPI_Reduce(&mine_ns, &sum_ns, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum_ns;
}

/* Returns the FNV-1a hash (Fowler, Noll, Vo) of TEXT with its terminating 0. HASH: hash of the texts before. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++);
    return hash;
}

int mpg_ranks_same_arguments(const struct mpg_ranks *ranks, const char *name, int argc,
                             char **argv, struct mpg_error *err)
{
    uint64_t hash = hash_text(0xcbf29ce484222325u, name), first;
    for (int i = 1; i < argc; i++)
        hash = hash_text(hash, argv[i]);
    first = hash;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    int status = 0;
    if (hash != first)
        status = mpg_error_set(err, "rank %d was started with other options than rank 0; all"
                                    " ranks need equal options", ranks->rank);
    return mpg_ranks_agree(ranks, status, err);
}

/* ---- cores ---- */

/* The available cores of all ranks, one rank's list after another. */
struct lists {
    int *n, *first, *core; /* rank r has the n[r] cores from core[first[r]] on */
    int all;
};

static void clear_lists(struct lists *lists)
{
    free(lists->n);
    free(lists->first);
    free(lists->core);
}

/* Gathers each rank's N available cores, MINE, into LISTS on all ranks. */
static int gather_lists(const struct mpg_ranks *ranks, const int *mine, int n,
                        struct lists *lists, struct mpg_error *err)
{
    size_t count = (size_t)ranks->ranks;
    *lists = (struct lists){malloc(count * sizeof(int)), malloc(count * sizeof(int)), NULL, 0};
    int status = n < 0 ? -1
                 : lists->n && lists->first ? 0 : mpg_error_set(err, "out of memory");
    if (mpg_ranks_agree(ranks, status, err) < 0)
        return -1;
    MPI_Allgather(&n, 1, MPI_INT, lists->n, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks->ranks; r++) {
        lists->first[r] = lists->all;
        lists->all += lists->n[r];
    }
    lists->core = malloc((size_t)lists->all * sizeof(int));
    status = lists->core ? 0 : mpg_error_set(err, "out of memory");
    if (mpg_ranks_agree(ranks, status, err) < 0)
        return -1;
    MPI_Allgatherv(mine, n, MPI_INT, lists->core, lists->n, lists->first, MPI_INT,
                   MPI_COMM_WORLD);
    return 0;
}

/* Returns the core in LIST with the fewest ranks (USED, indexed by core); of equal cores the first. */
static int least_used(const int *list, int n, const int *used)
{
    int best = list[0];
    for (int i = 1; i < n; i++)
        if (used[list[i]] < used[best])
            best = list[i];
    return best;
}

/* Assigns a core to each rank of this rank's host (location[].core; -1: not bound) and counts the host's ranks and
 * cores in this rank's location. */
static int assign_cores(struct mpg_ranks *ranks, const struct lists *lists, bool bind,
                        struct mpg_error *err)
{
    struct mpg_rank_location *mine = &ranks->location[ranks->rank];
    int max = 0;
    for (int i = 0; i < lists->all; i++)
        max = lists->core[i] > max ? lists->core[i] : max;
    int *used = calloc((size_t)max + 1, sizeof *used);
    char *seen = calloc((size_t)max + 1, 1);
    if (used && seen) {
        /* Pass 0: ranks bound to a core by the launcher, which cannot move. Pass 1: all other ranks, on the remaining cores. */
        for (int pass = 0; pass < 2; pass++)
            for (int r = 0; r < ranks->ranks; r++) {
                struct mpg_rank_location *location = &ranks->location[r];
                const int *list = lists->core + lists->first[r];
                bool bound = lists->n[r] == 1;
                if (strcmp(location->host, mine->host) != 0 || bound != (pass == 0))
                    continue;
                location->core = bound || bind ? least_used(list, lists->n[r], used) : -1;
                used[location->core < 0 ? 0 : location->core] += location->core >= 0;
                for (int i = 0; i < lists->n[r]; i++) {
                    mine->host_cores += !seen[list[i]];
                    seen[list[i]] = 1;
                }
                mine->host_ranks++;
            }
    }
    int status = used && seen ? 0 : mpg_error_set(err, "out of memory");
    free(used);
    free(seen);
    return status;
}

/* Determines the location of every rank. With BIND binds this rank to a core if several are available. */
static int find_places(struct mpg_ranks *ranks, bool bind, struct mpg_error *err)
{
    struct mpg_rank_location *mine = &ranks->location[ranks->rank];
    struct lists lists = {NULL, NULL, NULL, 0};
    int *core = NULL;
    int n = mpg_topology_cores(ranks->topology, &core, err);
    int status = gather_lists(ranks, core, n, &lists, err);
    if (status == 0) {
        if (gethostname(mine->host, sizeof mine->host - 1) < 0)
            snprintf(mine->host, sizeof mine->host, "unknown");
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, ranks->location, sizeof *mine, MPI_BYTE,
                      MPI_COMM_WORLD);
        status = assign_cores(ranks, &lists, bind, err);
        if (status == 0 && n > 1 && mine->core >= 0)
            status = mpg_cores_pin(mine->core, err);
        mpg_cores_text(mine->cores, sizeof mine->cores);
        mpg_topology_complex(ranks->topology, mine->complex, sizeof mine->complex);
        status = mpg_ranks_agree(ranks, status, err);
    }
    if (status == 0)
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, ranks->location, sizeof *mine, MPI_BYTE,
                      MPI_COMM_WORLD);
    clear_lists(&lists);
    free(core);
    return status;
}

/* ---- begin and end ---- */

int mpg_ranks_begin(struct mpg_ranks *ranks, bool bind, int *argc, char ***argv,
                    struct mpg_error *err)
{
    *ranks = (struct mpg_ranks){0};
    MPI_Init(argc, argv); /* MPI's default error handler aborts on errors */
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->ranks);
    ranks->location = calloc((size_t)ranks->ranks, sizeof *ranks->location);
    int status = 0;
    if (!ranks->location)
        status = mpg_error_set(err, "out of memory");
    else if (!(ranks->topology = mpg_topology_open(err)))
        status = -1;
    if (mpg_ranks_agree(ranks, status, err) < 0)
        return -1;
    return find_places(ranks, bind, err);
}

void mpg_ranks_end(struct mpg_ranks *ranks)
{
    mpg_ranks_maximum(ranks, 0);
    /* All ranks are done. When the first one ends with an error, the launcher sends the others this signal: no interruption. */
    (void)signal(SIGTERM, SIG_IGN);
    mpg_topology_close(ranks->topology);
    free(ranks->location);
    MPI_Finalize();
}

/* ---- header lines ---- */

enum mpg_path mpg_ranks_path(const struct mpg_ranks *ranks, int a, int b)
{
    const struct mpg_rank_location *x = &ranks->location[a], *y = &ranks->location[b];
    if (strcmp(x->host, y->host) != 0)
        return MPG_PATH_BETWEEN;
    return x->complex[0] && strcmp(x->complex, y->complex) == 0 ? MPG_PATH_COMPLEX
                                                                : MPG_PATH_NODE;
}

const char *mpg_path_name(enum mpg_path path)
{
    static const char *const name[] = {"core complex", "node", "between nodes"};
    return name[path];
}

const char *mpg_path_file(enum mpg_path path)
{
    static const char *const name[] = {"core-complex", "node", "between-nodes"};
    return name[path];
}

bool mpg_ranks_oversubscribed(const struct mpg_ranks *ranks, char *text, size_t size)
{
    for (int r = 0; r < ranks->ranks; r++) {
        const struct mpg_rank_location *p = &ranks->location[r];
        if (p->host_ranks <= p->host_cores)
            continue;
        snprintf(text, size, "%d ranks on %d core%s of %s", p->host_ranks, p->host_cores,
                 p->host_cores == 1 ? "" : "s", p->host);
        return true;
    }
    snprintf(text, size, "no");
    return false;
}

int mpg_ranks_describe(const struct mpg_ranks *ranks, struct mpg_header *header,
                       struct mpg_error *err)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "unknown", oversubscribed[512];
    char binding[MPG_RESULTS_VALUE] = "", settings[MPG_RESULTS_VALUE];
    int length = 0;
    size_t used = 0;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    for (int r = 0; r < ranks->ranks && used < sizeof binding; r++)
        used += (size_t)snprintf(binding + used, sizeof binding - used, "%srank %d: cores %s",
                                 r ? ", " : "", r, ranks->location[r].cores);
    mpg_ranks_oversubscribed(ranks, oversubscribed, sizeof oversubscribed);
    mpg_machine_mpi_settings(settings, sizeof settings);
    return mpg_header_add(header, err, "mpi", "%s", library) < 0 ||
                   mpg_header_add(header, err, "mpi_settings", "%s", settings) < 0 ||
                   mpg_header_add(header, err, "ranks", "%d", ranks->ranks) < 0 ||
                   mpg_header_add(header, err, "binding", "%s", binding) < 0 ||
                   mpg_header_add(header, err, "oversubscribed", "%s", oversubscribed) < 0
               ? -1
               : 0;
}
