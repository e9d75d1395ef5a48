/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the archive and the files of its locations (threads), and writes rank after rank. */
#include "config.h"

#include "export/otf2/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- libotf2 --- */

/* Callback of libotf2: stores libotf2's first error message, which libotf2 would print otherwise. */
static OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                               const char *format, va_list arguments)
{
    struct mpg_error *said = user;
    char text[256] = "";
    (void)file;
    (void)line;
    (void)function;
    if (format)
        vsnprintf(text, sizeof text, format, arguments);
    if (!*said->text)
        mpg_error_set(said, "%s%s%s", OTF2_Error_GetDescription(code), *text ? ": " : "", text);
    return code;
}

int mpg_otf2_write_error(struct mpg_otf2_writer *w, struct mpg_error *err)
{
    return mpg_error_set(err, "libotf2 cannot write the archive%s%s", *w->said.text ? ": " : "", w->said.text);
}

static OTF2_FlushType on_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user;
    (void)type;
    (void)location;
    (void)caller;
    (void)final;
    return OTF2_FLUSH;
}

/* --- begin --- */

static int list_locations(struct mpg_otf2_writer *w, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(w->trace);
    size_t n = 0;
    if (!(w->first_location = calloc((size_t)ranks + 1, sizeof *w->first_location)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < ranks; r++) {
        n += mpg_trace_threads(w->trace, r);
        w->first_location[r + 1] = n;
    }
    if (!(w->locations = calloc(n, sizeof *w->locations)))
        return mpg_error_set(err, "out of memory");
    w->location_number = n;
    for (int32_t r = 0; r < ranks; r++)
        for (size_t i = w->first_location[r]; i < w->first_location[r + 1]; i++)
            w->locations[i] = (struct otf2_location){
                .rank = r, .thread = mpg_trace_thread(w->trace, r, (uint32_t)(i - w->first_location[r])),
                .value_class = UINT32_MAX, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
    return 0;
}

/* Finds the earliest time of all ranks: ticks are unsigned, and the earliest time becomes tick 0. */
static int find_bias(struct mpg_otf2_writer *w, struct mpg_error *err)
{
    int64_t min_ns = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(w->trace); r++) {
        struct mpg_event e;
        struct mpg_cursor *c = mpg_cursor_open(w->trace, r, err);
        const int more = c ? mpg_cursor_next(c, &e, err) : -1;
        mpg_cursor_close(c);
        if (more < 0)
            return -1;
        int64_t time_ns, offset_ns;
        if (more > 0 && e.enter_ns < min_ns)
            min_ns = e.enter_ns;
        for (size_t i = 0; mpg_trace_clock(w->trace, r, i, &time_ns, &offset_ns); i++) {
            if (more > 0 && e.enter_ns + offset_ns < min_ns)
                min_ns = e.enter_ns + offset_ns;
            if (time_ns < min_ns)
                min_ns = time_ns;
            if (time_ns + offset_ns < min_ns)
                min_ns = time_ns + offset_ns;
        }
    }
    w->bias_ns = -min_ns;
    return 0;
}

/* --- memory of libotf2's buffers: without a limit libotf2 buffers up to 128 MiB of events --- */

enum { MAX_CHUNKS = 2 }; /* maximum number of chunks of a buffer of events */

struct chunk {
    struct chunk *next;
    uint64_t unused; /* 8 bytes, to align the memory after this struct for any type */
};

struct chunks {
    struct chunk *first;
    unsigned n;
};

/* Callback of libotf2: returns memory of BYTES bytes for *BUFFER. NULL if a buffer of events has MAX_CHUNKS chunks:
 * libotf2 then writes the buffer and asks again. */
static void *take_chunk(void *unused, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t bytes)
{
    struct chunks *of = *buffer ? *buffer : (*buffer = calloc(1, sizeof *of));
    (void)unused;
    (void)location;
    if (!of || (type == OTF2_FILETYPE_EVENTS && of->n == MAX_CHUNKS))
        return NULL;
    struct chunk *c = malloc(sizeof *c + bytes);
    if (!c)
        return NULL;
    c->next = of->first;
    of->first = c;
    of->n++;
    return c + 1;
}

static void free_chunks(void *unused, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
    struct chunks *of = *buffer;
    (void)unused;
    (void)type;
    (void)location;
    while (of && of->first) {
        struct chunk *c = of->first;
        of->first = c->next;
        free(c);
    }
    if (of)
        of->n = 0;
    if (final) {
        free(of);
        *buffer = NULL;
    }
}

static int open_archive(struct mpg_otf2_writer *w, const char *folder, const char *name, struct mpg_error *err)
{
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = on_flush};
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = take_chunk, .otf2_free_all = free_chunks};
    char bias[32];
    snprintf(bias, sizeof bias, "%lld", (long long)w->bias_ns);
    w->archive = OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!w->archive || OTF2_Archive_SetFlushCallbacks(w->archive, &callbacks, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetMemoryCallbacks(w->archive, &memory, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetSerialCollectiveCallbacks(w->archive) != OTF2_SUCCESS ||
        OTF2_Archive_SetCreator(w->archive, "mpgkit " PACKAGE_VERSION) != OTF2_SUCCESS ||
        OTF2_Archive_SetDescription(w->archive, "written by mpgkit, not recorded") != OTF2_SUCCESS ||
        OTF2_Archive_SetProperty(w->archive, "MPGKIT::ORIGIN_TICKS", bias, true) != OTF2_SUCCESS ||
        OTF2_Archive_OpenEvtFiles(w->archive) != OTF2_SUCCESS || !(w->attributes = OTF2_AttributeList_New()))
        return mpg_otf2_write_error(w, err);
    return 0;
}

