/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran's special addresses and statuses. */
#include "trace/pmpi/fortran.h"

#include <string.h>

/* Where Open MPI's Fortran library keeps MPI_IN_PLACE; absent without it. */
extern F mpi_fortran_in_place_ __attribute__((weak));

bool fortran_in_place(const void *address)
{
    return &mpi_fortran_in_place_ && address == (const void *)&mpi_fortran_in_place_;
}

static bool is_ignore(const F *given)
{
    return given == MPI_F_STATUS_IGNORE || given == MPI_F_STATUSES_IGNORE;
}

void fortran_statuses_take(struct fortran_statuses *s, F *given, int n)
{
    *s = (struct fortran_statuses){.use = given};
    if (!is_ignore(given))
        return;
    s->own = calloc((size_t)(n > 0 ? n : 1), FORTRAN_STATUS_SIZE * sizeof *s->own);
    if (s->own)
        s->use = s->own;
}

bool fortran_statuses_read(struct fortran_statuses *s, int n)
{
    if (is_ignore(s->use))
        return false;
    s->c = n > 1 ? malloc((size_t)n * sizeof *s->c) : &s->one;
    for (int i = 0; s->c && i < n; i++)
        PMPI_Status_f2c(s->use + (size_t)i * FORTRAN_STATUS_SIZE, &s->c[i]);
    return s->c;
}

void fortran_statuses_drop(struct fortran_statuses *s)
{
    if (s->c != &s->one)
        free(s->c);
    free(s->own);
}
