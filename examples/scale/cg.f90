! SPDX-License-Identifier: GPL-3.0-or-later
! Conjugate gradients for a 5-point Laplacian in strips of rows: two halo exchanges by Sendrecv, whose time is constant,
! and two dot products by Allreduce, which dominate communication and grow with the number of processes.
program cg
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 600, its = 60
  integer :: rank, p, ierr, lo, hi, m, it, up, down
  integer :: st(MPI_STATUS_SIZE)
  double precision, allocatable :: x(:,:), r(:,:), d(:,:), q(:,:)
  double precision :: rr, rn, dq, loc, alpha
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, p, ierr)
  lo = rank * n / p + 1
  hi = (rank + 1) * n / p
  m = hi - lo + 1
  up = rank - 1
  down = rank + 1
  if (up < 0) up = MPI_PROC_NULL
  if (down == p) down = MPI_PROC_NULL
  allocate(x(n, m), r(n, m), d(n, 0:m+1), q(n, m))
  x = 0
  r = 1
  d = 0
  d(:, 1:m) = r
  loc = sum(r*r)
  call MPI_ALLREDUCE(loc, rr, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  do it = 1, its
     call MPI_SENDRECV(d(1, m), n, MPI_DOUBLE_PRECISION, down, 1, &
          d(1, 0), n, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, st, ierr)
     call MPI_SENDRECV(d(1, 1), n, MPI_DOUBLE_PRECISION, up, 2, &
          d(1, m+1), n, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, st, ierr)
     q = 4 * d(:, 1:m) - d(:, 0:m-1) - d(:, 2:m+1)
     q(2:n, :) = q(2:n, :) - d(1:n-1, 1:m)
     q(1:n-1, :) = q(1:n-1, :) - d(2:n, 1:m)
     loc = sum(d(:, 1:m) * q)
     call MPI_ALLREDUCE(loc, dq, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
     alpha = rr / dq
     x = x + alpha * d(:, 1:m)
     r = r - alpha * q
     loc = sum(r*r)
     call MPI_ALLREDUCE(loc, rn, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
     d(:, 1:m) = r + rn / rr * d(:, 1:m)
     rr = rn
  end do
  if (rank == 0) print *, 'residual', rr
  call MPI_FINALIZE(ierr)
end program
