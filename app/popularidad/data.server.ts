import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { loadEdicion } from '#app/contenido/contenido.server.ts'

/** What a vote is held against. */
export interface Eleccion {
  /** The edition's year. */
  edicion: number
  /** Last moment, an ISO date with zone. */
  cierre: string
  /** Full names in the vote's order (§3). */
  candidatas: string[]
}

/** The current edition's. */
export async function loadEleccion(): Promise<Eleccion> {
  const { anio, fechas, candidatas } = await loadEdicion()
  return { edicion: anio, cierre: fechas.cierreVotacion, candidatas: candidatas.map(({ nombre }) => nombre) }
}

/** What a vote's signature covers. */
export interface Firmado {
  edicion: number
  user_id: string
  candidata: string
  recibo: string
}

export const VOTE_KEY = 'voto'

export const signVote = (key: KeyObject, { edicion, user_id, candidata, recibo }: Firmado): Buffer =>
  createHmac('sha256', key).update([edicion, user_id, candidata, recibo].join('\n')).digest()

/** Whether a row was written by this site as it stands. */
export function isSigned(
  key: KeyObject,
  row: Omit<Firmado, 'candidata' | 'recibo'> & {
    candidata: string | null
    recibo: string | null
    firma: Buffer | null
  },
): row is Firmado & { firma: Buffer } {
  if (row.candidata === null || row.recibo === null || row.firma?.length !== 32) return false
  return timingSafeEqual(row.firma, signVote(key, row as Firmado))
}
