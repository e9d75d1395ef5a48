/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports an archive: reads the definitions, then each thread; then checks and writes facts that depend on all threads. */
#include "trace/otf2/import.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/otf2/clocks.h"
#include "trace/otf2/thread.h"

/* Callback for errors of libotf2, which by default prints errors: keeps the first message. */
static OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                               const char *format, va_list arguments)
{
    struct mpg_error *first_error = user;
    char text[256] = "";
    (void)file;
    (void)line;
    (void)function;
    if (format)
        vsnprintf(text, sizeof text, format, arguments);
    if (!*first_error->text)
        mpg_error_set(first_error, "libotf2: %s%s%s", OTF2_Error_GetDescription(code), *text ? ": " : "", text);
    return code;
}

/* --- facts --- */

/* Returns whether mpgkit wrote the archive; properties then hold all facts of the trace. */
static bool has_own_facts(const struct otf2_archive *a)
{
    return strncmp(a->creator, "mpgkit ", 7) == 0;
}

static int write_own_facts(struct otf2_import *im, struct mpg_error *err)
{
    const char *key, *value;
    int32_t rank;
    char plain[256];
    for (size_t i = 0; mpg_otf2_fact(&im->archive, i, &rank, &key, &value); i++) {
        const size_t n = strcspn(key, "#");
        if (rank < 0 || n >= sizeof plain)
            continue;
        memcpy(plain, key, n);
        plain[n] = '\0';
        if (strcmp(plain, "values") == 0)
            continue; /* not copied: write_facts() takes the names of values from the archive's counters */
        /* A rank that was killed gets no MPI_Finalize. */
        im->has_finalize[rank] = im->has_finalize[rank] || strcmp(plain, "died") == 0;
        if (mpg_build_fact(im->build, rank, plain, value, err) < 0)
            return -1;
    }
    return 0;
}

static int write_facts(struct otf2_import *im, struct mpg_error *err)
{
    const struct otf2_archive *a = &im->archive;
    char value[4096];
    if (a->values > 0) {
        mpg_otf2_value_names(a, value, sizeof value);
        if (mpg_build_fact(im->build, -1, "values", value, err) < 0)
            return -1;
    }
    snprintf(value, sizeof value, "OTF2 %u.%u.%u %s", a->version[0], a->version[1], a->version[2], a->creator);
    for (char *p = value; *p; p++)
        if (iscntrl((unsigned char)*p))
            *p = ' ';
    if (mpg_build_fact(im->build, 0, "imported", value, err) < 0)
        return -1;
    if (im->config->overhead_call_ns >= 0) {
        snprintf(value, sizeof value, "%lld", (long long)im->config->overhead_call_ns);
        if (mpg_build_fact(im->build, -1, "overhead_call_ns", value, err) < 0)
            return -1;
    }
    if (write_own_facts(im, err) < 0)
        return -1;
    for (int32_t r = 0; r < a->ranks; r++) {
        const char *host = has_own_facts(a) ? NULL : mpg_otf2_host(a, r);
        if (host && !strchr(host, '\n') && mpg_build_fact(im->build, r, "host", host, err) < 0)
            return -1;
    }
    return 0;
}

static int write_remarks(const struct otf2_import *im, FILE *report, struct mpg_error *err)
{
    char value[256];
    for (int i = 0; i < OTF2_REMARKS; i++) {
        if (im->remarks.count[i] == 0)
            continue;
        snprintf(value, sizeof value, "%llu %s", (unsigned long long)im->remarks.count[i],
                 mpg_otf2_remark_text((enum otf2_remark)i));
        const size_t used = strlen(value);
        if (im->remarks.time_ns[i] > 0)
            snprintf(value + used, sizeof value - used, ", %.9g ms in all", (double)im->remarks.time_ns[i] / 1e6);
        fprintf(report, "assumed: %s\n", value);
        if (mpg_build_fact(im->build, 0, "assumed", value, err) < 0)
            return -1;
    }
    return 0;
}

