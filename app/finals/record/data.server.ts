import { createHmac, timingSafeEqual } from 'node:crypto'
import { listJudgeDevices } from '#app/accounts/people/judges.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { GENESIS_SEAL, sha256 } from '#app/voting/record/block-seal.ts'
import { type FinalRules, parseRecordEntry, type RecordEntry, toRecordFile } from './record-entries.ts'
import { applyRecordEntry, hasTiebreakRound, initialState, type RecordState } from './state.ts'
import { drawLots } from './verification.ts'

type SigningKeys = Pick<Services, 'keyed'>

/** Returns the site's HMAC over an entry's seal, whose key an attacker who writes a new chain into the database lacks. */
export const signRecordEntry = ({ keyed }: SigningKeys, edition: number, number: number, seal: string): Buffer =>
  createHmac('sha256', keyed('final')).update(`final ${edition} ${number} ${seal}`).digest()

/** An edition's record of the final, as the database has it. */
export interface FinalRecord {
  edition: number
  state: RecordState
  entries: RecordEntry[]
  /** Seal of the last entry; zeros before the first entry. */
  seal: string
  /** JSON texts of the entries, exactly as they were sealed. */
  contents: string[]
  /** Number of the first entry that differs from the sealed one; no further entry may be appended then. */
  firstAltered?: number
}

/**
 * Reads the record, and checks every seal and signature. Stops before the first altered entry, whose number is then
 * `firstAltered`.
 */
export async function readFinalRecord(
  { db, keyed }: Pick<Services, 'db'> & SigningKeys,
  edition: number,
): Promise<FinalRecord> {
  const rows = await db
    .selectFrom('asientos_de_final')
    .select(['numero', 'contenido', 'sello', 'firma'])
    .where('edicion', '=', edition)
    .orderBy('numero')
    .execute()
  const record: FinalRecord = {
    edition,
    state: initialState(),
    entries: [],
    seal: GENESIS_SEAL,
    contents: [],
  }
  for (const [index, { numero, contenido, sello, firma }] of rows.entries()) {
    const expectedSignature = signRecordEntry({ keyed }, edition, numero, sello)
    const recordEntry = parseEntry(contenido)
    const isUnaltered =
      recordEntry !== undefined &&
      numero === index + 1 &&
      recordEntry.numero === numero &&
      recordEntry.edicion === edition &&
      recordEntry.anterior === record.seal &&
      (await sha256(contenido)) === sello &&
      firma.length === expectedSignature.length &&
      timingSafeEqual(firma, expectedSignature)
    if (!isUnaltered) return { ...record, firstAltered: index + 1 }
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
    return parseRecordEntry(JSON.parse(content))
  } catch {
    return undefined
  }
}

/** Returns the record as a file; undefined if it is not sealed or was altered. */
export const finalRecordFile = ({ state, seal, contents, firstAltered }: FinalRecord): string | undefined =>
  state.final?.closing && firstAltered === undefined
    ? toRecordFile(seal, contents, hasTiebreakRound(state.final))
    : undefined

export async function readPublishedAt(db: Database, edition: number): Promise<Date | undefined> {
  const row = await db.selectFrom('finales_publicas').select('at').where('edicion', '=', edition).executeTakeFirst()
  return row?.at
}

/** Returns the rules and candidates of the displayed edition, which an opening would seal now. */
export async function loadForOpening() {
  const { anio, fechas, final, candidatas } = await loadEdition()
  const rules: FinalRules = {
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
    candidates: candidatas.map(({ id, nombre }, index) => ({ id, numero: index + 1, nombre })),
  }
}

export interface JudgePlace {
  number: number
  name: string
  /**
   * The status is `none` without a valid link, `unused` if no telephone has redeemed the link, `in` if the telephone is signed in,
   * and `out` if the telephone's session is over.
   */
  linkStatus: 'none' | 'unused' | 'in' | 'out'
  /** Browser and system of the telephone, such as «Chrome en Android»; null unless it is signed in. */
  deviceName: string | null
  /** Moment at which the telephone redeemed the link; null before. */
  redeemedAt: Date | null
  /** Id of the judge's account; null before the first link. */
  account: string | null
}

export async function listJury(db: Database, edition: number, judgeCount: number, now: Date): Promise<JudgePlace[]> {
  const rows = await db.selectFrom('jueces').selectAll().where('edicion', '=', edition).execute()
  const devices = await listJudgeDevices(
    db,
    rows.flatMap(({ user_id }) => user_id ?? []),
  )
  return Array.from({ length: judgeCount }, (_, index): JudgePlace => {
    const row = rows.find(({ numero }) => numero === index + 1)
    const signedInDevice = row?.user_id ? devices.get(row.user_id) : undefined
    const isOver = !row?.vence_at || row.vence_at <= now
    const linkStatus = !row?.huella || isOver ? 'none' : !row.usado_at ? 'unused' : signedInDevice ? 'in' : 'out'
    return {
      number: index + 1,
      name: row?.nombre ?? `Jurado ${index + 1}`,
      linkStatus,
      deviceName: signedInDevice?.device ?? null,
      redeemedAt: row?.usado_at ?? null,
      account: row?.user_id ?? null,
    }
  })
}

/** Finds the judge to whom an account belongs, in the latest edition. */
export async function findJudge(
  db: Database,
  accountId: string,
): Promise<{ edicion: number; numero: number; nombre: string } | undefined> {
  return db
    .selectFrom('jueces')
    .select(['edicion', 'numero', 'nombre'])
    .where('user_id', '=', accountId)
    .orderBy('edicion', 'desc')
    .executeTakeFirst()
}

export async function readUnsignedSheets(db: Database, edition: number, round: number) {
  const rows = await db
    .selectFrom('hojas_sin_firmar')
    .select(['juez', 'calificaciones', 'at'])
    .where('edicion', '=', edition)
    .where('ronda', '=', round)
    .execute()
  return new Map(rows.map(({ juez, ...sheet }) => [juez, sheet]))
}
