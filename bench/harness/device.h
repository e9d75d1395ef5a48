/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of a GPU for messages: allocated by the runtime library of CUDA or HIP, which is loaded at run time only, so that a
 * build needs neither. */
#ifndef MPG_DEVICE_H
#define MPG_DEVICE_H

#include <stddef.h>

#include "common/error.h"

/* Functions of a runtime library; both libraries have these with equal arguments. */
struct mpg_device {
    const char *kind; /* "CUDA" or "HIP" */
    int (*allocate)(void **memory, size_t bytes);
    int (*release)(void *memory);
    int (*fill)(void *memory, int value, size_t bytes);
    int (*synchronize)(void);
    const char *(*describe)(int error);
};

/* Loads the first library with a device, and lets this process use device RANK (>= 0) modulo the number of devices. To be called
 * after MPI_Init. Errors: no library, no device, an MPI library that does not take memory of such devices (by
 * MPIX_Query_cuda_support and the like), or does not say. */
int mpg_device_open(struct mpg_device *device, int rank, struct mpg_error *err);
/* Returns BYTES (>= 0) of the device's memory, all set; NULL with ERR: no memory. The caller releases it by mpg_device_free(). */
char *mpg_device_allocate(const struct mpg_device *device, size_t bytes, struct mpg_error *err);
void mpg_device_free(const struct mpg_device *device, char *memory); /* NULL is allowed */

#endif
