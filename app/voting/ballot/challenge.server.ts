import type { KeyObject } from 'node:crypto'
import { checkTrabajo, isEnough, makeTrabajo } from '#app/core/http/proof-of-work.server.ts'
import type { Trabajo } from '#app/core/http/proof-of-work.ts'
import type { Reto } from './schema.ts'

/**
 * Makes work for one voter, in force for ten minutes.
 * @param intentos how many tries it takes at least; at most twice as many
 * @param ahora milliseconds
 */
export const makeReto = (key: KeyObject, userId: string, intentos: number, ahora: number): Promise<Reto> =>
  makeTrabajo(key, userId, intentos, ahora)

/** Whether the work was given to this voter, is still in force, was heavy enough and is done. */
export const isDone = async (
  key: KeyObject,
  userId: string,
  intentos: number,
  ahora: number,
  prueba: Trabajo,
): Promise<boolean> => isEnough(await checkTrabajo(key, userId, ahora, prueba), intentos)
