/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran's special addresses and statuses, and the look-up of a late-loaded Fortran library. */
#define _GNU_SOURCE
#include "trace/pmpi/fortran.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pmpi/report.h"

#ifdef OPEN_MPI
/* MPI's special Fortran addresses are common blocks; symbol names depend on the compiler. */
#define SPECIAL(lower, upper) \
    extern char lower __attribute__((weak)), lower##_ __attribute__((weak)), \
        lower##__ __attribute__((weak)), upper __attribute__((weak))
#define IS_SPECIAL(address, lower, upper)                             \
    ((address) && ((address) == &lower || (address) == &lower##_ ||   \
                   (address) == &lower##__ || (address) == &upper))
SPECIAL(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE);
SPECIAL(mpi_fortran_status_ignore, MPI_FORTRAN_STATUS_IGNORE);
SPECIAL(mpi_fortran_statuses_ignore, MPI_FORTRAN_STATUSES_IGNORE);

bool fortran_in_place(const void *address)
{
    const char *at = address;
    return IS_SPECIAL(at, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE);
}

static bool is_ignore(const void *address)
{
    const char *at = address;
    return IS_SPECIAL(at, mpi_fortran_status_ignore, MPI_FORTRAN_STATUS_IGNORE) ||
           IS_SPECIAL(at, mpi_fortran_statuses_ignore, MPI_FORTRAN_STATUSES_IGNORE);
}
#else
/* MPICH: calls with a choice buffer reach the C wrapper, translated. libmpich up to 4.1, and libmpichfort since 4.2, define the
 * objects behind mpi_f08's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE. The mpi.h of 4.2 does not declare these objects. */
extern char f08_status_ignore __asm__("MPIR_F08_MPI_STATUS_IGNORE_OBJ") __attribute__((weak));
extern char f08_statuses_ignore __asm__("MPIR_F08_MPI_STATUSES_IGNORE_OBJ") __attribute__((weak));

static bool is_ignore(const void *address)
{
    const char *at = address;
    if (&f08_status_ignore)
        return at == &f08_status_ignore || at == &f08_statuses_ignore;
    /* libmpichfort was loaded by dlopen, after the tracer's references were bound. */
    Dl_info found;
    return dladdr(address, &found) && found.dli_saddr == address && found.dli_sname &&
           (strcmp(found.dli_sname, "MPIR_F08_MPI_STATUS_IGNORE_OBJ") == 0 ||
            strcmp(found.dli_sname, "MPIR_F08_MPI_STATUSES_IGNORE_OBJ") == 0);
}
#endif

void fortran_statuses_take(struct fortran_statuses *s, int n, F *statuses)
{
    bool ignored = is_ignore(statuses);
    s->n = n;
    s->use = statuses;
    s->own.own = NULL;
    if (!ignored && (uintptr_t)statuses % _Alignof(MPI_Status) == 0) {
        s->c = (MPI_Status *)statuses;
        return;
    }
    s->c = tracer_statuses_take(&s->own, n, MPI_STATUSES_IGNORE);
    if (ignored && s->c != MPI_STATUSES_IGNORE)
        s->use = (F *)s->c;
}

const MPI_Status *fortran_statuses_read(struct fortran_statuses *s)
{
    if ((F *)s->c != s->use && s->c != MPI_STATUSES_IGNORE && s->n > 0)
        memcpy(s->c, s->use, (size_t)s->n * sizeof *s->c);
    return s->c;
}

void fortran_statuses_drop(struct fortran_statuses *s)
{
    tracer_statuses_drop(&s->own);
}

void *fortran_real(const char *name, const void *caller)
{
    Dl_info module;
    void *real = NULL;
    if (dladdr(caller, &module)) {
        void *library = dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (library) { /* dlsym() searches the module and the module's dependencies */
            real = dlsym(library, name);
            real = real ? real : dlsym(library, name + 1);
        }
    }
    if (!real)
        real = dlsym(RTLD_NEXT, name + 1);
    if (!real) {
        report_start();
        report("there is no %s in %s and its libraries", name,
               dladdr(caller, &module) ? module.dli_fname : "the program");
        abort();
    }
    return real;
}
