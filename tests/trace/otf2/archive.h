/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes small OTF2 archives for tests, with libotf2. Times are in ns; a tick is half a nanosecond, and the archive
 * begins at tick FIRST_TICK. */
#ifndef MPG_TEST_ARCHIVE_H
#define MPG_TEST_ARCHIVE_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, SPARE_THREAD = 9, STREAM = 10, FIRST_TICK = 100000, OFFSET_NS = 5000 };
enum { WORLD = 7, SELF = 3, PAIR = 5 }; /* numbers of communicators in the archive */
enum { OF_PAIR = 21, OF_WORLD = 22, FURTHER = 23, OF_SELF = 24 }; /* numbers of windows in the archive */
enum { FIRST_ALONE = 4, LAST_ALONE = 5 };                       /* groups of rank 0 and rank 2 of MPI_COMM_WORLD */

static const char *const regions[] = {
    "MPI_Init", "MPI_Finalize", "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Wait", "MPI_Test",
    "MPI_Sendrecv", "MPI_Bcast", "MPI_Allreduce", "MPI_Alltoallv", "MPI_Iallreduce", "MPI_Comm_split", "MPI_Comm_free", "MPI_Put",
    "MPI_Comm_rank", "MPI_Startall", "MPI_Send_init", "phase one", "main", "MPI_Waitany", "MPI_Scan", "MPI_Gather",
    "MPI_Win_create", "MPI_Win_free", "MPI_Win_fence", "MPI_Get", "MPI_Accumulate", "MPI_Win_post", "MPI_Win_start",
    "MPI_Win_complete", "MPI_Win_wait", "MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush", "MPI_Win_lock_all", "MPI_Rput",
    "MPI_File_write"};
enum { REGIONS = sizeof regions / sizeof *regions };

struct archive {
    OTF2_Archive *a;
    OTF2_EvtWriter *w[RANKS + 2]; /* writers of the ranks, of the further thread of rank 1, and of a stream of an accelerator */
    bool shifted;  /* rank 2's clock is OFFSET_NS behind */
    bool reversed; /* the archive states the offset of rank 2's clock with the wrong sign */
};

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void)final;
    return OTF2_FLUSH;
}

static uint32_t region_number(const char *name)
{
    uint32_t i = 0;
    while (i < REGIONS && strcmp(regions[i], name) != 0)
        i++;
    return i;
}

static uint64_t ticks(const struct archive *x, int rank, int64_t ns)
{
    return (uint64_t)(FIRST_TICK + 2 * (ns - (x->shifted && rank == 2 ? OFFSET_NS : 0)));
}

static bool archive_begin(struct archive *x, const char *folder, const char *creator)
{
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    x->a = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 20, OTF2_SUBSTRATE_POSIX,
                             OTF2_COMPRESSION_NONE);
    if (!x->a)
        return false;
    OTF2_Archive_SetFlushCallbacks(x->a, &callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(x->a);
    OTF2_Archive_SetCreator(x->a, creator);
    OTF2_Archive_OpenEvtFiles(x->a);
    for (int i = 0; i < RANKS + 2; i++)
        x->w[i] = OTF2_Archive_GetEvtWriter(x->a, i < RANKS ? (uint64_t)i : i == RANKS ? SPARE_THREAD : STREAM);
    return x->w[RANKS + 1] != NULL;
}

static void enter(struct archive *x, int i, int64_t ns, const char *region)
{
    OTF2_EvtWriter_Enter(x->w[i], NULL, ticks(x, i, ns), region_number(region));
}

static void leave(struct archive *x, int i, int64_t ns, const char *region)
{
    OTF2_EvtWriter_Leave(x->w[i], NULL, ticks(x, i, ns), region_number(region));
}

/* Writes a call without records between its enter and its leave. */
static void call(struct archive *x, int i, int64_t from, int64_t to, const char *region)
{
    enter(x, i, from, region);
    leave(x, i, to, region);
}

/* --- definitions --- */

static uint32_t strings;

static uint32_t string(OTF2_GlobalDefWriter *g, const char *text)
{
    OTF2_GlobalDefWriter_WriteString(g, strings, text);
    return strings++;
}

