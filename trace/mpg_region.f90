! SPDX-License-Identifier: GPL-3.0-or-later
! Names for the phases of a Fortran program, which mpgtrace records among its MPI
! calls. Compile this file with the program, then
!     call mpg_region_begin('assembly')
!     ...
!     call mpg_region_end('assembly')
! between MPI_Init and MPI_Finalize, whether the program has mpif.h, use mpi or use
! mpi_f08. Without the tracer they do nothing. The numbers are those of mpg_region.h;
! MPI_Pcontrol takes further arguments (MPI-3.1, section 14.2.4), but its interfaces in
! the modules do not: hence procedures of their own, which use none.
subroutine mpg_region_begin(name)
    implicit none
    character(len=*), intent(in) :: name
    external :: MPI_Pcontrol
    call MPI_Pcontrol(10001, name)
end subroutine mpg_region_begin

subroutine mpg_region_end(name)
    implicit none
    character(len=*), intent(in) :: name
    external :: MPI_Pcontrol
    call MPI_Pcontrol(10002, name)
end subroutine mpg_region_end
