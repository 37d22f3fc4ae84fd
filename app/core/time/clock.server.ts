import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'

/** The site's time, which a trial run can set (SITE_CLOCK). */
export interface Clock {
  now(): Date
}

/**
 * Creates the site's clock.
 * @param start ISO moment at which the clock begins to run, or absolute path of a file with such a moment, which sets the clock
 * anew whenever it changes; without it, the machine's clock is used
 */
export function createClock(start?: string): Clock {
  if (start === undefined) return { now: () => new Date() }
  let lastMoment: string | undefined
  let offsetMs = 0
  const setMoment = (moment: string) => {
    if (moment === lastMoment) return
    lastMoment = moment
    offsetMs = Date.parse(moment) - Date.now()
  }
  if (!isAbsolute(start)) setMoment(start)
  return {
    now() {
      if (isAbsolute(start)) setMoment(readFileSync(start, 'utf8'))
      return new Date(Date.now() + offsetMs)
    },
  }
}

const isMoment = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

/** Returns whether a text can be the `start` of `createClock`. */
export const isMomentOrFile = (start: string): boolean =>
  isMoment(start) || (isAbsolute(start) && existsSync(start) && isMoment(readFileSync(start, 'utf8')))

/**
 * Returns the time for permanent deletions: the earlier of the site's clock and the machine's, so that a site clock that a trial
 * run moved ahead deletes nothing.
 */
export const earlierOf = (clock: Clock, machineNow = new Date()): Date =>
  new Date(Math.min(clock.now().getTime(), machineNow.getTime()))
