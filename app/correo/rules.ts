/** How long a server's «not now» is waited out the first time: greylisting lets a message in after seconds to minutes. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 30 * 60_000
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

const doubled = (first: number, times: number, longest: number) => Math.min(first * 2 ** Math.min(times, 30), longest)
/** Between half and all of a wait, so that messages that failed together do not come back together. */
const scattered = (ms: number, random: number) => ms * (0.5 + random / 2)

/**
 * How long a message waits after an attempt.
 * @param attempts how many there were, from 1
 * @param random from 0 to 1
 */
export const waitAfter = (attempts: number, random: number): number =>
  scattered(doubled(FIRST_WAIT_MS, attempts - 1, LONGEST_WAIT_MS), random)

/** How long no message at all is tried while the server cannot be reached; `failures` in a row, from 1. */
export const restAfter = (failures: number, random: number): number =>
  scattered(doubled(FIRST_REST_MS, failures - 1, LONGEST_REST_MS), random)
