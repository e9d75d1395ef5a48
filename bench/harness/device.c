/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the runtime library of CUDA or HIP, and asks the MPI library whether it takes such memory. Only documented entry points
 * are used, whose arguments are equal in both. */
#include "config.h"

#include "bench/harness/device.h"

#include <dlfcn.h>
#include <stdio.h>

enum { LIBRARIES = 5, QUERIES = 3 };

static const struct runtime {
    const char *kind, *prefix;         /* of the functions' names */
    const char *library[LIBRARIES];    /* tried in this order */
    const char *query[QUERIES];        /* functions of MPI libraries that return 1 if they take this memory */
} runtimes[] = {
    {"CUDA", "cuda", {"libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}, {"MPIX_Query_cuda_support"}},
    {"HIP", "hip", {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"},
     {"MPIX_Query_rocm_support", "MPIX_Query_hip_support"}},
};
enum { RUNTIMES = sizeof runtimes / sizeof *runtimes };

static void *load(const struct runtime *r)
{
    void *library = NULL;
    for (int i = 0; i < LIBRARIES && r->library[i] && !library; i++)
        library = dlopen(r->library[i], RTLD_NOW | RTLD_GLOBAL);
    return library;
}

/* Stores the function R's prefix and NAME in *FUNCTION, a pointer to a function. Errors: the library has none. */
static int find(const struct runtime *r, void *library, const char *name, void *function, struct mpg_error *err)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", r->prefix, name);
    *(void **)function = dlsym(library, whole);
    return *(void **)function ? 0 : mpg_error_set(err, "the library of %s has no %s", r->kind, whole);
}

/* Opens a device of R's LIBRARY. Errors: no device, a function is missing. */
static int open_device(const struct runtime *r, void *library, int rank, struct mpg_device *device, struct mpg_error *err)
{
    int (*count)(int *n), (*use)(int number), n = 0;
    *device = (struct mpg_device){.kind = r->kind};
    if (find(r, library, "Malloc", &device->allocate, err) < 0 || find(r, library, "Free", &device->release, err) < 0 ||
        find(r, library, "Memset", &device->fill, err) < 0 ||
        find(r, library, "DeviceSynchronize", &device->synchronize, err) < 0 ||
        find(r, library, "GetErrorString", &device->describe, err) < 0 ||
        find(r, library, "GetDeviceCount", &count, err) < 0 || find(r, library, "SetDevice", &use, err) < 0)
        return -1;
    int error = count(&n);
    if (error == 0 && n > 0)
        error = use(rank % n);
    if (error != 0 || n <= 0)
        return mpg_error_set(err, "no device of %s: %s", r->kind,
                             error != 0 ? device->describe(error) : "the library finds none");
    return 0;
}

/* Returns 0 if the MPI library takes memory of R's devices. */
static int ask_mpi(const struct runtime *r, struct mpg_error *err)
{
    for (int i = 0; i < QUERIES && r->query[i]; i++) {
        int (*query)(void);
        *(void **)&query = dlsym(RTLD_DEFAULT, r->query[i]);
        if (query)
            return query() == 1 ? 0
                                : mpg_error_set(err, "--memory=device: this MPI library takes no memory of %s (%s returns 0): "
                                                     "use one that does, or --memory=host", r->kind, r->query[i]);
    }
    return mpg_error_set(err, "--memory=device: this MPI library does not say whether it takes memory of %s (it has no %s)",
                         r->kind, r->query[0]);
}

int mpg_device_open(struct mpg_device *device, int rank, struct mpg_error *err)
{
    mpg_error_set(err, "--memory=device: neither libcudart.so (CUDA) nor libamdhip64.so (HIP) can be loaded: LD_LIBRARY_PATH "
                       "must have the folder of one");
    bool any = false;
    for (int i = 0; i < RUNTIMES; i++) {
        struct mpg_error why, before = *err;
        void *library = load(&runtimes[i]);
        if (!library)
            continue;
        if (open_device(&runtimes[i], library, rank, device, &why) == 0)
            return ask_mpi(&runtimes[i], err);
        mpg_error_set(err, "%.300s%s%.200s", any ? before.text : "--memory=device: ", any ? "; " : "", why.text);
        any = true;
    }
    return -1;
}

char *mpg_device_allocate(const struct mpg_device *device, size_t bytes, struct mpg_error *err)
{
    void *memory = NULL;
    int error = device->allocate(&memory, bytes + 1);
    if (error == 0)
        error = device->fill(memory, 1, bytes + 1);
    if (error == 0)
        error = device->synchronize();
    if (error == 0)
        return memory;
    mpg_device_free(device, memory);
    mpg_error_set(err, "%s: %zu bytes of device memory: %s", device->kind, bytes, device->describe(error));
    return NULL;
}

void mpg_device_free(const struct mpg_device *device, char *memory)
{
    if (memory)
        device->release(memory);
}
