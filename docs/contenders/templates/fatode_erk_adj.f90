! FATODE's explicit Runge-Kutta adjoint: Lambda starts as I, so that Lambda^T = dx(t1)/dx0 and Mu^T = dx(t1)/dp.
module called_back
    use problem
    implicit none
contains
    subroutine fun(nvar, t, y, dy)
        integer :: nvar
        double precision :: t, y(nvar), dy(nvar)
        call f(t, y, dy)
    end subroutine fun

    subroutine jac(nvar, t, y, fjac)
        integer :: nvar
        double precision :: t, y(nvar), fjac(nvar, nvar)
        call f_x(t, y, fjac)
    end subroutine jac

    subroutine jacp(nvar, npar, t, y, fpjac)
        integer :: nvar, npar
        double precision :: t, y(nvar), fpjac(nvar, npar)
        call f_p(t, y, fpjac)
    end subroutine jacp

    subroutine adjinit(nvar, npar, nadj, t, y, lambda, mu)
        integer :: nvar, npar, nadj, k
        double precision :: t, y(nvar), lambda(nvar, nadj), mu(npar, nadj)
        lambda = 0d0
        do k = 1, nadj
            lambda(k, k) = 1d0
        end do
        mu = 0d0
    end subroutine adjinit
end module called_back

subroutine solve(t0, t1, x, S, rtol, atol, max_steps, option, steps, rejects, info) bind(C)
    use problem, only: n, np
    use called_back
    use ERK_adj_f90_Integrator, only: INTEGRATE_ADJ
    implicit none
    real(8), intent(in) :: t0, t1, rtol, atol
    integer, intent(in) :: max_steps, option ! ICNTRL(3), the scheme
    real(8), intent(inout) :: x(n), S(n, np + n)
    integer, intent(out) :: steps, rejects, info
    double precision :: lambda(n, n), mu(np, n), atols(n), rtols(n), rcntrl(20), rstatus(20)
    integer :: icntrl(20), istatus(20), ierr

    icntrl = 0
    rcntrl = 0d0
    icntrl(3) = option
    icntrl(4) = min(max_steps, 10000) ! its buffers have room for as many steps: more than its default is dear
    atols = atol
    rtols = rtol
    lambda = 0d0
    mu = 0d0
    call INTEGRATE_ADJ(NVAR=n, NP=np, NADJ=n, NNZ=n * n, Y=x, Lambda=lambda, TIN=t0, TOUT=t1, ATOL=atols, RTOL=rtols, &
        FUN=fun, JAC=jac, AdjInit=adjinit, ICNTRL_U=icntrl, RCNTRL_U=rcntrl, ISTATUS_U=istatus, RSTATUS_U=rstatus, &
        Ierr_U=ierr, Mu=mu, JACP=jacp)
    info = merge(0, merge(1, 2, ierr == -6), ierr > 0)
    steps = istatus(4)
    rejects = istatus(5)
    S(:, 1:np) = transpose(mu)
    S(:, np + 1:) = transpose(lambda)
end subroutine solve
