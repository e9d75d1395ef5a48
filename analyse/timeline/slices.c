/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls and regions of a rank as slices. The slices of a track must nest: if a region ends while regions that began later
 * are open, the later regions are ended and begun again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/timeline/timeline_private.h"
#include "common/table/escape.h"
#include "common/map.h"
#include "common/progress.h"
#include "common/reserve.h"

/* Maximum depth of open regions. Regions nested deeper are hidden: no viewer has room for more. Also, if regions overlap, the end
 * of a region ends and begins anew every region nested in it, so the number of slices could grow with the square of the depth. */
enum { MAX_DEPTH = 256 };

struct open_region {
    int32_t name;
    int64_t begin_ns;
};

/* A thread of the rank, with a track for calls and a track for regions. */
struct track {
    struct open_region *open;
    uint32_t depth, room;
    struct mpg_map hidden; /* name of a region -> number of hidden open regions with this name */
    bool named;      /* the track's name has been written */
    int64_t last_ns; /* end of the track's last slice, on the rank's clock */
};

struct rank_slices {
    struct timeline *t;
    int32_t rank;
    uint64_t calls;
    struct track *track;
    uint32_t tracks;
};

static void put_name(struct timeline *t, int32_t rank, uint32_t k, uint32_t track, bool regions)
{
    const uint32_t threads = mpg_trace_threads(t->run->trace, rank);
    char name[64], thread[32] = "";
    if (threads > 1)
        snprintf(thread, sizeof thread, ".%" PRIu32, mpg_trace_thread(t->run->trace, rank, k));
    snprintf(name, sizeof name, "rank %" PRId32 "%s%s", rank, thread, regions ? " regions" : "");
    fprintf(t->out, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32 ",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}"
                    ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32 ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%"
                    PRIu32 "}}", t->pid, track, name, t->pid, track, track);
}

/* ---- regions ---- */

static void put_region(struct rank_slices *s, uint32_t k, const struct open_region *o, int64_t end_ns)
{
    struct timeline *t = s->t;
    const uint32_t track = timeline_regions_track(t, s->rank, k);
    const int64_t at_ns = mpg_timeline_at(t, s->rank, o->begin_ns);
    if (!s->track[k].named)
        put_name(t, s->rank, k, track, true);
    s->track[k].named = true;
    mpg_timeline_begin(t, 'X', track, at_ns);
    fputs(",\"dur\":", t->out);
    mpg_timeline_put_duration(t, mpg_timeline_at(t, s->rank, end_ns) - at_ns);
    fputs(",\"cat\":\"region\",\"name\":", t->out);
    mpg_json_write_string(t->out, mpg_trace_string(t->run->trace, o->name));
    putc('}', t->out);
}

static bool is_seen(const struct rank_slices *s)
{
    const struct mpg_timeline_part *part = s->t->part;
    return !part->given || (s->calls > part->first && s->calls <= part->last + 1);
}

static int begin_region(struct rank_slices *s, uint32_t k, const struct mpg_event *e, struct mpg_error *err)
{
    struct track *track = &s->track[k];
    void *open = track->open;
    if (track->depth == MAX_DEPTH) {
        uint64_t *hidden = mpg_map_add(&track->hidden, (uint64_t)e->string, 0);
        if (!hidden)
            return mpg_error_set(err, "out of memory");
        ++*hidden;
        s->t->hidden++;
        return 0;
    }
    if (mpg_reserve(&open, sizeof *track->open, &track->room, track->depth + 1, err) < 0)
        return -1;
    track->open = open;
    track->open[track->depth++] = (struct open_region){e->string, e->enter_ns};
    return 0;
}

/* Ends the innermost open region with the name in E. Regions within are ended, too, and begun again. Nothing is written
 * before the first call of the selected part. */
