/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the facts of a trace with the header of a signature. */
#include "simulate/evaluate/driver/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "simulate/models/corrections.h"

/* --- does the signature belong to the traced machine? --- */

/* Returns true if LIST, values separated by "; " as written by sigmake, contains VALUE. IS_KERNEL: traces lack the part of a
 * kernel's name after the comma, its HZ. */
static bool has_value(const char *list, const char *value, bool is_kernel)
{
    const size_t length = strlen(value);
    for (const char *at = list; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL) {
        const char *end = strstr(at, "; ");
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        if (n >= length && strncmp(at, value, length) == 0 &&
            (n == length || (is_kernel && strncmp(at + length, ", HZ=", 5) == 0)))
            return true;
    }
    return false;
}

/* Returns the fact KEY of RANK or of another rank of the same host, because facts of a host apply to all ranks of the host. */
static const char *host_fact(const struct mpg_trace *t, int32_t rank, const char *key)
{
    const char *value = mpg_trace_find_fact(t, rank, key);
    const int32_t host = mpg_trace_host(t, rank);
    for (int32_t r = 0; !value && r < mpg_trace_ranks(t); r++)
        if (mpg_trace_host(t, r) == host)
            value = mpg_trace_find_fact(t, r, key);
    return value;
}

static const char *header(const struct mpg_signature *sig, const char *key)
{
    return mpg_fact_find(sig->fact, sig->facts, key);
}

/* Returns whether RANK's machine counts as a machine on which SIG was measured. If trace and signature both name a processor,
 * the processor alone decides, since host names are ambiguous; otherwise the host name decides. */
static bool is_host(const struct mpg_trace *t, int32_t rank, const struct mpg_signature *sig)
{
    const char *host = mpg_trace_find_fact(t, rank, "host"), *hosts = header(sig, "host");
    const char *cpu = host_fact(t, rank, "cpu"), *cpus = header(sig, "cpu");
    if (cpu && cpus && strcmp(cpu, "unknown") != 0)
        return has_value(cpus, cpu, false);
    return host && hosts && has_value(hosts, host, false);
}

/* Returns the first fact in which RANK's machine differs from SIG's machine; NULL: none. */
static const char *find_difference(const struct mpg_trace *t, int32_t rank,
                                   const struct mpg_signature *sig)
{
    const char *kernel = host_fact(t, rank, "kernel"), *kernels = header(sig, "kernel");
    if (!mpg_trace_find_fact(t, rank, "host") || !kernel)
        return "the trace does not name its machine";
    if (!kernels)
        return "the signature does not name its machine";
    if (!is_host(t, rank, sig))
        return "another processor or host";
    return has_value(kernels, kernel, true) ? NULL : "another kernel";
}

/* Returns the difference between the MPI library of the trace and the library of SIG; NULL: none. All ranks use one library:
 * the first rank that names a library decides. A signature of noise alone names no library, and has no difference. */
static const char *find_mpi_difference(const struct mpg_trace *t, const struct mpg_signature *sig)
{
    const char *mpi = NULL, *settings = NULL;
    const char *mpis = header(sig, "mpi"), *measured = header(sig, "mpi_settings");
    for (int32_t r = 0; r < mpg_trace_ranks(t) && !mpi; r++) {
        mpi = mpg_trace_find_fact(t, r, "mpi");
        settings = mpg_trace_find_fact(t, r, "mpi_settings");
    }
    if (!mpis)
        return NULL;
    if (!mpi || !has_value(mpis, mpi, false))
        return "another MPI library";
    return has_value(measured ? measured : "none", settings ? settings : "none", false)
               ? NULL : "other settings of the MPI library";
}

bool mpg_source_is_machine(const struct mpg_trace *trace, const struct mpg_signature *sig,
                           char *why, size_t size)
{
    char host[256];
    const char *difference = NULL, *name = mpg_trace_find_fact(trace, 0, "host");
    for (int32_t r = 0; r < mpg_trace_ranks(trace) && !difference; r++)
        if (r == 0 || mpg_trace_host(trace, r) != mpg_trace_host(trace, r - 1))
            difference = find_difference(trace, r, sig);
    if (!difference)
        difference = find_mpi_difference(trace, sig);
    if (difference)
        snprintf(why, size, "%s", difference);
    else
        snprintf(why, size, "host %s, or a machine with the same processor, kernel%s",
                 name ? mpg_printable(host, sizeof host, name) : "unknown",
                 header(sig, "mpi") ? ", MPI and its settings" : "");
    return !difference;
}

/* --- signatures stored in the trace --- */

static int take_stored(struct mpg_source *s, const struct mpg_trace *t,
                       const struct mpg_stored_signature *stored, struct mpg_error *err)
{
    char name[256];
    snprintf(s->why, sizeof s->why, "%s, crc32 %08x",
             mpg_printable(name, sizeof name, stored->name), (unsigned)stored->crc32);
    char *text = mpg_trace_read_signature(t, stored, err);
    s->own = text ? mpg_signature_parse(text, stored->bytes, stored->name, err) : NULL;
    if (text && !s->own)
        mpg_error_prefix(err, "%s: the stored signature", mpg_trace_path(t));
    free(text);
    if (!s->own && err) {
        const size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used,
                 " (--source=FILE replaces it, --source=none leaves it out)");
    }
    if (!s->own || mpg_complete_tails(s->own, err) < 0 || mpg_bound_overheads(s->own, err) < 0)
        return -1;
    s->signature = s->own;
    s->origin = MPG_SOURCE_STORED;
    return 0;
}

int mpg_source_find(struct mpg_source *s, const struct mpg_trace *trace,
                    const struct mpg_signature *target, const struct mpg_signature *given,
                    bool refused, struct mpg_error *err)
{
    struct mpg_stored_signature stored;
    *s = (struct mpg_source){.origin = refused ? MPG_SOURCE_REFUSED : MPG_SOURCE_UNKNOWN};
    if (given) {
        s->origin = MPG_SOURCE_GIVEN;
        s->signature = given;
        return 0;
    }
    if (refused || !target)
        return 0;
    if (mpg_trace_find_signature(trace, &stored))
        return take_stored(s, trace, &stored, err);
    if (mpg_source_is_machine(trace, target, s->why, sizeof s->why)) {
        s->origin = MPG_SOURCE_TARGET;
        s->signature = target;
    }
    return 0;
}

void mpg_source_clear(struct mpg_source *s)
{
    mpg_signature_free(s->own);
    *s = (struct mpg_source){0};
}
