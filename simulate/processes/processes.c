/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the other processes from the launcher's environment and MPI. */
#define _GNU_SOURCE
#include "config.h"

#include "simulate/processes/processes.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/launcher.h"
#include "common/module.h"

enum { HOST_SIZE = 64 };

/* Data that must be equal in all processes. */
struct common {
    uint64_t version, arguments;
};

/* Report of a process about success or failure. */
struct verdict {
    char host[HOST_SIZE];
    struct mpg_error error;
};

/* The joined processes, which must agree before the program ends. */
static struct mpg_processes *joined;

uint64_t mpg_processes_digest(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data; /* FNV-1a hash */
    hash ^= 0xcbf29ce484222325;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3;
    return hash ? hash : 1;
}

static uint64_t digest_text(uint64_t hash, const char *text)
{
    return mpg_processes_digest(hash, text, strlen(text) + 1);
}

/* Writes the name of this process's host. */
static void name_host(char name[HOST_SIZE])
{
    if (gethostname(name, HOST_SIZE) < 0)
        strcpy(name, "?");
    name[HOST_SIZE - 1] = '\0';
}

static struct common common_to_all(int argc, char **argv)
{
    struct common c = {.version = digest_text(0, PACKAGE_VERSION)};
    for (int i = 1; i < argc; i++)
        c.arguments = digest_text(c.arguments, argv[i]);
    return c;
}

/* Returns a hash of this process's host and usable processors. */
static int place(void)
{
    char host[HOST_SIZE];
    cpu_set_t set;
    CPU_ZERO(&set); /* the set stays empty if the machine has more processors than fit */
    sched_getaffinity(0, sizeof set, &set);
    name_host(host);
    return (int)(mpg_processes_digest(digest_text(0, host), &set, sizeof set) & INT_MAX);
}

/* --- the library --- */

static const struct mpg_messenger *load(enum mpg_mpi mpi, struct mpg_error *err)
{
    if (!mpg_mpi_built(mpi)) {
        mpg_error_set(err, "mpgkit was built without %s: they cannot give one answer (MPGKIT_ALONE=1: each "
                           "gives its own)", mpg_mpi_name(mpi));
        return NULL;
    }
    return mpg_module_load(mpi, "libmpgsim", "processes", "mpg_messenger", err);
}

/* --- all processes --- */

/* Ends the program after a printed error of this or another process. */
static void leave_early(void)
{
    struct mpg_error err;
    mpg_error_set(&err, "ended before it had an answer");
    if (!joined)
        return;
    mpg_processes_unite(joined, -1, 0, &err);
    mpg_processes_leave(joined);
}

/* Compares the arguments of all processes, and counts the processes that share P's processors. */
static int meet(struct mpg_processes *p, int argc, char **argv, struct mpg_error *err)
{
    const struct common own = common_to_all(argc, argv);
    struct common first = own;
    p->messenger->tell(0, &first, sizeof first);
    p->sharing = (unsigned)p->messenger->alike(place());
    const int version = p->messenger->min(own.version == first.version ? p->size : p->rank);
    const int other = p->messenger->min(own.arguments == first.arguments ? p->size : p->rank);
    if (version < p->size)
        return mpg_error_set(err, "process %d is another version of mpgsim than the first", version);
    return other == p->size
               ? 0
               : mpg_error_set(err, "process %d has other arguments than the first: they cannot give one "
                                    "answer (MPGKIT_ALONE=1: each gives its own)", other);
}

