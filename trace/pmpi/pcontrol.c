/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_Pcontrol (MPI-4.1, section 15.2.4): levels that name regions, flush, and pause a profile; described in mpgtrace(1). Only
 * the two levels with a region name have a second argument. Other levels' second argument is never read, unless the user sets
 * MPGTRACE_PCONTROL for a program with IPM's levels. Whether MPI_Pcontrol(1) has a second argument is undetectable: a missing
 * argument is replaced by a value left by the caller, often a string used earlier. */
#include "trace/pmpi/pcontrol.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "trace/mpg_region.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/event.h"
#include "trace/pmpi/pauses.h"
#include "trace/pmpi/profile.h"
#include "trace/pmpi/regions.h"
#include "trace/pmpi/report.h"
#include "trace/pmpi/stream.h"

enum { PAUSE = 0, RESUME = 1, FLUSH = 2, FIRST_NUMBERED = 100, LAST_NUMBERED = 9999 };
enum { IPM_BEGIN = 1, IPM_END = -1, IPM_NAME_SIZE = 1024 };

/* Numbers of calls that could be IPM's levels, counted while IPM's convention is off, for a report. */
static struct {
    _Atomic int begins, ends; /* ENDS: counted only after a call that could be a begin */
} unnamed;
static bool takes_ipm; /* the user set MPGTRACE_PCONTROL=ipm */
static _Atomic int refused; /* errno of process_vm_readv(2) if forbidden by the system: names cannot be read */

static bool is_numbered(int level)
{
    return (level >= FIRST_NUMBERED && level <= LAST_NUMBERED) ||
           (level <= -FIRST_NUMBERED && level >= -LAST_NUMBERED);
}

static bool has_name(int level)
{
    return level == MPG_REGION_BEGIN || level == MPG_REGION_END;
}

static bool is_ipm(int level)
{
    return takes_ipm && (level == IPM_BEGIN || level == IPM_END);
}

/* Reads LENGTH bytes at ADDRESS, possibly an invalid one, into TEXT. Returns the number of bytes read. Each page is a separate
 * part, because an unreadable page can make the whole part fail. */
static size_t read_safely(char *text, uintptr_t address, size_t length)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), first = page - address % page;
    const struct iovec to = {text, length};
    const struct iovec from[2] = {{(void *)address, length < first ? length : first},
                                  {(void *)(address + first), length < first ? 0 : length - first}};
    const int before = errno;
    const ssize_t n = process_vm_readv(getpid(), &to, 1, from, length > first ? 2 : 1, 0);
    if (n < 0 && errno != EFAULT)
        refused = errno;
    errno = before;
    return n > 0 ? (size_t)n : 0;
}

/* Reads the name at ADDRESS, of LENGTH bytes or up to a NUL, into TEXT of IPM_NAME_SIZE bytes. Returns false without a plausible
 * name: unreadable, empty, too long, or not one line of text. */
static bool read_name(char *text, const void *address, size_t length)
{
    const size_t max = length < IPM_NAME_SIZE ? length : IPM_NAME_SIZE - 1;
    const size_t n = read_safely(text, (uintptr_t)address, max);
    text[n] = '\0';
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            return false;
    return size > 0 && (size < n || n == length);
}

static void count_unnamed(int level)
{
    if (level == IPM_BEGIN)
        unnamed.begins++;
    else if (level == IPM_END && unnamed.begins > 0)
        unnamed.ends++;
}

void pcontrol_start(int rank)
{
    const char *convention = getenv("MPGTRACE_PCONTROL");
    takes_ipm = convention && strcmp(convention, "ipm") == 0;
    if (rank == 0 && convention && !takes_ipm)
        report("MPGTRACE_PCONTROL: '%s' is not ipm; only levels 10001 and 10002 are read as having a name", convention);
}

