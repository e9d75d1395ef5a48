! SPDX-License-Identifier: GPL-3.0-or-later
! Diffusion in a field of 480 x 480 cells on a square grid of processes: halo exchange, a summed norm, and every tenth
! step a token that passes from process to process and collects a sum. Only the token's time grows with the number of
! processes.
program grid
  use mpi_f08
  implicit none
  integer, parameter :: cells = 480, steps = 200
  integer :: side, rank, ranks, west, east, south, north, n, step
  double precision, allocatable :: field(:, :), next(:, :)
  double precision :: norm, token
  type(MPI_Comm) :: square

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  side = nint(sqrt(dble(ranks)))
  if (side * side /= ranks) call MPI_Abort(MPI_COMM_WORLD, 2)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [side, side], [.true., .true.], .false., square)
  call MPI_Comm_rank(square, rank)
  call MPI_Cart_shift(square, 0, 1, west, east)
  call MPI_Cart_shift(square, 1, 1, south, north)
  n = cells / side
  allocate(field(0:n+1, 0:n+1), next(n, n))
  field = rank
  do step = 1, steps
    call exchange()
    next = 0.25d0 * (field(0:n-1, 1:n) + field(2:n+1, 1:n) + field(1:n, 0:n-1) + field(1:n, 2:n+1))
    norm = sum((next - field(1:n, 1:n))**2)
    field(1:n, 1:n) = next
    call MPI_Allreduce(MPI_IN_PLACE, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, square)
    if (mod(step, 10) == 0) call pass_token()
  end do
  if (rank == 0) print '(a, es12.5, a, es12.5)', 'norm ', norm, ', token ', token
  call MPI_Finalize()

contains

  subroutine exchange()
    double precision :: to_east(n), to_north(n), from_west(n), from_south(n)
    type(MPI_Request) :: posted(2)
    to_east = field(n, 1:n)
    to_north = field(1:n, n)
    call MPI_Irecv(from_west, n, MPI_DOUBLE_PRECISION, west, 1, square, posted(1))
    call MPI_Irecv(from_south, n, MPI_DOUBLE_PRECISION, south, 2, square, posted(2))
    call MPI_Send(to_east, n, MPI_DOUBLE_PRECISION, east, 1, square)
    call MPI_Send(to_north, n, MPI_DOUBLE_PRECISION, north, 2, square)
    call MPI_Waitall(2, posted, MPI_STATUSES_IGNORE)
    field(0, 1:n) = from_west
    field(1:n, 0) = from_south
  end subroutine exchange

  subroutine pass_token()
    token = 0
    if (rank > 0) call MPI_Recv(token, 1, MPI_DOUBLE_PRECISION, rank - 1, 3, square, MPI_STATUS_IGNORE)
    token = token + sum(field(1:n, 1:n))
    if (rank < ranks - 1) call MPI_Send(token, 1, MPI_DOUBLE_PRECISION, rank + 1, 3, square)
    call MPI_Bcast(token, 1, MPI_DOUBLE_PRECISION, ranks - 1, square)
  end subroutine pass_token
end program grid
