/* Explicit Runge-Kutta methods and pairs through order 5:
 *
 *     Y_i = x + h sum_{j<i} a_ij K_j,   K_i = f(t + c_i h, Y_i),   x1 = x + h sum_i b_i K_i,   e = b - bhat.
 *
 * Each array is labelled by its place: [i * stages] starts row i of a, counted from 0. Every pair propagates
 * its higher order formula. */
#include "tableaux.h"

/* ---- euler, heun, midpoint, rk4 ------------------------------------------------------------------------ */

static const sens_real euler_a[1 * 1] = {0};
static const sens_real euler_b[1] = {1};
static const sens_real euler_c[1] = {0};

const struct sens_tableau sens_tableau_euler = {
    .name = "euler",
    .summary = "explicit Euler; no error estimate",
    .source = "Euler 1768",
    .stages = 1,
    .order = 1,
    .a = euler_a,
    .b = euler_b,
    .c = euler_c,
    .dense_order = 1,
};

static const sens_real heun_a[2 * 2] = {[1 * 2] = 1};
static const sens_real heun_b[2] = {0.5, 0.5};
static const sens_real heun_e[2] = {-0.5, 0.5};
static const sens_real heun_c[2] = {0, 1};

const struct sens_tableau sens_tableau_heun = {
    .name = "heun",
    .summary = "explicit trapezoidal rule 2(1), with explicit Euler embedded",
    .source = "Heun, Z. Math. Phys. 45 (1900); Hairer, Norsett, Wanner, Solving ODEs I, II.1",
    .stages = 2,
    .order = 2,
    .order_hat = 1,
    .a = heun_a,
    .b = heun_b,
    .e = heun_e,
    .c = heun_c,
    .dense_order = 2,
};

static const sens_real midpoint_a[2 * 2] = {[1 * 2] = 0.5};
static const sens_real midpoint_b[2] = {0, 1};
static const sens_real midpoint_e[2] = {-1, 1};
static const sens_real midpoint_c[2] = {0, 0.5};

const struct sens_tableau sens_tableau_midpoint = {
    .name = "midpoint",
    .summary = "explicit midpoint rule 2(1), with explicit Euler embedded",
    .source = "Runge, Math. Ann. 46 (1895); Hairer, Norsett, Wanner, Solving ODEs I, (II.1.4)",
    .stages = 2,
    .order = 2,
    .order_hat = 1,
    .a = midpoint_a,
    .b = midpoint_b,
    .e = midpoint_e,
    .c = midpoint_c,
    .dense_order = 2,
};

static const sens_real rk4_a[4 * 4] = {[1 * 4] = 0.5, [2 * 4] = 0, 0.5, [3 * 4] = 0, 0, 1};
static const sens_real rk4_b[4] = {SENS_Q(1, 6), SENS_Q(1, 3), SENS_Q(1, 3), SENS_Q(1, 6)};
static const sens_real rk4_c[4] = {0, 0.5, 0.5, 1};

const struct sens_tableau sens_tableau_rk4 = {
    .name = "rk4",
    .summary = "the classic fourth-order method; no error estimate",
    .source = "Kutta, Z. Math. Phys. 46 (1901); Hairer, Norsett, Wanner, Solving ODEs I, table II.1.2",
    .stages = 4,
    .order = 4,
    .a = rk4_a,
    .b = rk4_b,
    .c = rk4_c,
    .dense_order = 3,
};

/* ---- bs32 ---------------------------------------------------------------------------------------------- */

static const sens_real bs32_a[4 * 4] = {[1 * 4] = 0.5,          [2 * 4] = 0,  0.75,
                                        [3 * 4] = SENS_Q(2, 9), SENS_Q(1, 3), SENS_Q(4, 9)};
static const sens_real bs32_b[4] = {SENS_Q(2, 9), SENS_Q(1, 3), SENS_Q(4, 9), 0};
static const sens_real bs32_e[4] = {SENS_Q(-5, 72), SENS_Q(1, 12), SENS_Q(1, 9), SENS_Q(-1, 8)};
static const sens_real bs32_c[4] = {0, 0.5, 0.75, 1};

const struct sens_tableau sens_tableau_bs32 = {
    .name = "bs32",
    .summary = "Bogacki-Shampine 3(2), first same as last",
    .source = "Bogacki & Shampine, Appl. Math. Lett. 2 (1989) 321-325",
    .stages = 4,
    .order = 3,
    .order_hat = 2,
    .fsal = true,
    .a = bs32_a,
    .b = bs32_b,
    .e = bs32_e,
    .c = bs32_c,
    .dense_order = 3,
};

