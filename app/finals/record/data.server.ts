import { createHmac, timingSafeEqual } from 'node:crypto'
import { listEquiposDeJurado } from '#app/accounts/people/judges.server.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { PRINCIPIO, sha256 } from '#app/voting/record/block-seal.ts'
import { type Asiento, archivoDe, type Reglas, readAsiento } from './record-entries.ts'
import { anotaAsiento, type Estado, estadoInicial } from './state.ts'
import { sorteoDe } from './verification.ts'

type Keys = Pick<Services, 'keyed'>

/** The site's signature over an entry's seal: whoever writes a whole new chain into the database lacks the key. */
export const signAsiento = ({ keyed }: Keys, edicion: number, numero: number, sello: string): Buffer =>
  createHmac('sha256', keyed('final')).update(`final ${edicion} ${numero} ${sello}`).digest()

/** The act of an edition's final as it stands. */
export interface Acta {
  edicion: number
  estado: Estado
  asientos: Asiento[]
  /** Seal of the last entry; zeros where there is none. */
  sello: string
  /** The entries as they were sealed. */
  contenidos: string[]
  /** Number of the first entry that is not as the site sealed it: nothing may follow it any more. */
  alterado?: number
}

/** Reads the act, and checks every seal and signature of it. */
export async function readActa({ db, keyed }: Pick<Services, 'db'> & Keys, edicion: number): Promise<Acta> {
  const rows = await db
    .selectFrom('asientos_de_final')
    .select(['numero', 'contenido', 'sello', 'firma'])
    .where('edicion', '=', edicion)
    .orderBy('numero')
    .execute()
  const acta: Acta = { edicion, estado: estadoInicial(), asientos: [], sello: PRINCIPIO, contenidos: [] }
  for (const [at, { numero, contenido, sello, firma }] of rows.entries()) {
    const expected = signAsiento({ keyed }, edicion, numero, sello)
    const asiento = read(contenido)
    const isWhole =
      asiento !== undefined &&
      numero === at + 1 &&
      asiento.numero === numero &&
      asiento.edicion === edicion &&
      asiento.anterior === acta.sello &&
      (await sha256(contenido)) === sello &&
      firma.length === expected.length &&
      timingSafeEqual(firma, expected)
    if (!isWhole) return { ...acta, alterado: at + 1 }
    const sorteo = asiento.clase === 'final-abierta' ? await sorteoDe(asiento, sello) : undefined
    acta.estado = anotaAsiento(acta.estado, asiento, sorteo)
    acta.asientos.push(asiento)
    acta.contenidos.push(contenido)
    acta.sello = sello
  }
  return acta
}

function read(contenido: string): Asiento | undefined {
  try {
    return readAsiento(JSON.parse(contenido))
  } catch {
    return undefined
  }
}

/** The act's file; undefined while the act is not sealed, or where it is no longer what was sealed. */
export const archivoDeActa = ({ estado, sello, contenidos, alterado }: Acta): string | undefined =>
  estado.final?.cierre && alterado === undefined ? archivoDe(sello, contenidos) : undefined

/** Whether the organisers have made an edition's act public, and when. */
export async function readPublica(db: Database, edicion: number): Promise<Date | undefined> {
  const row = await db.selectFrom('finales_publicas').select('at').where('edicion', '=', edicion).executeTakeFirst()
  return row?.at
}

/** What an opening would seal now: the rules and the candidates of the edition in force. */
export async function loadParaAbrir() {
  const { anio, fechas, final, candidatas } = await loadEdicion()
  const reglas: Reglas = {
    ...{ jueces: final.jueces, medios: final.medios, descarta: final.descarta },
    rondas: final.rondas.map(({ nombre, clase, criterios, pasan, desdeCero }) => ({
      ...{ nombre, clase, criterios: criterios.map(({ nombre: its, peso }) => ({ nombre: its, peso })) },
      ...(pasan !== undefined && { pasan }),
      desdeCero,
    })),
    desempate: final.desempate.map(({ ronda, criterio }) => ({ ronda, ...(criterio !== undefined && { criterio }) })),
    lugares: [...final.lugares],
  }
  return {
    edicion: anio,
    coronacion: new Date(fechas.coronacion),
    conNombres: final.conNombres,
    reglas,
    candidatas: candidatas.map(({ id, nombre }, at) => ({ id, numero: at + 1, nombre })),
  }
}

/** A judge's place at the table. */
export interface Juez {
  numero: number
  nombre: string
  /** `sin`: no link was made; `hecho`: nobody has used it; `dentro`: a telephone is in; `fuera`: its session is over. */
  enlace: 'sin' | 'hecho' | 'dentro' | 'fuera'
  /** «Chrome en Android». */
  equipo: string | null
  /** When the telephone came in. */
  desde: Date | null
  cuenta: string | null
}

/** The judges' places of an edition, as many as its rules say. */
export async function listJurado(db: Database, edicion: number, jueces: number, now: Date): Promise<Juez[]> {
  const rows = await db.selectFrom('jueces').selectAll().where('edicion', '=', edicion).execute()
  const equipos = await listEquiposDeJurado(
    db,
    rows.flatMap(({ user_id }) => user_id ?? []),
  )
  return Array.from({ length: jueces }, (_, at): Juez => {
    const row = rows.find(({ numero }) => numero === at + 1)
    const equipo = row?.user_id ? equipos.get(row.user_id) : undefined
    const isOver = !row?.vence_at || row.vence_at <= now
    const enlace = !row?.huella || isOver ? 'sin' : !row.usado_at ? 'hecho' : equipo ? 'dentro' : 'fuera'
    return {
      ...{ numero: at + 1, nombre: row?.nombre ?? `Jurado ${at + 1}`, enlace },
      equipo: equipo?.equipo ?? null,
      desde: row?.usado_at ?? null,
      cuenta: row?.user_id ?? null,
    }
  })
}

/** Whose account this is at the table of an edition that is still a judge's. */
export async function findJuez(
  db: Database,
  cuenta: string,
): Promise<{ edicion: number; numero: number; nombre: string } | undefined> {
  return db
    .selectFrom('jueces')
    .select(['edicion', 'numero', 'nombre'])
    .where('user_id', '=', cuenta)
    .orderBy('edicion', 'desc')
    .executeTakeFirst()
}

/** What judges of a round have typed so far, by judge; signed sheets are not among them. */
export async function readSinFirmar(db: Database, edicion: number, ronda: number) {
  const rows = await db
    .selectFrom('hojas_sin_firmar')
    .select(['juez', 'calificaciones', 'at'])
    .where('edicion', '=', edicion)
    .where('ronda', '=', ronda)
    .execute()
  return new Map(rows.map(({ juez, ...rest }) => [juez, rest]))
}
