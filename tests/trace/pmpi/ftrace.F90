! SPDX-License-Identifier: GPL-3.0-or-later
! Traced on 2 ranks through each binding, BINDING 77 (mpif.h), 90 (use mpi) or 8
! (use mpi_f08, without the argument IERROR); tests/trace/pmpi/ftrace.expected is its record.
! FIRST is the first index that completions give: 1, but 0 in mpi_f08 of MPICH 4.0.
#if BINDING == 8
#define BIND use mpi_f08
#define HEADER
#define END_ )
#define COMM_T type(MPI_Comm)
#define REQUEST_T type(MPI_Request)
#define DATATYPE_T type(MPI_Datatype)
#define MESSAGE_T type(MPI_Message)
#define GROUP_T type(MPI_Group)
#define WIN_T type(MPI_Win)
#define FILE_T type(MPI_File)
#define INFO_T type(MPI_Info)
#define OP_T type(MPI_Op)
#define STATUS_T type(MPI_Status)
#define STATUS(s) s
#define STATUSES(s, n) s(n)
#define TAG_OF(s) s%MPI_TAG
#define TAG_OF_ONE(s, i) s(i)%MPI_TAG
#else
#if BINDING == 90
#define BIND use mpi
#define HEADER
#else
#define BIND
#define HEADER include 'mpif.h'
#endif
#define END_ , ierr)
#define COMM_T integer
#define REQUEST_T integer
#define DATATYPE_T integer
#define MESSAGE_T integer
#define GROUP_T integer
#define WIN_T integer
#define FILE_T integer
#define INFO_T integer
#define OP_T integer
#define STATUS_T integer
#define STATUS(s) s(MPI_STATUS_SIZE)
#define STATUSES(s, n) s(MPI_STATUS_SIZE, n)
#define TAG_OF(s) s(MPI_TAG)
#define TAG_OF_ONE(s, i) s(MPI_TAG, i)
#endif
#define MUST(condition) if (.not. (condition)) call wrong(__LINE__)

