import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'

/** The site's time. Everything that depends on the hour asks here, so that a rehearsal can move it. */
export interface Clock {
  now(): Date
}

/**
 * @param start ISO moment at which this clock begins to run, or the whole path of a file that holds one: the clock goes
 * by what the file says, from when that is read first; undefined: the machine's clock
 */
export function createClock(start?: string): Clock {
  if (start === undefined) return { now: () => new Date() }
  let said: string | undefined
  let offsetMs = 0
  const set = (moment: string) => {
    if (moment === said) return
    said = moment
    offsetMs = Date.parse(moment) - Date.now()
  }
  if (!isAbsolute(start)) set(start)
  return {
    now() {
      if (isAbsolute(start)) set(readFileSync(start, 'utf8'))
      return new Date(Date.now() + offsetMs)
    },
  }
}

const isMoment = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

/** Whether a clock can begin with it. */
export const isMomentOrFile = (start: string): boolean =>
  isMoment(start) || (isAbsolute(start) && existsSync(start) && isMoment(readFileSync(start, 'utf8')))

/**
 * The moment by which something is deleted for good: a clock that a rehearsal has moved ahead deletes nothing, the
 * machine's must agree.
 */
export const earlierOf = (clock: Clock, machineNow = new Date()): Date =>
  new Date(Math.min(clock.now().getTime(), machineNow.getTime()))
