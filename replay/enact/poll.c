/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of unsuccessful polls (replay/polls.h). Reading a clock between two polls would take longer than a poll, so short
 * intervals are added up and waited for together. The run ends early if the poll that ended the run in the trace succeeds
 * earlier here. */
#include "replay/enact/player.h"

enum {
    OWN_NS = 8,    /* time of an iteration of the loop below without the call */
    MIN_NS = 400   /* shorter times are not waited for */
};

/* A call that is repeated in a run. */
struct poll {
    const struct mpg_action *action;
    struct play_request *only; /* short cut for a test of a single request, active in MPI; NULL: made as any call */
    bool any;                  /* the call is MPI_Testany */
};

static struct poll prepare(struct player *p, const struct mpg_action *action)
{
    struct poll x = {.action = action, .any = action->plain == MPG_CALL_Testany};
    const bool is_test = action->plain == MPG_CALL_Test || x.any;
    const bool single = is_test && action->event.request_number == 1;
    struct play_request *r = single ? play_find_request(p, action->event.requests[0]) : NULL;
    if (r && !r->elapse_only && !r->done)
        x.only = r;
    return x;
}

static int poll_once(struct player *p, struct poll *x)
{
    int flag = 0, index;
    MPI_Status status;
    p->action = x->action;
    if (!x->only) {
        p->outcome.calls++;
        return play_perform_call(p);
    }
    if (x->only->done) {
        p->outcome.unneeded++;
        return 0;
    }
    p->outcome.calls++;
    const int rc = PLAY_CALL(p, x->any ? MPI_Testany(1, &x->only->handle, &index, &flag, &status)
                          : MPI_Test(&x->only->handle, &flag, &status));
    return play_check(p, rc) < 0 ? -1 : flag ? play_note_done(p, x->only, &status) : 0;
}

/* Returns whether poll X has succeeded here. */
static bool has_succeeded(struct player *p, const struct poll *x)
{
    const struct mpg_event *e = &x->action->event;
    uint32_t done = 0;
    if (x->only)
        return x->only->done;
    if (x->action->kind != MPG_KIND_COMPLETE)
        return p->found;
    for (uint32_t i = 0; i < e->request_number; i++) {
        const struct play_request *r = play_find_request(p, e->requests[i]);
        done += r && r->done && !r->dropped;
    }
    return x->action->plain == MPG_CALL_Testall ? done == e->request_number : done > 0;
}

int play_polls(struct player *p)
{
    const struct mpg_action *run = p->action;
    struct poll poll[256];
    int64_t passes_ns = 0;
    for (uint32_t i = 0; i < run->poll_number; i++)
        poll[i] = prepare(p, &run->polls[i]);
    watchdog_compute(p);
    for (uint32_t i = 0; i < run->repetition_number; i++) {
        struct poll *x = &poll[run->repetition[i].which];
        passes_ns += run->repetition[i].before_ns > OWN_NS ? run->repetition[i].before_ns - OWN_NS : 0;
        if (passes_ns >= MIN_NS) {
            play_unlock(p);
            p->host->elapse(p->host->context, p->thread, (int64_t)mpg_clock_ns(), passes_ns, 0);
            play_lock(p);
            passes_ns = 0;
        }
        if (poll_once(p, x) < 0)
            return -1;
        if (run->repetition[i].which == run->success && has_succeeded(p, x)) {
            p->outcome.unneeded += run->repetition_number - i - 1;
            return 0;
        }
    }
    play_unlock(p);
    p->host->elapse(p->host->context, p->thread, (int64_t)mpg_clock_ns(), passes_ns, 0);
    play_lock(p);
    return 0;
}
