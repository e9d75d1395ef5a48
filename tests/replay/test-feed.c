/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversion of a rank's events to the calls that mpgreplay makes, and the time before each call. Expected values by
 * hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/feed.h"
#include "replay/survey.h"
#include "tests/tap.h"

static const char text[] =
    "#mpgtext 1\n"
    "#ranks 2\n"
    "#clocks shared\n"
    "#fact 0 overhead_call_ns 61.3\n"
    "#fact 0 overhead_sum_ns 34.87\n"
    "0 0 1000 Init\n"
    "0 1400 1400 Region_begin name=\"a\"\n"
    "0 2000 2100 Barrier\n"
    "0 2200 2300 Comm_rank\n"
    "0 40000 40000 Wtime calls=1000 time=20000 least=15 most=90\n"
    "0 41000 45000 Flush\n"
    "0 100000 100050 Barrier\n"
    "0 100200 100900 Send failed=1\n"
    "0 101000 101000 Region_end name=\"a\"\n"
    "0 101160 101200 Finalize\n"
    "1 0 1000 Init\n"
    "1 1100 1100 Region_begin name=\"a\"\n"
    "1 3100 3200 Barrier\n"
    "1 6200 6250 Barrier\n"
    "1 7250 7250 Region_end name=\"a\"\n"
    "1 8250 8300 Finalize\n";

struct expected {
    enum mpg_call call;
    uint64_t number;
    double before_ns;
};

/* A mark or call has an overhead of 61.3 in the time before it. Barrier: 1000 - 2 x 61.3, minus the 339 before the
 * mark; the next one: 97900 minus the flush, minus 2 x 61.3 + 1000 x 34.87. The failed Send counts as computation: the
 * 150 - 61.3 before it, and its own 700. */
static const struct expected rank0[] = {{MPG_CALL_Region_begin, 1, 339},
                                        {MPG_CALL_Barrier, 1, 538},
                                        {MPG_CALL_Barrier, 3, 58907},
                                        {MPG_CALL_Region_end, 5, 828},
                                        {MPG_CALL_Finalize, 5, 98}};
/* A hypothesis multiplies computation in the region by 2.385. */
static const struct expected scaled[] = {{MPG_CALL_Region_begin, 1, 338.7},
                                         {MPG_CALL_Barrier, 1, 538.7 * 2.385},
                                         {MPG_CALL_Barrier, 3, 58907.4 * 2.385},
                                         {MPG_CALL_Region_end, 5, 88.7 * 2.385 + 700 + 38.7 * 2.385},
                                         {MPG_CALL_Finalize, 5, 98}};
/* A hypothesis balances the region: rank 1 computes for 2000 + 3000 + 1000 = 6000, rank 0 for 538.7 + 58907.4 + 88.7 +
 * 38.7 = 59573.5; then each for 32786.75. */
static const struct expected balanced[] = {{MPG_CALL_Region_begin, 1, 100},
                                           {MPG_CALL_Barrier, 1, 2000 * (32786.75 / 6000)},
                                           {MPG_CALL_Barrier, 2, 3000 * (32786.75 / 6000)},
                                           {MPG_CALL_Region_end, 3, 1000 * (32786.75 / 6000)},
                                           {MPG_CALL_Finalize, 3, 1000}};
enum { ACTS = sizeof rank0 / sizeof *rank0 };

static struct mpg_trace *open_text(const char *lines, struct mpg_error *err)
{
    char path[] = "/tmp/test-feed-XXXXXX";
    const int fd = mkstemp(path);
    struct mpg_trace *t = NULL;
    if (fd >= 0 && write(fd, lines, strlen(lines)) == (ssize_t)strlen(lines))
        t = mpg_trace_open(path, err);
    close(fd);
    unlink(path);
    return t;
}

/* Returns whether the first actions of RANK are WANTED, with times within WITHIN_NS, if the feed may use MEMORY bytes.
 * LINE: a hypothesis, or NULL. */
