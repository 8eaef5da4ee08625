# Figure 4: time of one gradient against its error, and in grey the seconds that codes took at tolerance 1e-9 before, on
# another machine (measured_before.tsv). They were measured at one achieved error, that of Cash-Karp at this tolerance:
# there the marks stand. Where the rows do not tell it, and for DENSERKS, whose error was larger and is not known, they
# stand on the right border, and only their height says something.
#! title: time against error
#! axes: err_grad t_total_s
#! panels: problem n
#! needs: t_lo_s err_grad rtol
#! lists: paper
#! controlled: work_precision
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; paper = ARG7
earlier = paper . "/measured_before.tsv"
EARLIER = "\"the paper's code\" 'FATODE DP5' 'DENSERKS DP5' 'PETSc 5dp, by hand' 'CVODES adjoint, Adams'"
EARLIER_MARKERS = "2 8 10 12 14"
earlier_in(p) = column("threads") == 1 && before(p) eq "glv" && column("n") == real(after(p))
more_entries = words(EARLIER)
# sets `alike` to the error of our adjoint by Cash-Karp at 1e-9 in panel p, or to NaN
is_alike(p) = shown(p) && strcol("method") eq "discrete_adjoint" && strcol("series")[1:9] eq "cash_karp" \
    && abs(log10(column("rtol")) + 9) < 1e-3
BEFORE_PANEL = "alike = NaN; stats data using (is_alike(p) ? (alike = column('err_grad')) : NaN) nooutput"
error_before(code) = code[1:8] eq "DENSERKS" || alike != alike ? x_hi : alike
MORE_CURVES = "for [k = 1:words(EARLIER)] earlier using " \
    . "(earlier_in(p) && strcol('code') eq word(EARLIER, k) ? error_before(word(EARLIER, k)) : NaN):" \
    . "(column('seconds')) with points pt int(word(EARLIER_MARKERS, k)) ps 1.3 lw 1.4 lc rgb GREY notitle,"
MORE_ENTRIES = ", for [k = 1:words(EARLIER)] keyentry with points " \
    . "pt int(word(EARLIER_MARKERS, k)) ps 1.3 lw 1.4 lc rgb GREY title 'before, at tol 1e-9: ' . word(EARLIER, k)"
note = note . "\nGrey: seconds at tolerance 1e-9 as measured before on another machine, at the error of our " \
    . "Cash-Karp, which was theirs; on the right border where the error is not known: there only the height says " \
    . "something."
height = 1080
load "work_precision.gp"
