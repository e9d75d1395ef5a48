/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form: importing and printing a trace, and importing and printing the result, gives the same text. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "trace/reader.h"
#include "trace/text/text.h"

/* Imports the trace in TEXT, and returns it printed as text again, or NULL if TEXT is refused. */
static char *print_text(const void *text, size_t size, size_t *printed, struct mpg_error *err)
{
    struct mpg_trace *t = mpg_trace_open(fuzz_file(text, size), err);
    char *out = NULL;
    if (!t)
        return NULL;
    FILE *stream = open_memstream(&out, printed);
    int status = stream ? mpg_text_print(t, stream, err) : 0;
    if (!stream || fclose(stream) != 0)
        abort();
    mpg_trace_close(t);
    if (status == 0)
        return out;
    free(out);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    size_t once_size = 0, twice_size = 0;
    if (size < 8 || memcmp(data, "#mpgtext", 8) != 0) /* fuzz_trace.c tests other traces */
        return -1;
    char *once = print_text(data, size, &once_size, &err);
    if (!once) {
        fuzz_check_error(&err);
        return 0;
    }
    char *twice = print_text(once, once_size, &twice_size, &err);
    if (!twice || once_size != twice_size || memcmp(once, twice, once_size) != 0) {
        fprintf(stderr, "printed:\n%.4000s\nand again (%s):\n%.4000s\n", once, err.text,
                twice ? twice : "");
        abort();
    }
    free(once);
    free(twice);
    return 0;
}
