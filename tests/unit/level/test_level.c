/* test_level.c -- the columns of the table of levels agree with each other and
 * with the definitions in doc/levels.md.
 *
 * Cycles of dependencies are written as words over the three kinds.  Whether a
 * level forbids a word is said in two ways: by its automaton, tried from every
 * place of the cycle, and from the definition.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "level/names.h"

#include <string.h>

enum { LONGEST = 6 };

struct word {
    enum level_dependency at[LONGEST];
    unsigned n;
};

static bool
automaton_accepts(const struct level_automaton *a, const struct word *w)
{
    for (unsigned first = 0; first < w->n; first++)
        for (int begin = 0; begin < LEVEL_MODES; begin++) {
            int mode = begin;
            for (unsigned i = 0; i < w->n && mode != LEVEL_STUCK; i++)
                mode = a->next[mode][w->at[(first + i) % w->n]];
            if (mode != LEVEL_STUCK && a->accepts[begin] >> mode & 1)
                return true;
        }
    return false;
}

static unsigned
count(const struct word *w, enum level_dependency d)
{
    unsigned n = 0;
    for (unsigned i = 0; i < w->n; i++)
        n += w->at[i] == d;
    return n;
}

/* Whether the points that the dependencies join close a cycle: inside a
 * transaction only the start leads to the commit. */
static bool
points_close(const struct level_info *l, const struct word *w)
{
    for (unsigned i = 0; i < w->n; i++)
        if (l->two_points && l->place[w->at[i]].to == POINT_COMMIT &&
            l->place[w->at[(i + 1) % w->n]].from == POINT_START)
            return false;
    return true;
}

static bool
is_forbidden(enum level l, const struct word *w)
{
    const struct level_info *row = &level_table[l];
    const unsigned rw = count(w, DEPENDS_RW), sees = count(w, DEPENDS_SEES);
    switch (row->premise) {
    case PREMISE_CAUSAL: // t2 ->* t3 -rw-> t2, or a cycle of the order itself
        return rw == 0 || (rw == 1 && sees == w->n - 1);
    case PREMISE_DIRECT:
    case PREMISE_EARLIER_READ: // the order of the reads is not in the word
        return rw == 0 || (rw == 1 && sees == 1 && w->n == 2);
    case PREMISE_NONE:
        break;
    }
    return row->one_rw ? rw <= 1 : points_close(row, w);
}

/* The word with that number, in base 3. */
static struct word
make_word(unsigned n, unsigned number)
{
    struct word w = {.n = n};
    for (unsigned i = 0; i < n; i++, number /= DEPENDENCIES)
        w.at[i] = (enum level_dependency)(number % DEPENDENCIES);
    return w;
}

static void
check_words(bool (*holds)(enum level, const struct word *))
{
    for (unsigned n = 2, words = 9; n <= LONGEST; n++, words *= DEPENDENCIES)
        for (unsigned i = 0; i < words; i++)
            for (int l = LEVEL_RC; l < LEVELS; l++) {
                const struct word w = make_word(n, i);
                CHECK(holds((enum level)l, &w));
            }
}

static bool
is_as_defined(enum level l, const struct word *w)
{
    return automaton_accepts(&level_table[l].cycles, w) == is_forbidden(l, w);
}

static void
automata_forbid_what_the_definition_does(void)
{
    check_words(is_as_defined);
}

static bool
stronger_forbids_too(enum level l, const struct word *w)
{
    for (int weaker = LEVEL_RC; weaker < LEVELS; weaker++)
        if (level_implied(l) >> weaker & 1 &&
            automaton_accepts(&level_table[weaker].cycles, w) &&
            !automaton_accepts(&level_table[l].cycles, w))
            return false;
    return true;
}

static void
what_a_level_forbids_stronger_ones_do(void)
{
    check_words(stronger_forbids_too);
}

static void
the_lattice_is_as_documented(void)
{
    const level_set weak =
        1u << LEVEL_READS | 1u << LEVEL_RC | 1u << LEVEL_RA | 1u << LEVEL_CC;
    const level_set si =
        weak | 1u << LEVEL_PC | 1u << LEVEL_PSI | 1u << LEVEL_SI;
    CHECK(level_implied(LEVEL_CC) == weak);
    CHECK(level_implied(LEVEL_PC) == (weak | 1u << LEVEL_PC));
    CHECK(level_implied(LEVEL_PSI) == (weak | 1u << LEVEL_PSI));
    CHECK(level_implied(LEVEL_SI) == si);
    CHECK(level_implied(LEVEL_SER) == (si | 1u << LEVEL_SER));
    CHECK(level_implied(LEVEL_STRICT_SI) == (si | 1u << LEVEL_STRICT_SI));
    CHECK(level_implied(LEVEL_STRICT_SER) == (1u << LEVELS) - 1);
    const level_set beside = 1u << LEVEL_PC | 1u << LEVEL_PSI;
    CHECK(level_strongest(0) == 0);
    CHECK(level_strongest(weak | beside) == beside);
    CHECK(level_strongest(weak | beside | 1u << LEVEL_SI) == 1u << LEVEL_SI);
    CHECK(level_strict() == (1u << LEVEL_STRICT_SI | 1u << LEVEL_STRICT_SER));
}

