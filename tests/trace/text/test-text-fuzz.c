/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Randomly changed text traces (TAP): each is either refused with a one-line error that names the place, or
 * imported; printing an imported trace and importing the result reproduces the printed text byte for byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/reader.h"
#include "trace/text/text.h"

enum { ROUNDS = 3000, MAX_BYTES = 8192 };

static const char seed[] =
    "#mpgtext 1\n#ranks 3\n#values a b\n#clocks shared\n#host 1 h\n#clock 1 5 7\n"
    "#fact 2 key value\n#died 1.1 Recv 40\n"
    "#module 0 = 00ff \"/a \\\"b\\\" (c)\"\n#site 4 = 0+0x10 ?+0x20\n"
    "#comm 0 = 0 1 2\n#comm 1 of 0 = 0 1\n#comm 2 of 0 instance 3 = 0 1\n#comm 3 = 0 | * 1\n"
    "#window 0 = 1 0\n#file 5 = 1 1\n#topology 0 1 = 1 null > 0 1\n"
    "0 0 1 Init site=4 values=1,2\n"
    "0 2 3 Isend comm=1 to=1 tag=7 bytes=1024 request=1 values=1,2\n"
    "0 4 5 Irecv bytes=8 any=source,tag request=2 values=1,2\n"
    "0 5 5 Region_begin name=\"x \\x07\" values=0,-4\n"
    "0 6 7 Cancel request=2 values=1,2 off=1 off_call=1\n"
    "0 8 9 Waitsome requests=1,2 done=2 cancelled=2 values=1,2\n"
    "0.1 8 12 Recv_init comm=0 bytes=8 any=source,tag persistent=1 values=1,2\n"
    "0.1 13 14 Start persistent=1 requests=4 matched=4:1:9 values=1,2\n"
    "0 16 17 Alltoallv comm=1 bytes=1,2 values=1,2\n"
    "0 17 18 Ibcast comm=3 root=root bytes=9 request=8 values=1,2\n"
    "0 18 19 Neighbor_alltoall comm=1 bytes=3 values=1,2\n"
    "0 20 21 Win_create comm=1 win=0 bytes=64 values=1,2\n"
    "0 21 22 Win_post win=0 group=1,0 values=1,2\n"
    "0 22 23 Rput win=0 to=null bytes=4 recvbytes=5 request=9 values=1,2\n"
    "0 23 24 File_open comm=1 file=5 values=1,2\n"
    "0 24 25 Send failed=1 site=4 values=1,2 off_call=1\n"
    "0 25 26 Improbe from=1 tag=2 bytes=3 message=7 values=1,2\n"
    "0 26 27 Mrecv from=1 bytes=3 message=7 values=1,2\n"
    "0 27 28 Comm_spawn comm=null newcomm=3 values=1,2\n"
    "0 28 29 Pcontrol level=-5 values=1,2\n"
    "1 0 1 Comm_dup comm=1 newcomm=2 values=1,2\n"
    "1 9223372036854 9223372036855 Finalize values=1,2 off=40\n";

static uint64_t state = 4;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* Makes N random changes to TEXT, within MAX_BYTES. Returns the new length. */
static size_t change(char *text, size_t n)
{
    static const char likely[] = "0123456789-=,. \n\"\\#|>*+x_ei";
    size_t at = draw((uint32_t)n), length = 1 + draw(4), from = draw((uint32_t)n);
    if (at + length > n)
        length = n - at;
    if (from + length > n)
        from = n - length;
    switch (draw(5)) {
    case 0: /* replace a byte */
        text[at] = (char)(1 + draw(255));
        return n;
    case 1: /* replace a byte by one with a meaning */
        text[at] = likely[draw(sizeof likely - 1)];
        return n;
    case 2: /* remove some bytes */
        memmove(text + at, text + at + length, n - at - length);
        return n - length;
    case 3: /* insert bytes from another place */
        memmove(text + at, text + from, length);
        return n;
    default: /* repeat some bytes */
        if (n + length > MAX_BYTES)
            return n;
        memmove(text + at + length, text + at, n - at);
        return n + length;
    }
}

static char path[] = "test-text-fuzz.XXXXXX";
static int fd;

/* Returns the printed text of the trace imported from N bytes of TEXT (to be freed), or NULL and ERR. */
static char *there_and_back(char *text, size_t n, struct mpg_error *err)
{
    char *printed = NULL;
    size_t size;
    FILE *in = fmemopen(text, n, "r");
    *err->text = '\0';
    if (!in || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return NULL;
    int status = mpg_text_import(in, "text", NULL, fd, err);
    (void)fclose(in);
    struct mpg_trace *t = status == 0 ? mpg_trace_open(path, err) : NULL;
    FILE *out = t ? open_memstream(&printed, &size) : NULL;
    status = out ? mpg_text_print(t, out, err) : -1;
    if (out)
        (void)fclose(out);
    mpg_trace_close(t);
    if (status == 0)
        return printed;
    free(printed);
    return NULL;
}

int main(void)
{
    static char text[MAX_BYTES + 1];
    struct mpg_error err;
    int refused = 0, read = 0, wrong = 0, silent = 0;
    fd = mkstemp(path);
    memcpy(text, seed, sizeof seed);
    char *first = fd >= 0 ? there_and_back(text, sizeof seed - 1, &err) : NULL;
    if (!ok(first, "the text as it is"))
        printf("# %s\n", err.text);
    free(first);
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = sizeof seed - 1;
        memcpy(text, seed, sizeof seed);
        for (uint32_t i = draw(4) ? 1 : 2; i > 0 && n > 16; i--)
            n = change(text, n);
        char *once = there_and_back(text, n, &err);
        refused += !once;
        silent += !once && (!*err.text || strchr(err.text, '\n'));
        if (!once)
            continue;
        char *twice = there_and_back(once, strlen(once), &err);
        read++;
        if (!twice || strcmp(once, twice) != 0) {
            if (wrong++ == 0)
                printf("# round %d: %s\n", round, twice ? "differs" : err.text);
        }
        free(once);
        free(twice);
    }
    ok(refused > 0 && read > 0 && wrong == 0,
       "changed %d times: %d refused, %d read, %d of them do not come back", ROUNDS, refused, read,
       wrong);
    ok(silent == 0, "whatever is refused is refused in one line (%d not)", silent);
    close(fd);
    unlink(path);
    return done();
}
