/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication in OTF2 archives (TAP): an archive written with libotf2 becomes the text written by hand
 * below. Calls without records, and MPI-IO, keep their times, and a header line has their number and time. Damaged
 * records are refused. Skipped without libotf2. */
#include "config.h"

#include "tests/tap.h"

#ifndef HAVE_OTF2
int main(void)
{
    puts("1..0 # SKIP mpgkit was built without libotf2");
    return 0;
}
#else

#include <unistd.h>

#include "tests/trace/otf2/archive.h"
#include "trace/reader.h"
#include "trace/text/text.h"

static char folder[64];

/* Returns the archive as text, which the caller frees; NULL with ERR. */
static char *text_of(struct mpg_error *err)
{
    char *text = NULL;
    size_t size;
    struct mpg_trace *t = mpg_trace_open(folder, err);
    FILE *out = t ? open_memstream(&text, &size) : NULL;
    const int status = out ? mpg_text_print(t, out, err) : -1;
    if (out)
        fclose(out);
    mpg_trace_close(t);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

static void begin(struct archive *x)
{
    snprintf(folder, sizeof folder, "/tmp/mpgkit-XXXXXX");
    if (!mkdtemp(folder) || !archive_begin(x, folder, "Score-P 8.4"))
        exit(99);
    for (int i = 0; i < RANKS; i++)
        call(x, i, 100, 110, "MPI_Init");
}

/* Ends the archive. Returns it as text; NULL with ERR. */
static char *end(struct archive *x, struct mpg_error *err)
{
    char command[96];
    for (int i = 0; i < RANKS; i++)
        call(x, i, 90000, 90010, "MPI_Finalize");
    if (!archive_end(x, true))
        exit(99);
    char *text = text_of(err);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? text : NULL;
}

/* Writes a collective call on WINDOW, with a record that the window is created (MAKES) or freed (FREES). */
static void collective(struct archive *x, int i, int64_t at, const char *name, uint32_t window, bool makes, bool frees)
{
    enter(x, i, at, name);
    OTF2_EvtWriter_RmaCollectiveBegin(x->w[i], NULL, ticks(x, i, at + 1));
    if (makes)
        OTF2_EvtWriter_RmaWinCreate(x->w[i], NULL, ticks(x, i, at + 2), window);
    if (frees)
        OTF2_EvtWriter_RmaWinDestroy(x->w[i], NULL, ticks(x, i, at + 2), window);
    OTF2_EvtWriter_RmaCollectiveEnd(x->w[i], NULL, ticks(x, i, at + 3), OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS,
                                    window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    leave(x, i, at + 10, name);
}

static void group(struct archive *x, int i, int64_t at, const char *name, uint32_t window, uint32_t members)
{
    enter(x, i, at, name);
    OTF2_EvtWriter_RmaGroupSync(x->w[i], NULL, ticks(x, i, at + 1), OTF2_RMA_SYNC_LEVEL_PROCESS, window, members);
    leave(x, i, at + 10, name);
}

static void put(struct archive *x, int i, int64_t at, const char *name, uint32_t window, uint32_t target, uint64_t bytes)
{
    enter(x, i, at, name);
    OTF2_EvtWriter_RmaPut(x->w[i], NULL, ticks(x, i, at + 1), window, target, bytes, 5);
    leave(x, i, at + 10, name);
}

/* In the pair's window ranks 2 and 0 have the numbers 0 and 1. */
static void write_epochs(struct archive *x)
{
    OTF2_EvtWriter *w = x->w[0];
    for (int i = 0; i < RANKS; i++) {
        collective(x, i, 200, "MPI_Win_create", OF_WORLD, true, false);
        collective(x, i, 220, "MPI_Win_create", FURTHER, true, false);
        collective(x, i, 240, "MPI_Win_fence", OF_WORLD, false, false);
    }
    put(x, 0, 260, "MPI_Put", OF_WORLD, 1, 64);
    enter(x, 0, 280, "MPI_Get");
    OTF2_EvtWriter_RmaGet(w, NULL, ticks(x, 0, 281), OF_WORLD, 2, 32, 6);
    leave(x, 0, 290, "MPI_Get");
    enter(x, 0, 300, "MPI_Accumulate");
    OTF2_EvtWriter_RmaAtomic(w, NULL, ticks(x, 0, 301), OF_WORLD, 2, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, 16, 0, 7);
    leave(x, 0, 310, "MPI_Accumulate");
    for (int i = 0; i < RANKS; i++)
        collective(x, i, 320, "MPI_Win_fence", OF_WORLD, false, false);
    for (int i = 0; i < RANKS; i += 2)
        collective(x, i, 400, "MPI_Win_create", OF_PAIR, true, false);
    group(x, 2, 420, "MPI_Win_post", OF_PAIR, FIRST_ALONE);
    group(x, 2, 440, "MPI_Win_wait", OF_PAIR, FIRST_ALONE);
    group(x, 0, 420, "MPI_Win_start", OF_PAIR, LAST_ALONE);
    put(x, 0, 440, "MPI_Put", OF_PAIR, 0, 8);
    group(x, 0, 460, "MPI_Win_complete", OF_PAIR, LAST_ALONE);
}

static void write_locks(struct archive *x)
{
    OTF2_EvtWriter *w = x->w[0];
    enter(x, 0, 500, "MPI_Win_lock");
    OTF2_EvtWriter_RmaAcquireLock(w, NULL, ticks(x, 0, 505), FURTHER, 1, 3, OTF2_LOCK_EXCLUSIVE);
    leave(x, 0, 510, "MPI_Win_lock");
    put(x, 0, 520, "MPI_Rput", FURTHER, 1, 24);
    enter(x, 0, 540, "MPI_Win_flush");
    OTF2_EvtWriter_RmaSync(w, NULL, ticks(x, 0, 541), FURTHER, 1, OTF2_RMA_SYNC_TYPE_MEMORY);
    OTF2_EvtWriter_RmaOpCompleteBlocking(w, NULL, ticks(x, 0, 549), FURTHER, 5);
    leave(x, 0, 550, "MPI_Win_flush");
    enter(x, 0, 560, "MPI_Win_unlock");
    OTF2_EvtWriter_RmaReleaseLock(w, NULL, ticks(x, 0, 561), FURTHER, 1, 3);
    leave(x, 0, 570, "MPI_Win_unlock");
    for (int i = 0; i < RANKS; i += 2)
        collective(x, i, 600, "MPI_Win_free", OF_PAIR, false, true);
    for (int i = 0; i < RANKS; i++) {
        collective(x, i, 620, "MPI_Win_free", FURTHER, false, true);
        collective(x, i, 640, "MPI_Win_free", OF_WORLD, false, true);
    }
    /* calls about which archives say nothing: a put to MPI_PROC_NULL, a window on MPI_COMM_SELF, files */
    call(x, 0, 1000, 1700, "MPI_Put");
    collective(x, 0, 2000, "MPI_Win_create", OF_SELF, true, false);
    call(x, 0, 3000, 4500, "MPI_File_write");
    call(x, 0, 5000, 6000, "MPI_File_write");
}

static const char facts[] =
    "#fact 0 assumed 2 calls of one-sided communication without records: only their times are read, 0.00071 ms in all\n"
    "#fact 0 assumed 1 one-sided operations with a request: shown as operations without\n"
    "#fact 0 assumed 2 calls of MPI-IO: only their times are read, 0.0025 ms in all\n";

static const char calls[] =
    "0 100 110 Init\n"
    "#comm 0 = 0 1 2\n#window 0 = 0 0\n0 200 210 Win_create comm=0 win=0 bytes=0\n"
    "#window 1 = 0 1\n0 220 230 Win_create comm=0 win=1 bytes=0\n"
    "0 240 250 Win_fence win=0 assert=0\n0 260 270 Put win=0 to=1 bytes=64 recvbytes=0\n"
    "0 280 290 Get win=0 to=2 bytes=0 recvbytes=32\n"
    "0 300 310 Accumulate win=0 to=2 bytes=16 recvbytes=0\n0 320 330 Win_fence win=0 assert=0\n"
    "#comm 1 of 0 = 2 0\n#window 2 = 1 0\n0 400 410 Win_create comm=1 win=2 bytes=0\n"
    "0 420 430 Win_start win=2 group=0\n0 440 450 Put win=2 to=0 bytes=8 recvbytes=0\n0 460 470 Win_complete win=2\n"
    "0 500 510 Win_lock win=1 to=1 exclusive=1\n"
    "0 520 530 Put win=1 to=1 bytes=24 recvbytes=0\n0 540 550 Win_flush win=1 to=1\n"
    "0 560 570 Win_unlock win=1 to=1\n0 600 610 Win_free win=2\n0 620 630 Win_free win=1\n0 640 650 Win_free win=0\n"
    "0 1000 1700 Unknown name=\"MPI_Put\"\n0 2000 2010 Unknown name=\"MPI_Win_create\"\n"
    "0 3000 4500 Unknown name=\"MPI_File_write\"\n0 5000 6000 Unknown name=\"MPI_File_write\"\n0 90000 90010 Finalize\n";

static const char calls_of_last[] =
    "2 400 410 Win_create comm=1 win=2 bytes=0\n2 420 430 Win_post win=2 group=1\n2 440 450 Win_wait win=2\n"
    "2 600 610 Win_free win=2\n";

static void holds(const char *text, const char *part, const char *what)
{
    ok(text && strstr(text, part), "%s", what);
    if (text && !strstr(text, part))
        fprintf(stderr, "# no:\n%s# in:\n%s", part, text);
}

static void test_whole(void)
{
    struct archive x = {.shifted = false};
    struct mpg_error err = {.text = ""};
    begin(&x);
    write_epochs(&x);
    write_locks(&x);
    char *text = end(&x, &err);
    ok(text != NULL, "the archive is read %s", err.text);
    holds(text, facts, "count and time of calls that have no records");
    holds(text, calls, "rank 0's calls by hand");
    holds(text, calls_of_last, "rank 2's calls by hand");
    free(text);
}

static void test_refused(uint32_t window, uint32_t target, uint32_t members, const char *wanted)
{
    struct archive x = {.shifted = false};
    struct mpg_error err = {.text = ""};
    begin(&x);
    if (members != UINT32_MAX)
        group(&x, 0, 200, "MPI_Win_start", window, members);
    else
        put(&x, 0, 200, "MPI_Put", window, target, 8);
    char *text = end(&x, &err);
    ok(!text && strstr(err.text, wanted), "refused: %s", err.text);
    free(text);
}

int main(void)
{
    test_whole();
    test_refused(99, 0, UINT32_MAX, "damaged: window 99 is not defined");
    test_refused(OF_PAIR, 2, UINT32_MAX, "damaged: rank 2 is no member of the communicator of window 21");
    test_refused(OF_WORLD, 0, 77, "damaged: group 77 of a window");
    return done();
}
#endif
