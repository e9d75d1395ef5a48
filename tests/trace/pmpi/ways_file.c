/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of tests/trace/pmpi/ways.h (MPI-3.1, chapter 13). */
#include "tests/trace/pmpi/ways.h"

#include <stdio.h>

enum { P = 4, N = 8 };

static int in[N], out[N];
static MPI_Request request;
static MPI_Status status;

#define FILE_0 "file=0,1,2,3/0"

/* Makes the nonblocking CALL and completes it; prints the expected lines with NAME and BYTES. */
#define NONBLOCKING(call, name, bytes)                                             \
    do {                                                                           \
        CHECK((call) == MPI_SUCCESS);                                              \
        say("%s " FILE_0 " bytes=%d request=%d", (name), (bytes), ++last_request); \
        MPI_Wait(&request, &status);                                               \
        say("Wait requests=%d", last_request);                                     \
    } while (0)

static void do_at(MPI_File fh)
{
    const MPI_Offset at = (MPI_Offset)(rank * sizeof out);
    MPI_File_write_at(fh, at, out, N, MPI_INT, &status);
    say("File_write_at " FILE_0 " bytes=32");
    MPI_File_sync(fh);
    say("File_sync " FILE_0);
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
    MPI_File_read_at(fh, at, in, 3, MPI_INT, MPI_STATUS_IGNORE);
    say("File_read_at " FILE_0 " bytes=12");
    CHECK(in[2] == rank);
    MPI_File_write_at_all(fh, at, out, 2, MPI_INT, MPI_STATUS_IGNORE);
    say("File_write_at_all " FILE_0 " bytes=8");
    MPI_File_read_at_all(fh, at, in, 1, MPI_INT, &status);
    say("File_read_at_all " FILE_0 " bytes=4");
    NONBLOCKING(MPI_File_iwrite_at(fh, at, out, 1, MPI_INT, &request),
                "File_iwrite_at", 4);
    NONBLOCKING(MPI_File_iread_at(fh, at, in, 2, MPI_INT, &request),
                "File_iread_at", 8);
    NONBLOCKING(MPI_File_iwrite_at_all(fh, at, out, 1, MPI_INT, &request),
                "File_iwrite_at_all", 4);
    NONBLOCKING(MPI_File_iread_at_all(fh, at, in, 2, MPI_INT, &request),
                "File_iread_at_all", 8);
    MPI_File_write_at_all_begin(fh, at, out, 2, MPI_INT);
    say("File_write_at_all_begin " FILE_0 " bytes=0");
    MPI_File_write_at_all_end(fh, out, &status);
    say("File_write_at_all_end " FILE_0 " bytes=8");
    MPI_File_read_at_all_begin(fh, at, in, 1, MPI_INT);
    say("File_read_at_all_begin " FILE_0 " bytes=0");
    MPI_File_read_at_all_end(fh, in, MPI_STATUS_IGNORE);
    say("File_read_at_all_end " FILE_0 " bytes=4");
}

/* Each rank with its individual file pointer. */
static void do_own_pointers(MPI_File fh)
{
    MPI_File_set_view(fh, (MPI_Offset)(rank * sizeof out), MPI_INT, MPI_INT, "native",
                      MPI_INFO_NULL);
    say("File_set_view " FILE_0);
    MPI_File_write(fh, out, 2, MPI_INT, &status);
    say("File_write " FILE_0 " bytes=8");
    MPI_File_write_all(fh, out, 1, MPI_INT, &status);
    say("File_write_all " FILE_0 " bytes=4");
    MPI_File_seek(fh, 0, MPI_SEEK_SET);
    MPI_File_read(fh, in, 2, MPI_INT, &status);
    say("File_read " FILE_0 " bytes=8");
    MPI_File_read_all(fh, in, 1, MPI_INT, &status);
    say("File_read_all " FILE_0 " bytes=4");
    MPI_File_seek(fh, 0, MPI_SEEK_SET);
    NONBLOCKING(MPI_File_iwrite(fh, out, 1, MPI_INT, &request),
                "File_iwrite", 4);
    NONBLOCKING(MPI_File_iread(fh, in, 1, MPI_INT, &request),
                "File_iread", 4);
    NONBLOCKING(MPI_File_iwrite_all(fh, out, 1, MPI_INT, &request),
                "File_iwrite_all", 4);
    NONBLOCKING(MPI_File_iread_all(fh, in, 1, MPI_INT, &request),
                "File_iread_all", 4);
    MPI_File_seek(fh, 0, MPI_SEEK_SET);
    MPI_File_write_all_begin(fh, out, 3, MPI_INT);
    say("File_write_all_begin " FILE_0 " bytes=0");
    MPI_File_write_all_end(fh, out, &status);
    say("File_write_all_end " FILE_0 " bytes=12");
    MPI_File_seek(fh, 0, MPI_SEEK_SET);
    MPI_File_read_all_begin(fh, in, 3, MPI_INT);
    say("File_read_all_begin " FILE_0 " bytes=0");
    MPI_File_read_all_end(fh, in, &status);
    say("File_read_all_end " FILE_0 " bytes=12");
}

static void do_shared_pointer(MPI_File fh)
{
    MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    say("File_set_view " FILE_0);
    MPI_File_write_shared(fh, out, 2, MPI_INT, &status);
    say("File_write_shared " FILE_0 " bytes=8");
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_read_shared(fh, in, 1, MPI_INT, &status);
    say("File_read_shared " FILE_0 " bytes=4");
    NONBLOCKING(MPI_File_iwrite_shared(fh, out, 1, MPI_INT, &request),
                "File_iwrite_shared", 4);
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    NONBLOCKING(MPI_File_iread_shared(fh, in, 1, MPI_INT, &request),
                "File_iread_shared", 4);
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(fh, out, 1, MPI_INT, &status);
    say("File_write_ordered " FILE_0 " bytes=4");
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(fh, in, 1, MPI_INT, &status);
    say("File_read_ordered " FILE_0 " bytes=4");
    CHECK(in[0] == rank);
    MPI_File_write_ordered_begin(fh, out, 1, MPI_INT);
    say("File_write_ordered_begin " FILE_0 " bytes=0");
    MPI_File_write_ordered_end(fh, out, &status);
    say("File_write_ordered_end " FILE_0 " bytes=4");
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(fh, in, 1, MPI_INT);
    say("File_read_ordered_begin " FILE_0 " bytes=0");
    MPI_File_read_ordered_end(fh, in, &status);
    say("File_read_ordered_end " FILE_0 " bytes=4");
}

void do_files(const char *folder)
{
    MPI_File fh, other;
    char path[4096];
    snprintf(path, sizeof path, "%s/data", folder);
    for (int i = 0; i < N; i++)
        out[i] = rank;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    say("File_open " WORLD " " FILE_0);
    MPI_File_open(MPI_COMM_SELF, "no/such/folder", MPI_MODE_RDONLY, MPI_INFO_NULL, &other);
    say("File_open failed=1");
    MPI_File_set_size(fh, 0);
    say("File_set_size " FILE_0);
    MPI_File_preallocate(fh, P * sizeof out);
    say("File_preallocate " FILE_0);
    MPI_File_set_atomicity(fh, 0);
    say("File_set_atomicity " FILE_0);
    do_at(fh);
    do_own_pointers(fh);
    do_shared_pointer(fh);
    MPI_File_close(&fh);
    CHECK(fh == MPI_FILE_NULL);
    say("File_close " FILE_0);
}
