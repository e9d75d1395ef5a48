/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds calls that reach MPI without the tracer's wrapper.
 *
 * The dynamic linker writes the address of each external function that a module calls into a slot of the module, named by
 * the module's relocations (System V ABI, AMD64 and AArch64 supplements): JUMP_SLOT, filled at the first call or before,
 * and GLOB_DAT. The addresses in a module's function tables have separate relocations. */
#define _GNU_SOURCE
#include "trace/pmpi/bypass.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pmpi/modules.h"
#include "trace/pmpi/real.h"
#include "trace/pmpi/report.h"

/* --- functions looked up by dlsym --- */

enum { MAX_NAMES = 1024, NAMES_SHOWN = 4 };

static struct {
    pthread_mutex_t lock;
    char *names[MAX_NAMES];
    int number;
    char *file; /* the module that first looked up a function */
} looked_up = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_known(const char *name)
{
    for (int i = 0; i < looked_up.number; i++)
        if (strcmp(looked_up.names[i], name) == 0)
            return true;
    return false;
}

void bypass_looked_up(const char *name, const void *function)
{
    Dl_info module;
    pthread_mutex_lock(&looked_up.lock);
    char *copy = looked_up.number < MAX_NAMES && !is_known(name) ? strdup(name) : NULL;
    if (copy) {
        if (looked_up.number == 0)
            looked_up.file = strdup(dladdr(function, &module) && module.dli_fname ? module.dli_fname : "a library");
        looked_up.names[looked_up.number++] = copy;
    }
    pthread_mutex_unlock(&looked_up.lock);
}

const char *bypass_describe(char *text, size_t size)
{
    const int number = looked_up.number, shown = number <= NAMES_SHOWN + 1 ? number : NAMES_SHOWN;
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < shown && n < size; i++) {
        const char *between = i == 0 ? "" : i == number - 1 ? " and " : ", ";
        n += (size_t)snprintf(text + n, size - n, "%s%s", between, looked_up.names[i]);
    }
    if (shown < number && n < size)
        snprintf(text + n, size - n, " and %d more functions of MPI", number - shown);
    return number == 0 ? NULL : looked_up.file ? looked_up.file : "a library";
}

static void report_looked_up(void)
{
    char names[256];
    const char *file = bypass_describe(names, sizeof names);
    if (file)
        report("%s %s looked up in %s (dlsym): the tracer does not see calls of %s there", names,
               looked_up.number > 1 ? "were" : "was", file, looked_up.number > 1 ? "them" : "it");
}

/* --- modules that bypass the tracer --- */

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#endif

#ifdef IS_SLOT

/* The address range of MPI's library. */
struct area {
    uintptr_t start, end;
};

/* A module's slots with function addresses in MPI's library. */
struct calls {
    const char *first; /* name of the function in the first of these slots */
    int count;
    bool begins; /* MPI_Init or MPI_Init_thread, or the PMPI name of either, is among the slots */
};

/* A module that calls functions by their PMPI names. */
enum { MAX_SECOND = 16 };
struct second {
    const char *file;
    const void *code; /* any address in the module's code */
    struct calls calls;
};
struct search {
    struct area mpi;
    bool reports; /* whether look_at() prints a line for each module that calls MPI_ functions in the library */
    struct second second[MAX_SECOND];
    int number;
};

static struct area area_of(const struct dl_phdr_info *module)
{
    struct area a = {UINTPTR_MAX, 0};
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &module->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        const uintptr_t start = module->dlpi_addr + p->p_vaddr;
        a.start = start < a.start ? start : a.start;
        a.end = start + p->p_memsz > a.end ? start + p->p_memsz : a.end;
    }
    return a;
}

static bool holds(struct area a, uintptr_t address)
{
    return address >= a.start && address < a.end;
}

static int find_mpi(struct dl_phdr_info *module, size_t size, void *data)
{
    (void)size;
    struct area *mpi = data; /* in: START is any address in the library; out: the library's range */
    const struct area a = area_of(module);
    if (!holds(a, mpi->start))
        return 0;
    *mpi = a;
    return 1;
}

static void look(const ElfW(Rela) * r, size_t bytes, const struct dl_phdr_info *module, const ElfW(Sym) * symbols,
                 const char *names, struct area mpi, struct calls found[2])
{
    for (size_t i = 0; i < bytes / sizeof *r; i++) {
        const char *name = names + symbols[ELF64_R_SYM(r[i].r_info)].st_name;
        uintptr_t address;
        const bool is_second = *name == 'P';
        const char *plain = name + is_second;
        if (!IS_SLOT(ELF64_R_TYPE(r[i].r_info)) || strncmp(plain, "MPI_", 4) != 0 || !plain[4] || plain[5] < 'a' ||
            plain[5] > 'z')
            continue; /* not a function (for example MPI_UNWEIGHTED) */
        struct calls *calls = &found[is_second];
        memcpy(&address, (const void *)(module->dlpi_addr + r[i].r_offset), sizeof address);
        if (!holds(mpi, address))
            continue;
        if (calls->count++ == 0)
            calls->first = name;
        calls->begins = calls->begins || strcmp(plain, "MPI_Init") == 0 || strcmp(plain, "MPI_Init_thread") == 0;
    }
}

