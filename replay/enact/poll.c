/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of unsuccessful polls (replay/polls.h). Reading a clock between polls would take longer than the polls, so
 * short intervals are added up and waited for together. The run ends early if the poll that succeeded after it in
 * the trace succeeds here. */
#include "replay/enact/play.h"

enum {
    OWN_NS = 8,      /* time of one loop iteration without its call */
    LEAST_NS = 400   /* shortest wait */
};

/* A distinct call of the run. */
struct poll {
    const struct mpg_act *act;
    struct play_request *only; /* its only request, active in MPI: fast path; NULL: ordinary call */
    bool any;                  /* uses MPI_Testany */
};

static struct poll prepare(struct play *p, const struct mpg_act *act)
{
    struct poll x = {.act = act, .any = act->plain == MPG_CALL_Testany};
    const bool is_test = act->plain == MPG_CALL_Test || x.any;
    struct play_request *r = is_test && act->event.request_number == 1 ? play_find(p, act->event.requests[0]) : NULL;
    if (r && !r->elapses && !r->done)
        x.only = r;
    return x;
}

static int ask(struct play *p, struct poll *x)
{
    int flag = 0, index;
    MPI_Status status;
    p->act = x->act;
    if (!x->only) {
        p->outcome.calls++;
        return play_perform_call(p);
    }
    if (x->only->done) {
        p->outcome.unneeded++;
        return 0;
    }
    p->outcome.calls++;
    const int rc = PLAY_OPEN(p, x->any ? MPI_Testany(1, &x->only->handle, &index, &flag, &status)
                          : MPI_Test(&x->only->handle, &flag, &status));
    return play_check(p, rc) < 0 ? -1 : flag ? play_note_done(p, x->only, &status) : 0;
}

/* Returns true if poll X has succeeded. */
static bool is_there(struct play *p, const struct poll *x)
{
    const struct mpg_event *e = &x->act->event;
    uint32_t done = 0;
    if (x->only)
        return x->only->done;
    if (x->act->kind != MPG_KIND_COMPLETE)
        return p->found;
    for (uint32_t i = 0; i < e->request_number; i++) {
        const struct play_request *r = play_find(p, e->requests[i]);
        done += r && r->done && !r->dropped;
    }
    return x->act->plain == MPG_CALL_Testall ? done == e->request_number : done > 0;
}

int play_polls(struct play *p)
{
    const struct mpg_act *run = p->act;
    struct poll poll[256];
    int64_t passes_ns = 0;
    for (uint32_t i = 0; i < run->poll_number; i++)
        poll[i] = prepare(p, &run->polls[i]);
    guard_computes(p);
    for (uint32_t i = 0; i < run->again_number; i++) {
        struct poll *x = &poll[run->again[i].which];
        passes_ns += run->again[i].before_ns > OWN_NS ? run->again[i].before_ns - OWN_NS : 0;
        if (passes_ns >= LEAST_NS) {
            play_open(p);
            p->stage->elapse(p->stage->host, p->thread, (int64_t)mpg_clock_ns(), passes_ns, 0);
            play_close(p);
            passes_ns = 0;
        }
        if (ask(p, x) < 0)
            return -1;
        if (run->again[i].which == run->ender && is_there(p, x)) {
            p->outcome.unneeded += run->again_number - i - 1;
            return 0;
        }
    }
    play_open(p);
    p->stage->elapse(p->stage->host, p->thread, (int64_t)mpg_clock_ns(), passes_ns, 0);
    play_close(p);
    return 0;
}
