! SPDX-License-Identifier: GPL-3.0-or-later
! A square grid of processes (4, 9, 16, 25) iterates on a fixed problem: halos, which shrink with more processes; a sum
! of residuals; and a report, as in programs written for few processes: rank 0 receives from each process in turn, works
! on the data, and then answers all. The receive of the answer does not scale.
program report_all
  use mpi
  implicit none
  integer, parameter :: total = 720, steps = 40, work = 300000
  integer :: rank, ranks, side, n, step, source, i, request(4), status(MPI_STATUS_SIZE), comm, error
  integer :: south, north
  double precision, allocatable :: u(:, :), v(:, :)
  double precision :: mine, all, report
  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  side = nint(sqrt(dble(ranks)))
  if (side * side /= ranks) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [side, side], [.true., .true.], .false., comm, error)
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Cart_shift(comm, 1, 1, south, north, error)
  n = total / side
  allocate (u(0:n + 1, 0:n + 1), v(0:n + 1, 0:n + 1))
  u = rank
  v = 0
  do step = 1, steps
    call MPI_Irecv(v(1, 0), n, MPI_DOUBLE_PRECISION, south, 1, comm, request(1), error)
    call MPI_Irecv(v(1, n + 1), n, MPI_DOUBLE_PRECISION, north, 2, comm, request(2), error)
    call MPI_Isend(u(1, n), n, MPI_DOUBLE_PRECISION, north, 1, comm, request(3), error)
    call MPI_Isend(u(1, 1), n, MPI_DOUBLE_PRECISION, south, 2, comm, request(4), error)
    call MPI_Waitall(4, request, MPI_STATUSES_IGNORE, error)
    v(1:n, 1:n) = 0.25d0 * (u(0:n - 1, 1:n) + u(2:n + 1, 1:n) + u(1:n, 0:n - 1) + u(1:n, 2:n + 1))
    mine = sum(abs(v(1:n, 1:n) - u(1:n, 1:n)))
    u = v
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)
    if (rank == 0) then
      do source = 1, ranks - 1
        call MPI_Recv(report, 1, MPI_DOUBLE_PRECISION, source, 3, comm, status, error)
        do i = 1, work
          all = all + sin(report + i) * 1d-12
        end do
      end do
      do source = 1, ranks - 1
        call MPI_Send(all, 1, MPI_DOUBLE_PRECISION, source, 4, comm, error)
      end do
    else
      call MPI_Send(mine, 1, MPI_DOUBLE_PRECISION, 0, 3, comm, error)
      call MPI_Recv(report, 1, MPI_DOUBLE_PRECISION, 0, 4, comm, status, error)
    end if
  end do
  if (rank == 0) print *, 'residual', all
  call MPI_Finalize(error)
end program report_all