struct mpg_otf2_writer *mpg_otf2_writer_new(struct mpg_trace *trace, const char *folder, const char *name,
                                            struct mpg_left_out *left, struct mpg_error *err)
{
    struct mpg_otf2_writer *w = calloc(1, sizeof *w);
    if (!w) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    w->trace = trace;
    w->left = left;
    w->requests.record_bytes = w->persistent.record_bytes = sizeof(struct otf2_request);
    OTF2_Error_RegisterCallback(on_error, &w->said);
    if (list_locations(w, err) == 0 && find_bias(w, err) == 0 && open_archive(w, folder, name, err) == 0)
        return w;
    mpg_otf2_writer_free(w);
    return NULL;
}

/* --- streams of the rank --- */

static void clear_streams(struct mpg_otf2_writer *w)
{
    for (size_t i = 0; i < w->stream_number; i++) {
        if (w->streams[i].w)
            OTF2_Archive_CloseEvtWriter(w->archive, w->streams[i].w);
        free(w->streams[i].regions);
    }
    w->stream_number = 0;
}

int mpg_otf2_number(struct otf2_numbers *numbers, uint32_t item, uint32_t *number, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&numbers->map, item, 0);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    if (*slot == 0) {
        if (mpg_grow(&numbers->item, numbers->n, &numbers->capacity, sizeof *numbers->item, err) < 0)
            return -1;
        numbers->item[numbers->n++] = item;
        *slot = numbers->n;
    }
    *number = (uint32_t)(*slot - 1);
    return 0;
}

void mpg_otf2_numbers_clear(struct otf2_numbers *numbers)
{
    mpg_map_clear(&numbers->map);
    free(numbers->item);
}

/* Returns a new stream for locations[LOCATION], a thread of the rank being written; NULL with ERR. */
static struct otf2_stream *open_stream(struct mpg_otf2_writer *w, size_t location, struct mpg_error *err)
{
    const struct otf2_location *l = &w->locations[location];
    if (mpg_grow(&w->streams, w->stream_number, &w->stream_capacity, sizeof *w->streams, err) < 0)
        return NULL;
    struct otf2_stream *s = &w->streams[w->stream_number];
    *s = (struct otf2_stream){.thread = l->thread, .location = location, .last_ns = INT64_MIN};
    s->w = OTF2_Archive_GetEvtWriter(w->archive, (uint64_t)l->thread << 32 | (uint32_t)l->rank);
    if (!s->w) {
        mpg_otf2_write_error(w, err);
        return NULL;
    }
    w->stream_number++;
    return s;
}

static struct otf2_stream *find_stream(struct mpg_otf2_writer *w, uint32_t thread, struct mpg_error *err)
{
    for (size_t i = 0; i < w->stream_number; i++)
        if (w->streams[i].thread == thread)
            return &w->streams[i];
    for (size_t i = w->first_location[w->rank]; i < w->first_location[w->rank + 1]; i++)
        if (w->locations[i].thread == thread)
            return open_stream(w, i, err);
    mpg_error_set(err, "rank %d: thread %u is not in the trace", w->rank, thread);
    return NULL;
}

static int close_streams(struct mpg_otf2_writer *w, struct mpg_error *err)
{
    for (size_t i = 0; i < w->stream_number; i++) {
        struct otf2_stream *s = &w->streams[i];
        OTF2_EvtWriter *writer = s->w;
        if (mpg_otf2_leave_regions(w, s, err) < 0)
            return -1;
        OTF2_EvtWriter_GetNumberOfEvents(writer, &w->locations[s->location].records);
        s->w = NULL;
        if (OTF2_Archive_CloseEvtWriter(w->archive, writer) != OTF2_SUCCESS)
            return mpg_otf2_write_error(w, err);
    }
    clear_streams(w);
    return 0;
}

/* --- facts --- */

