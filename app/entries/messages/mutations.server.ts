import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { listRecipients, readTemplate } from './data.server.ts'
import { checkWords, givenNamesOf, noticeLetter, type Problem, type Values } from './rules.ts'
import {
  type NoticeRefusal,
  OCCASION_NAMES,
  type Occasion,
  type Recipient,
  type Template,
  type Words,
} from './schema.ts'

/** Result of saving a template; with reason `version`, the newer template that another organiser saved meanwhile. */
export type WordsResult =
  | { ok: true; version: number }
  | { ok: false; reason: 'reparos'; reparos: Problem[] }
  | { ok: false; reason: 'version'; ahora: Template }

/** Saves an occasion's template as its next version, unless the organiser began from a version that is outdated by now. */
export async function saveWords(
  db: Database,
  { ocasion, vista, palabras, at }: { ocasion: Occasion; vista: number; palabras: Words; at: Date },
  actor: Actor,
): Promise<WordsResult> {
  const problems = checkWords(ocasion, palabras)
  if (problems.length > 0) return { ok: false, reason: 'reparos', reparos: problems }
  const before = await readTemplate(db, ocasion)
  if (before.version !== vista) return { ok: false, reason: 'version', ahora: before }
  const isSame = (['asunto', 'titulo', 'texto'] as const).every((field) => before[field] === palabras[field])
  if (isSame) return { ok: true, version: vista }
  const kept = await db.transaction().execute(async (tx) => {
    const made = await tx
      .insertInto('plantillas')
      .values({ ocasion, version: vista + 1, ...palabras, quien: actor.quien, at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst()
    if (made) await writeAuditLog(tx, actor, { que: 'mensaje.palabras', sobre: OCCASION_NAMES[ocasion] })
    return made
  })
  return kept ? { ok: true, ...kept } : { ok: false, reason: 'version', ahora: await readTemplate(db, ocasion) }
}

/** The requested message, with the entry as the organiser saw it. */
export interface RequestedNotice {
  inscripcion: number
  ocasion: Occasion
  /** Id of the change of state that the message tells of. */
  paso: number
  /** Number of the message about that change, from 1. As part of the idempotency key, it makes two presses one message. */
  vez: number
}

/** The message is queued now, or was before. Its delivery status stands with its entry. */
export type NoticeResult = { ok: true; repetido: boolean } | { ok: false; reason: NoticeRefusal }

type Work = Pick<Services, 'settings' | 'keyed' | 'clock'>

/**
 * Queues a message about the state of an entry, in the current template.
 * @param db the database, or the caller's transaction
 */
export function notify(db: Database, services: Work, requested: RequestedNotice, actor: Actor): Promise<NoticeResult> {
  return db.isTransaction
    ? notifyInTransaction(db, services, requested, actor)
    : db.transaction().execute((tx) => notifyInTransaction(tx, services, requested, actor))
}

async function notifyInTransaction(
  tx: Database,
  services: Work,
  { inscripcion, ocasion, paso, vez }: RequestedNotice,
  actor: Actor,
): Promise<NoticeResult> {
  const [una] = await listRecipients(tx, [inscripcion], 'held')
  if (!una) return { ok: false, reason: 'borrada' }
  if (una.ocasion !== ocasion || una.paso !== paso) return { ok: false, reason: 'cambio' }
  // The next message, or an earlier one; only a forged form has a higher number.
  if (vez > una.avisos.length + 1) return { ok: false, reason: 'cambio' }
  if (una.correo === null) return { ok: false, reason: 'sin-correo' }
  const { version, ...words } = await readTemplate(tx, ocasion)
  const queued = await queueMail(tx, {
    ...noticeLetter(ocasion, words, valuesFor(una)),
    ...{ to: una.correo, remite: mailSenderOf(services), inscripcion },
    idempotencyKey: `aviso:${inscripcion}:${ocasion}:${paso}:${vez}`,
  })
  if (!queued.ok) return { ok: false, reason: 'direccion' }
  if (queued.repetido) return { ok: true, repetido: true }
  await tx
    .insertInto('mensajes')
    .values({
      ...{ inscripcion_id: inscripcion, ocasion, paso, vez, version, correo_id: queued.id },
      ...{ quien: actor.quien, at: services.clock.now() },
    })
    .execute()
  await writeAuditLog(tx, actor, { que: 'mensaje.aviso', inscripcion })
  return { ok: true, repetido: false }
}

/** An entry's values for the placeholders of a template. */
export const valuesFor = ({ titular, folio, nota, documentos }: Recipient): Values => ({
  ...{ nombre: givenNamesOf(titular), folio, nota, documentos },
})

/** Queues the message about an entry's new state, in the caller's transaction; an entrant without email gets none. */
export async function notifyOfTransition(
  tx: Database,
  services: Work,
  entry: number,
  actor: Actor,
): Promise<NoticeResult> {
  const [una] = await listRecipients(tx, [entry])
  if (!una?.ocasion) return { ok: false, reason: 'cambio' }
  return notify(
    tx,
    services,
    { inscripcion: entry, ocasion: una.ocasion, paso: una.paso, vez: una.avisos.length + 1 },
    actor,
  )
}
