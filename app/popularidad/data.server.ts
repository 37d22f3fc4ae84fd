import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readAjustes } from '#app/ajustes/data.server.ts'
import { loadEdicion } from '#app/contenido/contenido.server.ts'
import type { Database } from '#app/platform/database.server.ts'

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

/**
 * The winner's card: of whom the organisers proclaimed, else of whom the content names. What they left open comes from
 * her own words in the content, if it has them, else from those for any winner, with her portrait.
 * @returns undefined while nobody is proclaimed
 */
export async function loadGanadora(db: Database) {
  const [{ popularidad, candidatas, redes }, ajustes] = await Promise.all([loadEdicion(), readAjustes(db)])
  const puesta = ajustes['votacion.ganadora']
  const { ganadora: escrita, proclamacion } = popularidad
  const candidata = candidatas.find(({ nombre }) => nombre === (puesta ?? escrita)?.candidata)
  if (!candidata) return undefined
  const suya = escrita?.candidata === candidata.nombre ? escrita : undefined
  const { nombre, slug, origen, cumple, carrera, signo, galeria } = candidata
  return {
    ...{ nombre, slug, origen, cumple, carrera, signo },
    nombreCorto: puesta?.nombreCorto ?? suya?.nombreCorto ?? nombre.split(' ').slice(0, 2).join(' '),
    felicitacion: (suya ?? proclamacion).felicitacion,
    mensaje: puesta?.mensaje ?? (suya ?? proclamacion).mensaje,
    foto: suya?.foto ?? galeria[0]!,
    // Who follows the pageant meets her there.
    redes: {
      facebook: puesta?.facebook ?? (suya?.redes ?? redes).facebook,
      instagram: puesta?.instagram ?? (suya?.redes ?? redes).instagram,
    },
  }
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