/* --- the whole --- */

/* The first pair of ranks, ordered by communicator and ranks, with different numbers of sends and receives. */
struct difference {
    uint64_t key[2], sent, received;
    bool found;
};

static void compare_counts(const struct mpg_map *a, const struct mpg_map *b, bool a_is_sent, struct difference *d)
{
    for (size_t i = 0; i < a->capacity; i++) {
        const struct mpg_map_entry *e = &a->entries[i];
        const uint64_t *other = e->used ? mpg_map_find(b, e->key[0], e->key[1]) : NULL;
        const uint64_t n = other ? *other : 0;
        if (!e->used || n == e->value ||
            (d->found && (e->key[0] > d->key[0] || (e->key[0] == d->key[0] && e->key[1] >= d->key[1]))))
            continue;
        *d = (struct difference){{e->key[0], e->key[1]}, a_is_sent ? e->value : n, a_is_sent ? n : e->value, true};
    }
}

/* Writes to TEXT, of SIZE bytes, a possible reason for the different numbers of sends and receives. */
static void explain(const struct otf2_import *im, char *text, size_t size)
{
    static const enum otf2_remark causes[] = {OTF2_SWITCHED_OFF, OTF2_NEVER_COMPLETED, OTF2_UNKNOWN_REQUESTS,
                                              OTF2_NULL_RECEIVES, OTF2_NULL_SENDS};
    *text = '\0';
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (im->remarks.count[causes[i]] > 0) {
            snprintf(text, size, " (%llu %s)", (unsigned long long)im->remarks.count[causes[i]], mpg_otf2_remark_text(causes[i]));
            return;
        }
    snprintf(text, size, " (calls that the recorder shows without their message, such as MPI_Mrecv?)");
}

/* Returns an error if the numbers of sends and receives differ for any pair of ranks. */
static int check_messages(const struct otf2_import *im, struct mpg_error *err)
{
    struct difference d = {.found = false};
    char why[192];
    compare_counts(&im->sent, &im->received, true, &d);
    compare_counts(&im->received, &im->sent, false, &d);
    explain(im, why, sizeof why);
    const uint64_t unnamed = im->remarks.count[OTF2_NULL_SENDS] + im->remarks.count[OTF2_NULL_RECEIVES];
    if (!d.found && im->messages == 0 && unnamed > 0)
        return mpg_error_set(err, "%llu sends and receives, none with a message: messages were not recorded (Score-P: group p2p "
                                  "of SCOREP_MPI_ENABLE_GROUPS)", (unsigned long long)unnamed);
    if (!d.found)
        return 0;
    return mpg_error_set(err, "rank %u sends rank %u %llu messages in communicator %lld, and %llu are received%s; 'mpgtrace "
                              "import --lenient' imports all the same", (unsigned)(d.key[1] >> 32), (unsigned)d.key[1],
                         (unsigned long long)d.sent, (long long)d.key[0], (unsigned long long)d.received, why);
}

/* If no rank has called MPI_Finalize, adds the call on all ranks; otherwise ranks without MPI_Finalize count as killed. */
static int finish_ranks(struct otf2_import *im, struct mpg_error *err)
{
    bool any = false;
    for (int32_t r = 0; r < im->archive.ranks; r++)
        any = any || im->has_finalize[r];
    for (int32_t r = 0; r < im->archive.ranks; r++) {
        const int64_t at_ns = im->last_ns[r];
        int64_t none[64] = {0};
        const struct mpg_event e = {.call = MPG_CALL_Finalize, .enter_ns = at_ns, .leave_ns = at_ns, .newcomm = MPG_NO_COMM,
                                    .object = MPG_NO_OBJECT, .site = MPG_NO_SITE, .value_number = im->archive.values,
                                    .values = none};
        if (im->has_finalize[r] || !im->has_events[r])
            continue;
        im->remarks.count[OTF2_MADE_FINALIZE] += !any;
        if ((any ? mpg_build_fact(im->build, r, "died", "0", err) : mpg_build_event(im->build, r, &e, NULL, err)) < 0)
            return -1;
    }
    return 0;
}

