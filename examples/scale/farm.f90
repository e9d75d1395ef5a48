! SPDX-License-Identifier: GPL-3.0-or-later
! A master distributes tasks, twelve per worker, and works on each result before the next. With more workers than the
! master can serve, the time that workers wait for their next task grows with their number.
program farm
  use mpi_f08
  implicit none
  integer, parameter :: each = 12
  integer :: rank, p, total, t
  real(8) :: answer, sum_all
  type(MPI_Status) :: st
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, p)
  sum_all = 0
  if (rank == 0) then
     call master()
  else
     call worker()
  end if
  call MPI_Reduce(answer, sum_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print *, 'sum', sum_all
  call MPI_Finalize()
contains
  subroutine master()
    integer :: k, from
    real(8) :: got
    total = each * (p - 1)
    do k = 1, total
       call MPI_Recv(got, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, st)
       from = st%MPI_SOURCE
       call busy(1d0)
       call MPI_Send(got, 1, MPI_DOUBLE_PRECISION, from, 2, MPI_COMM_WORLD)
    end do
    answer = total
  end subroutine
  subroutine worker()
    real(8) :: a
    do t = 1, each
       call busy(4d0)
       a = t
       call MPI_Send(a, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD)
       call MPI_Recv(a, 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, st)
    end do
    answer = a
  end subroutine
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
