/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `use mpi_f08` (MPI-3.1, section 17.1): the entry points of its own that Open MPI
 * gives it, handed on to those of mpif.h.
 *
 * Both take the same addresses, since an MPI_F08 handle is one INTEGER and a
 * status is laid out as C's; only the last argument differs, which the program
 * may leave out. */
#include "trace/pmpi/fortran.h"

#define A1 void *a
#define A2 A1, void *b
#define A3 A2, void *c
#define A4 A3, void *d
#define A5 A4, void *e
#define A6 A5, void *f
#define A7 A6, void *g
#define A8 A7, void *h
#define A9 A8, void *i
#define A10 A9, void *j
#define A12 A10, void *k, void *l

/* NAME of mpif.h with PARAMETERS and, always last, the error. */
#define F08(name, parameters, ...)                                                            \
    extern void mpi_##name##_(parameters, void *error);                                       \
    __attribute__((visibility("default"))) void mpi_##name##_f08_(parameters, void *error)    \
    {                                                                                         \
        F unasked;                                                                            \
        mpi_##name##_(__VA_ARGS__, error ? error : &unasked);                                 \
    }
#define F08_1(name) F08(name, A1, a)
#define F08_2(name) F08(name, A2, a, b)
#define F08_3(name) F08(name, A3, a, b, c)
#define F08_4(name) F08(name, A4, a, b, c, d)
#define F08_5(name) F08(name, A5, a, b, c, d, e)
#define F08_6(name) F08(name, A6, a, b, c, d, e, f)
#define F08_7(name) F08(name, A7, a, b, c, d, e, f, g)
#define F08_8(name) F08(name, A8, a, b, c, d, e, f, g, h)
#define F08_9(name) F08(name, A9, a, b, c, d, e, f, g, h, i)
#define F08_12(name) F08(name, A12, a, b, c, d, e, f, g, h, i, j, k, l)

extern void mpi_init_(void *error);
extern void mpi_finalize_(void *error);

__attribute__((visibility("default"))) void mpi_init_f08_(void *error)
{
    F unasked;
    mpi_init_(error ? error : &unasked);
}

__attribute__((visibility("default"))) void mpi_finalize_f08_(void *error)
{
    F unasked;
    mpi_finalize_(error ? error : &unasked);
}

F08_2(init_thread)
F08_2(abort)
F08_6(send)
F08_6(ssend)
F08_6(bsend)
F08_6(rsend)
F08_7(recv)
F08_12(sendrecv)
F08_9(sendrecv_replace)
F08_7(isend)
F08_7(issend)
F08_7(ibsend)
F08_7(irsend)
F08_7(irecv)
F08_2(wait)
F08_3(waitall)
F08_4(waitany)
F08_5(waitsome)
F08_3(test)
F08_4(testall)
F08_5(testany)
F08_5(testsome)
F08_4(probe)
F08_5(iprobe)
F08_1(request_free)
F08_1(cancel)
F08_7(send_init)
F08_7(ssend_init)
F08_7(bsend_init)
F08_7(rsend_init)
F08_7(recv_init)
F08_1(start)
F08_2(startall)
F08_1(barrier)
F08_5(bcast)
F08_7(reduce)
F08_6(allreduce)
F08_8(gather)
F08_9(gatherv)
F08_8(scatter)
F08_9(scatterv)
F08_7(allgather)
F08_8(allgatherv)
F08_7(alltoall)
F08_9(alltoallv)
F08_6(reduce_scatter)
F08_6(reduce_scatter_block)
F08_6(scan)
F08_6(exscan)
F08_2(comm_dup)
F08_3(comm_dup_with_info)
F08_3(comm_create)
F08_4(comm_create_group)
F08_4(comm_split)
F08_5(comm_split_type)
F08_6(cart_create)
F08_3(cart_sub)
F08_6(graph_create)
F08_9(dist_graph_create)
F08(dist_graph_create_adjacent, A10, a, b, c, d, e, f, g, h, i, j)
F08_6(intercomm_create)
F08_3(intercomm_merge)
F08_1(comm_free)
