/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI functions that a program looks up in MPI's library by dlsym(3), as Julia and Python's ctypes do: the program gets the
 * tracer's wrapper. For this purpose the preloaded tracer defines dlsym, on systems where glibc's dlsym identifies the caller
 * only by the return address (RTLD_NEXT and RTLD_DEFAULT depend on the caller). A stub asks for a wrapper; without a wrapper, the
 * stub jumps to the next dlsym with arguments, stack and return address unchanged. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <features.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__GLIBC__) && ((defined(__x86_64__) && defined(__LP64__)) || (defined(__aarch64__) && defined(__LP64__)))
#include <gnu/libc-version.h>

#include "trace/pmpi/bypass.h"
#include "trace/pmpi/real.h"

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

typedef void *dlsym_function(void *handle, const char *name);

/* Result of a look-up: the stub of dlsym returns WRAPPER or, if WRAPPER is NULL, jumps to NEXT. The struct is returned in two
 * registers. */
struct lookup {
    void *wrapper;
    dlsym_function *next;
};

static void *finds_nothing(void *handle, const char *name)
{
    (void)handle, (void)name;
    return NULL;
}

/* Returns true if libdl is part of libc, since glibc 2.34. Calls no function that a sanitizer may replace: sanitizers look up
 * functions before their replacements work. */
static bool is_one_library(void)
{
    int part[2] = {0, 0}, i = 0;
    for (const char *p = gnu_get_libc_version(); *p && i < 2; p++)
        if (*p >= '0' && *p <= '9')
            part[i] = 10 * part[i] + (*p - '0');
        else
            i++;
    return part[0] > 2 || part[1] >= 34;
}

/* Returns the C library's dlsym. Never asks for a missing version: dlvsym(3) would allocate an error message, while a
 * malloc(3) of the program may be the caller of dlsym. */
static dlsym_function *find_c_library(void)
{
    return (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", is_one_library() ? "GLIBC_2.34" : FIRST_VERSION);
}

/* Returns the next dlsym, possibly another tool's. Several threads may call this function at the same time. */
static dlsym_function *next_dlsym(void)
{
    static dlsym_function *next;
    dlsym_function *known = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (known)
        return known;
    dlsym_function *const c_library = find_c_library();
    known = c_library ? (dlsym_function *)c_library(RTLD_NEXT, "dlsym") : NULL;
    known = known ? known : c_library ? c_library : finds_nothing;
    __atomic_store_n(&next, known, __ATOMIC_RELAXED);
    return known;
}

/* Returns true if NAME begins with MPI_, MPIX_ or mpi_. Calls no function, because sanitizers replace functions and call dlsym
 * before the replacements work. */
static bool is_mpi_name(const char *name)
{
    if (name[0] == 'm')
        return name[1] == 'p' && name[2] == 'i' && name[3] == '_';
    return name[0] == 'M' && name[1] == 'P' && name[2] == 'I' && (name[3] == '_' || (name[3] == 'X' && name[4] == '_'));
}

/* Returns true for names like MPI_Send and MPI_T_init_thread, not for mpi_send_ or MPI_SEND: Fortran wrappers look for
 * the library of the calling module. */
static bool is_c_name(const char *name)
{
    return name[0] == 'M' && strpbrk(name, "abcdefghijklmnopqrstuvwxyz");
}

/* CALLER looks up NAME in the library behind HANDLE. Returns the tracer's wrapper; NULL: CALLER gets dlsym's result. */
static void *wrapper_of(dlsym_function *next, void *handle, const char *name, const void *caller)
{
    /* NAME in the global scope is the tracer's wrapper, or a function of the program (reported elsewhere). */
    void *wrapper = next(RTLD_DEFAULT, name);
    if (!tracer_real_is_own(wrapper) && !tracer_real_is_entry(wrapper))
        return NULL;
    void *found = next(handle, name);
    if (!found || tracer_real_is_own(found) || tracer_real_is_of_one_library(caller, found))
        return NULL;
    if (is_c_name(name) && tracer_real_leads_to(name, found))
        return wrapper;
    if (!tracer_real_is_behind(name, caller))
        bypass_looked_up(name, found);
    return NULL;
}

__attribute__((used, visibility("hidden"))) struct lookup tracer_look_up(void *handle, const char *name, const void *caller)
{
    struct lookup l = {NULL, next_dlsym()};
    /* Other handles only: with RTLD_DEFAULT dlsym finds the wrapper; with RTLD_NEXT dlsym finds a function after the caller. */
    if (handle != RTLD_DEFAULT && handle != RTLD_NEXT && is_mpi_name(name) && !tracer_real_is_own(caller)) {
        l.wrapper = wrapper_of(l.next, handle, name, caller);
        dlerror(); /* clears an error of the tracer's look-ups, which the program must not see */
    }
    return l;
}

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        ".p2align 4\n"
        "dlsym:\n"
        ".cfi_startproc\n"
        "    .byte 0xf3, 0x0f, 0x1e, 0xfa\n" /* endbr64: a valid target of indirect jumps */
        "    pushq %rdi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    movq 24(%rsp), %rdx\n"
        "    call tracer_look_up\n"
        "    addq $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    testq %rax, %rax\n"
        "    jne 1f\n"
        "    jmpq *%rdx\n"
        "1:  ret\n"
        ".cfi_endproc\n"
        ".size dlsym, . - dlsym\n"
        ".popsection\n");
#else
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        ".p2align 4\n"
        "dlsym:\n"
        ".cfi_startproc\n"
        "    hint #34\n" /* bti c: a valid target of indirect calls */
        "    stp x29, x30, [sp, #-32]!\n"
        ".cfi_def_cfa_offset 32\n"
        ".cfi_offset 29, -32\n"
        ".cfi_offset 30, -24\n"
        "    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n"
        "    mov x2, x30\n"
        "    bl tracer_look_up\n"
        "    mov x17, x0\n"
        "    mov x16, x1\n" /* a jump from x16 may target a bti c */
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        ".cfi_restore 30\n"
        ".cfi_restore 29\n"
        ".cfi_def_cfa_offset 0\n"
        "    cbnz x17, 1f\n"
        "    br x16\n"
        "1:  mov x0, x17\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size dlsym, . - dlsym\n"
        ".popsection\n");
#endif
#endif
