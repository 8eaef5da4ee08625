# Figure 4: time of one gradient against its error, and on the right border of each panel the seconds that codes took at
# tolerance 1e-9 before, on another machine (measured_before.tsv): their errors are not in that file, so that only the
# height of these marks says something.
#! title: time against error
#! needs: t_lo_s err_grad rtol
#! lists: paper
#! controlled: work_precision
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; paper = ARG7
earlier = paper . "/measured_before.tsv"
EARLIER = "\"the paper's code\" 'FATODE DP5' 'DENSERKS DP5' 'PETSc 5dp, by hand' 'CVODES adjoint, Adams'"
EARLIER_MARKERS = "2 8 10 12 14"
earlier_in(p) = column("threads") == 1 && before(p) eq "glv" && column("n") == real(after(p))
more_entries = words(EARLIER)
MORE_CURVES = "for [k = 1:words(EARLIER)] earlier using " \
    . "(earlier_in(p) && strcol('code') eq word(EARLIER, k) ? x_hi : NaN):" \
    . "(column('seconds')) with points pt int(word(EARLIER_MARKERS, k)) ps 1.3 lw 1.4 lc rgb GREY notitle,"
MORE_ENTRIES = ", for [k = 1:words(EARLIER)] keyentry with points " \
    . "pt int(word(EARLIER_MARKERS, k)) ps 1.3 lw 1.4 lc rgb GREY title 'before, at tol 1e-9: ' . word(EARLIER, k)"
note = note . "\nGrey, on the right border: seconds at tolerance 1e-9 as measured before on another machine; " \
    . "only their height says something."
height = 1080
load "work_precision.gp"
