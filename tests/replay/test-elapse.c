/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that mpgreplay itself needs between calls is a debt, which later computation pays back. The test does not
 * depend on the machine's speed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/ticks.h"
#include "replay/elapse.h"
#include "tests/tap.h"

static const char text[] = "#mpgtext 1\n#ranks 1\n0 0 10 Init\n0 20 30 Finalize\n";

static struct mpg_feed *open_feed(struct mpg_trace **trace)
{
    char path[] = "/tmp/test-elapse-XXXXXX";
    struct mpg_error err = {""};
    const int fd = mkstemp(path);
    *trace = NULL;
    if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
        *trace = mpg_trace_open(path, &err);
    close(fd);
    unlink(path);
    return *trace ? mpg_feed_open(*trace, 0, NULL, 0, 1 << 20, NULL, NULL, &err) : NULL;
}

int main(void)
{
    enum { MS = 1000000 };
    struct mpg_trace *trace;
    struct mpg_elapse e;
    struct mpg_feed *feed = open_feed(&trace);
    if (!feed)
        return 1;
    mpg_elapse_init(&e, feed, NULL, false);
    ok(mpg_elapse(&e, MPG_JUST_NOW, 10, 0) == MPG_JUST_NOW && e.debt_ns == 30,
       "at once: what it takes itself, 40 ns at first, less the 10 that were to pass, is owed");
    mpg_elapse(&e, MPG_JUST_NOW, 40, 500);
    ok(e.debt_ns == 530 && e.late_ns == 530, "so is by how much MPI was called later than it was to be");
    mpg_elapse(&e, MPG_JUST_NOW, 40, -7);
    ok(e.debt_ns == 530, "... which is not paid for by another call's");
    mpg_elapse(&e, MPG_JUST_NOW, 40, 3 * MS);

    const int64_t begin_ns = (int64_t)mpg_clock_ns(), target_ns = begin_ns + 500 * MS; /* in the future */
    const int64_t over_ns = mpg_elapse(&e, begin_ns, 500 * MS, 0), now_ns = (int64_t)mpg_clock_ns();
    ok(e.debt_ns == 0 && e.late_ns == 530 + 3 * MS, "computation pays it back");
    ok(over_ns >= target_ns - 3 * MS - 530 && over_ns <= now_ns, "... and is over by so much earlier, as it says");
    mpg_feed_close(feed);
    mpg_trace_close(trace);
    return done();
}
