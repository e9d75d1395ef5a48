/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names for the phases of a program, recorded by mpgtrace among the MPI calls:
 *
 *   #include <mpg_region.h>
 *   mpg_region_begin("assembly");
 *   ...
 *   mpg_region_end("assembly");
 *
 * For C (C99 and later) and C++. No library is needed: the functions are in this header. Without the tracer each call is a load
 * and a branch. Both functions may be called at any time by any thread. Regions may be nested; each thread has separate regions.
 * Regions open at MPI_Init begin at MPI_Init; after MPI_Finalize nothing is recorded. NAME is text of at most 4096 bytes and is
 * copied.
 *
 * Fortran programs compile mpg_region.f90, which is installed beside this file, and
 *   call mpg_region_begin('assembly')
 * or call MPI_Pcontrol themselves; see mpgtrace(1). */
#ifndef MPG_REGION_H
#define MPG_REGION_H

/* Levels for MPI_Pcontrol(level, name) with equal effect. */
#define MPG_REGION_BEGIN 10001
#define MPG_REGION_END 10002

#if defined __GNUC__ && defined __ELF__

typedef void mpg_region_hook_type_(int level, const char *name);

/* The tracer's function, if the tracer is linked in. In a position-dependent program the linker resolves all weak references: a
 * preloaded tracer must be looked up. dlsym has another name here, since dlsym's declaration differs between languages. */
#ifdef __cplusplus
extern "C" {
#endif
extern mpg_region_hook_type_ mpgtrace_region __attribute__((__weak__));
extern void *mpg_region_dlsym_(void *handle, const char *symbol) __asm__("dlsym")
    __attribute__((__weak__));
#ifdef __cplusplus
}
#endif

static inline void mpg_region_look_(int level, const char *name);
static mpg_region_hook_type_ *mpg_region_hook_ __attribute__((__unused__)) = mpg_region_look_;

/* The first call: looks for the tracer, once. */
static inline void mpg_region_look_(int level, const char *name)
{
    union {
        void *object;
        mpg_region_hook_type_ *function;
    } found;
    found.function = mpgtrace_region;
    if (!found.object && mpg_region_dlsym_)
        found.object = mpg_region_dlsym_((void *)0, "mpgtrace_region"); /* RTLD_DEFAULT */
    __atomic_store_n(&mpg_region_hook_, found.function, __ATOMIC_RELAXED);
    if (found.object)
        found.function(level, name);
}

static inline void mpg_region_say_(int level, const char *name)
{
    mpg_region_hook_type_ *hook = __atomic_load_n(&mpg_region_hook_, __ATOMIC_RELAXED);
    if (__builtin_expect(hook != (mpg_region_hook_type_ *)0, 0))
        hook(level, name);
}

#else
#define mpg_region_say_(level, name) ((void)(level), (void)(name))
#endif

static inline void mpg_region_begin(const char *name)
{
    mpg_region_say_(MPG_REGION_BEGIN, name);
}

/* Ends the innermost region. NAME is for readers of program and trace. */
static inline void mpg_region_end(const char *name)
{
    mpg_region_say_(MPG_REGION_END, name);
}

#endif
