/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cache of the sizes of datatypes: a program uses few datatypes, and asking MPI costs more than the rest of a record. After
 * MPI_Type_free a handle may mean another type. Therefore only sizes of predefined types are stored, and of types that the
 * program commits in a traced call: MPICH's mpi_f08 makes and frees types for array sections without traced calls. */
#include <stdint.h>

#include "trace/pmpi/event.h"
#include "trace/pmpi/handles.h"

enum { SLOTS = 256 };

/* Limit on the bytes of a record, to keep sums of several records from overflowing (mpgtext(5)). */
static const int64_t MAX_BYTES = INT64_MAX / 4;

static struct slot {
    MPI_Datatype type;
    bool committed; /* by a traced call of the program */
    bool known;     /* whether SIZE is valid */
    int64_t size;
} slots[SLOTS];

static struct slot *slot_of(MPI_Datatype type)
{
    uint64_t hash = (uint64_t)(uintptr_t)type * 0x9e3779b97f4a7c15u;
    return &slots[hash >> 56];
}

_Static_assert(SLOTS == 256, "slot_of() takes 8 bits");

static bool is_predefined(MPI_Datatype type)
{
#ifdef MPICH
    return (unsigned)type >> 30 == 1; /* MPICH's ABI: the handle of a builtin type (mpi.h) */
#elif !defined(OPEN_MPI)
    return (uintptr_t)type < 4096; /* constants of the standard ABI: no real object has an address below 4096 */
#else
    int integers, addresses, types, combiner;
    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
#endif
}

/* Returns the size of TYPE in bytes; -1: unknown to MPI. Stores the size in SLOT if TYPE is predefined or committed by the
 * program. */
static __attribute__((noinline)) int64_t query_size(struct slot *slot, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return -1;
    const bool committed = slot->committed && slot->type == type;
    if (committed || is_predefined(type))
        *slot = (struct slot){type, committed, true, size};
    return size;
}

int64_t tracer_bytes(int64_t count, MPI_Datatype type)
{
    struct slot *slot = slot_of(type);
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    const int64_t size = slot->known && slot->type == type ? slot->size : query_size(slot, type);
    int64_t bytes;
    if (size < 0)
        return 0;
    return __builtin_mul_overflow(count, size, &bytes) || bytes > MAX_BYTES ? MAX_BYTES : bytes;
}

MPI_Datatype tracer_type_at(struct tracer_types types, int i)
{
    return type_at(types.types, types.fortran, i);
}

void tracer_type_commit(MPI_Datatype type)
{
    if (!tracer_lock())
        return;
    *slot_of(type) = (struct slot){.type = type, .committed = true};
    tracer_unlock();
}

void tracer_type_forget(MPI_Datatype type)
{
    if (!tracer_lock())
        return;
    struct slot *slot = slot_of(type);
    if (slot->type == type)
        *slot = (struct slot){.known = false};
    tracer_unlock();
}