/* ---- cash_karp ----------------------------------------------------------------------------------------- */

static const sens_real cash_karp_a[6 * 6] = {
    [1 * 6] = SENS_Q(1, 5),
    [2 * 6] = SENS_Q(3, 40),
    SENS_Q(9, 40),
    [3 * 6] = SENS_Q(3, 10),
    SENS_Q(-9, 10),
    SENS_Q(6, 5),
    [4 * 6] = SENS_Q(-11, 54),
    SENS_Q(5, 2),
    SENS_Q(-70, 27),
    SENS_Q(35, 27),
    [5 * 6] = SENS_Q(1631, 55296),
    SENS_Q(175, 512),
    SENS_Q(575, 13824),
    SENS_Q(44275, 110592),
    SENS_Q(253, 4096),
};
static const sens_real cash_karp_b[6] = {SENS_Q(37, 378),  0, SENS_Q(250, 621),
                                         SENS_Q(125, 594), 0, SENS_Q(512, 1771)};
static const sens_real cash_karp_e[6] = {SENS_Q(-277, 64512),  0,
                                         SENS_Q(6925, 370944), SENS_Q(-6925, 202752),
                                         SENS_Q(-277, 14336),  SENS_Q(277, 7084)};
static const sens_real cash_karp_c[6] = {0, SENS_Q(1, 5), SENS_Q(3, 10), SENS_Q(3, 5), 1, SENS_Q(7, 8)};

const struct sens_tableau sens_tableau_cash_karp = {
    .name = "cash_karp",
    .summary = "Cash-Karp 5(4)",
    .source = "Cash & Karp, ACM Trans. Math. Softw. 16 (1990) 201-222",
    .stages = 6,
    .order = 5,
    .order_hat = 4,
    .a = cash_karp_a,
    .b = cash_karp_b,
    .e = cash_karp_e,
    .c = cash_karp_c,
    .dense_order = 3,
};

/* ---- fehlberg45 ---------------------------------------------------------------------------------------- */

static const sens_real fehlberg45_a[6 * 6] = {
    [1 * 6] = SENS_Q(1, 4),
    [2 * 6] = SENS_Q(3, 32),
    SENS_Q(9, 32),
    [3 * 6] = SENS_Q(1932, 2197),
    SENS_Q(-7200, 2197),
    SENS_Q(7296, 2197),
    [4 * 6] = SENS_Q(439, 216),
    -8,
    SENS_Q(3680, 513),
    SENS_Q(-845, 4104),
    [5 * 6] = SENS_Q(-8, 27),
    2,
    SENS_Q(-3544, 2565),
    SENS_Q(1859, 4104),
    SENS_Q(-11, 40),
};
static const sens_real fehlberg45_b[6] = {
    SENS_Q(16, 135), 0, SENS_Q(6656, 12825), SENS_Q(28561, 56430), SENS_Q(-9, 50), SENS_Q(2, 55)};
static const sens_real fehlberg45_e[6] = {
    SENS_Q(1, 360), 0, SENS_Q(-128, 4275), SENS_Q(-2197, 75240), SENS_Q(1, 50), SENS_Q(2, 55)};
static const sens_real fehlberg45_c[6] = {0, SENS_Q(1, 4), SENS_Q(3, 8), SENS_Q(12, 13), 1, 0.5};

const struct sens_tableau sens_tableau_fehlberg45 = {
    .name = "fehlberg45",
    .summary = "Fehlberg 5(4), continued with the fifth-order formula",
    .source = "Fehlberg, NASA TR R-315 (1969), table III",
    .stages = 6,
    .order = 5,
    .order_hat = 4,
    .a = fehlberg45_a,
    .b = fehlberg45_b,
    .e = fehlberg45_e,
    .c = fehlberg45_c,
    .dense_order = 3,
};

/* ---- dopri5 -------------------------------------------------------------------------------------------- */