int mpg_processes_join(struct mpg_processes *p, int argc, char **argv, struct mpg_error *err)
{
    *p = (struct mpg_processes){.size = 1, .all = 1, .prints = true, .sharing = 1};
    const int launched = mpg_launcher_processes();
    if (launched == 1 || getenv("MPGKIT_ALONE"))
        return 0;
    p->prints = mpg_launcher_is_first();
    const struct mpg_messenger *messenger = load(mpg_module_mpi(), err);
    if (!messenger && !p->prints)
        /* gives the first process time to print the error, because the launcher ends all processes when a process fails */
        sleep(1);
    if (!messenger)
        return mpg_error_prefix(err, "several processes");
    messenger->begin(&p->rank, &p->size);
    p->all = p->size;
    p->messenger = messenger;
    joined = p;
    if (atexit(leave_early) != 0)
        return mpg_error_set(err, "out of memory");
    if (launched > 0 && p->size != launched)
        return mpg_error_set(err, "the launcher has started %d processes, but their MPI knows of %d "
                                  "(MPGKIT_ALONE=1: each gives its own answer)", launched, p->size);
    p->prints = p->rank == 0;
    if (p->size == 1)
        mpg_processes_leave(p);
    return p->size == 1 ? 0 : meet(p, argc, argv, err);
}

/* Adds the failed process, RANK with VERDICT, to ERR. */
static int name_process(struct mpg_error *err, const struct mpg_processes *p, int rank,
                        const struct verdict *verdict)
{
    static const char word[] = "process ";
    *err = verdict->error;
    if (p->first + rank == 0 || strncmp(err->text, word, sizeof word - 1) == 0)
        return -1;
    return mpg_error_prefix(err, "%s%d on %s", word, p->first + rank, verdict->host);
}

/* Compares the digest FOUND (0: not computed) with the first process's digest. WHAT names the digest's subject in errors. */
static int compare(struct mpg_processes *p, const char *what, uint64_t found, struct verdict *own, struct mpg_error *err)
{
    uint64_t first = found;
    p->messenger->tell(0, &first, sizeof first);
    const int other = p->messenger->min(found == 0 || found == first ? p->size : p->rank);
    if (other == p->size)
        return 0;
    p->failed = true;
    mpg_error_set(&own->error, "it has read %s than process %d", what, p->first);
    p->messenger->tell(other, own, sizeof *own);
    return name_process(err, p, other, own);
}

int mpg_processes_agree(struct mpg_processes *p, int status, uint64_t found, struct mpg_error *err)
{
    return mpg_processes_agree_on(p, "another trace", status, found, err);
}

int mpg_processes_agree_on(struct mpg_processes *p, const char *what, int status, uint64_t found, struct mpg_error *err)
{
    struct verdict own = {.error = {""}};
    if (!p->messenger || p->failed)
        return status;
    name_host(own.host);
    if (status < 0)
        own.error = *err;
    const int failed = p->messenger->min(status < 0 ? p->rank : p->size);
    if (failed == p->size)
        return compare(p, what, found, &own, err);
    p->failed = true;
    p->messenger->tell(failed, &own, sizeof own);
    return name_process(err, p, failed, &own);
}

int mpg_processes_first_of(const struct mpg_processes *p, int part, int parts)
{
    return (int)(((int64_t)part * p->all + parts - 1) / parts);
}

int mpg_processes_divide(struct mpg_processes *p, int parts)
{
    const int part = (int)((int64_t)p->rank * parts / p->all);
    if (parts == 1)
        return 0;
    p->messenger->divide(part);
    p->divided = true;
    p->first = mpg_processes_first_of(p, part, parts);
    p->rank -= p->first;
    p->size = mpg_processes_first_of(p, part + 1, parts) - p->first;
    return part;
}

int mpg_processes_unite(struct mpg_processes *p, int status, uint64_t found, struct mpg_error *err)
{
    if (p->divided) {
        status = mpg_processes_agree(p, status, 0, err);
        p->messenger->divide(-1);
        p->divided = p->failed = false;
        p->rank += p->first;
        p->first = 0;
        p->size = p->all;
    }
    return mpg_processes_agree(p, status, found, err);
}

void mpg_processes_leave(struct mpg_processes *p)
{
    joined = NULL;
    if (p->messenger)
        p->messenger->end();
    p->messenger = NULL;
}
