/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds traces by the library (TAP): definitions, header lines and events by label give the text of mpgtext(5) written
 * by hand below, whether the ranks' streams are written at the same time or spooled. Wrong definitions are refused. An
 * imported trace can be opened again without its file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trace/build/build.h"
#include "trace/reader.h"
#include "trace/store/spool.h"
#include "trace/text/text.h"

/* Returns the text of the trace in the open file FD, which is closed; the caller frees it. NULL with ERR on errors. */
static char *print(int fd, struct mpg_error *err)
{
    char path[64], *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct mpg_trace *t = mpg_trace_open(path, err);
    FILE *out = t ? open_memstream(&text, &size) : NULL;
    const int status = out ? mpg_text_print(t, out, err) : -1;
    if (out)
        fclose(out);
    mpg_trace_close(t);
    close(fd);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

static const char wanted[] = "#mpgtext 1\n#ranks 3\n"
                             "#values a b\n#clocks shared\n#fact 1 key some value\n"
                             "#module 0 = 0aff \"/bin/x\"\n#site 0 = 0+0x10 ?+0x7\n#comm 0 = 0 1 2\n"
                             "0 5 6 Send comm=0 to=2 tag=7 bytes=100 site=0 values=1,-2\n"
                             "#comm 9 of 0 instance 3 = 2 0\n#window 0 = 9 0\n"
                             "0 8 9 Win_create comm=9 win=0 bytes=64 values=0,0\n"
                             "#file 0 = 9 4\n0 9 10 File_open comm=9 file=0 values=0,0\n"
                             "0 11 13 Waitsome requests=1,2,3 done=3,1 cancelled=1 values=5,6 off=1 off_call=2\n"
                             "0 13 13 Region_begin name=\"one\" values=0,0\n"
                             "#topology 0 9 = 1 null > 0\n0 14 15 Neighbor_alltoallv comm=9 bytes=8 values=0,0\n"
                             "0 16 16 Region_end name=\"one\" values=0,0\n"
                             "0 17 18 Alltoallv comm=9 bytes=1,2 values=0,0\n"
                             "0 20 21 Start persistent=1 requests=4 values=0,0\n"
                             "2.3 1 2 Unknown name=\"MPIX_Some\" values=0,0\n";

static int define(struct mpg_build *b, struct mpg_error *err)
{
    static const int32_t members[] = {2, 0}, neighbours[] = {1, MPG_PROC_NULL, 0};
    static const uint8_t id[] = {0x0a, 0xff};
    static const struct mpg_frame frames[] = {{5, 0x10}, {-1, 7}};
    const struct mpg_build_comm comm = {.label = 9, .parent = 0, .instance = 3, .size = 2, .members = members};
    return mpg_build_fact(b, -1, "values", "a b", err) < 0 || mpg_build_fact(b, -1, "clocks", "shared", err) < 0 ||
                   mpg_build_fact(b, 1, "key", "some value", err) < 0 || mpg_build_comm(b, &comm, err) < 0 ||
                   mpg_build_module(b, 5, id, 2, "/bin/x", err) < 0 || mpg_build_site(b, 70, 2, frames, err) < 0 ||
                   mpg_build_object(b, MPG_OBJECT_WINDOW, 8, 9, 0, err) < 0 ||
                   mpg_build_object(b, MPG_OBJECT_FILE, 8, 9, 4, err) < 0 ||
                   mpg_build_topology(b, 0, 9, 2, 1, neighbours, err) < 0
               ? -1
               : 0;
}

/* Adds the events of WANTED, beginning with the last rank. */
static int add_events(struct mpg_build *b, struct mpg_error *err)
{
    static const int64_t zeros[2], values[] = {1, -2}, more[] = {5, 6}, requests[] = {1, 2, 3}, finished[] = {3, 1}, one[] = {1},
                         started[] = {4}, counts[] = {1, 2};
    const struct mpg_event none = {.newcomm = MPG_NO_COMM, .object = MPG_NO_OBJECT, .site = MPG_NO_SITE, .value_number = 2,
                                   .values = zeros};
    struct mpg_event e[10];
    for (int i = 0; i < 10; i++)
        e[i] = none;
#define SET(i, ENTER, LEAVE, CALL) e[i].enter_ns = ENTER, e[i].leave_ns = LEAVE, e[i].call = MPG_CALL_##CALL
    SET(0, 1, 2, Unknown), e[0].thread = 3;
    SET(1, 5, 6, Send), e[1].to = 2, e[1].tag = 7, e[1].bytes = 100, e[1].site = 70, e[1].values = values;
    SET(2, 8, 9, Win_create), e[2].comm = 9, e[2].object = 8, e[2].bytes = 64;
    SET(3, 9, 10, File_open), e[3].comm = 9, e[3].object = 8;
    SET(4, 11, 13, Waitsome), e[4].requests = requests, e[4].request_number = 3, e[4].done = finished, e[4].done_number = 2;
    e[4].cancelled = one, e[4].cancelled_number = 1, e[4].values = more, e[4].off_before_ns = 1, e[4].off_in_ns = 2;
    SET(5, 13, 13, Region_begin);
    SET(6, 14, 15, Neighbor_alltoallv), e[6].comm = 9, e[6].bytes = 8;
    SET(7, 16, 16, Region_end);
    SET(8, 17, 18, Alltoallv), e[8].comm = 9, e[8].counts = counts, e[8].count_number = 2;
    SET(9, 20, 21, Start), e[9].persistent = one, e[9].requests = started, e[9].request_number = 1;
#undef SET
    for (int i = 0; i < 10; i++)
        if (mpg_build_event(b, i == 0 ? 2 : 0, &e[i], i == 0 ? "MPIX_Some" : "one", err) < 0)
            return -1;
    return 0;
}

static void test_whole(const char *how)
{
    struct mpg_error err = {.text = ""};
    const int fd = mpg_spool_file(&err);
    struct mpg_build *b = fd >= 0 ? mpg_build_begin(3, "a trace", fd, &err) : NULL;
    const bool good = b && define(b, &err) == 0 && add_events(b, &err) == 0 && mpg_build_end(b, &err) == 0;
    mpg_build_free(b);
    char *text = good ? print(fd, &err) : NULL;
    ok(text && strcmp(text, wanted) == 0, "%s: the trace is the text written by hand%s%s", how, text ? "" : ": ", err.text);
    if (text && strcmp(text, wanted) != 0)
        fprintf(stderr, "# got:\n%s", text);
    free(text);
}

/* If only one stream can be open, the others are spooled: import to a folder, rank after rank. */
static void test_spooled(void)
{
    char folder[] = "/tmp/mpgkit-XXXXXX", command[96];
    struct rlimit kept, few;
    struct mpg_error err = {.text = ""};
    if (!mkdtemp(folder) || getrlimit(RLIMIT_NOFILE, &kept) < 0)
        return;
    few = kept;
    few.rlim_cur = 7; /* a quarter of these may be used: one stream */
    setrlimit(RLIMIT_NOFILE, &few);
    struct mpg_build *b = mpg_build_begin(3, folder, -1, &err);
    const bool good = b && define(b, &err) == 0 && add_events(b, &err) == 0 && mpg_build_end(b, &err) == 0;
    mpg_build_free(b);
    setrlimit(RLIMIT_NOFILE, &kept);
    struct mpg_trace *t = good ? mpg_trace_open(folder, &err) : NULL;
    char *text = NULL;
    size_t size;
    FILE *out = t ? open_memstream(&text, &size) : NULL;
    const int status = out ? mpg_text_print(t, out, &err) : -1;
    if (out)
        fclose(out);
    mpg_trace_close(t);
    ok(status == 0 && strcmp(text, wanted) == 0, "spooled: the trace is the text written by hand %s", status ? err.text : "");
    free(text);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ok(system(command) == 0, "its files are in the folder");
}

static void refuse(const struct mpg_build_comm *comm, const char *wanted_error)
{
    struct mpg_error err = {.text = ""};
    static const int32_t members[] = {0, 1};
    const struct mpg_build_comm first = {.label = 1, .parent = 0, .instance = -1, .size = 2, .members = members};
    struct mpg_build *b = mpg_build_begin(3, "/nowhere", -1, &err);
    const int status = mpg_build_comm(b, &first, &err) < 0 ? 0 : mpg_build_comm(b, comm, &err);
    ok(status < 0 && strcmp(err.text, wanted_error) == 0, "refused: %s", wanted_error);
    mpg_build_free(b);
}

static void test_refusals(void)
{
    static const int32_t twice[] = {0, 1, 0}, beyond[] = {0, 3}, same[] = {0, 1};
    refuse(&(struct mpg_build_comm){.label = 2, .parent = 0, .instance = -1, .size = 3, .members = twice},
           "rank 0 is twice in communicator 2");
    refuse(&(struct mpg_build_comm){.label = 2, .parent = 0, .instance = -1, .size = 2, .members = beyond},
           "rank 3 in communicator 2 is not from 0 to 2");
    refuse(&(struct mpg_build_comm){.label = 2, .parent = 7, .instance = -1, .size = 2, .members = same},
           "communicator 7 is not defined");
    refuse(&(struct mpg_build_comm){.label = 2, .parent = 0, .instance = 0, .size = 2, .members = same},
           "communicators 1 and 2 are the same: their 'instance' must tell them apart");
    refuse(&(struct mpg_build_comm){.label = 1, .parent = 1, .instance = -1, .size = 2, .members = same},
           "communicator 1 is defined twice");
    refuse(&(struct mpg_build_comm){.label = 2, .parent = 0, .instance = -1, .size = 0, .members = same},
           "communicator 2 has no members");
    struct mpg_error err = {.text = ""};
    ok(!mpg_build_begin(0, "/nowhere", -1, &err) && *err.text, "refused: no ranks");
    ok(!mpg_build_begin(MPG_BUILD_MAX_RANKS + 1, "/nowhere", -1, &err) && *err.text, "refused: too many ranks");
}

/* Reads all events of rank 0 of T; returns their number, 0 after an error. */
static int count(struct mpg_trace *t)
{
    struct mpg_error err;
    struct mpg_event e;
    struct mpg_cursor *c = mpg_cursor_open(t, 0, &err);
    int n = 0, more = -1;
    while (c && (more = mpg_cursor_next(c, &e, &err)) > 0)
        n++;
    mpg_cursor_close(c);
    return more == 0 ? n : 0;
}

static void test_again(void)
{
    char path[] = "/tmp/mpgkit-XXXXXX";
    struct mpg_error err = {.text = ""};
    const int fd = mkstemp(path);
    static const char text[] = "#mpgtext 1\n#ranks 1\n0 0 1 Init\n0 2 3 Comm_rank\n0 4 5 Finalize\n";
    const bool written = fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)(sizeof text - 1);
    struct mpg_trace *first = written ? mpg_trace_open(path, &err) : NULL;
    close(fd);
    unlink(path);
    struct mpg_trace *second = first ? mpg_trace_open_again(first, &err) : NULL;
    struct mpg_trace *third = second ? mpg_trace_open_again(second, &err) : NULL;
    ok(third, "an imported trace is opened again after its file is gone%s", err.text);
    ok(first && count(first) == 3 && second && count(second) == 3, "both have all events");
    mpg_trace_close(first);
    mpg_trace_close(second);
    ok(third && count(third) == 3, "the third has them after the others are closed");
    mpg_trace_close(third);
}

int main(void)
{
    test_whole("written at once");
    test_spooled();
    test_refusals();
    test_again();
    return done();
}