static void write_places(OTF2_GlobalDefWriter *g)
{
    const uint32_t empty = string(g, ""), node = string(g, "node"), thread = string(g, "Master thread");
    for (uint32_t host = 0; host < 2; host++) {
        OTF2_GlobalDefWriter_WriteSystemTreeNode(g, host, string(g, host ? "beta" : "alpha"), node,
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(g, host, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(g, r, empty, OTF2_LOCATION_GROUP_TYPE_PROCESS, r == 2,
                                                 OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(g, r, thread, OTF2_LOCATION_TYPE_CPU_THREAD, 0, r);
    }
    OTF2_GlobalDefWriter_WriteLocation(g, SPARE_THREAD, thread, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 1);
    OTF2_GlobalDefWriter_WriteLocation(g, STREAM, thread, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 0);
}

static void write_regions(OTF2_GlobalDefWriter *g)
{
    for (uint32_t i = 0; i < REGIONS; i++) {
        const uint32_t name = string(g, regions[i]);
        const bool user = strcmp(regions[i], "phase one") == 0, mpi = strncmp(regions[i], "MPI_", 4) == 0;
        OTF2_GlobalDefWriter_WriteRegion(g, i, name, name, name, OTF2_REGION_ROLE_FUNCTION,
                                         mpi    ? OTF2_PARADIGM_MPI
                                         : user ? OTF2_PARADIGM_USER
                                                : OTF2_PARADIGM_COMPILER,
                                         OTF2_REGION_FLAG_NONE, name, i, i);
    }
}

static void write_comms(OTF2_GlobalDefWriter *g)
{
    const uint64_t all[] = {0, 1, 2}, pair[] = {2, 0};
    const uint32_t empty = string(g, "none");
    OTF2_GlobalDefWriter_WriteGroup(g, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, RANKS,
                                     all);
    OTF2_GlobalDefWriter_WriteGroup(g, 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, RANKS, all);
    OTF2_GlobalDefWriter_WriteGroup(g, 2, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, pair);
    OTF2_GlobalDefWriter_WriteGroup(g, 3, empty, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL);
    OTF2_GlobalDefWriter_WriteComm(g, PAIR, empty, 2, WORLD, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(g, SELF, empty, 3, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(g, WORLD, string(g, "MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    for (uint32_t i = 0; i < 2; i++)
        OTF2_GlobalDefWriter_WriteGroup(g, FIRST_ALONE + i, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 1, &all[2 * i]);
    OTF2_GlobalDefWriter_WriteRmaWin(g, OF_PAIR, empty, PAIR, OTF2_RMA_WIN_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteRmaWin(g, OF_WORLD, empty, WORLD, OTF2_RMA_WIN_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteRmaWin(g, FURTHER, empty, WORLD, OTF2_RMA_WIN_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteRmaWin(g, OF_SELF, empty, SELF, OTF2_RMA_WIN_FLAG_NONE);
}

/* Writes offsets of clocks, measured at 100 and 1100 ns of each rank. */
static void write_offsets(struct archive *x)
{
    OTF2_Archive_OpenDefFiles(x->a);
    for (int i = 0; i < RANKS + 2; i++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(x->a, i < RANKS ? (uint64_t)i : i == RANKS ? SPARE_THREAD : STREAM);
        const int64_t offset = !x->shifted || i != 2 ? 0 : x->reversed ? -2 * OFFSET_NS : 2 * OFFSET_NS;
        OTF2_DefWriter_WriteClockOffset(d, ticks(x, i, 100), offset, 0);
        OTF2_DefWriter_WriteClockOffset(d, ticks(x, i, 1100), offset > 0 ? offset + 20 : 0, 0);
        OTF2_Archive_CloseDefWriter(x->a, d);
    }
    OTF2_Archive_CloseDefFiles(x->a);
}

static bool archive_end(struct archive *x, bool has_mpi)
{
    for (int i = 0; i < RANKS + 2; i++)
        OTF2_Archive_CloseEvtWriter(x->a, x->w[i]);
    OTF2_Archive_CloseEvtFiles(x->a);
    write_offsets(x);
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(x->a);
    strings = 0;
    OTF2_GlobalDefWriter_WriteClockProperties(g, 2000000000, FIRST_TICK, 100000, OTF2_UNDEFINED_TIMESTAMP);
    write_places(g);
    write_regions(g);
    if (has_mpi)
        write_comms(g);
    OTF2_Archive_CloseGlobalDefWriter(x->a, g);
    return OTF2_Archive_Close(x->a) == OTF2_SUCCESS;
}

#endif
