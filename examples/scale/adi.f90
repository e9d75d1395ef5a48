! SPDX-License-Identifier: GPL-3.0-or-later
! Alternating directions: a field is solved by columns, transposed by one Alltoall, solved again and transposed back, with
! a Bcast, a sum and a barrier in each step. The Alltoall dominates communication at all process counts.
program adi
  use mpi
  implicit none
  integer, parameter :: n = 720, steps = 30
  integer :: rank, p, ierr, m, mp, it, i
  real(8), allocatable :: u(:,:), v(:,:), s(:), r(:)
  real(8) :: dt, res, loc
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  m = (n + p - 1) / p
  mp = m * p
  allocate(u(mp, m), v(mp, m), s(mp * m), r(mp * m))
  do i = 1, m
     u(:, i) = rank * m + i
  end do
  do it = 1, steps
     dt = 0.1d0 / it
     call MPI_Bcast(dt, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
     call solve(u, mp, m, dt)
     call transpose_all(u, v)
     call solve(v, mp, m, dt)
     call transpose_all(v, u)
     loc = sum(u(1:n, 1:m)**2)
     call MPI_Allreduce(loc, res, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
     call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  if (rank == 0) print *, 'residual', res
  call MPI_Finalize(ierr)
contains
  subroutine transpose_all(a, b)
    real(8), intent(in) :: a(:,:)
    real(8), intent(out) :: b(:,:)
    integer :: k, j, e
    do k = 0, p - 1
       do j = 1, m
          s(k*m*m + (j-1)*m + 1 : k*m*m + j*m) = a(k*m+1:(k+1)*m, j)
       end do
    end do
    call MPI_Alltoall(s, m*m, MPI_DOUBLE_PRECISION, r, m*m, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, e)
    do k = 0, p - 1
       do j = 1, m
          b(k*m+1:(k+1)*m, j) = r(k*m*m + j : k*m*m + (m-1)*m + j : m)
       end do
    end do
  end subroutine
  subroutine solve(a, nn, mm, d)
    integer, intent(in) :: nn, mm
    real(8), intent(inout) :: a(nn, mm)
    real(8), intent(in) :: d
    integer :: j, i2
    real(8) :: c(nn)
    do j = 1, mm
       c(1) = d / (1 + 2*d)
       do i2 = 2, nn
          c(i2) = d / (1 + 2*d - d*c(i2-1))
          a(i2, j) = (a(i2, j) + d*a(i2-1, j)) / (1 + 2*d - d*c(i2-1))
       end do
       do i2 = nn - 1, 1, -1
          a(i2, j) = a(i2, j) + c(i2)*a(i2+1, j)*1d-3
       end do
    end do
  end subroutine
end program
