/* row_forms.h -- operations on rows that are JSON values or EDN forms.
 *
 *     ["i",["t",7],{"v":1}]                   [:i ["t" 7] {:v 1}]
 *     ["u",["t",7],{"v":3},{"ver":12}]        [:u ["t" 7] {:v 3} {:ver 12}]
 *     ["q",{"table":"t","where":"v > 5"},     [:q {:table "t", :where "v > 5"}
 *      [[["t",7],{"v":8}]]]                    [[["t" 7] {:v 8}]]]
 *
 * Names of tables, columns and entries may be keywords in EDN; they mean the
 * same as strings.  Values may not.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_ROW_ROW_FORMS_H
#define FORMAT_ROW_ROW_FORMS_H

#include "format/form/form.h"
#include "format/row/row_reader.h"

enum row_form_kind {
    ROW_FORM_INSERT,
    ROW_FORM_UPDATE,
    ROW_FORM_DELETE,
    ROW_FORM_READ,
    ROW_FORM_QUERY
};

/* The operation of t that form i is, a vector: its name, a row or what was
 * asked for, and values. */
bool row_forms_op(struct row_reader *r, const struct forms *f, uint32_t i,
                  enum row_form_kind kind, txn_id t);

/* A read that form i is, whose third form, if there is one, says that there is
 * no such row. */
bool row_forms_absent(struct row_reader *r, const struct forms *f, uint32_t i,
                      txn_id t);

/* The rows of the beginning: [[row, values], [row], ...]. */
bool row_forms_initial(struct row_reader *r, const struct forms *f, uint32_t i);

#endif
