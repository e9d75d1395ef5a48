/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of MPI that a program looks up in MPI's library by dlsym(3), as Julia and Python's ctypes do: the program is given
 * the tracer's wrapper of each. The preloaded tracer defines dlsym for that, where glibc's is known to see its caller by the
 * return address alone (RTLD_NEXT and RTLD_DEFAULT depend on the caller): a stub asks for a wrapper, and if there is none jumps
 * to the next dlsym with the arguments, the stack and the return address as they were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <features.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__GLIBC__) && ((defined(__x86_64__) && defined(__LP64__)) || (defined(__aarch64__) && defined(__LP64__)))
#include <gnu/libc-version.h>

#include "trace/pmpi/past.h"
#include "trace/pmpi/real.h"

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

typedef void *dlsym_function(void *handle, const char *name);

/* What the stub returns, or where it jumps to if that is NULL: two registers. */
struct lookup {
    void *wrapper;
    dlsym_function *next;
};

static void *finds_nothing(void *handle, const char *name)
{
    (void)handle, (void)name;
    return NULL;
}

/* Whether libdl is in libc, since 2.34. Nothing is called that a sanitizer may have replaced: it looks up its functions before it
 * can serve any. */
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

/* The C library's dlsym. A version that does not exist must not be asked for: dlvsym(3) would allocate its error, and a malloc(3)
 * of the program's may have called dlsym. */
static dlsym_function *find_c_library(void)
{
    return (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", is_one_library() ? "GLIBC_2.34" : FIRST_VERSION);
}

/* The dlsym behind this one, which may be another tool's. Threads may find it at the same time. */
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

/* MPI_, MPIX_ or mpi_; nothing is called for that, either. */
static bool is_mpi_name(const char *name)
{
    if (name[0] == 'm')
        return name[1] == 'p' && name[2] == 'i' && name[3] == '_';
    return name[0] == 'M' && name[1] == 'P' && name[2] == 'I' && (name[3] == '_' || (name[3] == 'X' && name[4] == '_'));
}

/* MPI_Send, MPI_T_init_thread; not mpi_send_ nor MPI_SEND, whose wrappers look for the library of the module that calls them. */
static bool is_c_name(const char *name)
{
    return name[0] == 'M' && strpbrk(name, "abcdefghijklmnopqrstuvwxyz");
}

/* The tracer's wrapper of the function NAME in the library behind HANDLE; NULL: CALLER is to have what dlsym finds there. */
static void *wrapper_of(dlsym_function *next, void *handle, const char *name, const void *caller)
{
    void *wrapper = next(RTLD_DEFAULT, name); /* or a function of the program's that comes before it: that is told elsewhere */
    if (!tracer_real_is_own(wrapper) && !tracer_real_is_entry(wrapper))
        return NULL;
    void *found = next(handle, name);
    if (!found || tracer_real_is_own(found) || tracer_real_is_of_one_library(caller, found))
        return NULL;
    if (is_c_name(name) && tracer_real_leads_to(name, found))
        return wrapper;
    if (!tracer_real_is_behind(name, caller))
        past_looked_up(name, found);
    return NULL;
}

__attribute__((used, visibility("hidden"))) struct lookup tracer_look_up(void *handle, const char *name, const void *caller)
{
    struct lookup l = {NULL, next_dlsym()};
    /* With RTLD_DEFAULT the wrapper is found first, with RTLD_NEXT one that comes behind the caller. */
    if (handle != RTLD_DEFAULT && handle != RTLD_NEXT && is_mpi_name(name) && !tracer_real_is_own(caller)) {
        l.wrapper = wrapper_of(l.next, handle, name, caller);
        dlerror(); /* the program is to find errors of its own look-up only */
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
        "    .byte 0xf3, 0x0f, 0x1e, 0xfa\n" /* endbr64 */
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
        "    hint #34\n" /* bti c */
        "    stp x29, x30, [sp, #-32]!\n"
        ".cfi_def_cfa_offset 32\n"
        ".cfi_offset 29, -32\n"
        ".cfi_offset 30, -24\n"
        "    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n"
        "    mov x2, x30\n"
        "    bl tracer_look_up\n"
        "    mov x17, x0\n"
        "    mov x16, x1\n" /* a register that may jump to bti c */
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
