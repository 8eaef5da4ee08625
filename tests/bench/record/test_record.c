/* Records: what is written is read back, what is broken is refused with its line. */
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "record.h"
#include "testing.h"

static char path[] = "/tmp/sensbench-record-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Whether a column takes any text; the other texts are names. */
static bool is_free(int column)
{
    return column == COL_cell || column == COL_options || column == COL_message || column == COL_library ||
           column == COL_vjp_note || column == COL_given;
}

/* Every column gets a value of its own. */
static struct record *sample_record(void)
{
    static const double number[] = {0.1,      -0.0,      DBL_MIN, DBL_TRUE_MIN, DBL_MAX,
                                    INFINITY, -INFINITY, NAN,     1e-3};
    struct record *rec = record_create();
    assert_non_null(rec);
    record_set_status(rec, SENS_OK, "");
    for (int c = 1; c < COLUMN_COUNT; c++) {
        if (is_free(c))
            snprintf(rec->text[c], RECORD_TEXT, "%s\ttab\nline\\n\\ \r#end%d\033[2J\177\001",
                     record_column_info[c].name, c);
        else if (record_column_info[c].kind == COLUMN_TEXT)
            snprintf(rec->text[c], RECORD_TEXT, "%s.%d", record_column_info[c].name, c);
        else
            rec->number[c] = record_column_info[c].kind == COLUMN_INT
                                 ? c * 1e13
                                 : number[(size_t)c % (sizeof number / sizeof number[0])];
    }
    return rec;
}

static void round_trip(void **state)
{
    (void)state;
    struct record *rec = sample_record();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    machine_write_prelude(file, "test");
    record_write_header(file);
    for (int i = 0; i < 40; i++) record_write_row(file, rec);
    fclose(file);
    struct table table;
    struct bench_error error = {.text = ""};
    assert_true(table_read(path, &table, &error));
    assert_int_equal(table.rows, 40);
    assert_string_equal(table.path, path);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const struct record *read = &table.row[39];
        assert_string_equal(read->text[c], rec->text[c]);
        if (isnan(rec->number[c]))
            assert_true(isnan(read->number[c]));
        else
            assert_memory_equal(&read->number[c], &rec->number[c], sizeof(double));
    }
    table_free(&table);
    free(rec);
}

static void write_text(const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void other_columns(void **state)
{
    (void)state;
    const char text[] = "#! schema: sens-result/1\n#! peak: what=fma isa=avx2\n# a "
                        "remark\n\nproblem\tlater\tstatus\tmethod\tn\n"
                        "glv\tanything\tok\tcfsa\t5\n";
    write_text(text, sizeof text - 1);
    struct table table;
    struct bench_error error = {.text = ""};
    assert_true(table_read(path, &table, &error));
    assert_int_equal(table.rows, 1);
    assert_string_equal(table.row[0].text[COL_problem], "glv");
    assert_true(table.row[0].number[COL_n] == 5);
    assert_true(isnan(table.row[0].number[COL_rtol]));
    assert_string_equal(table.row[0].text[COL_sweep], "");
    assert_int_equal(table.line[0], 6);
    assert_int_equal(table.preludes, 2);
    assert_string_equal(table.prelude[1].key, "peak");
    assert_string_equal(table.prelude[1].value, "what=fma isa=avx2");
    table_free(&table);
}

#define HEAD "status\tproblem\tmethod\tn\trtol\n"

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"", ": no header line"},
        {"#! schema: sens-result/1\n", ": no header line"},
        {"#! schema: sens-result/2\n" HEAD, ":1: schema 'sens-result/2'"},
        {"n\trtol\n", ":1: not a header line"},
        {"status\tproblem\tmethod\tn\tn\n", ":1: column 'n' appears twice"},
        {HEAD "ok\tglv\tcfsa\t5\n", ":2: fewer than the 5 values"},
        {HEAD "ok\tglv\tcfsa\t5\t1\t2\n", ":2: more than the 5 values"},
        {HEAD "ok\tglv\tcfsa\t5\t1\t2\t3\n", ":2: more than the 5 values"},
        {HEAD "ok\tglv\tcfsa\t5\t1\nok\tglv\tcfsa\tfive\t1\n", ":3: n: 'five' is not a number"},
        {HEAD "ok\tglv\tcfsa\t\t1\n", ":2: n: '' is not a number"},
        {HEAD "ok\tglv\tcfsa\t5.5\t1\n", ":2: n: '5.5' is not a whole number"},
        {HEAD "ok\tglv\tcfsa\t5\t1e-3x\n", ":2: rtol: '1e-3x' is not a number"},
        {HEAD "fine\tglv\tcfsa\t5\t1\n", ":2: status: 'fine' is not a status"},
        {HEAD "\tglv\tcfsa\t5\t1\n", ":2: status: '' is not a status"},
        {HEAD "ok\tgl\\v\tcfsa\t5\t1\n", ":2: problem: unknown escape"},
        {HEAD "ok\tglv\\\tcfsa\t5\t1\n", ":2: problem: unknown escape"},
        {HEAD "ok\tglv\tcfsa\t5\t1", ":2: torn line"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct table table = {.rows = 7};
        struct bench_error error = {.text = ""};
        char expected[256];
        write_text(bad[i].text, strlen(bad[i].text));
        snprintf(expected, sizeof expected, "%s%s", path, bad[i].expected);
        assert_false(table_read(path, &table, &error));
        if (strncmp(error.text, expected, strlen(expected)) != 0)
            fail_msg("'%s' is not '%s'", error.text, expected);
        assert_int_equal(table.rows, 7); /* untouched */
    }
    struct table table;
    struct bench_error error = {.text = ""};
    write_text(HEAD "ok\tglv\0\tcfsa\t5\t1\n", sizeof HEAD "ok\tglv\0\tcfsa\t5\t1\n" - 1);
    assert_false(table_read(path, &table, &error));
    assert_false(table_read("/nowhere/at/all.tsv", &table, &error));
    assert_non_null(strstr(error.text, "/nowhere/at/all.tsv"));
}