static const sens_real dopri5_a[7 * 7] = {
    [1 * 7] = SENS_Q(1, 5),
    [2 * 7] = SENS_Q(3, 40),
    SENS_Q(9, 40),
    [3 * 7] = SENS_Q(44, 45),
    SENS_Q(-56, 15),
    SENS_Q(32, 9),
    [4 * 7] = SENS_Q(19372, 6561),
    SENS_Q(-25360, 2187),
    SENS_Q(64448, 6561),
    SENS_Q(-212, 729),
    [5 * 7] = SENS_Q(9017, 3168),
    SENS_Q(-355, 33),
    SENS_Q(46732, 5247),
    SENS_Q(49, 176),
    SENS_Q(-5103, 18656),
    [6 * 7] = SENS_Q(35, 384),
    0,
    SENS_Q(500, 1113),
    SENS_Q(125, 192),
    SENS_Q(-2187, 6784),
    SENS_Q(11, 84),
};
static const sens_real dopri5_b[7] = {
    SENS_Q(35, 384), 0, SENS_Q(500, 1113), SENS_Q(125, 192), SENS_Q(-2187, 6784), SENS_Q(11, 84), 0};
static const sens_real dopri5_e[7] = {
    SENS_Q(71, 57600), 0, SENS_Q(-71, 16695), SENS_Q(71, 1920), SENS_Q(-17253, 339200), SENS_Q(22, 525),
    SENS_Q(-1, 40)};
static const sens_real dopri5_c[7] = {0, SENS_Q(1, 5), SENS_Q(3, 10), SENS_Q(4, 5), SENS_Q(8, 9), 1, 1};

/* The function contd5 of Hairer's dopri5.f, with its d_i. */
static const sens_real dopri5_dense[7 * 4] = {
    SENS_DENSE_4(SENS_Q(35, 384), 1, 0, SENS_Q(-12715105075, 11282082432)),
    SENS_DENSE_4(0, 0, 0, 0),
    SENS_DENSE_4(SENS_Q(500, 1113), 0, 0, SENS_Q(87487479700, 32700410799)),
    SENS_DENSE_4(SENS_Q(125, 192), 0, 0, SENS_Q(-10690763975, 1880347072)),
    SENS_DENSE_4(SENS_Q(-2187, 6784), 0, 0, SENS_Q(701980252875, 199316789632)),
    SENS_DENSE_4(SENS_Q(11, 84), 0, 0, SENS_Q(-1453857185, 822651844)),
    SENS_DENSE_4(0, 0, 1, SENS_Q(69997945, 29380423)),
};

const struct sens_tableau sens_tableau_dopri5 = {
    .name = "dopri5",
    .summary = "Dormand-Prince 5(4), first same as last; dense output contd5 of degree and order 4",
    .source =
        "Dormand & Prince, J. Comput. Appl. Math. 6 (1980) 19-26; Hairer, Norsett, Wanner, Solving ODEs "
        "I, table II.5.2; dopri5.f",
    .stages = 7,
    .order = 5,
    .order_hat = 4,
    .fsal = true,
    .a = dopri5_a,
    .b = dopri5_b,
    .e = dopri5_e,
    .c = dopri5_c,
    .dense_degree = 4,
    .dense_order = 4,
    .dense = dopri5_dense,
};

/* ---- auto ---------------------------------------------------------------------------------------------- */

static const struct sens_tableau *const auto_part[2] = {&sens_tableau_dopri5, &sens_tableau_kvaerno54};

const struct sens_tableau sens_tableau_auto = {
    .name = "auto",
    .summary = "dopri5 while its steps are stable, else kvaerno54: switches by what the stages tell",
    .source = "Hairer & Wanner, Solving ODEs II, IV.2; dopri5 and kvaerno54",
    .family = SENS_FAMILY_SWITCHED,
    .stages = 7,
    .order = 5,
    .order_hat = 4,
    .fsal = true,
    .a = dopri5_a,
    .b = dopri5_b,
    .e = dopri5_e,
    .c = dopri5_c,
    .dense_order = 3,
    .part = auto_part,
};

/* ---- tsit5 --------------------------------------------------------------------------------------------- */

