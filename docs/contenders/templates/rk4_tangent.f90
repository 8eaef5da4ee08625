! The classic Runge-Kutta method in equal steps with its tangent, so that S is the derivative of what is computed.
subroutine solve(t0, t1, x, S, rtol, atol, max_steps, option, steps, rejects, info) bind(C)
    use problem, only: n, np
    implicit none
    real(8), intent(in) :: t0, t1, rtol, atol
    integer, intent(in) :: max_steps, option ! the number of steps
    real(8), intent(inout) :: x(n), S(n, np + n)
    integer, intent(out) :: steps, rejects, info
    real(8), parameter :: a(4) = [0d0, 0.5d0, 0.5d0, 1d0], b(4) = [1d0, 2d0, 2d0, 1d0] / 6d0
    real(8) :: h, k(n), K_S(n, np + n), x_new(n), S_new(n, np + n)
    integer :: i, stage

    rejects = 0
    info = merge(1, 0, option > max_steps)
    steps = merge(0, option, option > max_steps)
    h = (t1 - t0) / option
    S = 0
    do i = 1, n
        S(i, np + i) = 1
    end do
    do i = 1, steps
        x_new = x
        S_new = S
        k = 0
        K_S = 0
        do stage = 1, 4
            call slope(t0 + (i - 1 + a(stage)) * h, x + a(stage) * h * k, S + a(stage) * h * K_S)
            x_new = x_new + b(stage) * h * k
            S_new = S_new + b(stage) * h * K_S
        end do
        x = x_new
        S = S_new
    end do

contains

    subroutine slope(t, y, Y_S) ! k = f, K_S = df/dx Y_S + (df/dp, 0)
        use problem, only: f, f_x, f_p
        real(8), intent(in) :: t, y(n), Y_S(n, np + n)
        real(8) :: J(n, n), by_p(n, np)
        call f(t, y, k)
        call f_x(t, y, J)
        call f_p(t, y, by_p)
        K_S = matmul(J, Y_S)
        K_S(:, 1:np) = K_S(:, 1:np) + by_p
    end subroutine slope
end subroutine solve