static void end_region(struct rank_slices *s, uint32_t k, const struct mpg_event *e)
{
    struct track *track = &s->track[k];
    uint32_t i = track->depth;
    uint64_t *hidden = mpg_map_find(&track->hidden, (uint64_t)e->string, 0);
    if (hidden && *hidden > 0) {
        --*hidden;
        return;
    }
    while (i > 0 && track->open[i - 1].name != e->string)
        i--;
    if (i == 0)
        return;
    for (uint32_t j = track->depth; j >= i && is_seen(s); j--) {
        put_region(s, k, &track->open[j - 1], e->enter_ns);
        track->open[j - 1].begin_ns = e->enter_ns;
    }
    memmove(&track->open[i - 1], &track->open[i], (track->depth - i) * sizeof *track->open);
    track->depth--;
}

/* Ends all regions still open at the end of the selected part, each at the end of the track's last slice. */
static void end_regions(struct rank_slices *s)
{
    for (uint32_t k = 0; k < s->tracks; k++)
        for (; s->track[k].depth > 0; s->track[k].depth--) {
            const struct open_region *o = &s->track[k].open[s->track[k].depth - 1];
            if (s->track[k].last_ns > o->begin_ns)
                put_region(s, k, o, s->track[k].last_ns);
        }
}

static void move_regions(struct track *track, int64_t to_ns)
{
    for (uint32_t i = 0; i < track->depth; i++)
        track->open[i].begin_ns = track->open[i].begin_ns < to_ns ? to_ns : track->open[i].begin_ns;
}

/* ---- calls ---- */

/* Returns the world rank of PEER in the communicator of E; -1: no peer, or unknown. */
static int32_t world_rank(const struct timeline *t, const struct mpg_event *e, int32_t peer)
{
    const struct mpg_comm *comm = e->comm >= 0 ? mpg_trace_comm(t->run->trace, e->comm) : NULL;
    if (!comm || peer < 0)
        return -1;
    if (comm->remote_size > 0)
        return peer < comm->remote_size ? comm->world_ranks[comm->size + peer] : -1;
    return peer < comm->size ? comm->world_ranks[peer] : -1;
}

static bool sends(enum mpg_kind kind)
{
    return kind == MPG_KIND_SEND || kind == MPG_KIND_ISEND || kind == MPG_KIND_SENDRECV || kind == MPG_KIND_ISENDRECV;
}

static bool receives(enum mpg_kind kind)
{
    return kind == MPG_KIND_RECV || kind == MPG_KIND_IRECV || kind == MPG_KIND_MRECV || kind == MPG_KIND_SENDRECV ||
           kind == MPG_KIND_ISENDRECV;
}

/* Writes the name of SITE, like "halo (stencil.c:10)", as an argument of the slice; nothing if the name is unknown.
 * Returns 0, or -1 with ERR. */
static int put_site(struct timeline *t, int32_t site, struct mpg_error *err)
{
    const char *name = site == MPG_NO_SITE ? "" : mpg_site_name(t->names, (uint32_t)site + 1, err);
    if (!name)
        return -1;
    char *line = strndup(name, strcspn(name, "\n"));
    if (!line)
        return mpg_error_set(err, "out of memory");
    if (*line) {
        fputs(",\"callsite\":", t->out);
        mpg_json_write_string(t->out, line);
    }
    free(line);
    return 0;
}

