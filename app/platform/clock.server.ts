/** The site's time. Everything that depends on the hour asks here, so that a rehearsal can move it. */
export interface Clock {
  now(): Date
}

/** @param start ISO moment at which this clock begins to run; undefined: the machine's clock */
export function createClock(start?: string): Clock {
  const offsetMs = start === undefined ? 0 : Date.parse(start) - Date.now()
  return { now: () => new Date(Date.now() + offsetMs) }
}

/**
 * The moment by which something is deleted for good: a clock that a rehearsal has moved ahead deletes nothing, the
 * machine's must agree.
 */
export const earlierOf = (clock: Clock, machineNow = new Date()): Date =>
  new Date(Math.min(clock.now().getTime(), machineNow.getTime()))
