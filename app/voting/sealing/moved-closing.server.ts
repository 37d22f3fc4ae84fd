import { sql } from 'kysely'
import { type Publication, readLatestPublication } from '#app/cms/publishing/publications.server.ts'
import { adviceOnMovedOpening, closingOf } from '#app/cms/publishing/rules.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatFullDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { hasVotes } from '#app/voting/election/data.server.ts'
import { isBeforeClosing } from '#app/voting/election/rules.ts'
import { MIN_NOTICE_MS } from '#app/voting/record/closing-moves.ts'
import { type ClosingMove, type OpeningRecord, parseClosingMove } from '#app/voting/record/schema.ts'
import { readRecord } from './data.server.ts'
import { sealRecord } from './record-signature.server.ts'

/** The record of a moved closing, as `publicaciones.acta` holds it for `applyClosingMove`. */
interface PendingRecord {
  numero: number
  contenido: string
  sello: string
  /** In base64. */
  firma: string
  at: string
}

const MIN_REASON_CHARACTERS = 10
const MAX_REASON_CHARACTERS = 300

/** Lists the stored records of a vote's moved closings, in order. */
export const listClosingMoveRecords = (db: Database, edition: number) =>
  db
    .selectFrom('actas')
    .select(['contenido', 'sello'])
    .where('edicion', '=', edition)
    .where('clase', '=', 'cierre-movido')
    .orderBy('numero')
    .execute()

export async function listClosingMoves(db: Database, edition: number): Promise<(ClosingMove & { sello: string })[]> {
  const rows = await listClosingMoveRecords(db, edition)
  return rows.map(({ contenido, sello }) => ({ ...parseClosingMove(contenido), sello }))
}

/** Returns whether a vote has its opening record. If so, a move of the closing needs a record, too. */
export const hasVoteBegun = async (db: Database, edition: number): Promise<boolean> =>
  (await readRecord(db, edition, 'apertura')) !== undefined

/**
 * Draws up the record of a moved closing, if a publication moves the closing of a vote that has its opening record.
 * @param closingInForce ISO moment
 * @param newClosing the publication's closing, as an ISO moment
 * @param reason the organiser's reason, which will be published
 * @returns the record (`acta`), absent if the closing stays or no opening record exists; or a Spanish explanation why the closing
 * cannot be moved, and what to do (`remedy`)
 */
export async function drawUpClosingMove(
  { db, keyed, clock }: Pick<Services, 'db' | 'keyed' | 'clock'>,
  {
    edition,
    closingInForce,
    newClosing,
    reason,
  }: { edition: number; closingInForce: string; newClosing: string; reason: string },
): Promise<{ ok: true; acta?: PendingRecord } | { ok: false; remedy: string }> {
  if (Date.parse(closingInForce) === Date.parse(newClosing)) return { ok: true }
  const opening = await readRecord(db, edition, 'apertura')
  if (!opening) return { ok: true }
  const now = clock.now()
  const refusal = (remedy: string) => ({ ok: false as const, remedy })
  const restoreHint = `Regresa «Cierra la votación» al ${formatFullDateTimeWithZone(new Date(closingInForce))}`
  if (await readRecord(db, edition, 'cierre'))
    return refusal(`La votación ya tiene su acta de cierre, y su fecha ya no se mueve. ${restoreHint}.`)
  if (!isBeforeClosing(closingInForce, now))
    return refusal(`La votación ya cerró, y un cierre que ya pasó no se mueve. ${restoreHint}.`)
  if (Date.parse(newClosing) < now.getTime() + MIN_NOTICE_MS)
    return refusal(
      `El nuevo cierre de la votación debe ser al menos diez minutos después de este momento, para que nadie la encuentre cerrada de pronto. Elige uno más tarde, o regrésalo al ${formatFullDateTimeWithZone(new Date(closingInForce))}.`,
    )
  const publicReason = reason.trim().replace(/\s+/g, ' ')
  if (publicReason.length < MIN_REASON_CHARACTERS || publicReason.length > MAX_REASON_CHARACTERS)
    return refusal(
      `La votación ya tiene su acta de cero y esto mueve su cierre: escribe por qué, de ${MIN_REASON_CHARACTERS} a ${MAX_REASON_CHARACTERS} letras. Se publica junto con la fecha.`,
    )
  const earlierMoves = await listClosingMoves(db, edition)
  const lastMove = earlierMoves.at(-1)
  const record: ClosingMove = {
    clase: 'cierre-movido',
    edicion: edition,
    numero: earlierMoves.length + 1,
    anterior: lastMove?.sello ?? opening.sello,
    antes: lastMove?.ahora ?? (JSON.parse(opening.contenido) as OpeningRecord).cierre,
    ahora: newClosing,
    motivo: publicReason,
    por: 'comité organizador',
    levantada: now.toISOString(),
  }
  const { firma: signature, ...sealed } = sealRecord({ keyed }, record)
  return {
    ok: true,
    acta: { numero: record.numero, ...sealed, firma: signature.toString('base64'), at: record.levantada },
  }
}

/**
 * Finds out whether a publication moves the opening of a vote that has begun. If the opening moves, this function takes the locks of
 * sealing and voting in the transaction that displays the publication: until the transaction ends, no vote is stored or sealed.
 * @returns a Spanish explanation if the publication must not be displayed; else undefined
 */
export async function findMovedOpeningFault(
  tx: Database,
  { edicion, valores }: Pick<Publication, 'edicion' | 'valores'>,
): Promise<string | undefined> {
  const latestValues = (await readLatestPublication(tx, edicion))?.valores
  const advice = latestValues && adviceOnMovedOpening(latestValues, valores)
  if (advice === undefined) return undefined
  for (const lock of [ADVISORY_LOCKS.seal, ADVISORY_LOCKS.vote])
    await sql`select pg_advisory_xact_lock(${lock}::int, ${edicion}::int)`.execute(tx)
  return (await hasVoteBegun(tx, edicion)) || (await hasVotes(tx, edicion)) ? advice : undefined
}

/**
 * Stores the record of a moved closing, if the publication has one, in the transaction that displays the publication.
 * @returns undefined if the publication may be displayed; a Spanish explanation if it moves the closing of a vote that has
 * meanwhile begun, or whose closing record was sealed
 */
export async function applyClosingMove(
  tx: Database,
  { id, edicion, valores }: { id: number; edicion: number; valores: Record<string, unknown> },
): Promise<string | undefined> {
  // The closing record is sealed under the same advisory lock.
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.annul}, ${edicion}::int)`.execute(tx)
  const { acta, quien } = await tx
    .selectFrom('publicaciones')
    .select(['acta', 'quien'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (!acta) {
    const publication = await readLatestPublication(tx, edicion)
    if (!publication || Date.parse(closingOf(publication.valores)) === Date.parse(closingOf(valores))) return undefined
    if (!(await hasVoteBegun(tx, edicion))) return undefined
    return 'mientras se publicaba empezó la votación, y esto mueve su cierre: publica de nuevo y escribe por qué'
  }
  const { contenido, sello, firma: signature, numero, at } = acta as unknown as PendingRecord
  if (await readRecord(tx, edicion, 'cierre'))
    return 'mientras se publicaba se selló el acta de cierre: la fecha ya no se mueve'
  await tx
    .insertInto('actas')
    .values({
      edicion,
      clase: 'cierre-movido',
      numero,
      contenido,
      sello,
      quien,
      at: new Date(at),
      firma: Buffer.from(signature, 'base64'),
    })
    .execute()
  return undefined
}
