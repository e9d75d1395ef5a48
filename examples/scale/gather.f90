! SPDX-License-Identifier: GPL-3.0-or-later
! A constant number of cells per process: halo exchange by Irecv and Isend during work, whose time is constant. Every fifth
! step rank 0 gathers all cells and processes them alone, while the others wait in the Bcast of the result.
program gather
  use mpi_f08
  implicit none
  integer, parameter :: m = 200, steps = 40
  integer :: rank, p, it, k, left, right
  real(8) :: a(m, 0:m+1), dt
  real(8), allocatable :: all(:)
  type(MPI_Request) :: q(4)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, p)
  left = modulo(rank - 1, p)
  right = modulo(rank + 1, p)
  allocate(all(m * m * merge(p, 1, rank == 0)))
  a = rank
  do it = 1, steps
     call MPI_Irecv(a(1, 0), m, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, q(1))
     call MPI_Irecv(a(1, m+1), m, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, q(2))
     call MPI_Isend(a(1, m), m, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, q(3))
     call MPI_Isend(a(1, 1), m, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, q(4))
     call busy(1d0)
     call MPI_Waitall(4, q, MPI_STATUSES_IGNORE)
     a(:, 1:m) = (a(:, 0:m-1) + a(:, 2:m+1)) / 2
     if (mod(it, 5) == 0) then
        call MPI_Gather(a(1, 1), m*m, MPI_DOUBLE_PRECISION, all, m*m, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
        if (rank == 0) then
           do k = 1, p
              call busy(0.5d0)
           end do
           dt = maxval(all)
        end if
        call MPI_Bcast(dt, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
     end if
  end do
  if (rank == 0) print *, 'last', dt
  call MPI_Finalize()
contains
  ! Fixed work of some milliseconds per unit.
  subroutine busy(units)
    real(8), intent(in) :: units
    real(8) :: z
    integer :: i
    z = 0.5d0
    do i = 1, int(units * 150000)
       z = 3.9d0 * z * (1 - z)
    end do
    if (z > 2) print *, z
  end subroutine
end program
