import { createHmac, timingSafeEqual } from 'node:crypto'
import { listJudgeDevices } from '#app/accounts/people/judges.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { GENESIS_SEAL, sha256 } from '#app/voting/record/block-seal.ts'
import { type RecordEntry, type Rules, readRecordEntry, toRecordFile } from './record-entries.ts'
import { applyRecordEntry, hasTiebreakRound, initialState, type State } from './state.ts'
import { drawLots } from './verification.ts'

type Keys = Pick<Services, 'keyed'>

/** Returns the site's HMAC over an entry's seal: an attacker who writes a whole new chain into the database lacks the key. */
export const signRecordEntry = ({ keyed }: Keys, edition: number, number: number, seal: string): Buffer =>
  createHmac('sha256', keyed('final')).update(`final ${edition} ${number} ${seal}`).digest()

export interface OfficialRecord {
  edition: number
  state: State
  entries: RecordEntry[]
  /** The seal of the last entry; zeros before the first one. */
  seal: string
  /** The exact JSON texts that were sealed. */
  contents: string[]
  /** The number of the first entry that differs from the sealed one; no entry may follow it. */
  firstAltered?: number
}

/** Reads the record, and checks every seal and signature. */
export async function readRecord({ db, keyed }: Pick<Services, 'db'> & Keys, edition: number): Promise<OfficialRecord> {
  const rows = await db
    .selectFrom('asientos_de_final')
    .select(['numero', 'contenido', 'sello', 'firma'])
    .where('edicion', '=', edition)
    .orderBy('numero')
    .execute()
  const record: OfficialRecord = {
    edition,
    state: initialState(),
    entries: [],
    seal: GENESIS_SEAL,
    contents: [],
  }
  for (const [at, { numero, contenido, sello, firma }] of rows.entries()) {
    const expected = signRecordEntry({ keyed }, edition, numero, sello)
    const recordEntry = parseEntry(contenido)
    const isWhole =
      recordEntry !== undefined &&
      numero === at + 1 &&
      recordEntry.numero === numero &&
      recordEntry.edicion === edition &&
      recordEntry.anterior === record.seal &&
      (await sha256(contenido)) === sello &&
      firma.length === expected.length &&
      timingSafeEqual(firma, expected)
    if (!isWhole) return { ...record, firstAltered: at + 1 }
    const lots = recordEntry.clase === 'final-abierta' ? await drawLots(recordEntry, sello) : undefined
    record.state = applyRecordEntry(record.state, recordEntry, lots)
    record.entries.push(recordEntry)
    record.contents.push(contenido)
    record.seal = sello
  }
  return record
}

function parseEntry(content: string): RecordEntry | undefined {
  try {
    return readRecordEntry(JSON.parse(content))
  } catch {
    return undefined
  }
}

/** Returns the record as a file, or undefined while the record is not sealed, or where it was altered. */
export const recordFileOf = ({ state, seal, contents, firstAltered }: OfficialRecord): string | undefined =>
  state.final?.closing && firstAltered === undefined
    ? toRecordFile(seal, contents, hasTiebreakRound(state.final))
    : undefined

/** Returns when the organisers published an edition's record, or undefined while they have not. */
export async function readPublishedAt(db: Database, edition: number): Promise<Date | undefined> {
  const row = await db.selectFrom('finales_publicas').select('at').where('edicion', '=', edition).executeTakeFirst()
  return row?.at
}

/** Returns the rules and candidates of the edition in force, which an opening would seal now. */
export async function loadForOpening() {
  const { anio, fechas, final, candidatas } = await loadEdition()
  const rules: Rules = {
    jueces: final.jueces,
    medios: final.medios,
    descarta: final.descarta,
    rondas: final.rondas.map(({ nombre, clase, criterios, pasan, desdeCero }) => ({
      nombre,
      clase,
      criterios: criterios.map(({ nombre: criterionName, peso }) => ({ nombre: criterionName, peso })),
      ...(pasan !== undefined && { pasan }),
      desdeCero,
    })),
    desempate: final.desempate.map(({ ronda: round, criterio }) => ({
      ronda: round,
      ...(criterio !== undefined && { criterio }),
    })),
    lugares: [...final.lugares],
    rondaDeDesempate: true,
  }
  return {
    edition: anio,
    coronation: new Date(fechas.coronacion),
    showsNames: final.conNombres,
    rules,
    candidates: candidatas.map(({ id, nombre }, at) => ({ id, numero: at + 1, nombre })),
  }
}

/** A `Judge` is a judge's place in the jury. */
export interface Judge {
  number: number
  name: string
  /** `none`: no link; `unused`: a link that no telephone has redeemed; `in`: its telephone is signed in; `out`: that session is over. */
  linkStatus: 'none' | 'unused' | 'in' | 'out'
  /** Names the browser and system of the telephone, like «Chrome en Android». */
  device: string | null
  /** When the telephone redeemed the link. */
  redeemedAt: Date | null
  account: string | null
}

/** Lists the judges' places of an edition, with or without a link. */
export async function listJury(db: Database, edition: number, judges: number, now: Date): Promise<Judge[]> {
  const rows = await db.selectFrom('jueces').selectAll().where('edicion', '=', edition).execute()
  const devices = await listJudgeDevices(
    db,
    rows.flatMap(({ user_id }) => user_id ?? []),
  )
  return Array.from({ length: judges }, (_, at): Judge => {
    const row = rows.find(({ numero }) => numero === at + 1)
    const device = row?.user_id ? devices.get(row.user_id) : undefined
    const isOver = !row?.vence_at || row.vence_at <= now
    const linkStatus = !row?.huella || isOver ? 'none' : !row.usado_at ? 'unused' : device ? 'in' : 'out'
    return {
      number: at + 1,
      name: row?.nombre ?? `Jurado ${at + 1}`,
      linkStatus,
      device: device?.device ?? null,
      redeemedAt: row?.usado_at ?? null,
      account: row?.user_id ?? null,
    }
  })
}

/** Finds the judge to whom an account belongs, in the latest edition. */
export async function findJudge(
  db: Database,
  account: string,
): Promise<{ edicion: number; numero: number; nombre: string } | undefined> {
  return db
    .selectFrom('jueces')
    .select(['edicion', 'numero', 'nombre'])
    .where('user_id', '=', account)
    .orderBy('edicion', 'desc')
    .executeTakeFirst()
}

/** Returns the unsigned sheets of a round, by judge. */
export async function readUnsignedSheets(db: Database, edition: number, round: number) {
  const rows = await db
    .selectFrom('hojas_sin_firmar')
    .select(['juez', 'calificaciones', 'at'])
    .where('edicion', '=', edition)
    .where('ronda', '=', round)
    .execute()
  return new Map(rows.map(({ juez, ...rest }) => [juez, rest]))
}
