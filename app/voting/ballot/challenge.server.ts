import type { KeyObject } from 'node:crypto'
import { checkWork, isEnough, makeWork } from '#app/core/http/proof-of-work.server.ts'
import type { Work } from '#app/core/http/proof-of-work.ts'
import type { WorkChallenge } from './schema.ts'

/**
 * Issues a proof-of-work challenge to one voter, valid for ten minutes.
 * @param attempts minimum number of tries that the work takes; it takes at most twice as many
 * @param now milliseconds
 */
export const makeChallenge = (key: KeyObject, userId: string, attempts: number, now: number): Promise<WorkChallenge> =>
  makeWork(key, userId, attempts, now)

/** Tells whether a proof solves a challenge that was issued to this voter, is still valid and heavy enough (`isEnough`). */
export const isDone = async (
  key: KeyObject,
  userId: string,
  attempts: number,
  now: number,
  proof: Work,
): Promise<boolean> => isEnough(await checkWork(key, userId, now, proof), attempts)
