! SPDX-License-Identifier: GPL-3.0-or-later
! A wave on a rod, refined at its crest: wave [balance=REGION] [scale=REGION:F]
! [bytes=N] [rounds=N] [unit=MS]
!
! Each step posts ghost cells, advances the interior (region `update`: uneven, since the crest moves), waits for ghost
! cells, and advances the borders. Every third step the ranks agree on the next time step; every fourth step rank 0
! gathers and writes the state (region `output`). Work is sleep, so ranks may share cores. balance= and scale= change
! the work as the hypotheses of mpgsim do. Prints the run time in ms. Compile with mpg_region.f90.
module work
    use, intrinsic :: iso_c_binding
    implicit none
    real(c_double) :: unit_ms = 4, factor = 1
    character(len=32) :: balanced = '', scaled = ''
    interface
        integer(c_int) function usleep(us) bind(c)
            import
            integer(c_int), value :: us
        end function
    end interface
contains
    ! Work units of rank R of N in step K.
    real(c_double) function share(r, n, k)
        integer, intent(in) :: r, n, k
        share = 1.5_c_double + 5 * exp(-real((modulo(k, 2 * n) - 2 * r)**2, c_double) / 3)
    end function

    subroutine sleep_units(region, units)
        character(len=*), intent(in) :: region
        real(c_double), intent(in) :: units
        integer(c_int) :: failed
        call mpg_region_begin(region)
        failed = usleep(int(1000 * unit_ms * units * merge(factor, 1.0_c_double, scaled == region), c_int))
        call mpg_region_end(region)
    end subroutine

    subroutine update(r, n, k)
        integer, intent(in) :: r, n, k
        integer :: i
        real(c_double) :: units
        units = share(r, n, k)
        if (balanced == 'update') units = sum([(share(i, n, k), i = 0, n - 1)]) / n
        call sleep_units('update', units)
    end subroutine
end module

program wave
    use mpi
    use work
    implicit none
    integer :: rank, ranks, left, right, rounds = 20, bytes = 8192, k, i, at, err, request(4)
    character(len=64) :: word
    character, allocatable :: ghost(:, :), state(:), all(:)
    double precision :: begin, mine, longest, speed, fastest

    do i = 1, command_argument_count()
        call get_command_argument(i, word)
        at = index(word, ':')
        if (index(word, 'balance=') == 1) balanced = word(9:)
        if (index(word, 'scale=') == 1 .and. at > 0) then
            scaled = word(7:at - 1)
            read (word(at + 1:), *) factor
        end if
        if (index(word, 'bytes=') == 1) read (word(7:), *) bytes
        if (index(word, 'rounds=') == 1) read (word(8:), *) rounds
        if (index(word, 'unit=') == 1) read (word(6:), *) unit_ms
    end do
    call MPI_Init(err)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, err)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, err)
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    allocate (ghost(bytes, 4), state(bytes), all(bytes * ranks))
    ghost = ' '
    state = ' '
    begin = MPI_Wtime()
    do k = 0, rounds - 1
        call MPI_Irecv(ghost(1, 1), bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, request(1), err)
        call MPI_Irecv(ghost(1, 2), bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, request(2), err)
        call MPI_Isend(ghost(1, 3), bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, request(3), err)
        call MPI_Isend(ghost(1, 4), bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, request(4), err)
        call update(rank, ranks, k)
        call MPI_Waitall(4, request, MPI_STATUSES_IGNORE, err)
        call sleep_units('border', 0.5_c_double)
        if (modulo(k, 3) == 2) then
            speed = rank
            call MPI_Allreduce(speed, fastest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, err)
        end if
        if (modulo(k, 4) == 3) then
            call MPI_Gather(state, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, err)
            if (rank == 0) call sleep_units('output', 1.5_c_double)
        end if
    end do
    mine = MPI_Wtime() - begin
    call MPI_Reduce(mine, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, err)
    if (rank == 0) print '(f0.1)', 1000 * longest
    call MPI_Finalize(err)
end program
