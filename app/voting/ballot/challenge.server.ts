import type { KeyObject } from 'node:crypto'
import { checkWork, isEnough, makeWork } from '#app/core/http/proof-of-work.server.ts'
import type { Work } from '#app/core/http/proof-of-work.ts'
import type { WorkChallenge } from './schema.ts'

/**
 * Makes work for one voter, in force for ten minutes.
 * @param attempts how many tries it takes at least; at most twice as many
 * @param now milliseconds
 */
export const makeChallenge = (key: KeyObject, userId: string, attempts: number, now: number): Promise<WorkChallenge> =>
  makeWork(key, userId, attempts, now)

/** Whether the work was given to this voter, is still in force, was heavy enough and is done. */
export const isDone = async (
  key: KeyObject,
  userId: string,
  attempts: number,
  now: number,
  proof: Work,
): Promise<boolean> => isEnough(await checkWork(key, userId, now, proof), attempts)
