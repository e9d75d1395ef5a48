/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of the tool interface OMPT used by the tracer: no omp-tools.h is needed for compilation. Names, numbers and arguments
 * are from the OpenMP 5.0 specification: 4.2 (activation), 4.4 (data types), 4.5 (callbacks), 4.6.1 (entry points); kinds 8 to 10
 * of synchronization are from OpenMP 5.1. */
#ifndef MPG_TRACER_OMPT_H
#define MPG_TRACER_OMPT_H

#include <stdint.h>

typedef union ompt_data_t {
    uint64_t value;
    void *ptr;
} ompt_data_t;

/* Frame addresses of a task (4.4.4.28). */
typedef struct ompt_frame_t {
    ompt_data_t exit_frame, enter_frame;
    int exit_frame_flags, enter_frame_flags;
} ompt_frame_t;

typedef void (*ompt_callback_t)(void);
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);

typedef struct ompt_start_tool_result_t {
    int (*initialize)(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data);
    void (*finalize)(ompt_data_t *tool_data);
    ompt_data_t tool_data;
} ompt_start_tool_result_t;

enum { /* ompt_callbacks_t */
    ompt_callback_parallel_begin = 3,
    ompt_callback_parallel_end = 4,
    ompt_callback_task_schedule = 6,
    ompt_callback_implicit_task = 7,
    ompt_callback_sync_region_wait = 16
};
enum { ompt_scope_begin = 1, ompt_scope_end = 2 };                       /* ompt_scope_endpoint_t */
enum { ompt_sync_region_reduction = 7 };                                 /* ompt_sync_region_t */
enum { ompt_task_implicit = 2 };                                         /* ompt_task_flag_t */
enum { ompt_parallel_league = 0x40000000 };                              /* ompt_parallel_flag_t */

#endif