static int keep_fact(struct mpg_otf2_writer *w, const char *key, const char *value, struct mpg_error *err)
{
    if (mpg_grow(&w->facts, w->fact_number, &w->fact_capacity, sizeof *w->facts, err) < 0)
        return -1;
    struct otf2_fact *f = &w->facts[w->fact_number];
    *f = (struct otf2_fact){w->rank, strdup(key), strdup(value)};
    w->fact_number++;
    return f->key && f->value ? 0 : mpg_error_set(err, "out of memory");
}

/* Declares that all threads of the rank have the counters NAMES, separated by blanks (the trace's fact "values"). */
static int use_values(struct mpg_otf2_writer *w, const char *names, struct mpg_error *err)
{
    uint32_t class = 0;
    while (class < w->value_classes && strcmp(w->value_names[class], names) != 0)
        class++;
    if (class == w->value_classes) {
        char **grown = realloc(w->value_names, (class + 1) * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        w->value_names = grown;
        if (!(grown[class] = strdup(names)))
            return mpg_error_set(err, "out of memory");
        w->value_classes++;
    }
    for (size_t i = w->first_location[w->rank]; i < w->first_location[w->rank + 1]; i++)
        w->locations[i].value_class = class;
    return 0;
}

static int take_fact(void *context, const char *key, const char *value, struct mpg_error *err)
{
    struct mpg_otf2_writer *w = context;
    if (strcmp(key, "values") == 0)
        return use_values(w, value, err);
    if (strcmp(key, "signature_part") == 0)
        return 0;
    if (strcmp(key, "signature") == 0) {
        mpg_left_out_add(w->left, "stored signatures: left out, give them to mpgsim with --source", 1);
        return 0;
    }
    return keep_fact(w, key, value, err);
}

/* --- the sink --- */

static int begin_rank(void *context, int32_t rank, struct mpg_error *err)
{
    struct mpg_otf2_writer *w = context;
    w->rank = rank;
    mpg_map_clear(&w->places);
    mpg_map_clear(&w->epochs);
    return find_stream(w, 0, err) ? 0 : -1;
}

static int take_event(void *context, const struct mpg_event *event, struct mpg_error *err)
{
    struct mpg_otf2_writer *w = context;
    struct otf2_stream *s = find_stream(w, event->thread, err);
    if (!s)
        return -1;
    if (event->killed) {
        char value[96];
        snprintf(value, sizeof value, "%u %s %lld", event->thread, mpg_call_name(event->call), (long long)event->enter_ns);
        return keep_fact(w, "died", value, err);
    }
    return mpg_otf2_write_event(w, s, event, err);
}

static int finish(struct mpg_otf2_writer *w, struct mpg_error *err)
{
    OTF2_Archive *archive = w->archive;
    if (OTF2_Archive_CloseEvtFiles(archive) != OTF2_SUCCESS)
        return mpg_otf2_write_error(w, err);
    if (mpg_otf2_writer_clocks(w, err) < 0 || mpg_otf2_writer_definitions(w, err) < 0)
        return -1;
    w->archive = NULL;
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS && !*w->said.text ? 0 : mpg_otf2_write_error(w, err);
}

static int end_rank(void *context, bool last, struct mpg_error *err)
{
    struct mpg_otf2_writer *w = context;
    mpg_left_out_add(w->left, "requests that no call completes: the archive does not say how they end",
                     mpg_open_requests_number(&w->requests));
    mpg_open_requests_clear(&w->requests);
    mpg_open_requests_clear(&w->persistent);
    if (close_streams(w, err) < 0)
        return -1;
    if (*w->said.text)
        return mpg_otf2_write_error(w, err);
    return last ? finish(w, err) : 0;
}

struct mpg_sink mpg_otf2_writer_sink(struct mpg_otf2_writer *w)
{
    return (struct mpg_sink){.context = w, .begin = begin_rank, .fact = take_fact, .event = take_event, .end = end_rank};
}

void mpg_otf2_writer_free(struct mpg_otf2_writer *w)
{
    if (!w)
        return;
    clear_streams(w);
    if (w->archive)
        OTF2_Archive_Close(w->archive);
    if (w->attributes)
        OTF2_AttributeList_Delete(w->attributes);
    OTF2_Error_RegisterCallback(NULL, NULL);
    for (size_t i = 0; i < w->fact_number; i++) {
        free(w->facts[i].key);
        free(w->facts[i].value);
    }
    for (uint32_t i = 0; i < w->value_classes; i++)
        free(w->value_names[i]);
    mpg_open_requests_clear(&w->requests);
    mpg_open_requests_clear(&w->persistent);
    mpg_map_clear(&w->places);
    mpg_otf2_numbers_clear(&w->regions);
    mpg_otf2_one_sided_clear(w);
    mpg_map_clear(&w->comm_numbers);
    free(w->comms);
    mpg_map_clear(&w->made);
    free(w->facts);
    free(w->value_names);
    free(w->streams);
    free(w->locations);
    free(w->first_location);
    free(w);
}
