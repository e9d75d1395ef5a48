C     SPDX-License-Identifier: GPL-3.0-or-later
C     Traced through mpif.h on 2 ranks; tests/trace/pmpi/test-record.sh knows its record.
      PROGRAM FTRACE
      INCLUDE 'mpif.h'
      INTEGER IERR, RANK, REQ, A(2), B(2)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      A(1) = RANK
      A(2) = RANK
      CALL MPI_IRECV(B, 2, MPI_INTEGER, 1 - RANK, MPI_ANY_TAG,
     &               MPI_COMM_WORLD, REQ, IERR)
      CALL MPI_SEND(A, 2, MPI_INTEGER, 1 - RANK, 9, MPI_COMM_WORLD,
     &              IERR)
      CALL MPI_WAIT(REQ, MPI_STATUS_IGNORE, IERR)
      IF (B(2) .NE. 1 - RANK) CALL MPI_ABORT(MPI_COMM_WORLD, 3, IERR)
      CALL MPI_REDUCE(A, B, 2, MPI_INTEGER, MPI_SUM, 1,
     &                MPI_COMM_WORLD, IERR)
      CALL MPI_FINALIZE(IERR)
      IF (RANK .EQ. 0) PRINT '(A)', 'ftrace77: all results are right'
      END