static OTF2_CallbackCode on_offset(void *user, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    (void)deviation;
    return mpg_otf2_clock_add(user, time, offset) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/* Reads the local definitions of all threads: the mapping of numbers in the thread's events to global numbers, and clock
 * offsets. */
static int read_local(struct otf2_import *im, struct otf2_clock *clocks, struct mpg_error *err)
{
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (!callbacks)
        return mpg_error_set(err, "out of memory");
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_offset);
    int status = 0;
    for (size_t i = 0; i < im->archive.thread_count && status == 0; i++) {
        const struct otf2_location *p = im->archive.threads[i];
        struct otf2_clock unused = {0};
        struct otf2_clock *clock = p->thread == 0 ? &clocks[p->rank] : &unused;
        uint64_t n;
        OTF2_DefReader *reader = OTF2_Reader_GetDefReader(im->reader, p->number);
        if (!reader)
            continue; /* not an error: not every tool writes local definitions */
        if (OTF2_Reader_RegisterDefCallbacks(im->reader, reader, callbacks, clock) != OTF2_SUCCESS ||
            OTF2_Reader_ReadAllLocalDefinitions(im->reader, reader, &n) != OTF2_SUCCESS)
            status = mpg_error_set(err, "rank %d: the definitions of its thread %u cannot be read", p->rank, p->thread);
        OTF2_Reader_CloseDefReader(im->reader, reader);
        free(unused.at);
    }
    OTF2_DefReaderCallbacks_Delete(callbacks);
    return status;
}

static bool is_one_host(const struct otf2_archive *a)
{
    const char *first = mpg_otf2_host(a, 0);
    int32_t r = 1;
    while (first && r < a->ranks && mpg_otf2_host(a, r) && strcmp(mpg_otf2_host(a, r), first) == 0)
        r++;
    return first && r == a->ranks;
}

static int read_threads(struct otf2_import *im, struct mpg_error *err)
{
    for (size_t i = 0; i < im->archive.thread_count; i++)
        if (mpg_otf2_read_thread(im, im->archive.threads[i], err) < 0)
            return -1;
    return 0;
}

/* Reads the archive except for the global definitions, and writes facts and events of all ranks. Returns 0, or -1 with ERR. */
static int read_ranks(struct otf2_import *im, struct otf2_clocks *clocks, FILE *report, struct mpg_error *err)
{
    const struct otf2_archive *a = &im->archive;
    const char *words = "";
    char arrivals[256];
    if (write_facts(im, err) < 0 || OTF2_Reader_OpenDefFiles(im->reader) != OTF2_SUCCESS ||
        read_local(im, clocks->clock, err) < 0 || OTF2_Reader_CloseDefFiles(im->reader) != OTF2_SUCCESS ||
        OTF2_Reader_OpenEvtFiles(im->reader) != OTF2_SUCCESS)
        return *err->text ? -1 : mpg_error_set(err, "the files of its locations cannot be opened");
    if (!has_own_facts(a) && mpg_otf2_has_offsets(clocks) && mpg_build_watch_arrivals(im->build, err) < 0)
        return -1;
    if (read_threads(im, err) < 0)
        return -1;
    if (im->calls == 0)
        return mpg_error_set(err, "an OTF2 archive of %s without MPI calls", a->creator);
    if (!im->config->lenient && check_messages(im, err) < 0)
        return -1;
    im->remarks.count[OTF2_DEVICES] = a->devices;
    im->remarks.count[OTF2_TWICE] = a->twice;
    clocks->is_one_host = is_one_host(a);
    if (finish_ranks(im, err) < 0)
        return -1;
    if (has_own_facts(a))
        words = "as in the trace";
    else if (mpg_otf2_write_clocks(clocks, im->build, &words, err) < 0)
        return -1;
    if (mpg_build_describe_arrivals(im->build, words, arrivals, sizeof arrivals, &im->remarks.count[OTF2_WRONG_OFFSETS], err) < 0)
        return -1;
    fprintf(report, "OTF2 %u.%u.%u of %s: %d ranks, %zu threads, %llu calls, %llu messages, %llu collective calls; clocks %s\n",
            a->version[0], a->version[1], a->version[2], a->creator, a->ranks, a->thread_count, (unsigned long long)im->calls,
            (unsigned long long)im->messages, (unsigned long long)im->collectives, arrivals);
    return write_remarks(im, report, err) < 0 || mpg_build_end(im->build, err) < 0 ? -1 : 0;
}

