! SPDX-License-Identifier: GPL-3.0-or-later
! Names regions from Fortran, for tests/trace/pmpi/test-regions.sh, which also makes programs with
! mpif.h and mpi_f08 of this one.
program fregions
    use mpi
    implicit none
    integer :: ierr
    character(len=20) :: padded
    call MPI_Init(ierr)
    padded = 'padded name'
    call mpg_region_begin('assembly')
    call mpg_region_begin(padded)
    call MPI_Barrier(MPI_COMM_SELF, ierr)
    call mpg_region_end(padded)
    call mpg_region_end('assembly')
    call MPI_Pcontrol(120)
    call MPI_Pcontrol(-120)
    call MPI_Pcontrol(1)
    call MPI_Finalize(ierr)
    print '(a)', 'fregions: done'
end program fregions