program ftrace
  BIND
  implicit none
  HEADER
  integer :: rank, other, ierr, provided
  logical :: flag
  double precision :: t

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided END_
  call MPI_Initialized(flag END_
  MUST(flag)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank END_
  other = 1 - rank
  t = MPI_Wtime()
  call point(rank, other)
  call completions(other)
  call collectives(rank)
  call nonblocking(rank)
  call communicators(rank)
  call windows(rank, other)
  call files(rank)
  call strings()
  MUST(MPI_Wtime() >= t)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'ftrace: all results are right'
end program ftrace

subroutine wrong(line)
  BIND
  implicit none
  HEADER
  integer, intent(in) :: line
  integer :: ierr
  print '(a,i0)', 'ftrace: wrong in line ', line
  call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
end subroutine wrong

! Point to point: modes, ignored statuses, probes, MPI_BOTTOM.
subroutine point(rank, other)
  BIND
  implicit none
  HEADER
  integer, intent(in) :: rank, other
  integer, volatile :: a(4) ! MPI_BOTTOM hides it from the compiler
  integer :: b(4)
  integer :: buffer(1000), n, ierr
  integer(kind=MPI_ADDRESS_KIND) :: place(1)
  STATUS_T :: STATUS(st)
  MESSAGE_T :: message
  REQUEST_T :: request
  DATATYPE_T :: absolute
  logical :: flag

  a = rank
  b = -1
  call MPI_Buffer_attach(buffer, 4000 END_
  if (rank == 0) then
     call MPI_Send(a, 4, MPI_INTEGER, 1, 1, MPI_COMM_WORLD END_
     call MPI_Ssend(a, 2, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD END_
     call MPI_Bsend(a, 3, MPI_INTEGER, 1, 3, MPI_COMM_WORLD END_
     call MPI_Recv(b, 0, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE END_
     call MPI_Rsend(a, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD END_
     call MPI_Send(a, 1, MPI_INTEGER, MPI_PROC_NULL, 6, MPI_COMM_WORLD END_
  else
     call MPI_Recv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE END_
     MUST(b(4) == 0)
     call MPI_Recv(b, 2, MPI_DOUBLE_PRECISION, 0, MPI_ANY_TAG, MPI_COMM_WORLD, st END_
     MUST(TAG_OF(st) == 2)
     call MPI_Recv(b, 4, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, st END_
     call MPI_Get_count(st, MPI_INTEGER, n END_
     MUST(n == 3)
     call MPI_Irecv(b, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, request END_
     call MPI_Send(a, 0, MPI_INTEGER, 0, 4, MPI_COMM_WORLD END_
     call MPI_Wait(request, MPI_STATUS_IGNORE END_
     MUST(request == MPI_REQUEST_NULL)
  end if
  call MPI_Sendrecv(a, 1, MPI_INTEGER, other, 7, b, 4, MPI_INTEGER, MPI_ANY_SOURCE, 7, &
       MPI_COMM_WORLD, MPI_STATUS_IGNORE END_
  MUST(b(1) == other)
  call MPI_Sendrecv_replace(b, 1, MPI_INTEGER, other, 8, other, 8, MPI_COMM_WORLD, st END_
  MUST(b(1) == rank .and. TAG_OF(st) == 8)

  call MPI_Barrier(MPI_COMM_WORLD END_
  call MPI_Iprobe(other, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE END_
  MUST(.not. flag)
  call MPI_Bsend(a, 2, MPI_INTEGER, other, 9, MPI_COMM_WORLD END_
  call MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, st END_
  MUST(TAG_OF(st) == 9)
  call MPI_Recv(b, 2, MPI_INTEGER, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE END_
  call MPI_Bsend(a, 2, MPI_INTEGER, other, 10, MPI_COMM_WORLD END_
  call MPI_Mprobe(other, MPI_ANY_TAG, MPI_COMM_WORLD, message, st END_
  call MPI_Mrecv(b, 4, MPI_INTEGER, message, MPI_STATUS_IGNORE END_
  call MPI_Bsend(a, 2, MPI_INTEGER, other, 11, MPI_COMM_WORLD END_
  call MPI_Probe(other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE END_
  flag = .false.
  do while (.not. flag) ! MPICH may need two
     call MPI_Improbe(other, 11, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE END_
  end do
  call MPI_Imrecv(b, 4, MPI_INTEGER, message, request END_
  call MPI_Wait(request, st END_
  MUST(TAG_OF(st) == 11 .and. b(2) == other)

  call MPI_Get_address(a, place(1) END_
  call MPI_Type_create_hindexed(1, (/2/), place, MPI_INTEGER, absolute END_
  call MPI_Type_commit(absolute END_
  a = rank + 40
  call MPI_Sendrecv(MPI_BOTTOM, 1, absolute, other, 12, b, 2, MPI_INTEGER, other, 12, &
       MPI_COMM_WORLD, st END_
  MUST(b(2) == other + 40)
  call MPI_Type_free(absolute END_
  call detach()
end subroutine point

subroutine detach()
#if BINDING == 8
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi_f08
  type(c_ptr) :: buffer
#else
  BIND
  implicit none
  HEADER
  integer :: buffer(1000), ierr
#endif
  integer :: n
  call MPI_Buffer_detach(buffer, n END_
end subroutine detach

! Requests: every completion, indices from 1, logicals, persistent and cancelled ones.
subroutine completions(other)
  BIND
  implicit none
  HEADER
  integer, intent(in) :: other
  integer :: a(4), b(8), i, n, index, some(2), ierr
  REQUEST_T :: q(2)
  STATUS_T :: STATUS(st), STATUSES(sts, 2)
  logical :: flag

  a = 1
  call MPI_Irecv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, q(1) END_
  call MPI_Isend(a, 3, MPI_INTEGER, other, 21, MPI_COMM_WORLD, q(2) END_
  call MPI_Waitall(2, q, MPI_STATUSES_IGNORE END_
  MUST(q(1) == MPI_REQUEST_NULL)
  call MPI_Waitall(2, q, sts END_

  call MPI_Irecv(b, 1, MPI_INTEGER, other, MPI_ANY_TAG, MPI_COMM_WORLD, q(2) END_
  call MPI_Test(q(2), flag, st END_
  MUST(.not. flag)
  call MPI_Testany(2, q, index, flag, MPI_STATUS_IGNORE END_
  MUST(.not. flag)
  call MPI_Testall(2, q, flag, MPI_STATUSES_IGNORE END_
  MUST(.not. flag)
  call MPI_Testsome(2, q, n, some, MPI_STATUSES_IGNORE END_
  MUST(n == 0)
  call MPI_Barrier(MPI_COMM_WORLD END_
  call MPI_Issend(a, 1, MPI_INTEGER, other, 22, MPI_COMM_WORLD, q(1) END_
  call MPI_Wait(q(1), MPI_STATUS_IGNORE END_
  call MPI_Waitany(2, q, index, st END_
  MUST(index == FIRST + 1 .and. TAG_OF(st) == 22)
  call MPI_Irecv(b, 1, MPI_INTEGER, other, 23, MPI_COMM_WORLD, q(1) END_
  call MPI_Send(a, 1, MPI_INTEGER, other, 23, MPI_COMM_WORLD END_
  call MPI_Waitsome(2, q, n, some, MPI_STATUSES_IGNORE END_
  MUST(n == 1 .and. some(1) == FIRST)
  call MPI_Irecv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, q(2) END_
  call MPI_Irsend(a, 1, MPI_INTEGER, MPI_PROC_NULL, 24, MPI_COMM_WORLD, q(1) END_
  call MPI_Send(a, 2, MPI_INTEGER, other, 24, MPI_COMM_WORLD END_
  call MPI_Waitall(2, q, sts END_
  MUST(TAG_OF_ONE(sts, 2) == 24)

  call MPI_Send_init(a, 1, MPI_INTEGER, other, 25, MPI_COMM_WORLD, q(1) END_
  call MPI_Recv_init(b, 1, MPI_INTEGER, other, 25, MPI_COMM_WORLD, q(2) END_
  do i = 1, 2
     call MPI_Startall(2, q END_
     call MPI_Waitall(2, q, sts END_
  end do
  call MPI_Request_free(q(2) END_
  call MPI_Recv_init(b, 1, MPI_INTEGER, other, 25, MPI_COMM_WORLD, q(2) END_
  call MPI_Start(q(2) END_
  call MPI_Start(q(1) END_
  call MPI_Wait(q(1), MPI_STATUS_IGNORE END_
  call MPI_Wait(q(2), MPI_STATUS_IGNORE END_
  call MPI_Request_free(q(1) END_
  call MPI_Request_free(q(2) END_

  call MPI_Irecv(b, 1, MPI_INTEGER, other, 26, MPI_COMM_WORLD, q(1) END_
  call MPI_Cancel(q(1) END_
  call MPI_Wait(q(1), st END_
  call MPI_Test_cancelled(st, flag END_
  MUST(flag)
end subroutine completions

! Blocking collectives, in place and with counts for each rank; an operation of our own.
subroutine collectives(rank)
  BIND
  implicit none
  HEADER
  integer, intent(in) :: rank
  integer :: a(4), b(4), counts(2), at(2), bytes(2), ierr
  DATATYPE_T :: types(2)
  OP_T :: op
  external :: larger

  counts = (/1, 3/)
  at = (/0, 1/)
  bytes = (/0, 4/)
  types = (/MPI_INTEGER, MPI_REAL/)
  a = 1
  call MPI_Bcast(a, 4, MPI_INTEGER, 1, MPI_COMM_WORLD END_
  call MPI_Reduce(a, b, 2, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD END_
  if (rank == 1) then
     MUST(b(2) == 2)
  end if
  call MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD END_
  MUST(a(2) == 2)
  a = rank + 1
  call MPI_Op_create(larger, .true., op END_
  call MPI_Allreduce(a, b, 4, MPI_INTEGER, op, MPI_COMM_WORLD END_
  MUST(b(3) == 2)
  call MPI_Op_free(op END_
  call MPI_Gather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 0, MPI_COMM_WORLD END_
  if (rank == 1) then
     call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, at, MPI_INTEGER, 1, &
          MPI_COMM_WORLD END_
     MUST(b(1) == 1)
  else
     call MPI_Gatherv(a, 1, MPI_INTEGER, b, counts, at, MPI_INTEGER, 1, MPI_COMM_WORLD END_
  end if
  if (rank == 0) then
     call MPI_Scatter(b, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, &
          MPI_COMM_WORLD END_
  else
     call MPI_Scatter(b, 1, MPI_INTEGER, a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD END_
  end if
  call MPI_Scatterv(a, counts, at, MPI_INTEGER, b, counts(rank + 1), MPI_INTEGER, 0, &
       MPI_COMM_WORLD END_
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INTEGER, MPI_COMM_WORLD END_
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, at, MPI_INTEGER, &
       MPI_COMM_WORLD END_
  call MPI_Alltoall(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, MPI_COMM_WORLD END_
  call MPI_Alltoallv(MPI_IN_PLACE, at, at, MPI_DATATYPE_NULL, b, (/1, 1/), at, MPI_INTEGER, &
       MPI_COMM_WORLD END_
  call MPI_Alltoallw(a, (/1, 1/), bytes, types, b, (/1, 1/), bytes, types, MPI_COMM_WORLD END_
  call MPI_Reduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD END_
  call MPI_Reduce_scatter_block(MPI_IN_PLACE, a, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD END_
  call MPI_Scan(a, b, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD END_
  call MPI_Exscan(a, b, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD END_
end subroutine collectives

#if BINDING == 8
subroutine larger(in, inout, n, datatype)
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use mpi_f08
  implicit none
  type(c_ptr), value :: in, inout
  integer :: n
  type(MPI_Datatype) :: datatype
  integer, pointer :: from(:), to(:)
  call c_f_pointer(in, from, (/n/))
  call c_f_pointer(inout, to, (/n/))
  if (datatype == MPI_INTEGER) to = max(from, to)
end subroutine larger
#else
subroutine larger(in, inout, n, datatype)
  BIND
  implicit none
  HEADER
  integer :: n, in(n), inout(n), datatype
  if (datatype == MPI_INTEGER) inout = max(in, inout)
end subroutine larger
#endif

! Nonblocking collectives.
subroutine nonblocking(rank)
  BIND
  implicit none
  HEADER
  integer, intent(in) :: rank
  integer :: a(4), b(4), counts(2), at(2), ones(2), bytes(2), ierr
  DATATYPE_T :: types(2)
  REQUEST_T :: q(3)

  counts = (/1, 3/)
  at = (/0, 1/)
  ones = 1
  bytes = (/0, 4/)
  types = MPI_INTEGER
  a = 1
  call MPI_Ibarrier(MPI_COMM_WORLD, q(1) END_
  call MPI_Ibcast(a, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, q(2) END_
  call MPI_Iallreduce(MPI_IN_PLACE, b, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, q(3) END_
  call MPI_Waitall(3, q, MPI_STATUSES_IGNORE END_
  call MPI_Iallgatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, at, MPI_INTEGER, &
       MPI_COMM_WORLD, q(1) END_
  call MPI_Wait(q(1), MPI_STATUS_IGNORE END_
  call MPI_Ialltoallv(a, ones, at, MPI_INTEGER, b, ones, at, MPI_INTEGER, MPI_COMM_WORLD, q(1) END_
  call MPI_Wait(q(1), MPI_STATUS_IGNORE END_
  call MPI_Ialltoallw(a, ones, bytes, types, b, ones, bytes, types, MPI_COMM_WORLD, q(1) END_
  call MPI_Wait(q(1), MPI_STATUS_IGNORE END_
  call MPI_Ireduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, q(1) END_
  call MPI_Wait(q(1), MPI_STATUS_IGNORE END_
  if (rank == 1) then
     call MPI_Iscatterv(a, counts, at, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, 1, &
          MPI_COMM_WORLD, q(2) END_
  else
     call MPI_Iscatterv(a, counts, at, MPI_INTEGER, b, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, q(2) END_
  end if
  call MPI_Wait(q(2), MPI_STATUS_IGNORE END_
end subroutine nonblocking

! Communicators: constructors, topologies with logicals, exchanges with neighbours.
subroutine communicators(rank)
  BIND
  implicit none
  HEADER
  integer, intent(in) :: rank
  integer :: dims(2), coords(2), a(4), b(4), neighbours(1), ierr
  logical :: periods(2), keep(2), inter
  COMM_T :: dup, part, other, cart, graph
  GROUP_T :: world, one
  REQUEST_T :: q

  call MPI_Comm_dup(MPI_COMM_WORLD, dup END_
  call MPI_Comm_split(dup, 0, -rank, part END_
  call MPI_Bcast(a, 4, MPI_INTEGER, 1, part END_
  call MPI_Comm_free(part END_
  call MPI_Comm_split(dup, merge(0, MPI_UNDEFINED, rank == 0), 0, part END_
  MUST((part == MPI_COMM_NULL) .eqv. (rank == 1))
  call MPI_Comm_split_type(dup, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, other END_
  call MPI_Comm_free(other END_
  call MPI_Comm_idup(dup, other, q END_
  call MPI_Wait(q, MPI_STATUS_IGNORE END_
  call MPI_Barrier(other END_
  call MPI_Comm_disconnect(other END_
  call MPI_Comm_group(dup, world END_
  call MPI_Group_incl(world, 1, (/1/), one END_
  call MPI_Comm_create(dup, one, other END_
  if (rank == 1) then
     call MPI_Barrier(other END_
     call MPI_Comm_create_group(dup, one, 3, part END_
     call MPI_Comm_free(other END_
  end if
  call MPI_Group_free(one END_
  call MPI_Group_free(world END_

  dims = (/2, 1/)
  periods = (/.true., .false./)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart END_
  periods = .false.
  call MPI_Cart_get(cart, 2, dims, periods, coords END_
  MUST(periods(1) .and. .not. periods(2) .and. coords(1) == rank)
  a = rank
  call MPI_Neighbor_allgather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, cart END_
  MUST(b(1) == 1 - rank .and. b(2) == 1 - rank)
  call MPI_Ineighbor_alltoall(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, cart, q END_
  call MPI_Wait(q, MPI_STATUS_IGNORE END_
  keep = (/.false., .true./)
  call MPI_Cart_sub(cart, keep, other END_
  call MPI_Barrier(other END_
  call MPI_Graph_create(MPI_COMM_WORLD, 2, (/1, 2/), (/1, 0/), .false., other END_
  call MPI_Comm_free(other END_
  neighbours = 1 - rank
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, neighbours, MPI_UNWEIGHTED, 1, &
       neighbours, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph END_
  call MPI_Neighbor_alltoallv(a, (/2/), (/0/), MPI_INTEGER, b, (/2/), (/0/), MPI_INTEGER, &
       graph END_
  call MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 4, other END_
  call MPI_Comm_test_inter(other, inter END_
  MUST(inter)
  call MPI_Intercomm_merge(other, rank == 1, part END_
  call MPI_Barrier(part END_
end subroutine communicators

! One-sided: all ways to synchronize.
subroutine windows(rank, other)
#if BINDING != 77
  use, intrinsic :: iso_c_binding, only: c_ptr
#endif
  BIND
  implicit none
  HEADER
  integer, intent(in) :: rank, other
  integer, volatile :: memory(8), a(2) ! others write there, unseen by the compiler
  integer :: ierr
  integer(kind=MPI_ADDRESS_KIND) :: size, at
#if BINDING == 77
  integer(kind=MPI_ADDRESS_KIND) :: base
#else
  type(c_ptr) :: base
#endif
  WIN_T :: win, allocated
  GROUP_T :: world, group
  REQUEST_T :: q

  memory = 0
  a = rank + 1
  size = 32
  at = 1
  call MPI_Win_create(memory, size, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win END_
  call MPI_Win_fence(0, win END_
  call MPI_Put(a, 2, MPI_INTEGER, other, at, 2, MPI_INTEGER, win END_
  call MPI_Win_fence(0, win END_
  MUST(memory(3) == other + 1)
  call MPI_Comm_group(MPI_COMM_WORLD, world END_
  call MPI_Group_incl(world, 1, (/other/), group END_
  call MPI_Win_post(group, 0, win END_
  call MPI_Win_start(group, 0, win END_
  call MPI_Accumulate(a, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, MPI_SUM, win END_
  call MPI_Win_complete(win END_
  call MPI_Win_wait(win END_
  MUST(memory(2) == 2 * (other + 1))
  call MPI_Barrier(MPI_COMM_WORLD END_
  call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win END_
  call MPI_Get(a, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, win END_
  call MPI_Win_unlock(other, win END_
  MUST(a(1) == 2 * (rank + 1))
  call MPI_Win_lock_all(0, win END_
  call MPI_Fetch_and_op(a(2), a(1), MPI_INTEGER, other, at, MPI_SUM, win END_
  call MPI_Win_flush(other, win END_
  call MPI_Rput(a, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, win, q END_
  call MPI_Wait(q, MPI_STATUS_IGNORE END_
  call MPI_Win_unlock_all(win END_
  call MPI_Win_free(win END_
  call MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, base, allocated END_
  call MPI_Win_free(allocated END_
end subroutine windows

! Files, their names with blanks at the end.
subroutine files(rank)
  BIND
  implicit none
  HEADER
  integer, intent(in) :: rank
  character(len=20) :: name
  integer :: a(4), n, ierr
  integer(kind=MPI_OFFSET_KIND) :: at, size
  FILE_T :: fh
  STATUS_T :: STATUS(st)
  REQUEST_T :: q

  name = 'ftrace.data'
  a = rank
  at = 16 * rank
  call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh END_
  call MPI_File_write_at_all(fh, at, a, 4, MPI_INTEGER, st END_
  call MPI_Get_count(st, MPI_INTEGER, n END_
  MUST(n == 4)
  call MPI_File_sync(fh END_
  call MPI_Barrier(MPI_COMM_WORLD END_
  call MPI_File_get_size(fh, size END_
  MUST(size == 32)
  at = 0
  call MPI_File_set_view(fh, at, MPI_INTEGER, MPI_INTEGER, 'native  ', MPI_INFO_NULL END_
  call MPI_File_read_at(fh, at + 4, a, 2, MPI_INTEGER, MPI_STATUS_IGNORE END_
  MUST(a(2) == 1)
  call MPI_File_iwrite_at(fh, at + 8 + rank, a, 1, MPI_INTEGER, q END_
  call MPI_Wait(q, st END_
  call MPI_File_close(fh END_
  if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL END_
end subroutine files

! Strings in and out, logicals out.
subroutine strings()
  BIND
  implicit none
  HEADER
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_ERROR_STRING) :: error
  character(len=30) :: value
  integer :: n, ierr
  logical :: flag
  INFO_T :: info

  call MPI_Comm_set_name(MPI_COMM_WORLD, 'all of us  ' END_
  name = 'x'
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, n END_
  MUST(n == 9 .and. name == 'all of us')
  call MPI_Error_string(MPI_ERR_RANK, error, n END_
  MUST(n > 0 .and. error(n:n) /= ' ' .and. error(n + 1:) == ' ')
  call MPI_Info_create(info END_
  call MPI_Info_set(info, 'key ', ' a value  ' END_
  call MPI_Info_get(info, 'key', 30, value, flag END_
  MUST(flag .and. value == 'a value')
  call MPI_Info_get(info, 'other', 30, value, flag END_
  MUST(.not. flag)
  call MPI_Info_free(info END_
end subroutine strings