static const sens_real tsit5_a[7 * 7] = {
    [1 * 7] = SENS_C(0.161),
    [2 * 7] = SENS_C(-0.008480655492356988544426874250230774675121),
    SENS_C(0.3354806554923569885444268742502307746751),
    [3 * 7] = SENS_C(2.897153057105493432130432594192938764925),
    SENS_C(-6.359448489975074843148159912383825625953),
    SENS_C(4.362295432869581411017727318190886861028),
    [4 * 7] = SENS_C(5.325864828439256604428877920840511317836),
    SENS_C(-11.74888356406282787774717033978577296189),
    SENS_C(7.495539342889836208304604784564358155659),
    SENS_C(-0.09249506636175524925650207933207191611350),
    [5 * 7] = SENS_C(5.861455442946420028659251486982647890394),
    SENS_C(-12.92096931784710929170611868178335939542),
    SENS_C(8.159367898576158643180400794539253485182),
    SENS_C(-0.07158497328140099722453054252582973869127),
    SENS_C(-0.02826905039406838290900305721271224146718),
    [6 * 7] = SENS_C(0.09646076681806522951816731316512876333712),
    SENS_C(0.01),
    SENS_C(0.4798896504144995747752495322905965199130),
    SENS_C(1.379008574103741893192274821856872770756),
    SENS_C(-3.290069515436080679901047585711363850116),
    SENS_C(2.324710524099773982415355918398765796109),
};
static const sens_real tsit5_b[7] = {SENS_C(0.09646076681806522951816731316512876333712),
                                     SENS_C(0.01),
                                     SENS_C(0.4798896504144995747752495322905965199130),
                                     SENS_C(1.379008574103741893192274821856872770756),
                                     SENS_C(-3.290069515436080679901047585711363850116),
                                     SENS_C(2.324710524099773982415355918398765796109),
                                     0};
static const sens_real tsit5_e[7] = {SENS_C(0.001780011052225771443378550607539534775945),
                                     SENS_C(0.0008164344596567469032236360633546862401863),
                                     SENS_C(-0.007880878010261996010314727672526304238629),
                                     SENS_C(0.1447110071732629075371651479726351167209),
                                     SENS_C(-0.5823571654525552250199376106520421794261),
                                     SENS_C(0.4580821059291869466616365188325542974428),
                                     SENS_Q(-1, 66)};
static const sens_real tsit5_c[7] = {
    0, SENS_C(0.161), SENS_C(0.327), SENS_C(0.9), SENS_C(0.9800255409045096857298102862870245954942), 1, 1};

/* The paper prints its free interpolant with 17 digits. Rows 1 and 6 are those of the paper, exact; the
 * conditions of order 4 then determine the others, which are the solution of those conditions
 * to 39 digits. */
static const sens_real tsit5_dense[7 * 4] = {
    1,
    SENS_C(-2.76370619727482586867298836302768225993),
    SENS_C(2.91325546182191265541864597871587957321),
    SENS_C(-1.05308849772902155722749030252306854994),
    0,
    SENS_C(0.1317),
    SENS_C(-0.2234),
    SENS_C(0.1017),
    0,
    SENS_C(3.93029623689475151740929366945998549809),
    SENS_C(-5.94103387213150473571758920975758491652),
    SENS_C(2.49062728565125279308354507258819593835),
    0,
    SENS_C(-12.4110771669336770387304733967118549368),
    SENS_C(30.3381886302823216502300460808512009566),
    SENS_C(-16.5481028892449027183072978622824732491),
    0,
    SENS_C(37.5093134165110391789784391110647412520),
    SENS_C(-88.1789048947664010775610685649749379044),
    SENS_C(47.3795219628192812186815818681988328023),
    0,
    SENS_C(-27.8965262891972877889842710207851895533),
    SENS_C(65.0918946747936715076299657151654422911),
    SENS_C(-34.8706578614966097362303387759814869416),
    0,
    1.5,
    -4,
    2.5,
};

const struct sens_tableau sens_tableau_tsit5 = {
    .name = "tsit5",
    .summary = "Tsitouras 5(4), first same as last; free interpolant of degree and order 4",
    .source = "Tsitouras, Comput. Math. Appl. 62 (2011) 770-775, with the author's later digits",
    .stages = 7,
    .order = 5,
    .order_hat = 4,
    .fsal = true,
    .a = tsit5_a,
    .b = tsit5_b,
    .e = tsit5_e,
    .c = tsit5_c,
    .dense_degree = 4,
    .dense_order = 4,
    .dense = tsit5_dense,
};

/* ---- the list ------------------------------------------------------------------------------------------ */

const struct sens_tableau *const sens_tableaux[] = {
#define TABLEAU_ENTRY(name) &sens_tableau_##name,
    SENS_TABLEAU_LIST(TABLEAU_ENTRY) NULL,
#undef TABLEAU_ENTRY
};
