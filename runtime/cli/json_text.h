/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON that the command itself writes, on stdout. Everything that the
 * library can say comes from kc_report_*.
 */
#ifndef KC_CLI_JSON_TEXT_H
#define KC_CLI_JSON_TEXT_H

/* The text in quotes. Bytes that are not UTF-8 become U+FFFD. */
void cli_json_string(const char *text);

/* Another JSON text as a value: its lines after the first are indented by
 * two more blanks, and its last line break is left out. */
void cli_json_nested(const char *json);

#endif