static int select_locations(struct otf2_import *im, struct mpg_error *err)
{
    for (size_t i = 0; i < im->archive.thread_count; i++)
        if (OTF2_Reader_SelectLocation(im->reader, im->archive.threads[i]->number) != OTF2_SUCCESS)
            return mpg_error_set(err, "a location cannot be selected");
    return 0;
}

static int read_archive(struct otf2_import *im, const char *target, int fd, FILE *report, struct mpg_error *err)
{
    struct otf2_archive *a = &im->archive;
    if (OTF2_Reader_SetSerialCollectiveCallbacks(im->reader) != OTF2_SUCCESS || mpg_otf2_archive_read(a, im->reader, err) < 0)
        return *err->text ? -1 : mpg_error_set(err, "cannot be read");
    im->multiplies = strncmp(a->creator, "EZTrace", 7) != 0;
    if (select_locations(im, err) < 0 || !(im->build = mpg_build_begin(a->ranks, target, fd, err)))
        return -1;
    const size_t ranks = (size_t)a->ranks;
    struct otf2_clocks clocks = {.ranks = a->ranks, .resolution = a->resolution, .origin = a->origin,
                                 .clock = calloc(ranks, sizeof *clocks.clock)};
    im->last_ns = calloc(ranks, sizeof *im->last_ns);
    im->first_ns = calloc(ranks, sizeof *im->first_ns);
    im->has_finalize = calloc(ranks, sizeof *im->has_finalize);
    im->has_events = calloc(ranks, sizeof *im->has_events);
    clocks.first_ns = im->first_ns;
    clocks.last_ns = im->last_ns;
    int status = -1;
    if (!clocks.clock || !im->last_ns || !im->first_ns || !im->has_finalize || !im->has_events)
        mpg_error_set(err, "out of memory");
    else
        status = read_ranks(im, &clocks, report, err);
    for (size_t r = 0; r < ranks && clocks.clock; r++)
        free(clocks.clock[r].at);
    free(clocks.clock);
    return status;
}

int mpg_otf2_import_here(const char *anchor, const char *target, int fd, const struct mpg_import_config *config, FILE *report,
                     struct mpg_error *err)
{
    struct otf2_import im = {.config = config};
    err->text[0] = '\0';
    OTF2_Error_RegisterCallback(on_error, &im.first_error);
    im.reader = OTF2_Reader_Open(anchor);
    int status = im.reader ? read_archive(&im, target, fd, report, err) : mpg_error_set(err, "no whole OTF2 archive");
    if (status < 0 && *im.first_error.text) {
        const struct mpg_error why = *err;
        mpg_error_set(err, "%.300s (%.180s)", why.text, im.first_error.text);
    }
    if (im.reader)
        OTF2_Reader_Close(im.reader);
    OTF2_Error_RegisterCallback(NULL, NULL);
    mpg_build_free(im.build);
    mpg_otf2_archive_clear(&im.archive);
    mpg_map_clear(&im.sent);
    mpg_map_clear(&im.received);
    free(im.last_ns);
    free(im.first_ns);
    free(im.has_finalize);
    free(im.has_events);
    return status;
}
