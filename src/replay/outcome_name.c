/* outcome_name.c -- what came of a replay, in words; see replay.h.
 *
 * Reports of predictions use them, also in the library, which replays nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/replay.h"

const char *
replay_outcome_name(enum replay_outcome outcome)
{
    static const char *const names[] = {
        [REPLAY_NONE] = "not replayed",
        [REPLAY_VALIDATED] = "validated",
        [REPLAY_SERIALIZABLE] = "serializable after all",
        [REPLAY_REFUSED] = "refused at its commit",
        [REPLAY_ROLLED_BACK] = "rolled back",
        [REPLAY_UNLIKE] = "not the program that was observed",
        [REPLAY_NO_SCHEDULE] = "no schedule",
        [REPLAY_STUCK] = "stuck",
    };
    return names[outcome];
}