static int put_call(struct rank_slices *s, uint32_t k, const struct mpg_event *e, uint64_t number, struct mpg_error *err)
{
    struct timeline *t = s->t;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const int32_t to = sends(kind) ? world_rank(t, e, e->to) : -1;
    const int32_t from = receives(kind) ? world_rank(t, e, e->from) : -1;
    const int32_t root = mpg_call_has_root(e->call) ? world_rank(t, e, e->root) : -1;
    const int64_t at_ns = mpg_timeline_at(t, s->rank, e->enter_ns);
    mpg_timeline_begin(t, 'X', timeline_track(t, s->rank, k), at_ns);
    fputs(",\"dur\":", t->out);
    mpg_timeline_put_duration(t, mpg_timeline_at(t, s->rank, e->leave_ns) - at_ns);
    fputs(",\"cat\":\"mpi\",\"name\":", t->out);
    mpg_json_write_string(t->out, kind == MPG_KIND_UNKNOWN ? mpg_trace_string(t->run->trace, e->string)
                                                           : mpg_call_name(e->call));
    fprintf(t->out, ",\"args\":{\"call\":%" PRIu64, number);
    if (e->bytes > 0)
        fprintf(t->out, ",\"bytes\":%" PRId64, e->bytes);
    if (to >= 0)
        fprintf(t->out, ",\"to\":%" PRId32, to);
    if (from >= 0)
        fprintf(t->out, ",\"from\":%" PRId32, from);
    if (root >= 0)
        fprintf(t->out, ",\"root\":%" PRId32, root);
    if (put_site(t, e->site, err) < 0)
        return -1;
    fputs("}}", t->out);
    return 0;
}

/* ---- events ---- */

static int take(struct rank_slices *s, const struct mpg_event *e, struct mpg_error *err)
{
    const uint32_t k = mpg_timeline_thread(s->t, s->rank, e->thread);
    struct track *track = &s->track[k];
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (kind == MPG_KIND_REGION_BEGIN && !e->failed)
        return begin_region(s, k, e, err);
    if (kind == MPG_KIND_REGION_END && !e->failed)
        end_region(s, k, e);
    if (!mpg_event_is_call(e))
        return 0;
    const uint64_t number = s->calls++;
    if (s->t->part->given && number == s->t->part->first)
        for (uint32_t j = 0; j < s->tracks; j++)
            move_regions(&s->track[j], e->enter_ns);
    if (timeline_has(s->t, s->rank, number)) {
        if (put_call(s, k, e, number, err) < 0)
            return -1;
        track->last_ns = e->leave_ns;
    }
    return 0;
}

static int read_rank(struct rank_slices *s, struct mpg_error *err)
{
    const struct mpg_timeline_part *part = s->t->part;
    struct mpg_cursor *c = mpg_cursor_open(s->t->run->trace, s->rank, err);
    struct mpg_event e;
    int more = -1, status = 0;
    while (c && status == 0 && (more = mpg_cursor_next(c, &e, err)) > 0) {
        if (part->given && s->calls > part->last)
            break;
        status = take(s, &e, err);
    }
    mpg_cursor_close(c);
    if (more < 0 || status < 0)
        return -1;
    end_regions(s);
    return 0;
}

static int put_rank(struct timeline *t, int32_t rank, struct mpg_error *err)
{
    struct rank_slices s = {.t = t, .rank = rank, .tracks = mpg_trace_threads(t->run->trace, rank)};
    if (!(s.track = calloc(s.tracks, sizeof *s.track)))
        return mpg_error_set(err, "out of memory");
    for (uint32_t k = 0; k < s.tracks; k++)
        put_name(t, rank, k, timeline_track(t, rank, k), false);
    const int status = read_rank(&s, err);
    for (uint32_t k = 0; k < s.tracks; k++) {
        free(s.track[k].open);
        mpg_map_clear(&s.track[k].hidden);
    }
    free(s.track);
    return status;
}

int mpg_timeline_slices(struct timeline *t, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(t->run->trace);
    struct mpg_progress progress;
    struct mpg_site_names names;
    int status = mpg_site_names_begin(&names, t->run->trace, 1, NULL, err);
    t->names = &names;
    mpg_progress_start(&progress, "writing the timeline", ranks);
    for (int32_t rank = 0; rank < ranks && status == 0; rank++) {
        if (mpg_rank_set_contains(&t->part->ranks, rank))
            status = put_rank(t, rank, err);
        mpg_progress_update(&progress, rank + 1);
    }
    mpg_progress_end(&progress);
    mpg_site_names_end(&names);
    t->names = NULL;
    return status;
}
