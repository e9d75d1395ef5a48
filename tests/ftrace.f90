! SPDX-License-Identifier: GPL-3.0-or-later
! Traced through `use mpi` on 2 ranks, and, with its declarations changed, through
! `use mpi_f08`; tests/ftrace.expected is its record.
program ftrace
  use mpi
  implicit none
  integer :: ierr, rank, other, i, n, index, some(2)
  integer :: a(4), b(4), counts(2) = (/1, 2/), at(2) = (/0, 1/)
  integer :: comm
  integer :: requests(2)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  logical :: flag

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  a = rank
  b = -1
  if (rank == 0) then
     call MPI_Send(a, 4, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierr)
     call MPI_Ssend(a, 2, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, ierr)
  else
     call MPI_Recv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierr)
     if (b(4) /= 0) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
     call MPI_Recv(b, 2, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, status, ierr)
     if (status(MPI_TAG) /= 2) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  end if
  call MPI_Sendrecv(a, 1, MPI_INTEGER, other, 3, b, 4, MPI_INTEGER, other, 3, MPI_COMM_WORLD, &
       MPI_STATUS_IGNORE, ierr)
  if (b(1) /= other) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)

  call MPI_Irecv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(a, 3, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  if (requests(1) /= MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Waitall(2, requests, statuses, ierr)

  call MPI_Irecv(b, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Test(requests(2), flag, status, ierr)
  if (flag) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Send(a, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, ierr)
  call MPI_Waitany(2, requests, index, status, ierr)
  if (index /= 2) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Irecv(b, 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send(a, 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, ierr)
  call MPI_Waitsome(2, requests, n, some, MPI_STATUSES_IGNORE, ierr)
  if (n /= 1 .or. some(1) /= 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)

  call MPI_Send_init(a, 1, MPI_INTEGER, other, 7, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Recv_init(b, 1, MPI_INTEGER, other, 7, MPI_COMM_WORLD, requests(2), ierr)
  do i = 1, 2
     call MPI_Startall(2, requests, ierr)
     call MPI_Waitall(2, requests, statuses, ierr)
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)

  a = 1
  call MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (a(2) /= 2) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, at, MPI_INTEGER, &
       MPI_COMM_WORLD, ierr)
  call MPI_Scatterv(a, counts, at, MPI_INTEGER, b, counts(rank + 1), MPI_INTEGER, 0, &
       MPI_COMM_WORLD, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comm, ierr)
  call MPI_Bcast(a, 4, MPI_INTEGER, 1, comm, ierr)
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'ftrace: all results are right'
end program ftrace
