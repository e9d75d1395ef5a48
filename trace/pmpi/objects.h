/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of windows and files, defined in the trace when the program creates them (objects.c). HANDLE is an
 * MPI_Win or MPI_File. Callers hold the lock unless a comment says otherwise. */
#ifndef MPG_OBJECTS_H
#define MPG_OBJECTS_H

#include <mpi.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/pmpi/tracer.h"

/* Numbers and defines the object HANDLE, just created on COMM. Returns the number, or MPG_NO_OBJECT if memory is exhausted. */
int32_t tracer_object_new(enum mpg_object_kind kind, uintptr_t handle, MPI_Comm comm);
/* Returns the number of HANDLE, or MPG_NO_OBJECT for an unknown handle. */
int32_t tracer_object(enum mpg_object_kind kind, uintptr_t handle);
/* Returns the number of HANDLE, which the call S is about to free, or MPG_NO_OBJECT: the handle is unknown, or S is not recorded.
 * Unlike the functions above, takes the lock. */
int32_t tracer_object_before(const struct tracer_scope *s, enum mpg_object_kind kind,
                             uintptr_t handle);
/* Locks and fills E with the call S on HANDLE. Returns false, unlocked, if nothing is recorded. */
bool tracer_object_event(const struct tracer_scope *s, enum mpg_object_kind kind,
                         uintptr_t handle, struct mpg_event *e);
/* Records the call S that freed HANDLE. NUMBER is the result of tracer_object_before(). Takes the lock. */
void tracer_object_end(const struct tracer_scope *s, enum mpg_object_kind kind,
                       uintptr_t handle, int32_t number);
/* Defines the object NUMBER in this thread's stream, if needed. Returns false: not defined. Only for streams in parts: otherwise
 * objects are not known by number. */
bool tracer_object_define(int32_t number);
/* Returns whether the program has freed object NUMBER; only where objects are known by number. */
bool tracer_object_is_freed(int32_t number);
void tracer_objects_end(void);

#endif
