/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cached results of mpgsim's first pass over a trace: progress, minimum message times, compute-interval classes.
 * Storing loaded results again gives the same results. Loading adds the callsites of the cache to the trace, so each input gets a
 * newly opened trace. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "simulate/evaluate/prepass/floors.h"
#include "simulate/evaluate/prepass/classes.h"
#include "simulate/passes/pass.h"
#include "tests/fuzz/fuzz.h"
#include "trace/text/text.h"

static const char text[] = "#mpgtext 1\n#ranks 2\n#host 0 a\n#host 1 b\n"
                           "0 0 1 Init\n1 0 1 Init\n0 2 3 Finalize\n1 2 3 Finalize\n";

/* Returns the trace, imported by the first call into a file in memory. */
static struct mpg_trace *open_trace(void)
{
    static char name[64];
    struct mpg_error err;
    if (!*name) {
        const int fd = memfd_create("trace", MFD_CLOEXEC);
        FILE *in = fmemopen((char *)text, sizeof text - 1, "r");
        if (fd < 0 || !in || mpg_text_import(in, "the text", "the trace", fd, &err) < 0 || fclose(in) != 0)
            abort();
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    }
    struct mpg_trace *t = mpg_trace_open(name, &err);
    if (!t)
        abort();
    return t;
}

/* Reads a cached result from DATA. If it is complete, stores it again in KEPT. */
static void keep_again(struct mpg_trace *t, const uint8_t *data, size_t size,
                       struct mpg_bytes *kept)
{
    struct mpg_bytes_left left = {data, data + size, false};
    struct mpg_perturbation p = {.source_noise = {.cores = 2}};
    const struct mpg_floor_options options = {.knows_waits = true};
    struct mpg_passed passed;
    struct mpg_error err;
    struct mpg_floors *floors = mpg_floors_new(t, &options, &err);
    struct mpg_classes *classes = mpg_classes_new(&p, NULL, &err); /* never finished */
    if (floors && classes && mpg_passed_get(&left, &passed) == 0 &&
        mpg_floors_get(&left, floors) == 0 &&
        (left.p == left.end || mpg_classes_get(&left, classes, t) == 0)) {
        mpg_passed_put(kept, &passed);
        mpg_floors_put(kept, floors);
        mpg_classes_put(kept, classes, t);
        if (mpg_floors_finish(floors, &err) == 0)
            (void)mpg_floor_message(floors, 0, 1, 100);
    }
    mpg_floors_free(floors);
    mpg_classes_free(classes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_bytes first = {0}, second = {0};
    struct mpg_trace *t = open_trace();
    keep_again(t, data, size, &first);
    if (first.size > 0)
        keep_again(t, first.data, first.size, &second);
    if (first.size != second.size ||
        (first.size > 0 && memcmp(first.data, second.data, first.size) != 0))
        abort();
    mpg_bytes_clear(&first);
    mpg_bytes_clear(&second);
    mpg_trace_close(t);
    return 0;
}
