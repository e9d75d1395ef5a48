/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which launcher started this process (TAP): a variable of MPICH's launcher counts if it names an open socket. */
#include "common/launcher.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"

static const char *const variables[] = {"PMI_FD", "PMI_RANK", "PMI_PORT", "PMI_SIZE", "OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "PALS_RANKID", "PMIX_RANK"};

/* Returns the launcher's MPI if PMI_FD names FD. */
static enum mpg_mpi with_descriptor(int fd)
{
    char text[16];
    snprintf(text, sizeof text, "%d", fd);
    return setenv("PMI_FD", text, 1) == 0 ? mpg_launcher_mpi() : MPG_MPI_NONE;
}

int main(void)
{
    int sockets[2], ends[2];
    const int file = open("/dev/null", O_RDONLY);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    if (!ok(file >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && pipe(ends) == 0, "descriptors"))
        return done();
    ok(mpg_launcher_mpi() == MPG_MPI_NONE, "no launcher");
    ok(with_descriptor(sockets[0]) == MPG_MPI_MPICH, "PMI_FD names a socket: MPICH's launcher");
    ok(with_descriptor(file) == MPG_MPI_NONE, "PMI_FD names a file: no launcher");
    ok(with_descriptor(ends[0]) == MPG_MPI_NONE, "PMI_FD names a pipe: no launcher");
    close(sockets[0]);
    ok(with_descriptor(sockets[0]) == MPG_MPI_NONE, "PMI_FD names a closed socket: no launcher");
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    ok(with_descriptor(sockets[1]) == MPG_MPI_MPICH, "a socket, and a variable of Open MPI around it: MPICH's launcher");
    ok(with_descriptor(file) == MPG_MPI_OPENMPI, "a file, and a variable of Open MPI: Open MPI's launcher");
    close(sockets[1]);
    close(file);
    close(ends[0]);
    close(ends[1]);
    return done();
}