/* A failed cell keeps what was asked for and loses what was found. */
static void failures_have_no_numbers(void **state)
{
    (void)state;
    struct record *rec = sample_record();
    static const int kept[] = {COL_n, COL_np, COL_m, COL_seed, COL_sequence};
    static const int lost[] = {COL_steps,          COL_rejects,      COL_n_rhs,         COL_t_total_s,
                               COL_t_hi_s,         COL_samples,      COL_err_grad,      COL_err_frozen,
                               COL_rss_bytes,      COL_err_x_max,    COL_n_jvp_p,       COL_steps_reverse,
                               COL_err_x_discrete, COL_err_grad_max, COL_n_jacobian,    COL_flops,
                               COL_gflops_reverse, COL_peak_gflops,  COL_share_reverse, COL_t_product_s,
                               COL_by_rhs_hi};
    record_set_status(rec, SENS_STEP_LIMIT, "too many");
    assert_string_equal(rec->text[COL_status], "step_limit");
    assert_string_equal(rec->text[COL_message], "too many");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) assert_true(!isnan(rec->number[kept[i]]));
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) assert_true(isnan(rec->number[lost[i]]));
    free(rec);
}

static void json(void **state)
{
    (void)state;
    struct record *rec = sample_record();
    strcpy(rec->text[COL_message], "not UTF-8: \xff");
    rec->number[COL_n] = 5;
    rec->number[COL_rtol] = 0.1;
    rec->number[COL_atol] = NAN;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    record_write_json(file, rec);
    fclose(file);
    json_error_t problem;
    json_t *object = json_load_file(path, 0, &problem);
    assert_non_null(object);
    assert_int_equal(json_object_size(object), COLUMN_COUNT);
    assert_true(json_is_integer(json_object_get(object, "n")));
    assert_true(json_real_value(json_object_get(object, "rtol")) == 0.1);
    assert_true(json_is_null(json_object_get(object, "atol")));
    assert_string_equal(json_string_value(json_object_get(object, "problem")), rec->text[COL_problem]);
    assert_string_equal(json_string_value(json_object_get(object, "message")), "not UTF-8: ?");
    json_decref(object);
    free(rec);
}

/* What is no name is refused with its place, in each column of names. */
static void names_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[] = {"x';system(\"id\");y='", "a b", "-e", "`id`", "../a", "<id", "a\033"};
    for (int c = 1; c < COLUMN_COUNT; c++) {
        if (record_column_info[c].kind != COLUMN_TEXT || is_free(c)) continue;
        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
            if (c == COL_series && i == 2) continue; /* a list of settings may begin so */
            struct record *rec = sample_record();
            snprintf(rec->text[c], RECORD_TEXT, "%s", wrong[i]);
            FILE *file = fopen(path, "w");
            assert_non_null(file);
            record_write_header(file);
            record_write_row(file, rec);
            fclose(file);
            struct table table;
            struct bench_error error = {.text = ""};
            char place[128];
            assert_false(table_read(path, &table, &error));
            snprintf(place, sizeof place, ":2: %s: '%s' is no ", record_column_info[c].name, wrong[i]);
            assert_non_null(strstr(error.text, place));
            free(rec);
        }
    }
}

/* A tableau may have a number behind a colon, and so may a series; nothing else may stand there. */
static void numbers_in_names(void **state)
{
    (void)state;
    static const char *const right[] = {"theta", "theta:0.6", "theta:1e-5"};
    static const char *const wrong[] = {"theta:",    ":1",        "theta:x", "theta:0.6;",
                                        "theta:1:2", "theta:`1`", "theta: 1"};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        assert_true(record_text_fits(COL_tableau, right[i]) && record_text_fits(COL_series, right[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(record_text_fits(COL_tableau, wrong[i]));
    assert_false(record_text_fits(COL_controller, right[1]));
    assert_true(record_text_fits(COL_series, "theta:0.6,lanes=8"));
    assert_false(record_text_fits(COL_series, "theta:0.6;"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(other_columns),
        cmocka_unit_test(refusals),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(numbers_in_names),
        cmocka_unit_test(failures_have_no_numbers),
        cmocka_unit_test(json),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
