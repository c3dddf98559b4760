/* known_cells.h -- the rows and cells that an interleaving is known to have
 * read or written.
 *
 * A cell is a column of a row and a register of the history.  The notes of the
 * sessions are compared with the states before and after the run: if no note
 * explains a change, a statement was misunderstood.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_KNOWN_CELLS_H
#define SPEC_KNOWN_CELLS_H

#include "base/container/strings.h"
#include "spec/spec_history.h"

#define KNOWN_CELLS_NOWHERE SIZE_MAX

/* A row that a session read, wrote or looked for. */
struct known_row {
    size_t table;
    const char *key;
    size_t initial, final; // in the two states, or KNOWN_CELLS_NOWHERE
    bool is_noted;         // by a session
    uint32_t cells;        // number of its last cell, from 1; 0: none
    size_t scan;           // the last scan that returned it
};

/* A column of a row that is noted. */
struct known_cell {
    uint32_t row, column;
    uint32_t next;    // the next cell of the row, from 1; 0: none
    const char *name; // "table:key:column"
};

struct known_cells {
    struct spec_history *history;
    const table_vec *tables;
    struct strings row_names, cell_names, writes;
    VEC(struct known_row) rows;
    VEC(struct known_cell) cells;
    size_t scans;
    bool *is_scanned; // by table
    struct arena arena;
};

/* Collect the rows of both states and of all notes. */
void known_cells_init(struct known_cells *b, struct spec_history *a);
void known_cells_free(struct known_cells *b);

/* The number of a row of a table, which is added if it is new. */
uint32_t known_cells_row(struct known_cells *b, size_t table, const char *key);

/* The number of a cell of a row, likewise. */
uint32_t known_cells_cell(struct known_cells *b, uint32_t row, uint32_t column);

/* The value of a column of a row before and after the run. */
const char *known_cells_initial(struct known_cells *b, uint32_t row,
                                uint32_t column);
const char *known_cells_final(struct known_cells *b, uint32_t row,
                              uint32_t column);

/* The index of a note's table. */
size_t known_cells_table(const struct known_cells *b, const struct note *note);

/* Set the refusal if a change is not explained by a note, or if no row was read
 * or written. */
void known_cells_find_surprises(struct known_cells *b);

#endif