void pcontrol_report(void)
{
    const int begins = unnamed.begins, ends = unnamed.ends;
    if (refused)
        report("MPI_Pcontrol(1, name): the system does not let names be read (process_vm_readv: %s): there are no regions of "
               "them",
               strerror(refused));
    if (ends > 0 && !takes_ipm)
        report("%d call%s of MPI_Pcontrol(1) and %d of MPI_Pcontrol(-1) name no regions: if they are meant to, as for IPM, "
               "'mpgtrace "
               "record --pcontrol=ipm' records these",
               begins, begins == 1 ? "" : "s", ends);
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

/* Pauses recording, or goes on, at NOW_NS. */
static void change_recording(int level, int64_t now_ns)
{
    if (!tracer_lock())
        return;
    if (profile_is_on())
        profile_pause(level == PAUSE, now_ns);
    else if (!pauses.is_given && level == PAUSE)
        pauses_begin(now_ns);
    else if (!pauses.is_given)
        pauses_end(now_ns);
    tracer_unlock();
}

static void record(struct tracer_scope *s, int level)
{
    if (level == RESUME)
        change_recording(level, s->enter_ns ? s->enter_ns : clock_now_ns());
    if (tracer_lock()) {
        struct mpg_event e = event_of(s);
        e.to = level;
        tracer_write(s, &e);
    }
    if (level == PAUSE)
        change_recording(level, s->leave_ns);
    if (level == FLUSH)
        flush();
}

/* Handles the end of an MPI_Pcontrol call. NAME: the region's name, of LENGTH bytes, if LEVEL has a name; else NULL. SECOND: the
 * call's second argument, possibly undefined, passed on to the next tool. */
static int leave(struct tracer_scope *s, int level, const char *name, size_t length, const void *second)
{
    char number[16];
    const int rc = NEXT(Pcontrol)(level, second);
    const bool records = tracer_leave(s, rc);
    if (is_numbered(level)) {
        snprintf(number, sizeof number, "%d", level < 0 ? -level : level);
        regions_record(s, records, number, strlen(number));
    } else if (name)
        regions_record(s, records, name, length);
    else {
        count_unnamed(level);
        if (records)
            record(s, level);
    }
    return rc;
}

static enum mpg_call ipm_call_of(int level)
{
    return level == IPM_BEGIN ? MPG_CALL_Region_begin : MPG_CALL_Region_end;
}

__attribute__((visibility("default"))) int MPI_Pcontrol(const int level, ...)
{
    char name[IPM_NAME_SIZE];
    va_list arguments;
    va_start(arguments, level);
    const void *second = va_arg(arguments, const void *);
    va_end(arguments);
    if (is_ipm(level) && read_name(name, second, SIZE_MAX)) {
        struct tracer_scope s = TRACER_ENTER(ipm_call_of(level));
        return leave(&s, level, name, strlen(name), second);
    }
    struct tracer_scope s = TRACER_ENTER(call_of(level));
    const char *given = has_name(level) ? second ? second : "" : NULL;
    return leave(&s, level, given, given ? strlen(given) : 0, second);
}

#if defined(OPEN_MPI) || defined(MPICH)
static size_t without_blanks(const char *name, size_t length)
{
    while (length > 0 && name[length - 1] == ' ')
        length--;
    return length;
}

/* Fortran passes the length of NAME after all arguments, and pads NAME with blanks; under IPM's convention NAME may end
 * with a NUL. */
#define FORTRAN_PCONTROL(symbol)                                                              \
    __attribute__((visibility("default"))) void symbol(const MPI_Fint *level, const char *name, \
                                                       size_t length)                         \
    {                                                                                         \
        char text[IPM_NAME_SIZE];                                                             \
        if (is_ipm((int)*level) && read_name(text, name, length)) {                           \
            struct tracer_scope s = TRACER_ENTER(ipm_call_of((int)*level));                   \
            leave(&s, (int)*level, text, without_blanks(text, strlen(text)), name);           \
            return;                                                                           \
        }                                                                                     \
        struct tracer_scope s = TRACER_ENTER(call_of((int)*level));                           \
        const bool named = has_name((int)*level);                                             \
        leave(&s, (int)*level, named ? name : NULL, named ? without_blanks(name, length) : 0, name); \
    }
FORTRAN_PCONTROL(mpi_pcontrol_)
FORTRAN_PCONTROL(mpi_pcontrol_f08_)
#endif
