/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload into mpgreplay: simulates an MPI with tags up to 10 only. Used by test-replay-tags.sh, which
 * compiles it for each MPI. */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found)
{
    static int few = 10;
    static int (*next)(MPI_Comm, int, void *, int *);
    if (key == MPI_TAG_UB) {
        *(int **)value = &few;
        *found = 1;
        return MPI_SUCCESS;
    }
    if (!next)
        next = (int (*)(MPI_Comm, int, void *, int *))dlsym(RTLD_NEXT, "PMPI_Comm_get_attr");
    return next(comm, key, value, found);
}