static bool gives(int32_t rank, const char *line, size_t memory, const struct expected *wanted, double within_ns)
{
    struct mpg_error err = {""};
    struct mpg_hypotheses h = {0};
    struct mpg_bound_hypotheses *supposed = NULL;
    bool right = true;
    struct mpg_trace *t = open_text(text, &err);
    if (t && line && mpg_hypotheses_add(&h, line, &err) == 0)
        supposed = mpg_bound_new(t, &h, &err);
    struct mpg_feed *f = t && (supposed || !line) ? mpg_feed_open(t, rank, NULL, 0, memory, supposed, NULL, &err) : NULL;
    const bool is_read = memory > 1; /* if there is enough memory, the whole rank is read before the first action */
    int64_t after_ns = MPG_NOT_READ; /* time after the previous action, as it announced it */
    while (f && is_read && mpg_feed_fill(f)) {
    }
    for (int i = 0; f && i < ACTS; i++) {
        const struct mpg_action *action = mpg_feed_next(f, &err);
        right = right && (after_ns == MPG_NOT_READ ? !is_read || i == 0 : action && action->before_ns == after_ns);
        after_ns = action ? action->after_ns : MPG_NOT_READ;
        if (!action || action->event.call != wanted[i].call || action->number != wanted[i].number ||
            fabs((double)action->before_ns - wanted[i].before_ns) > within_ns) {
            printf("# action %d: %s %llu after %lld\n", i, action ? mpg_call_name(action->event.call) : err.text,
                   action ? (unsigned long long)action->number : 0, action ? (long long)action->before_ns : 0);
            right = false;
            break;
        }
    }
    right = right && f && after_ns == MPG_NOT_READ && !mpg_feed_next(f, &err);
    if (!f)
        printf("# %s\n", err.text);
    mpg_feed_close(f);
    mpg_bound_free(supposed);
    mpg_hypotheses_clear(&h);
    mpg_trace_close(t);
    return right;
}

/* Returns whether a long trace can be read with little memory. */
static bool streams(void)
{
    enum { CALLS = 20000, LINE = 80 };
    struct mpg_error err = {""};
    char *long_text = malloc((CALLS + 4) * LINE), *end = long_text;
    bool right = long_text != NULL;
    if (!long_text)
        return false;
    end += sprintf(end, "#mpgtext 1\n#ranks 1\n0 0 10 Init\n");
    for (int i = 1; i <= CALLS; i++)
        end += sprintf(end, "0 %d %d Send to=null bytes=%d\n", 100 * i, 100 * i + 7, i);
    sprintf(end, "0 %d %d Finalize\n", 100 * CALLS + 100, 100 * CALLS + 107);
    struct mpg_trace *t = open_text(long_text, &err);
    struct mpg_feed *f = t ? mpg_feed_open(t, 0, NULL, 0, 1, NULL, NULL, &err) : NULL;
    for (int i = 1; right && i <= CALLS; i++) {
        const struct mpg_action *action = f ? mpg_feed_next(f, &err) : NULL;
        right = action && action->event.bytes == i && action->before_ns == (i == 1 ? 90 : 93);
        if (i % 3 == 0)
            mpg_feed_fill(f);
    }
    right = right && mpg_feed_next(f, &err)->event.call == MPG_CALL_Finalize;
    mpg_feed_close(f);
    mpg_trace_close(t);
    free(long_text);
    return right;
}

/* Returns whether ACTION is a run of N polls, with these numbers and times before each, and whether SUCCESS of its last
 * one is right. */
static bool is_run(const struct mpg_action *action, uint32_t n, const int *which, const int *ns, int success)
{
    bool right = action && action->repetition_number == n && action->success == success;
    for (uint32_t i = 0; right && i < n; i++)
        right = action->repetition[i].which == which[i] && action->repetition[i].before_ns == ns[i];
    return right;
}