/* Returns ADDRESS of MODULE as a pointer. The dynamic linker has relocated the address in memory, except in the vDSO. */
static const void *address_in(const struct dl_phdr_info *module, ElfW(Addr) address)
{
    return (const void *)(address < module->dlpi_addr ? address + module->dlpi_addr : address);
}

static const void *code_of(const struct dl_phdr_info *module)
{
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_LOAD && module->dlpi_phdr[i].p_flags & PF_X)
            return (const void *)(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr + 1);
    return NULL;
}

static int look_at(struct dl_phdr_info *module, size_t size, void *data)
{
    struct search *search = data;
    const struct area mpi = search->mpi;
    const ElfW(Dyn) *dynamic = NULL;
    const ElfW(Rela) *slots = NULL, *others = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t slots_bytes = 0, others_bytes = 0;
    struct calls calls[2] = {{.count = 0}, {.count = 0}}; /* [0]: slots of MPI_ functions; [1]: slots of PMPI_ functions */
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);
    if (!dynamic || holds(mpi, (uintptr_t)dynamic))
        return 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        switch (dynamic->d_tag) {
        case DT_JMPREL: slots = address_in(module, dynamic->d_un.d_ptr); break;
        case DT_PLTRELSZ: slots_bytes = dynamic->d_un.d_val; break;
        case DT_RELA: others = address_in(module, dynamic->d_un.d_ptr); break;
        case DT_RELASZ: others_bytes = dynamic->d_un.d_val; break;
        case DT_SYMTAB: symbols = address_in(module, dynamic->d_un.d_ptr); break;
        case DT_STRTAB: names = address_in(module, dynamic->d_un.d_ptr); break;
        default: break;
        }
    if (!symbols || !names)
        return 0;
    if (slots)
        look(slots, slots_bytes, module, symbols, names, mpi, calls);
    if (others)
        look(others, others_bytes, module, symbols, names, mpi, calls);
    const char *file = module->dlpi_name[0] ? module->dlpi_name : "the program";
    if (search->reports && calls[0].count > 0)
        report("%s calls %s%s past the tracer: it was loaded so that its own libraries come first (RTLD_DEEPBIND)",
               file, calls[0].first, calls[0].count > 1 ? " and others of MPI" : "");
    if (calls[1].count > 0 && search->number < MAX_SECOND)
        search->second[search->number++] = (struct second){file, code_of(module), calls[1]};
    return 0;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Returns true if FILE is a library or component of MPI itself, which calls PMPI_ functions by design, or mpgreplay's library,
 * which calls PMPI_ functions beside the replayed calls. */
static bool is_of_mpi(const char *file, const void *code)
{
    bool mpi;
    (void)modules_frame(code, &mpi);
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    return mpi || begins(name, "mca_") || begins(name, "libmpgreplay");
}

/* Returns true if S is a PMPI tool: the tool's MPI_Send calls PMPI_Send. The tracer misses no calls: MPI_Send is recorded, or the
 * tool's wrapper is reported as a function of the program. */
static bool is_tool(const struct second *s)
{
    const char *name = s->calls.first + 1;
    const void *first = dlsym(RTLD_DEFAULT, name);
    return (first && tracer_real_is_of_one_library(s->code, first)) || tracer_real_is_behind(name, s->code);
}

static void look_at_all(struct search *search)
{
    search->mpi.start = (uintptr_t)tracer_real_definition((const void *)&PMPI_Init);
    if (dl_iterate_phdr(find_mpi, &search->mpi))
        dl_iterate_phdr(look_at, search);
}

const char *bypass_initializer(void)
{
    struct search search = {.reports = false};
    Dl_info module;
    look_at_all(&search);
    for (int i = 0; i < search.number; i++) {
        struct second s = search.second[i];
        s.calls.first = "PMPI_Init";
        if (s.calls.begins && s.code && !is_of_mpi(s.file, s.code) && !is_tool(&s))
            return dladdr(s.code, &module) && module.dli_fname ? module.dli_fname : s.file;
    }
    return NULL;
}

void bypass_report(void)
{
    struct search search = {.reports = true};
    look_at_all(&search);
    /* After look_at(), which runs under the lock of the module list and must not report. */
    for (int i = 0; i < search.number; i++) {
        const struct second *s = &search.second[i];
        if (s->code && !is_of_mpi(s->file, s->code) && !is_tool(s))
            report("%s calls %s%s past the tracer, which records MPI_ functions, not PMPI_", s->file, s->calls.first,
                   s->calls.count > 1 ? " and others" : "");
    }
    report_looked_up();
}

#else
const char *bypass_initializer(void)
{
    return NULL;
}

void bypass_report(void)
{
    report_looked_up();
}
#endif
