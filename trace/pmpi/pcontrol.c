/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_Pcontrol (MPI-3.1, section 14.2.4): levels that name regions, flush, and pause a
 * profile; mpgtrace(1) has them. Only two of them have a second argument: none is looked
 * for with any other. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/mpg_region.h"
#include "trace/pmpi/event.h"
#include "trace/pmpi/profile.h"
#include "trace/pmpi/regions.h"
#include "trace/pmpi/stream.h"

enum { PAUSE = 0, RESUME = 1, FLUSH = 2, FIRST_NUMBERED = 100, LAST_NUMBERED = 9999 };

static bool is_numbered(int level)
{
    return (level >= FIRST_NUMBERED && level <= LAST_NUMBERED) ||
           (level <= -FIRST_NUMBERED && level >= -LAST_NUMBERED);
}

static bool has_name(int level)
{
    return level == MPG_REGION_BEGIN || level == MPG_REGION_END;
}

static enum mpg_call call_of(int level)
{
    if (level == MPG_REGION_BEGIN || (is_numbered(level) && level > 0))
        return MPG_CALL_Region_begin;
    return has_name(level) || is_numbered(level) ? MPG_CALL_Region_end : MPG_CALL_Pcontrol;
}

static void flush(void)
{
    struct mpg_error err;
    if (!tracer_lock())
        return;
    if (mpg_trace_writer_flush(tracer_writer(), &err) < 0)
        tracer_fail(&err);
    tracer_unlock();
}

static void pause_profile(int level, int64_t now_ns)
{
    if (!profile_is_on() || !tracer_lock())
        return;
    profile_pause(level == PAUSE, now_ns);
    tracer_unlock();
}

static void record(struct tracer_scope *s, int level)
{
    if (level == RESUME)
        pause_profile(level, s->enter_ns);
    if (tracer_lock()) {
        struct mpg_event e = event_of(s);
        e.to = level;
        tracer_write(s, &e);
    }
    if (level == PAUSE)
        pause_profile(level, s->leave_ns);
    if (level == FLUSH)
        flush();
}

static int leave(struct tracer_scope *s, int level, const char *name, size_t length)
{
    char number[16];
    const int rc = NEXT(Pcontrol)(level);
    const bool records = tracer_leave(s, rc);
    if (is_numbered(level)) {
        snprintf(number, sizeof number, "%d", level < 0 ? -level : level);
        regions_record(s, records, number, strlen(number));
    } else if (has_name(level))
        regions_record(s, records, name, length);
    else if (records)
        record(s, level);
    return rc;
}

__attribute__((visibility("default"))) int MPI_Pcontrol(const int level, ...)
{
    struct tracer_scope s = TRACER_ENTER(call_of(level));
    const char *name = NULL;
    if (has_name(level)) {
        va_list arguments;
        va_start(arguments, level);
        name = va_arg(arguments, const char *);
        va_end(arguments);
    }
    return leave(&s, level, name ? name : "", name ? strlen(name) : 0);
}

#if defined(OPEN_MPI) || defined(MPICH)
/* Fortran hands over the length of NAME after all arguments, and pads it with blanks. */
static void leave_fortran(struct tracer_scope *s, int level, const char *name, size_t length)
{
    if (!has_name(level))
        length = 0;
    while (length > 0 && name[length - 1] == ' ')
        length--;
    leave(s, level, name, length);
}

#define FORTRAN_PCONTROL(symbol)                                                              \
    __attribute__((visibility("default"))) void symbol(const MPI_Fint *level, const char *name, \
                                                       size_t length)                         \
    {                                                                                         \
        struct tracer_scope s = TRACER_ENTER(call_of((int)*level));                           \
        leave_fortran(&s, (int)*level, name, length);                                         \
    }
FORTRAN_PCONTROL(mpi_pcontrol_)
FORTRAN_PCONTROL(mpi_pcontrol_f08_)
#endif
