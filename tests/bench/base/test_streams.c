/* What reaches a terminal: every byte, every pair and random strings, as they are shown. */
#include <stdlib.h>
#include <string.h>

#include "streams.h"
#include "testing.h"

static void expect(const char *text, size_t length, const char *wanted)
{
    char shown[256];
    const size_t made = shown_text(text, length, shown, sizeof shown);
    assert_int_equal(made, strlen(wanted));
    assert_memory_equal(shown, wanted, made);
}

#define EXPECT(text, wanted) expect(text, sizeof(text) - 1, wanted)

static void test_text_passes(void **state)
{
    (void)state;
    EXPECT("a line,\ta tab\n", "a line,\ta tab\n");
    EXPECT("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82");
    EXPECT("\\u001b", "\\u001b");
}

static void test_controls_are_shown(void **state)
{
    (void)state;
    EXPECT("\x1b[2J\a\r\0\x7f", "\\u001b[2J\\u0007\\u000d\\u0000\\u007f");
    EXPECT("\xc2\x9b", "\\xc2\\x9b");                   /* C1, in UTF-8 */
    EXPECT("\x9b", "\\x9b");                            /* and as a byte */
    EXPECT("\xe2\x80\xae", "\\xe2\\x80\\xae");          /* right to left from here */
    EXPECT("\xe2\x80\xa8", "\\xe2\\x80\\xa8");          /* a line separator */
    EXPECT("\xc0\x9b", "\\xc0\\x9b");                   /* ESC-like in too many bytes */
    EXPECT("\xe0\x82\x9b", "\\xe0\\x82\\x9b");          /* C1 in three */
    EXPECT("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* half a pair */
    EXPECT("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* past the last */
    EXPECT("\xe2\x82", "\\xe2\\x82");                   /* not complete */
    EXPECT("\xe2\x1b[", "\\xe2\\u001b[");
}

/* Decodes one character by the book, beside the writer's own decoder; 0: none here. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *code)
{
    const size_t length = at[0] < 0x80 ? 1 : at[0] < 0xC0 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (length == 0 || length > left) return 0;
    *code = length == 1 ? at[0] : at[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2) return 0;
        *code = *code << 6 | (at[i] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return *code >= least[length] && *code <= 0x10FFFF ? length : 0;
}

/* Whatever goes in, what comes out is UTF-8 without a control character other than line end and tab. */
static void test_any_bytes(void **state)
{
    (void)state;
    static const unsigned char lead[] = {0xC2, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0x80, 0x9B, 0xA8, 0x1B, 'a'};
    unsigned char text[24], shown[24 * 6];
    srand(1);
    for (int round = 0; round < 200000; round++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = rand() % 2 ? lead[(size_t)rand() % sizeof lead] : (unsigned char)(rand() % 256);
        const size_t length = shown_text((char *)text, sizeof text, (char *)shown, sizeof shown);
        assert_in_range(length, sizeof text, sizeof shown);
        for (size_t i = 0, step; i < length; i += step) {
            uint32_t code = 0;
            step = decode(shown + i, length - i, &code);
            assert_int_not_equal(step, 0);
            assert_true(code >= 0x20 || code == '\n' || code == '\t');
            assert_false(code >= 0x7F && code < 0xA0);
            assert_false(code >= 0x2028 && code <= 0x202E);
        }
    }
}

static void test_what_does_not_fit_is_counted(void **state)
{
    (void)state;
    char shown[4] = "...";
    assert_int_equal(shown_text("ab\x1b", 3, shown, 3), 8);
    assert_string_equal(shown, "ab.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_passes),
        cmocka_unit_test(test_controls_are_shown),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_what_does_not_fit_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