static bool runs(void)
{
    static const char lines[] =
        "#mpgtext 1\n#ranks 1\n"
        "0 0 10 Init\n"
        "0 20 30 Irecv from=0 bytes=1 request=1\n"
        "0 40 50 Irecv from=0 bytes=1 request=2\n"
        "0 60 70 Test requests=1 done=\n"
        "0 80 90 Testany requests=1,2 done=\n"
        "0 103 110 Test requests=1 done=\n"
        "0 125 130 Testany requests=1,2 done=\n"
        "0 147 150 Test requests=1 done=\n"
        "0 10151 10160 Test requests=1 done=\n"
        "0 10170 10180 Testall requests=1,2 done=\n"
        "0 10191 10200 Test requests=1 done=\n"
        "0 10300 10310 Testall requests=1,2\n"
        "0 20000 20010 Finalize\n";
    static const int first[] = {0, 1, 0}, first_ns[] = {13, 15, 17}, second[] = {0}, second_ns[] = {11};
    struct mpg_error err = {""};
    struct mpg_trace *t = open_text(lines, &err);
    struct mpg_feed *f = t ? mpg_feed_open(t, 0, NULL, 0, 1 << 20, NULL, NULL, &err) : NULL;
    bool right = f != NULL;
    for (int i = 0; right && i < 4; i++)
        right = mpg_feed_next(f, &err)->repetition_number == 0;
    const struct mpg_action *action = right ? mpg_feed_next(f, &err) : NULL;
    right = is_run(action, 3, first, first_ns, -1) && action->number == 5 && action->polls[1].event.requests[1] == 2;
    action = right ? mpg_feed_next(f, &err) : NULL; /* more than 10 us after the previous poll: an action of its own */
    right = right && action->repetition_number == 0 && action->before_ns == 10001 && action->event.call == MPG_CALL_Test;
    right = right && mpg_feed_next(f, &err)->event.call == MPG_CALL_Testall;
    right = right && is_run(mpg_feed_next(f, &err), 1, second, second_ns, 1);
    action = right ? mpg_feed_next(f, &err) : NULL;
    right = right && action->event.done_all && action->before_ns == 100 && action->number == 11;
    mpg_feed_close(f);
    mpg_trace_close(t);
    return right;
}

static bool needs(void)
{
    static const char lines[] =
        "#mpgtext 1\n#ranks 2\n"
        "0 0 10 Init_thread\n"
        "0 20 30 Bsend to=1 bytes=100\n"
        "0 40 50 Bsend_init to=1 bytes=33 persistent=1\n"
        "0 60 70 Start persistent=1 requests=2\n"
        "0 80 90 Wait requests=2\n"
        "0 100 110 Alltoallv bytes=5,7\n"
        "0 120 130 Allgather bytes=1000\n"
        "0 140 150 Alltoallv bytes=2,4\n"
        "0 160 170 Recv from=1 bytes=1500 any=tag\n"
        "0 2000 2010 Finalize\n"
        "1 0 10 Init\n1 20 30 Finalize\n";
    struct mpg_error err = {""};
    struct mpg_needs n = {0};
    int64_t traced_ns = 0;
    struct mpg_trace *t = open_text(lines, &err);
    bool right = t && mpg_survey(t, 0, NULL, &n, &traced_ns, &err) == 0 && traced_ns == 1990 && n.init_thread && n.threads == 1 &&
                 n.wildcards && n.message_bytes == 100 && n.receive_bytes == 2000 && n.send_bytes == 1000 &&
                 n.buffered == 2 && n.buffered_bytes == 133 && n.comms > 0;
    const struct mpg_contributions *each = right ? &n.contributions[0][MPG_CONTRIBUTION_PER_PEER] : NULL;
    right = right && each->calls == 2 && each->width == 2 && each->bytes[0] == 5 && each->bytes[1] == 7 &&
            each->bytes[2] == 2 && each->bytes[3] == 4;
    mpg_needs_clear(&n);
    right = right && mpg_survey(t, 1, NULL, &n, &traced_ns, &err) == 0 && traced_ns == 10 && !n.init_thread;
    mpg_needs_clear(&n);
    mpg_trace_close(t);
    return right;
}

int main(void)
{
    ok(gives(0, NULL, 1 << 20, rank0, 0), "calls, and the computation before each, without the tracer's part");
    ok(gives(0, NULL, 1, rank0, 0), "... with next to no memory");
    ok(gives(0, "scale a factor=2.385", 1 << 20, scaled, 2), "a region that is scaled");
    ok(gives(1, "balance a", 1 << 20, balanced, 2), "a region that is balanced");
    ok(streams(), "a long trace through little memory");
    ok(runs(), "what is asked again and again");
    ok(needs(), "what a rank's events need");
    return done();
}
