! DENSERKS' tangent linear model, one call for each column of S: it solves the state anew with each of them.
module called_back
    use problem
    implicit none
    integer :: column ! of S: a parameter, or np + a component of x0
contains
    subroutine rhs(nvar, t, y, dy)
        integer :: nvar
        double precision :: t, y(nvar), dy(nvar)
        call f(t, y, dy)
    end subroutine rhs

    subroutine tlm_rhs(nvar, t, y, s, ds)
        integer :: nvar
        double precision :: t, y(nvar), s(nvar), ds(nvar), J(n, n), by_p(n, np)
        call f_x(t, y, J)
        ds = matmul(J, s)
        if (column > np) return
        call f_p(t, y, by_p)
        ds = ds + by_p(:, column)
    end subroutine tlm_rhs
end module called_back

subroutine solve(t0, t1, x, S, rtol, atol, max_steps, option, steps, rejects, info) bind(C)
    use problem, only: n, np
    use called_back
    use RKTLM_MODULE, only: RKINT_TLM
    implicit none
    real(8), intent(in) :: t0, t1, rtol, atol
    integer, intent(in) :: max_steps, option ! ICNTRL(3), the scheme
    real(8), intent(inout) :: x(n), S(n, np + n)
    integer, intent(out) :: steps, rejects, info
    double precision :: y(n), start, finish, tols_a(2 * n), tols_r(2 * n), rcntrl(20), rstatus(20)
    integer :: icntrl(20), istatus(20), checkpoints, ierr

    icntrl = 0
    icntrl(2) = max_steps
    icntrl(3) = option
    rcntrl = 0d0
    tols_a = atol
    tols_r = rtol
    steps = 0
    rejects = 0
    info = 0
    S = 0
    do column = 1, np + n
        y = x
        start = t0
        finish = t1
        if (column > np) S(column - np, column) = 1
        istatus = 0
        rstatus = 0d0
        call RKINT_TLM(n, y, rhs, S(:, column), tlm_rhs, start, finish, 0, checkpoints, tols_a, tols_r, rcntrl, &
            icntrl, rstatus, istatus, ierr)
        steps = steps + istatus(3)
        rejects = rejects + istatus(4)
        if (ierr < 0) info = merge(1, 2, ierr == -6)
        if (ierr < 0) return
    end do
    x = y
end subroutine solve