static void
a_level_is_weak_or_strong(void)
{
    for (int i = 0; i < LEVELS; i++) {
        const enum level l = (enum level)i;
        CHECK(level_is_weak(l) + level_is_strong(l) == (l != LEVEL_READS));
        CHECK(!level_is_serial(l) || level_is_strong(l));
        CHECK(!level_separates_writers(l) || level_table[l].two_points);
    }
    CHECK(level_separates_writers(LEVEL_STRICT_SI));
    CHECK(!level_separates_writers(LEVEL_PC));
    CHECK(level_is_serial(LEVEL_STRICT_SER) && !level_is_serial(LEVEL_PSI));
}

/* A predicate that is computed from the row, and the levels it is true of. */
struct property {
    bool (*holds)(enum level);
    level_set of;
};

static void
predicates_follow_from_the_row(void)
{
    const level_set reads = level_bit(LEVEL_READS), rc = level_bit(LEVEL_RC);
    const level_set every = (level_set)(1u << LEVELS) - 1;
    const level_set pc = level_bit(LEVEL_PC), psi = level_bit(LEVEL_PSI);
    const level_set si = level_bit(LEVEL_SI) | level_bit(LEVEL_STRICT_SI);
    const level_set ser = level_bit(LEVEL_SER) | level_bit(LEVEL_STRICT_SER);
    const level_set weak = rc | level_bit(LEVEL_RA) | level_bit(LEVEL_CC);
    const struct property properties[] = {
        {level_is_orderless, reads},
        {level_is_weak, weak},
        {level_is_strong, pc | psi | si | ser},
        {level_orders_reads, rc},
        {level_repeats_reads, every & ~(reads | rc)},
        {level_sees_session, every & ~(reads | rc)},
        {level_is_causal, level_bit(LEVEL_CC) | pc | psi | si | ser},
        {level_sees_prefix, pc | si | ser},
        {level_is_parallel, psi},
        {level_separates_writers, si},
        {level_is_serial, ser},
        {level_keeps_updates, psi | si | ser},
        {level_takes_checks, ser},
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        for (enum level l = 0; l < LEVELS; l++)
            CHECK(properties[i].holds(l) == level_set_has(properties[i].of, l));
    CHECK(level_weak() == (reads | weak));
    CHECK(level_ordered() == (every & ~reads));
    CHECK(level_untimed() == level_implied(LEVEL_SER));
}

static void
commands_support_the_levels_that_they_name(void)
{
    const level_set to_ser = level_untimed() & level_ordered();
    const level_set ser = level_bit(LEVEL_SER);
    CHECK(level_used_by(USED_BY_STORE) == to_ser);
    CHECK(level_used_by(USED_BY_PROVE) == to_ser);
    CHECK(level_used_by(USED_BY_PREDICT) == (to_ser & ~ser));
    CHECK(level_used_by(USED_BY_GEN) ==
          (level_bit(LEVEL_PC) | level_bit(LEVEL_SI) | ser));
    CHECK(!level_is_used_by(LEVEL_TARGET, USED_BY_PREDICT));
}

/* Levels are drawn in the order of their numbers, each above those that it
 * implies, and side by side where neither implies the other. */
static void
steps_follow_the_lattice(void)
{
    for (enum level l = 1; l < LEVELS; l++) {
        const enum level before = l - 1;
        CHECK(level_table[l].step >= level_table[before].step);
        for (enum level w = 0; w < l; w++) {
            const bool below = level_table[w].step < level_table[l].step;
            CHECK(!level_implies(l, w) || below);
            CHECK(level_table[l].sql >= level_table[w].sql ||
                  !level_implies(l, w));
        }
    }
}

static void
the_ends_of_a_set_are_found(void)
{
    for (enum level l = 0; l < LEVELS; l++) {
        CHECK(level_lowest(level_bit(l)) == l);
        CHECK(level_highest(level_bit(l)) == l);
        CHECK(level_highest(level_implied(l)) == l);
        CHECK(level_lowest(level_implied(l)) == LEVEL_READS);
    }
}

static void
every_name_names_one_level(void)
{
    for (int l = 0; l < LEVELS; l++) {
        const struct level_info *row = &level_table[l];
        enum level by_name, by_brief;
        CHECK(level_parse(row->name, strlen(row->name), &by_name));
        CHECK(level_parse(row->brief, strlen(row->brief), &by_brief));
        CHECK(by_name == (enum level)l && by_brief == (enum level)l);
    }
}

int
main(void)
{
    RUN(automata_forbid_what_the_definition_does);
    RUN(what_a_level_forbids_stronger_ones_do);
    RUN(the_lattice_is_as_documented);
    RUN(a_level_is_weak_or_strong);
    RUN(predicates_follow_from_the_row);
    RUN(commands_support_the_levels_that_they_name);
    RUN(steps_follow_the_lattice);
    RUN(the_ends_of_a_set_are_found);
    RUN(every_name_names_one_level);
    return test_end();
}
