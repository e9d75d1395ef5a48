/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives (TAP): archives written with libotf2 from a list of records become the text written by hand below.
 * Archives without messages, without MPI, or with different numbers of sends and receives are refused; damaged ones
 * never crash the process. Skipped without libotf2. */
#include "config.h"

#include "tests/tap.h"

#ifndef HAVE_OTF2
int main(void)
{
    puts("1..0 # SKIP mpgkit was built without libotf2");
    return 0;
}
#else

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/trace/otf2/archive.h"
#include "trace/otf2/otf2.h"
#include "trace/reader.h"
#include "trace/text/text.h"

static char folder[64];

static void new_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/mpgkit-XXXXXX");
    if (!mkdtemp(folder))
        exit(99);
}

static void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        exit(99);
}

/* Returns the archive at PATH as text, which the caller frees; NULL with ERR. */
static char *text_of(const char *path, struct mpg_error *err)
{
    char *text = NULL;
    size_t size;
    struct mpg_trace *t = mpg_trace_open(path, err);
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

/* --- every kind of record --- */

static void send(struct archive *x, int i, int64_t from, int64_t to, uint32_t comm, uint32_t peer, uint32_t tag,
                 uint64_t bytes)
{
    enter(x, i, from, "MPI_Send");
    OTF2_EvtWriter_MpiSend(x->w[i], NULL, ticks(x, i, from), peer, comm, tag, bytes);
    leave(x, i, to, "MPI_Send");
}

static void receive(struct archive *x, int i, int64_t from, int64_t to, uint32_t comm, uint32_t peer, uint32_t tag,
                    uint64_t bytes)
{
    enter(x, i, from, "MPI_Recv");
    OTF2_EvtWriter_MpiRecv(x->w[i], NULL, ticks(x, i, to), peer, comm, tag, bytes);
    leave(x, i, to, "MPI_Recv");
}

static void collective(struct archive *x, int i, int64_t from, int64_t to, const char *name, OTF2_CollectiveOp op, uint32_t comm,
                       uint32_t root, uint64_t sent, uint64_t received)
{
    enter(x, i, from, name);
    OTF2_EvtWriter_MpiCollectiveBegin(x->w[i], NULL, ticks(x, i, from));
    OTF2_EvtWriter_MpiCollectiveEnd(x->w[i], NULL, ticks(x, i, to), op, comm, root, sent, received);
    leave(x, i, to, name);
}

/* Rank 0: two receives that complete in the other order, a reused request number, a failed test, a region, functions, a
 * buffer flush, and a call that waits for an operation without records. */
static void write_first(struct archive *x)
{
    OTF2_EvtWriter *w = x->w[0];
    enter(x, 0, 90, "main");
    call(x, 0, 100, 110, "MPI_Init");
    enter(x, 0, 120, "phase one");
    enter(x, 0, 130, "MPI_Irecv");
    OTF2_EvtWriter_MpiIrecvRequest(w, NULL, ticks(x, 0, 130), 40);
    leave(x, 0, 140, "MPI_Irecv");
    enter(x, 0, 150, "MPI_Irecv");
    OTF2_EvtWriter_MpiIrecvRequest(w, NULL, ticks(x, 0, 150), 41);
    leave(x, 0, 160, "MPI_Irecv");
    enter(x, 0, 170, "MPI_Isend");
    OTF2_EvtWriter_MpiIsend(w, NULL, ticks(x, 0, 170), 1, WORLD, 9, 64, 42);
    leave(x, 0, 180, "MPI_Isend");
    enter(x, 0, 190, "MPI_Test");
    OTF2_EvtWriter_MpiRequestTest(w, NULL, ticks(x, 0, 195), 41);
    leave(x, 0, 200, "MPI_Test");
    enter(x, 0, 210, "MPI_Waitany");
    OTF2_EvtWriter_MpiIrecv(w, NULL, ticks(x, 0, 290), 1, WORLD, 8, 32, 41);
    leave(x, 0, 300, "MPI_Waitany");
    enter(x, 0, 310, "MPI_Waitall");
    OTF2_EvtWriter_MpiIrecv(w, NULL, ticks(x, 0, 390), 1, WORLD, 7, 16, 40);
    OTF2_EvtWriter_MpiIsendComplete(w, NULL, ticks(x, 0, 391), 42);
    leave(x, 0, 400, "MPI_Waitall");
    leave(x, 0, 405, "phase one");
    call(x, 0, 410, 411, "MPI_Send_init");
    enter(x, 0, 420, "MPI_Startall");
    OTF2_EvtWriter_MpiIsend(w, NULL, ticks(x, 0, 421), 0, PAIR, 3, 8, 40);
    OTF2_EvtWriter_MpiIrecvRequest(w, NULL, ticks(x, 0, 422), 41);
    leave(x, 0, 430, "MPI_Startall");
    OTF2_EvtWriter_BufferFlush(w, NULL, ticks(x, 0, 440), ticks(x, 0, 450));
    enter(x, 0, 460, "MPI_Waitall");
    OTF2_EvtWriter_MpiIsendComplete(w, NULL, ticks(x, 0, 470), 40);
    OTF2_EvtWriter_MpiRequestCancelled(w, NULL, ticks(x, 0, 470), 41);
    leave(x, 0, 480, "MPI_Waitall");
    call(x, 0, 490, 500, "MPI_Wait");
    collective(x, 0, 510, 520, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, SELF, OTF2_COLLECTIVE_ROOT_NONE, 4, 4);
    enter(x, 0, 530, "MPI_Sendrecv");
    OTF2_EvtWriter_MpiSend(w, NULL, ticks(x, 0, 531), 0, WORLD, 1, 5);
    OTF2_EvtWriter_MpiRecv(w, NULL, ticks(x, 0, 532), 0, WORLD, 1, 5);
    leave(x, 0, 540, "MPI_Sendrecv");
    leave(x, 0, 545, "main");
}

/* The other ranks, with threads, and sends to and from MPI_PROC_NULL. */
static void write_others(struct archive *x)
{
    call(x, 1, 100, 110, "MPI_Init");
    send(x, 1, 200, 210, WORLD, 0, 8, 32);
    send(x, 1, 220, 230, WORLD, 0, 7, 16);
    receive(x, 1, 240, 250, WORLD, 0, 9, 64);
    call(x, 1, 260, 261, "MPI_Send");
    call(x, 1, 262, 263, "MPI_Recv");
    call(x, RANKS, 300, 310, "MPI_Comm_rank");
    call(x, RANKS + 1, 300, 310, "main");
    call(x, 2, 100, 110, "MPI_Init");
    receive(x, 2, 425, 435, PAIR, 1, 3, 8); /* rank 1 of PAIR is rank 0 of MPI_COMM_WORLD */
    call(x, 2, 440, 445, "MPI_Put");
}

/* Collectives of all 3 ranks, with the sums that Score-P writes for 8 bytes each; the root of Gather uses MPI_IN_PLACE. */
static void write_collectives(struct archive *x)
{
    for (int i = 0; i < RANKS; i++) {
        const uint64_t is_root = i == 1;
        const int64_t at = 600;
        enter(x, i, at, "MPI_Comm_split");
        OTF2_EvtWriter_MpiCollectiveBegin(x->w[i], NULL, ticks(x, i, at));
        if (i != 1)
            OTF2_EvtWriter_CommCreate(x->w[i], NULL, ticks(x, i, at + 5), PAIR);
        OTF2_EvtWriter_MpiCollectiveEnd(x->w[i], NULL, ticks(x, i, at + 6), OTF2_COLLECTIVE_OP_CREATE_HANDLE, WORLD,
                                        OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        leave(x, i, at + 10, "MPI_Comm_split");
        collective(x, i, 620, 630, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, WORLD, 1, 24 * is_root, 8);
        collective(x, i, 640, 650, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 24, 24);
        collective(x, i, 660, 670, "MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 10, 10);
        collective(x, i, 680, 690, "MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, WORLD, OTF2_COLLECTIVE_ROOT_NONE,
                   (uint64_t)(RANKS - i) * 8, (uint64_t)(i + 1) * 8);
        collective(x, i, 700, 710, "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, WORLD, 1, is_root ? 0 : 8, 16 * is_root);
        enter(x, i, 720, "MPI_Iallreduce");
        OTF2_EvtWriter_NonBlockingCollectiveRequest(x->w[i], NULL, ticks(x, i, 720), 99);
        leave(x, i, 730, "MPI_Iallreduce");
        enter(x, i, 740, "MPI_Wait");
        OTF2_EvtWriter_NonBlockingCollectiveComplete(x->w[i], NULL, ticks(x, i, 748), OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD,
                                                     OTF2_COLLECTIVE_ROOT_NONE, 24, 24, 99);
        leave(x, i, 750, "MPI_Wait");
        if (i != 1) {
            enter(x, i, 760, "MPI_Comm_free");
            OTF2_EvtWriter_CommDestroy(x->w[i], NULL, ticks(x, i, 765), PAIR);
            leave(x, i, 770, "MPI_Comm_free");
        }
        call(x, i, 1200, 1210, "MPI_Finalize");
    }
}

static const char collectives_of_all[] = "%d 620 630 Bcast comm=0 root=1 bytes=8\n"
                                         "%d 640 650 Allreduce comm=0 bytes=8\n"
                                         "%d 660 670 Alltoallv comm=0 bytes=4,3,3\n"
                                         "%d 680 690 Scan comm=0 bytes=8\n"
                                         "%d 700 710 Gather comm=0 root=1 bytes=8\n"
                                         "%d 720 730 Iallreduce comm=0 bytes=8 request=%d\n"
                                         "%d 740 750 Wait requests=%d\n";

/* Returns how often the trace, imported with REGIONS, contains PART. The archive has a region "phase one" inside a
 * function "main". */
static int count_with(enum mpg_import_regions regions, const char *part)
{
    const struct mpg_import_config config = {.regions = regions, .overhead_call_ns = -1};
    char target[] = "/tmp/mpgkit-XXXXXX", command[64];
    struct mpg_error err = {.text = ""};
    const int status = mkdtemp(target) ? mpg_otf2_import(folder, target, -1, &config, &err) : -1;
    char *text = status == 0 ? text_of(target, &err) : NULL;
    int n = text ? 0 : -1;
    for (const char *p = text; p && (p = strstr(p, part)); p++)
        n++;
    free(text);
    snprintf(command, sizeof command, "rm -rf %s", target);
    return system(command) == 0 ? n : -1;
}

static void test_regions(void)
{
    static const char phase[] = "Region_begin name=\"phase one\"\n", function[] = "Region_begin name=\"main\"\n",
                      end[] = "Region_end name=\"main\"\n";
    ok(count_with(MPG_REGIONS_USER, phase) == 1 && count_with(MPG_REGIONS_USER, "main") == 0, "regions: those of the user");
    ok(count_with(MPG_REGIONS_ALL, phase) == 1 && count_with(MPG_REGIONS_ALL, function) == 1 &&
           count_with(MPG_REGIONS_ALL, end) == 1, "regions: all functions");
    ok(count_with(MPG_REGIONS_ALL, "Region_begin name=\"MPI") == 0, "... but those of MPI");
    ok(count_with(MPG_REGIONS_NONE, "Region") == 0 && count_with(MPG_REGIONS_NONE, "Waitall") == 2, "regions: none");
}

/* The expected output of mpgtrace print, by hand. */
static void write_wanted(FILE *out)
{
    fputs("#mpgtext 1\n#ranks 3\n#clocks shared\n#fact 0 imported OTF2 3.0.2 Score-P 8.4\n#host 0 alpha\n"
          "#fact 0 untraced MPI_Send_init 1 local\n"
          "#fact 0 assumed 1 sends without a message record: taken as sends to MPI_PROC_NULL\n"
          "#fact 0 assumed 1 receives without a message record: taken as receives from MPI_PROC_NULL\n"
          "#fact 0 assumed 2 starts of persistent requests: shown as nonblocking sends and receives\n"
          "#fact 0 assumed 3 collectives whose bytes are recorded as a sum: spread evenly over the members\n"
          "#fact 0 assumed 1 streams of accelerators: left out, their time is inside the host's calls and computation\n"
          "#fact 0 assumed 1 calls of one-sided communication without records: only their times are read, 5e-06 ms in all\n"
          "#host 1 alpha\n#host 2 beta\n"
          "0 100 110 Init\n0 120 120 Region_begin name=\"phase one\"\n"
          "#comm 0 = 0 1 2\n"
          "0 130 140 Irecv comm=0 from=1 tag=7 bytes=16 request=1\n0 150 160 Irecv comm=0 from=1 tag=8 bytes=32 request=2\n"
          "0 170 180 Isend comm=0 to=1 tag=9 bytes=64 request=3\n0 190 200 Test requests=2 done=\n"
          "0 210 300 Waitany requests=2\n0 310 400 Waitall requests=1,3\n0 405 405 Region_end name=\"phase one\"\n"
          "#comm 1 of 0 = 2 0\n"
          "0 420 430 Isend comm=1 to=0 tag=3 bytes=8 request=4\n"
          "0 430 430 Irecv comm=0 bytes=0 any=source,tag request=5\n"
          "0 440 450 Flush\n0 460 480 Waitall requests=4,5 cancelled=5\n0 490 500 Unknown name=\"MPI_Wait\"\n"
          "#comm 7 = 0\n0 510 520 Allreduce comm=7 bytes=4\n"
          "0 530 540 Sendrecv comm=0 to=0 tag=1 bytes=5 from=0 recvtag=1 recvbytes=5\n"
          "0 600 610 Comm_split comm=0 newcomm=1\n", out);
    fprintf(out, collectives_of_all, 0, 0, 0, 0, 0, 0, 6, 0, 6);
    fputs("0 760 770 Comm_free comm=1\n0 1200 1210 Finalize\n"
          "1 100 110 Init\n1 200 210 Send comm=0 to=0 tag=8 bytes=32\n1 220 230 Send comm=0 to=0 tag=7 bytes=16\n"
          "1 240 250 Recv comm=0 from=0 tag=9 bytes=64\n1 260 261 Send comm=0 to=null tag=0 bytes=0\n"
          "1 262 263 Recv comm=0 from=null tag=0 bytes=0\n1.1 300 310 Comm_rank\n"
          "1 600 610 Comm_split comm=0 newcomm=null\n", out);
    fprintf(out, collectives_of_all, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    fputs("1 1200 1210 Finalize\n2 100 110 Init\n2 425 435 Recv comm=1 from=1 tag=3 bytes=8\n2 440 445 Unknown name=\"MPI_Put\"\n"
          "2 600 610 Comm_split comm=0 newcomm=1\n", out);
    fprintf(out, collectives_of_all, 2, 2, 2, 2, 2, 2, 1, 2, 1);
    fputs("2 760 770 Comm_free comm=1\n2 1200 1210 Finalize\n", out);
}

static void test_whole(void)
{
    struct archive x = {.shifted = false};
    struct mpg_error err = {.text = ""};
    char *wanted = NULL, path[96];
    size_t size;
    if (!archive_begin(&x, folder, "Score-P 8.4"))
        exit(99);
    write_first(&x);
    write_others(&x);
    write_collectives(&x);
    ok(archive_end(&x, true), "libotf2 wrote the archive");
    FILE *out = open_memstream(&wanted, &size);
    write_wanted(out);
    fclose(out);
    char *text = text_of(folder, &err);
    char *version = text ? strstr(text, "OTF2 ") : NULL; /* the version of the libotf2 that wrote the archive */
    if (version && strstr(wanted, "OTF2 "))
        memcpy(strstr(wanted, "OTF2 "), version, strcspn(version, "S"));
    ok(text && strcmp(text, wanted) == 0, "the archive is the text written by hand %s", err.text);
    if (text && strcmp(text, wanted) != 0)
        fprintf(stderr, "# got:\n%s# wanted:\n%s", text, wanted);
    snprintf(path, sizeof path, "%s/traces.otf2", folder);
    char *same = text_of(path, &err);
    ok(text && same && strcmp(text, same) == 0, "its anchor file, too");
    test_regions();
    free(same);
    free(text);
    free(wanted);
}

/* --- clocks, ends, refusals --- */

static void begin_all(struct archive *x, const char *creator)
{
    new_folder();
    if (!archive_begin(x, folder, creator))
        exit(99);
    for (int i = 0; i < RANKS; i++)
        call(x, i, 50, 60, "MPI_Init");
}

static void end_all(struct archive *x, bool has_mpi)
{
    for (int i = 0; i < RANKS; i++)
        call(x, i, 1200, 1210, "MPI_Finalize");
    if (!archive_end(x, has_mpi))
        exit(99);
}

static void check_holds(const char *text, const char *part, const char *what)
{
    ok(text && strstr(text, part), "%s", what);
    if (text && !strstr(text, part))
        fprintf(stderr, "# no '%s' in:\n%s", part, text);
}

/* Rank 2's clock is 5000 ns behind at 100 ns and 5010 ns at 1100 ns, so it loses 10 ns in a microsecond. Its first
 * record is 50 ns before the first measurement: an offset of 5000 - 0.5 ns; its last one 110 ns after the second: 5010
 * + 1.1 ns. Both are truncated to whole ns. */
static void test_clocks(void)
{
    struct archive x = {.shifted = true};
    struct mpg_error err = {.text = ""};
    begin_all(&x, "Score-P 8.4");
    end_all(&x, true);
    char *text = text_of(folder, &err);
    check_holds(text, "#clock 2 -4950 5000\n#clock 2 -4900 5000\n#clock 2 -3900 5010\n#clock 2 -3790 5011\n",
                "offsets of clocks: measured, and extrapolated to the first and last record");
    check_holds(text, "2 -4950 -4940 Init\n", "times stay on the rank's own clock");
    free(text);
    remove_folder();
}

/* Two messages, from 0 to 2 and back. By uncorrected clocks the first arrives 4950 ns before it leaves at 100 ns. */
static void test_arrivals(bool reversed, const char *part, const char *what)
{
    struct archive x = {.shifted = true, .reversed = reversed};
    struct mpg_import_config config = mpg_import_defaults;
    struct mpg_error err = {.text = ""};
    char report[4096] = "", target[80];
    begin_all(&x, "Score-P 8.4");
    send(&x, 0, 100, 110, WORLD, 2, 7, 8);
    receive(&x, 2, 105, 150, WORLD, 0, 7, 8);
    send(&x, 2, 200, 210, WORLD, 0, 8, 8);
    receive(&x, 0, 150, 260, WORLD, 2, 8, 8);
    end_all(&x, true);
    snprintf(target, sizeof target, "%s/t.trace", folder);
    FILE *file = fopen(target, "w+b");
    config.report = tmpfile();
    if (file && config.report && mpg_otf2_import(folder, target, fileno(file), &config, &err) == 0) {
        rewind(config.report);
        report[fread(report, 1, sizeof report - 1, config.report)] = '\0';
    }
    check_holds(report, part, what);
    if (config.report)
        fclose(config.report);
    if (file)
        fclose(file);
    remove_folder();
}

static void test_ends(void)
{
    struct archive x = {.shifted = false};
    struct mpg_error err = {.text = ""};
    new_folder();
    if (!archive_begin(&x, folder, "EZTrace"))
        exit(99);
    for (int i = 0; i < RANKS; i++)
        collective(&x, i, 100, 200, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 24, 24);
    archive_end(&x, true);
    char *text = text_of(folder, &err);
    check_holds(text, "0 100 100 Init\n", "MPI_Init is made if it is missing");
    check_holds(text, "0 200 200 Finalize\n", "MPI_Finalize, too");
    check_holds(text, "assumed 3 ranks without MPI_Finalize: added after the last call\n", "which is said");
    check_holds(text, "0 100 200 Allreduce comm=0 bytes=24\n", "of a tool that does not multiply, bytes stay");
    free(text);
    remove_folder();

    begin_all(&x, "Score-P 8.4");
    call(&x, 0, 1200, 1210, "MPI_Finalize");
    call(&x, 1, 1200, 1210, "MPI_Finalize");
    enter(&x, 2, 900, "MPI_Recv");
    archive_end(&x, true);
    text = text_of(folder, &err);
    check_holds(text, "#died 2 Recv 900\n", "a rank without an end died, in its last call");
    free(text);
    remove_folder();
}

static void check_refusal(const char *part, const char *what)
{
    struct mpg_error err = {.text = ""};
    char *text = text_of(folder, &err);
    ok(!text && strstr(err.text, part) && strncmp(err.text, folder, strlen(folder)) == 0, "refused: %s", what);
    if (text || !strstr(err.text, part))
        fprintf(stderr, "# %s\n", text ? text : err.text);
    free(text);
    remove_folder();
}

static void test_refusals(void)
{
    struct archive x = {.shifted = false};
    struct mpg_error err = {.text = ""};
    begin_all(&x, "APEX 1.2");
    end_all(&x, false);
    check_refusal("an OTF2 archive of APEX 1.2 without MPI", "an archive without MPI");

    begin_all(&x, "Score-P 8.4");
    send(&x, 0, 100, 110, WORLD, 2, 1, 8);
    send(&x, 0, 120, 130, WORLD, 2, 1, 8);
    receive(&x, 2, 100, 140, WORLD, 0, 1, 8);
    end_all(&x, true);
    const struct mpg_import_config lenient = {.lenient = true, .overhead_call_ns = 300};
    char target[] = "/tmp/mpgkit-XXXXXX", command[64];
    const int status = mkdtemp(target) ? mpg_otf2_import(folder, target, -1, &lenient, &err) : -1;
    char *text = status == 0 ? text_of(target, &err) : NULL;
    check_holds(text, "#fact 2 overhead_call_ns 300\n", "--lenient imports it, --overhead-call is a fact");
    free(text);
    snprintf(command, sizeof command, "rm -rf %s", target);
    ok(system(command) == 0, "the trace is a folder");
    check_refusal("rank 0 sends rank 2 2 messages in communicator 0, and 1 are received", "sends and receives that differ");

    begin_all(&x, "Score-P 8.4");
    call(&x, 0, 100, 110, "MPI_Send");
    end_all(&x, true);
    check_refusal("messages were not recorded", "an archive without messages");

    begin_all(&x, "Score-P 8.4");
    send(&x, 0, 100, 110, WORLD, 17, 1, 8);
    end_all(&x, true);
    check_refusal("rank 17 is no member of communicator", "a message to a rank that is not there");

    begin_all(&x, "Score-P 8.4");
    send(&x, 0, 100, 110, 1234, 1, 1, 8);
    end_all(&x, true);
    check_refusal("communicator 1234 is not defined", "an unknown communicator");

    new_folder();
    if (!archive_begin(&x, folder, "Score-P 8.4"))
        exit(99);
    archive_end(&x, true);
    check_refusal("without MPI calls", "an archive without calls");
}

/* --- damage --- */

/* Reads the file PATH into DATA; returns its size. */
static size_t read_file(const char *path, char *data, size_t size)
{
    FILE *in = fopen(path, "rb");
    const size_t n = in ? fread(data, 1, size, in) : 0;
    if (in)
        fclose(in);
    return n;
}

static void write_file(const char *path, const char *data, size_t n)
{
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, n, out) != n || fclose(out) != 0)
        exit(99);
}

/* Imports the archive with FILE cut off at each 97th byte, and then with changed bytes. Returns whether each import
 * ended with success or an error message; counts errors. */
static bool damage(const char *file, int *errors)
{
    static char data[1 << 20], changed[1 << 20];
    char path[128];
    uint32_t state = 1;
    bool good = true;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const size_t n = read_file(path, data, sizeof data);
    for (size_t i = 0; good && n > 0 && i < n + 97 * 12; i += 97) {
        struct mpg_error err = {.text = ""};
        memcpy(changed, data, n);
        for (int k = 0; i >= n && k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            changed[(state >> 8) % n] ^= (char)(1 << (state >> 29));
        }
        write_file(path, changed, i < n ? i : n);
        char *text = text_of(folder, &err);
        good = text || *err.text;
        *errors += !text;
        free(text);
    }
    write_file(path, data, n);
    return good && n > 0;
}

static void test_damage(void)
{
    static const char *const files[] = {"traces.otf2", "traces.def", "traces/0.evt", "traces/0.def", "traces/2.evt"};
    int errors = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        ok(damage(files[i], &errors), "damaged %s: an error, or a trace", files[i]);
    ok(errors > 20, "most damage is an error: %d", errors);
}

int main(void)
{
    new_folder();
    test_whole();
    test_damage();
    remove_folder();
    test_clocks();
    test_arrivals(false, "clocks measured; 0 of 2 messages arrive before they left (1 without the offsets)\n",
                  "messages that arrive before they left, with and without offsets");
    test_arrivals(true, "assumed: 1 messages arrive before they left: the archive's clock offsets do not make them fewer\n",
                  "offsets of the wrong sign");
    test_ends();
    test_refusals();
    return done();
}
#endif
