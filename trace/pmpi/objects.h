/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows and files, told to the trace when they are made (objects.c). HANDLE is
 * MPI_Win's or MPI_File's. Locked callers only, but where it says otherwise. */
#ifndef MPG_OBJECTS_H
#define MPG_OBJECTS_H

#include <mpi.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/pmpi/tracer.h"

/* A number for what was just made on COMM; MPG_NO_OBJECT without memory. */
int32_t tracer_object_new(enum mpg_object_kind kind, uintptr_t handle, MPI_Comm comm);
/* Its number; MPG_NO_OBJECT if it is not known. */
int32_t tracer_object(enum mpg_object_kind kind, uintptr_t handle);
/* As tracer_object(), before the call of S loses the handle; not locked. */
int32_t tracer_object_before(const struct tracer_scope *s, enum mpg_object_kind kind,
                             uintptr_t handle);
/* Locks; E: the call of S on it. False, not locked, if none is to be recorded. */
bool tracer_object_event(const struct tracer_scope *s, enum mpg_object_kind kind,
                         uintptr_t handle, struct mpg_event *e);
/* Records the call of S that gave HANDLE up, which was object NUMBER (of
 * tracer_object_before()); not locked. */
void tracer_object_end(const struct tracer_scope *s, enum mpg_object_kind kind,
                       uintptr_t handle, int32_t number);
void tracer_objects_end(void);

#endif
