/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native chunks and segments: opens a trace, reads and prints every event, and computes the sums of stat; also
 * reads the signature in the facts. */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "trace/stat/stat.h"
#include "trace/text/text.h"

static void read_signature(const struct mpg_trace *t, struct mpg_error *err)
{
    struct mpg_stored_signature stored;
    if (!mpg_trace_find_signature(t, &stored))
        return;
    char *text = mpg_trace_read_signature(t, &stored, err);
    if (!text)
        fuzz_check_error(err);
    free(text);
    err->text[0] = '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    struct mpg_trace *t = mpg_trace_open(fuzz_file(data, size), &err);
    if (!t) {
        fuzz_check_error(&err);
        return 0;
    }
    read_signature(t, &err);
    struct stat_summary s;
    if (mpg_text_print(t, fuzz_nowhere(), &err) < 0)
        fuzz_check_error(&err);
    err.text[0] = '\0';
    if (mpg_stat_gather(t, &s, &err) < 0)
        fuzz_check_error(&err);
    mpg_stat_clear(&s);
    mpg_trace_close(t);
    return 0;
}
