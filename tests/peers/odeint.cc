/* odeint behind a C interface. Its own integrate_adaptive calls its own stepper; what stands between them,
 * and between the stepper and the default error checker, only writes down what passes. */
#include "odeint.h"

#include <functional>
#include <stdexcept>
#include <vector>

#include <boost/numeric/odeint.hpp>

namespace odeint = boost::numeric::odeint;

namespace {

using state = std::vector<double>;

template <class Stepper>
using default_checker =
    odeint::default_error_checker<double, typename Stepper::algebra_type, typename Stepper::operations_type>;

template <class Stepper> class noting_checker : public default_checker<Stepper> {
  public:
    noting_checker(double atol, double rtol, double *note) : default_checker<Stepper>(atol, rtol), noted(note)
    {
    }

    template <class Algebra, class State, class Deriv, class Err>
    double error(Algebra &algebra, const State &x, const Deriv &dxdt, Err &e, double h) const
    {
        return *noted = default_checker<Stepper>::error(algebra, x, dxdt, e, h);
    }

  private:
    double *noted;
};

template <class Stepper> class noting_stepper {
  public:
    using checker = noting_checker<Stepper>;
    using controlled = odeint::controlled_runge_kutta<Stepper, checker>;
    using stepper_category = typename controlled::stepper_category;

    noting_stepper(const odeint_system &system, odeint_log &kept)
        : log(kept), inner(checker(system.atol, system.rtol, &error))
    {
    }

    template <class System>
    odeint::controlled_step_result try_step(System system, state &x, double &t, double &h)
    {
        if (log.count == log.limit) throw std::runtime_error("more trials than the log holds");
        odeint_trial &trial = log.trial[log.count++];
        trial.t = t;
        trial.h = h;
        const odeint::controlled_step_result result = inner.try_step(system, x, t, h);
        trial.error = error;
        trial.next = h;
        trial.accepted = result == odeint::success;
        return result;
    }

  private:
    odeint_log &log;
    double error = 0;
    controlled inner;
};

template <class Stepper>
void run(const odeint_system &system, double t0, const double *t1, double h, double *x, odeint_log &log)
{
    const auto f = [&system](const state &y, state &dy, double t) {
        system.f(system.self, t, y.data(), dy.data());
    };
    state y(x, x + system.n);
    noting_stepper<Stepper> stepper(system, log);
    if (t1)
        odeint::integrate_adaptive(std::ref(stepper), f, y, t0, *t1, h);
    else
        while (stepper.try_step(f, y, t0, h) != odeint::success) continue;
    for (size_t i = 0; i < system.n; i++) x[i] = y[i];
}

bool guarded(odeint_pair pair, const odeint_system &system, double t0, const double *t1, double h, double *x,
             odeint_log &log)
{
    log.count = 0;
    try {
        if (pair == ODEINT_CASH_KARP)
            run<odeint::runge_kutta_cash_karp54<state>>(system, t0, t1, h, x, log);
        else
            run<odeint::runge_kutta_dopri5<state>>(system, t0, t1, h, x, log);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

} // namespace

bool odeint_integrate(enum odeint_pair pair, const struct odeint_system *system, double t0, double t1,
                      double h, double *x, struct odeint_log *log)
{
    return guarded(pair, *system, t0, &t1, h, x, *log);
}

bool odeint_step(enum odeint_pair pair, const struct odeint_system *system, double t, double h, double *x,
                 struct odeint_log *log)
{
    return guarded(pair, *system, t, nullptr, h, x, *log);
}
