# Performance profile of Dolan and More (Math. Program. 91 (2002) 201) from result files without their preludes.
#
# A case is a problem of one size, with a cost and what it is differentiated by, and an accuracy. The time of a curve in it:
# of its points count those that no other one beats in both error and time; between the two around the accuracy, log t is
# linear in log error. Where already the fastest is exact enough, it is its time; where none is, the accuracy is not reached.
# (harness/report/summary_curves.c has the same times; where every point is more exact, `sensbench summary` prints that time as
# a bound, "< t", and judges nothing by it. A test compares the two.) Of several settings of a method the fastest counts. A
# method that does not reach the accuracy, fails, or was not run has no time. The ratio of a method is its time by the best
# of the case; cases that no method reaches are left out. Tracks apart.
#
# Written: lines `step track method ratio share`, each the share of cases within this ratio, from 1 to the largest of any
# method; and lines `reached track method reached all missing`: cases reached, of all, and those not run.
BEGIN {
    FS = OFS = "\t"
    accuracies = split("1e-4 1e-6 1e-8", accuracy, " ")
    print "row", "track", "method", "ratio", "share"
}
FNR == 1 {
    for (i in at) delete at[i]
    for (i = 1; i <= NF; i++) at[$i] = i
    next
}
{
    track = text("track")
    if (track == "") track = " " $at["cell"] " " ~ / track=controlled / ? "controlled" : "natural"
    task = $at["problem"] " " $at["n"] " " text("cost") " " text("wrt")
    if ($at["status"] !~ /^(unavailable|unsupported)$/) run[track, task, $at["method"]] = 1
    if ($at["status"] != "ok" || !($at["t_total_s"] + 0 > 0) || !($at["err_grad"] + 0 > 0) || $at["err_grad"] == "nan") next
    methods[track SUBSEP $at["method"]] = 1
    curve = track SUBSEP task SUBSEP $at["method"] SUBSEP $at["series"] SUBSEP text("vjp")
    points[curve]++
    error[curve, points[curve]] = $at["err_grad"] + 0
    time[curve, points[curve]] = $at["t_total_s"] + 0
}

# The text of a column that need not be there.
function text(name) {
    return name in at ? $at[name] : ""
}

# The time at which a curve reaches the goal; 0: it does not. Points by error, smallest first, of equal errors the fastest
# first; a point counts where it is faster than all before it.
function seconds(curve, goal,    k, i, j, e, t, last_e, last_t) {
    k = points[curve]
    for (i = 2; i <= k; i++) { # few: by insertion
        e = error[curve, i]
        t = time[curve, i]
        for (j = i - 1; j >= 1 && (error[curve, j] > e || (error[curve, j] == e && time[curve, j] > t)); j--) {
            error[curve, j + 1] = error[curve, j]
            time[curve, j + 1] = time[curve, j]
        }
        error[curve, j + 1] = e
        time[curve, j + 1] = t
    }
    last_t = 0
    for (i = 1; i <= k; i++) {
        e = error[curve, i]
        t = time[curve, i]
        if (last_t > 0 && t >= last_t) continue
        if (e > goal && last_t == 0) return 0
        if (e > goal) return exp(log(last_t) + log(t / last_t) * log(goal / last_e) / log(e / last_e))
        last_e = e
        last_t = t
    }
    return last_t
}

END {
    for (curve in points) {
        split(curve, of, SUBSEP)
        for (a = 1; a <= accuracies; a++) {
            t = seconds(curve, accuracy[a] + 0)
            if (t == 0) continue
            goal = of[1] SUBSEP of[2] SUBSEP a
            key = goal SUBSEP of[3]
            if (!(goal in best)) cases[of[1]]++
            if (!(goal in best) || t < best[goal]) best[goal] = t
            if (!(key in fastest) || t < fastest[key]) fastest[key] = t
        }
    }
    longest = 1
    for (key in fastest) {
        split(key, of, SUBSEP)
        ratio = fastest[key] / best[of[1] SUBSEP of[2] SUBSEP of[3]]
        who = of[1] SUBSEP of[4]
        list[who, ++count[who]] = ratio
        if (ratio > longest) longest = ratio
    }
    for (who in methods) {
        split(who, part, SUBSEP)
        all = cases[part[1]]
        if (all == 0) continue
        k = count[who] + 0
        for (i = 2; i <= k; i++) {
            value = list[who, i]
            for (j = i - 1; j >= 1 && list[who, j] > value; j--) list[who, j + 1] = list[who, j]
            list[who, j + 1] = value
        }
        for (i = 1; i <= k && list[who, i] == 1; i++) ;
        print "step", part[1], part[2], 1, (i - 1) / all
        for (; i <= k; i++) print "step", part[1], part[2], list[who, i], i / all
        print "step", part[1], part[2], longest, k / all
        missing = 0
        for (goal in best) {
            split(goal, of, SUBSEP)
            if (of[1] == part[1] && !((of[1], of[2], part[2]) in run)) missing++
        }
        print "reached", part[1], part[2], k, all, missing
    }
}
