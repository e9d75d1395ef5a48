/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the generated C wrappers: the C macros of trace/pmpi/calls.awk. */
#ifndef MPG_WRAP_H
#define MPG_WRAP_H

#include <stddef.h>
#include <string.h>

#include "trace/pmpi/devices.h"
#include "trace/pmpi/local.h"
#include "trace/pmpi/mpi_all.h"
#include "trace/pmpi/record.h"
#include "trace/pmpi/untraced.h"

/* Removed and deprecated functions are wrapped for programs that still use them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define INT(x) (x)
#define AINT(x) (x)
#define COUNTS(x) ((struct tracer_counts){(x), sizeof *(x) > sizeof(int)})
#define TAG(x) tracer_string_tag((x), strlen(x))
#define COMM(x) (x)
#define TYPE(x) (x)
#define WIN(x) (x)
#define FH(x) (x)
#define GROUP(x) (x)
#define OP(x) (x)
#define SET(x) (*(x))
#define FLAG(x) (*(x) != 0)
#define IN_PLACE(x) ((x) == MPI_IN_PLACE)
#define BUFFER(x) (x)
#define TYPES(x) ((struct tracer_types){(x), false})
#define REQUESTS(x) (x), false
#define REQUEST(x) (x)
#define REQUEST_VALUE(x) &(x), false
#define INDICES(x) (x), 0
#define MADE_REQUEST(x) ((struct tracer_made){*(x), (x), false})
#define MADE_PERSISTENT(x) ((struct tracer_made){*(x), (x), true})
#define MADE_COMM(x) (*(x))
#define MADE_WIN(x) (*(x))
#define MADE_FILE(x) (*(x))
#define MADE_MESSAGE(x) (*(x))
#define LATER_COMM(x) (x), false
/* These macros are evaluated before the real call, which may still reject a null pointer. */
#define OLD_COMM(x) ((x) ? *(x) : MPI_COMM_NULL)
#define OLD_WIN(x) ((x) ? *(x) : MPI_WIN_NULL)
#define OLD_FILE(x) ((x) ? *(x) : MPI_FILE_NULL)
#define OLD_MESSAGE(x) ((x) ? *(x) : MPI_MESSAGE_NULL)
#define OLD_TYPE(x) ((x) ? *(x) : MPI_DATATYPE_NULL)

/* Entry points for the program. The compiler turns the call of the wrapper into a jump, and the wrapper returns to the
 * program. */
#define ENTRY __attribute__((visibility("default"), optimize("O2")))

/* MPI_STATUS(ES)_IGNORE would hide source and size of the message. */
#define GIVE_STATUS(status) \
    MPI_Status own = {0}, *status_given = (status) == MPI_STATUS_IGNORE ? &own : (status)
#define STATUS(status) status_given
#define GIVE_STATUSES(n, given)      \
    struct tracer_statuses statuses; \
    MPI_Status *statuses_given = tracer_statuses_take(&statuses, (n), (given))
#define STATUSES(given) statuses_given

/* The real function of an extension MPIX_NAME. Some libraries lack PMPIX_NAME, which is therefore a weak symbol here. */
#define EXTENSION(name) \
    (PMPIX_##name ? PMPIX_##name : (__typeof__(&PMPIX_##name))tracer_next("MPIX_" #name))

#endif
