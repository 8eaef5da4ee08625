# Error of the state at the end against accepted steps and the time of the forward solve, two panels for every problem
# and size: the solution without its derivatives, of the same rows.
#! title: error of the state against steps and time of the forward solve
#! axes: t_forward_s err_x
#! panels: problem n
#! needs: t_total_s t_forward_s err_x rtol steps
#! controlled: effort_state
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
error_column = "err_x"
y_label = "relative error of the state"
MEASURES = "steps t_forward_s"
MEASURE_NAMES = "'accepted steps' 'time of the forward solve [s]'"
load "effort.gp"
