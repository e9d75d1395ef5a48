/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the MPI library of a program that starts without MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/launcher.h"
#include "trace/pmpi/family.h"
#include "trace/pmpi/report.h"
#include "trace/pmpi/summary.h"

static void *library; /* handle of the MPI library of the tracer's family, or of a module linked to it; never closed */
static void *other;   /* handle of an MPI library of another family, or of a module linked to it; never closed */
static char other_file[PATH_MAX]; /* file name of the MPI library in `other` */
static bool is_left; /* the program uses `other` and is not traced */
bool tracer_may_be_other = true;
/* Whether `tracer_behind` is filled: for each MPI function, the function after the tracer's wrapper in the chain of tools. */
static bool is_chained;

/* Returns a handle of the loaded module PATH, which also finds symbols of its dependencies. */
static void *open_loaded(const char *path)
{
    return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

static bool has(const void *module, const char *symbol)
{
    return dlsym((void *)(uintptr_t)module, symbol) != NULL;
}

/* Looks for MPI in the loaded module PATH and in its dependencies. Returns 1 for a library of the tracer's family
 * (stored in `library`), -1 for another family (stored in `other`), 0 if the module has no MPI. */
static int find_mpi(const char *path)
{
    Dl_info file;
    void *module = open_loaded(path);
    const void *init = module ? dlsym(module, "PMPI_Init") : NULL;
    const char *mpi = init && dladdr(init, &file) ? file.dli_fname : NULL;
    if (init && mpg_mpi_of_library(mpi, has, module) == MPG_TRACER_MPI) {
        library = module;
        return 1;
    }
    if (init) {
        other = module;
        snprintf(other_file, sizeof other_file, "%s", mpi ? mpi : path);
        return -1;
    }
    if (module)
        dlclose(module);
    return 0;
}

static bool has_mpi(const char *path)
{
    return find_mpi(path) > 0;
}

static int look_at(struct dl_phdr_info *module, size_t size, void *data)
{
    (void)size, (void)data;
    return module->dlpi_name && module->dlpi_name[0] && strstr(module->dlpi_name, "libmpi") &&
           has_mpi(module->dlpi_name);
}

static void put(const struct tracer_real_name *n, void *address)
{
    memcpy((char *)&tracer_real + n->offset, &address, sizeof address);
    if (n->next >= 0)
        memcpy((char *)&tracer_behind + n->next, &address, sizeof address);
}

/* Sets the pointer to the MPI function or object N in the library. Without a PMPI_ function, takes the MPI_ function: MPICH
 * 5.0.2's library of the standard ABI has no PMPI_File_close. */
static void set(const struct tracer_real_name *n)
{
    void *address = dlsym(library, n->name);
    put(n, address || n->next < 0 ? address : dlsym(library, n->name + 1));
}

/* Makes FUNCTION the next function in the chain behind the wrapper of NAME. */
static void set_next(const char *name, void *function)
{
    for (const struct tracer_real_name *n = tracer_real_names; n->name; n++)
        if (n->next >= 0 && strcmp(n->name, name) == 0)
            memcpy((char *)&tracer_behind + n->next, &function, sizeof function);
}

static void set_all(void)
{
    const struct tracer_real_name *init = NULL;
    for (const struct tracer_real_name *n = tracer_real_names; n->name; n++)
        if (strcmp(n->name, "PMPI_Init") != 0)
            set(n);
        else
            init = n;
    __atomic_thread_fence(__ATOMIC_RELEASE); /* other threads see INIT set only after all other pointers */
    set(init);
}

/* The program uses `other`, not the tracer's MPI: gives up tracing, and passes all later calls on to `other`. WHO: name of the
 * module that calls MPI. */
static void leave(const char *who)
{
    is_left = true;
    set_next("PMPI_Pcontrol", dlsym(other, "MPI_Pcontrol"));
    if (!mpg_launcher_is_first())
        return;
    report_start();
    summary_end_watch();
    report("%s runs untraced: it calls %s, and this tracer is for %s: mpgtrace record --mpi names another", who, other_file,
           mpg_mpi_name(MPG_TRACER_MPI));
}

static void find(const void *caller)
{
    Dl_info module;
    const bool known = dladdr(caller, &module) && module.dli_fname;
    const int found = known ? find_mpi(module.dli_fname) : 0;
    if (found == 0 && !dl_iterate_phdr(look_at, NULL) && !other)
        library = dlopen(mpg_mpi_soname(MPG_TRACER_MPI), RTLD_LAZY | RTLD_GLOBAL); /* no MPI is loaded: takes the library for
                                                                                    * which the tracer was built */
    if (!library && other) {
        leave(known ? module.dli_fname : "the program");
        return;
    }
    if (!library) {
        report_start();
        report("%s calls MPI, and loads none that this tracer is for (%s): mpgtrace record --mpi names another",
               known ? module.dli_fname : "the program", mpg_mpi_name(MPG_TRACER_MPI));
        abort();
    }
    set_all();
}

void tracer_real_find(const void *caller)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!&PMPI_Init && !is_left)
        find(caller);
    __atomic_store_n(&tracer_may_be_other, is_left, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

void *tracer_real_other(const char *name, const void *caller)
{
    tracer_real_find(caller);
    return is_left ? dlsym(other, name) : NULL;
}

bool tracer_real_is_other(void)
{
    return is_left;
}

const char *tracer_real_loaded_other(void)
{
    if (!&PMPI_Init && !other && dl_iterate_phdr(look_at, NULL))
        return NULL;
    return other ? other_file : NULL;
}

/* Start and end of the module that contains the tracer. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

bool tracer_real_is_own(const void *function)
{
    return (const char *)function >= __ehdr_start && (const char *)function < _end;
}

/* Returns the name of the function if ADDRESS is an entry of a procedure linkage table: a symbol with an address, but not defined
 * in the module. Returns NULL for any other address. */
static const char *name_of_entry(const void *address)
{
    Dl_info module;
    void *extra = NULL;
    if (!address || !dladdr1(address, &module, &extra, RTLD_DL_SYMENT) || !extra || module.dli_saddr != address)
        return NULL;
    const ElfW(Sym) *symbol = extra;
    return symbol->st_shndx == SHN_UNDEF ? module.dli_sname : NULL;
}

bool tracer_real_is_entry(const void *function)
{
    return name_of_entry(function) != NULL;
}

const void *tracer_real_definition(const void *function)
{
    const char *name = name_of_entry(function);
    const void *next = name ? dlsym(RTLD_NEXT, name) : NULL;
    return next ? next : function;
}

bool tracer_real_is_of_one_library(const void *a, const void *b)
{
    Dl_info of_a, of_b;
    return a == b || (dladdr(tracer_real_definition(a), &of_a) && dladdr(tracer_real_definition(b), &of_b) &&
                      of_a.dli_fbase == of_b.dli_fbase);
}

bool tracer_real_was_initialized(bool *ended)
{
    int initialized = 0, finalized = 0;
    *ended = false;
    if (!&PMPI_Init || PMPI_Initialized(&initialized) != MPI_SUCCESS || !initialized)
        return false;
    *ended = PMPI_Finalized(&finalized) == MPI_SUCCESS && finalized;
    return true;
}

const char *tracer_real_before(const char *name)
{
    Dl_info module;
    const void *first = dlsym(RTLD_DEFAULT, name);
    const void *real = &PMPI_Init;
    if (!first || tracer_real_is_own(first) || tracer_real_is_entry(first) ||
        (real && tracer_real_is_of_one_library(first, real)))
        return NULL;
    return dladdr(first, &module) && module.dli_fname ? module.dli_fname : "the program";
}

/* Reports that COUNT of MPI's functions, the first named FIRST, are found before the tracer's: the tracer does not see calls of
 * these functions. */
static void report_before(const char *first, int count)
{
    char more[48] = "";
    if (count > 1)
        snprintf(more, sizeof more, " and %d more of MPI's functions", count - 1);
    report("%s%s %s defined in %s, before the tracer's: it does not see calls of %s", first, more, count > 1 ? "are" : "is",
           tracer_real_before(first), count > 1 ? "them" : "it");
}

/* Makes a second tracer stand aside, if NEXT is a function of a second tracer. */
static void put_aside(const void *next)
{
    Dl_info module;
    void (*stand_aside)(void) = NULL;
    void *handle = dladdr(next, &module) && module.dli_fname ? open_loaded(module.dli_fname) : NULL;
    void *found = handle ? dlsym(handle, "mpgtrace_stand_aside") : NULL;
    memcpy(&stand_aside, &found, sizeof stand_aside);
    if (found && tracer_real_is_of_one_library(found, next))
        stand_aside();
    if (handle)
        dlclose(handle);
}

void tracer_real_chain(bool reports)
{
    const char *before = NULL;
    const void *last = NULL;
    int count = 0;
    for (const struct tracer_real_name *n = tracer_real_names; n->name; n++) {
        const char *name = n->name + 1; /* the name without the P of PMPI_ */
        void *real, *next;
        memcpy(&real, (char *)&tracer_real + n->offset, sizeof real);
        if (n->next < 0)
            continue;
        next = dlsym(RTLD_NEXT, name);
        if (!real && next && !tracer_real_is_own(next)) /* the library has the function only under its MPI_ name */
            put(n, real = next);
        if (!real)
            continue;
        if (next && !tracer_real_is_own(next) && !tracer_real_is_of_one_library(next, real)) {
            if (!last || !tracer_real_is_of_one_library(next, last))
                put_aside(last = next);
            memcpy((char *)&tracer_behind + n->next, &next, sizeof next);
        }
        if (reports && tracer_real_before(name) && count++ == 0)
            before = name;
    }
    is_chained = true;
    if (before)
        report_before(before, count);
}

/* Returns the next function in the chain behind the wrapper of NAME (MPI_X or MPIX_X), or NULL: none, or unknown. */
static const void *behind(const char *name)
{
    const void *next = NULL;
    for (const struct tracer_real_name *n = tracer_real_names; n->name; n++)
        if (n->next >= 0 && strcmp(n->name + 1, name) == 0) {
            memcpy(&next, (const char *)&tracer_behind + n->next, sizeof next);
            return next;
        }
    /* Tools do not wrap extensions: MPI defines extensions. */
    return strncmp(name, "MPIX_", 5) == 0 ? (const void *)&PMPI_Init : NULL;
}

bool tracer_real_leads_to(const char *name, const void *function)
{
    Dl_info module;
    if (is_left)
        return false;
    if (!&PMPI_Init) {
        if (!dladdr(function, &module) || !module.dli_fname || !has_mpi(module.dli_fname))
            return false;
        set_all();
    }
    if (!is_chained)
        tracer_real_chain(false);
    const void *next = behind(name);
    return next && tracer_real_is_of_one_library(next, function);
}

bool tracer_real_is_behind(const char *name, const void *caller)
{
    const void *next = behind(name);
    return next && tracer_real_is_of_one_library(next, caller);
}

void *tracer_real_function(const char *name)
{
    void *function = library ? dlsym(library, name) : NULL;
    return function ? function : dlsym(RTLD_NEXT, name);
}
