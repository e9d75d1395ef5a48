/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of datatypes, of which a program uses few: asking MPI costs more than the rest
 * of a record. MPI_Type_free makes a handle mean another type. */
#include <stdint.h>

#include "trace/pmpi/event.h"

enum { PLACES = 256 };

/* Sums of some still fit; mpgtext(5). */
static const int64_t MOST_BYTES = INT64_MAX / 4;

static struct place {
    MPI_Datatype type;
    bool used;
    int64_t size;
} places[PLACES];

static struct place *place_of(MPI_Datatype type)
{
    uint64_t hash = (uint64_t)(uintptr_t)type * 0x9e3779b97f4a7c15u;
    return &places[hash >> 56];
}

_Static_assert(PLACES == 256, "place_of() takes 8 bits");

static __attribute__((noinline)) bool ask(struct place *place, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return false;
    *place = (struct place){type, true, size};
    return true;
}

int64_t tracer_bytes(int64_t count, MPI_Datatype type)
{
    struct place *place = place_of(type);
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    if ((!place->used || place->type != type) && !ask(place, type))
        return 0;
    int64_t bytes;
    return __builtin_mul_overflow(count, place->size, &bytes) || bytes > MOST_BYTES ? MOST_BYTES
                                                                                   : bytes;
}

MPI_Datatype tracer_type_at(struct tracer_types types, int i)
{
    return types.fortran ? PMPI_Type_f2c(((const MPI_Fint *)types.types)[i])
                         : ((const MPI_Datatype *)types.types)[i];
}

void tracer_type_forget(MPI_Datatype type)
{
    if (!tracer_lock())
        return;
    place_of(type)->used = false;
    tracer_unlock();
}
