/* One measured row: its columns, and how it is written as TSV and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "names.h"
#include "record.h"
#include "stats.h"

const struct column_info record_column_info[COLUMN_COUNT] = {
#define COLUMN_ROW(name, kind, unit, meaning) {#name, unit, meaning, COLUMN_##kind},
    RECORD_COLUMNS(COLUMN_ROW)
#undef COLUMN_ROW
};

/* One block: the record, then its texts. */
struct record *record_create(void)
{
    struct record *rec = malloc(sizeof *rec + (size_t)COLUMN_COUNT * RECORD_TEXT);
    if (!rec) return NULL;
    for (int c = 0; c < COLUMN_COUNT; c++) rec->text[c] = (char *)(rec + 1) + (size_t)c * RECORD_TEXT;
    record_clear(rec);
    return rec;
}

void record_clear(struct record *rec)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        rec->number[c] = NAN;
        rec->text[c][0] = '\0';
    }
}

void record_pack(const struct record *rec, struct record_image *image)
{
    memcpy(image->number, rec->number, sizeof image->number);
    for (int c = 0; c < COLUMN_COUNT; c++) strncpy(image->text[c], rec->text[c], RECORD_TEXT);
}

/* "stages", "every:7", "theta:0.6": a name, and behind a colon some of these digits. */
static bool is_numbered(const char *text, const char *digits)
{
    char name[64];
    const size_t length = strcspn(text, ":");
    if (length >= sizeof name) return false;
    memcpy(name, text, length);
    name[length] = '\0';
    const char *const number = text + length + 1;
    return is_name(name) && (!text[length] || (number[0] && !number[strspn(number, digits)]));
}

bool record_text_fits(int column, const char *text)
{
    static const enum record_column names[] = {
        COL_problem,   COL_cost,    COL_method, COL_controller, COL_vjp,   COL_isa,
        COL_machine,   COL_git,     COL_sweep,  COL_wrt,        COL_truth, COL_track,
        COL_structure, COL_product, COL_rhs,    COL_cost_vjp,   COL_engine};
    if (column == COL_ckpt) return !text[0] || is_numbered(text, "0123456789");
    if (column == COL_tableau) return !text[0] || is_numbered(text, "0123456789.e-");
    if (column == COL_series) return !text[strspn(text, NAME_CHARACTERS ",=:")];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((int)names[i] == column && text[0] && !is_name(text)) return false;
    return true;
}

static bool is_sound(const struct record_image *image)
{
    sens_status status;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const double number = image->number[c];
        if (!memchr(image->text[c], '\0', RECORD_TEXT) || !record_text_fits(c, image->text[c])) return false;
        if (record_column_info[c].kind == COLUMN_INT && !isnan(number) && number != nearbyint(number))
            return false;
    }
    const char *name = image->text[COL_status];
    return !name[0] || sens_status_from_name(name, &status);
}

bool record_unpack(const struct record_image *image, struct record *rec)
{
    if (!is_sound(image)) return false;
    memcpy(rec->number, image->number, sizeof rec->number);
    for (int c = 0; c < COLUMN_COUNT; c++) strcpy(rec->text[c], image->text[c]);
    return true;
}

/* What a run found out, as opposed to what was asked for. */
static bool is_result(int column)
{
    return (column >= COL_steps && column <= COL_rss_bytes) ||
           (column >= COL_steps_reverse && column <= COL_n_jvp_p) ||
           (column >= COL_n_jacobian && column <= COL_share_reverse) ||
           (column >= COL_t_lo_wide_s && column <= COL_t_generate_s) ||
           (column >= COL_t_product_s && column <= COL_by_rhs_hi) ||
           (column >= COL_n_kept && column <= COL_samples_disturbed);
}

void record_set_times(struct record *rec, const struct stats *total, const struct stats *forward,
                      const struct stats *reverse)
{
    rec->number[COL_samples] = (double)total->count;
    rec->number[COL_t_total_s] = total->median;
    rec->number[COL_t_min_s] = total->min;
    rec->number[COL_t_lo_s] = total->lo;
    rec->number[COL_t_hi_s] = total->hi;
    rec->number[COL_t_lo_wide_s] = total->lo_wide;
    rec->number[COL_t_hi_wide_s] = total->hi_wide;
    rec->number[COL_t_forward_s] = forward->median;
    rec->number[COL_t_reverse_s] = reverse->median;
}

void record_set_status(struct record *rec, sens_status status, const char *message)
{
    snprintf(rec->text[COL_status], RECORD_TEXT, "%s", sens_status_name(status));
    snprintf(rec->text[COL_message], RECORD_TEXT, "%s", message ? message : "");
    if (status == SENS_OK) return;
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (is_result(c)) rec->number[c] = NAN;
}

void record_write_header(FILE *out)
{
    for (int c = 0; c < COLUMN_COUNT; c++)
        fprintf(out, "%s%c", record_column_info[c].name, c + 1 < COLUMN_COUNT ? '\t' : '\n');
}

void record_write_text(FILE *out, const char *text)
{
    static const char special[] = "\t\n\r\\", code[] = "tnr\\";
    for (; *text; text++) {
        const char *const at = strchr(special, *text);
        if (at)
            fprintf(out, "\\%c", code[at - special]);
        else if ((unsigned char)*text < 0x20 || *text == 0x7F)
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
    }
}

/* printf writes -nan on some inputs; a result file has one spelling. */
static void write_number(FILE *out, double number)
{
    if (isnan(number))
        fputs("nan", out);
    else
        fprintf(out, "%.17g", number);
}

void record_write_row(FILE *out, const struct record *rec)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (record_column_info[c].kind == COLUMN_TEXT)
            record_write_text(out, rec->text[c]);
        else
            write_number(out, rec->number[c]);
        fputc(c + 1 < COLUMN_COUNT ? '\t' : '\n', out);
    }
    fflush(out);
}

static json_t *json_value(const struct record *rec, int column)
{
    const double number = rec->number[column];
    if (record_column_info[column].kind == COLUMN_TEXT) return json_of_text(rec->text[column]);
    if (record_column_info[column].kind == COLUMN_INT && isfinite(number) && fabs(number) < 0x1p53)
        return json_integer((json_int_t)number);
    return record_column_info[column].kind == COLUMN_REAL ? json_of_number(number) : json_null();
}

json_t *record_json(const struct record *rec)
{
    json_t *object = json_object();
    for (int c = 0; c < COLUMN_COUNT; c++)
        json_object_set_new(object, record_column_info[c].name, json_value(rec, c));
    return object;
}

void record_write_json(FILE *out, const struct record *rec)
{
    json_t *object = record_json(rec);
    json_dumpf(object, out, JSON_COMPACT);
    json_decref(object);
    fputc('\n', out);
    fflush(out);
}
