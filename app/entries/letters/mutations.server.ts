import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import { listRecipients, readTemplate } from './data.server.ts'
import { checkLetterTexts, givenNamesOf, noticeLetter, type PlaceholderValues, type TextProblem } from './rules.ts'
import {
  type LetterTemplate,
  type LetterTexts,
  type NoticeRecipient,
  type NoticeRefusal,
  OCCASION_NAMES,
  type Occasion,
} from './schema.ts'

export type SaveTemplateResult =
  | { ok: true; version: number }
  | { ok: false; reason: 'faults'; problems: TextProblem[] }
  /** Another organiser has saved the newer template `current` meanwhile. */
  | { ok: false; reason: 'version'; current: LetterTemplate }

/**
 * Saves an occasion's template as its next version, unless the organiser began from an outdated version. Unchanged texts make
 * no new version.
 */
export async function saveTemplate(
  db: Database,
  { occasion, baseVersion, texts, at }: { occasion: Occasion; baseVersion: number; texts: LetterTexts; at: Date },
  actor: Actor,
): Promise<SaveTemplateResult> {
  const problems = checkLetterTexts(occasion, texts)
  if (problems.length > 0) return { ok: false, reason: 'faults', problems }
  const currentTemplate = await readTemplate(db, occasion)
  if (currentTemplate.version !== baseVersion) return { ok: false, reason: 'version', current: currentTemplate }
  const isUnchanged = (['asunto', 'titulo', 'texto'] as const).every((field) => currentTemplate[field] === texts[field])
  if (isUnchanged) return { ok: true, version: baseVersion }
  const savedRow = await db.transaction().execute(async (tx) => {
    const insertedRow = await tx
      .insertInto('plantillas')
      .values({ ocasion: occasion, version: baseVersion + 1, ...texts, quien: actor.quien, at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst()
    if (insertedRow) await writeAuditLog(tx, actor, { que: 'mensaje.palabras', sobre: OCCASION_NAMES[occasion] })
    return insertedRow
  })
  return savedRow
    ? { ok: true, ...savedRow }
    : { ok: false, reason: 'version', current: await readTemplate(db, occasion) }
}

/** A notice to send, about an entry as the organiser saw it. */
export interface NoticeRequest {
  entryId: number
  occasion: Occasion
  /** Id of the state change that the notice tells of; after a later change, the notice is refused. */
  changeId: number
  /**
   * Number of the notice among all notices about the state change, from 1. In the idempotency key, it makes two presses one notice.
   */
  noticeNumber: number
}

/** If `ok` is true, the notice is queued, not yet delivered; if `isRepeated` is true, the same notice had been queued before. */
export type NoticeResult = { ok: true; isRepeated: boolean } | { ok: false; reason: NoticeRefusal }

type NoticeServices = Pick<Services, 'settings' | 'keyed' | 'clock'>

/**
 * Queues a notice about the state of an entry, by the current template.
 * @param db the database, or the caller's transaction
 */
export function notify(
  db: Database,
  services: NoticeServices,
  noticeRequest: NoticeRequest,
  actor: Actor,
): Promise<NoticeResult> {
  return db.isTransaction
    ? notifyInTransaction(db, services, noticeRequest, actor)
    : db.transaction().execute((tx) => notifyInTransaction(tx, services, noticeRequest, actor))
}

async function notifyInTransaction(
  tx: Database,
  services: NoticeServices,
  { entryId, occasion, changeId, noticeNumber }: NoticeRequest,
  actor: Actor,
): Promise<NoticeResult> {
  const [recipient] = await listRecipients(tx, [entryId], { forUpdate: true })
  if (!recipient) return { ok: false, reason: 'borrada' }
  if (recipient.occasion !== occasion || recipient.changeId !== changeId) return { ok: false, reason: 'cambio' }
  // The number is the next one, or an earlier one after a repeated press; only a forged form has a higher number.
  if (noticeNumber > recipient.notices.length + 1) return { ok: false, reason: 'cambio' }
  if (recipient.correo === null) return { ok: false, reason: 'sin-correo' }
  const { version, ...texts } = await readTemplate(tx, occasion)
  const queueResult = await queueMail(tx, {
    ...noticeLetter(occasion, texts, placeholderValuesOf(recipient)),
    to: recipient.correo,
    sender: mailSenderOf(services),
    entryId,
    idempotencyKey: `aviso:${entryId}:${occasion}:${changeId}:${noticeNumber}`,
  })
  if (!queueResult.ok) return { ok: false, reason: 'direccion' }
  if (queueResult.isRepeated) return { ok: true, isRepeated: true }
  await tx
    .insertInto('mensajes')
    .values({
      inscripcion_id: entryId,
      ocasion: occasion,
      paso: changeId,
      vez: noticeNumber,
      version,
      correo_id: queueResult.id,
      quien: actor.quien,
      at: services.clock.now(),
    })
    .execute()
  await writeAuditLog(tx, actor, { que: 'mensaje.aviso', inscripcion: entryId })
  return { ok: true, isRepeated: false }
}

export const placeholderValuesOf = ({
  titular,
  folio,
  note,
  documentRequestsText,
}: NoticeRecipient): PlaceholderValues => ({
  nombre: givenNamesOf(titular),
  folio,
  nota: note,
  documentos: documentRequestsText,
})

/**
 * Queues a notice about an entry's new state in the caller's transaction. It is refused for a state without a notice, and as
 * `notify` refuses it.
 */
export async function notifyOfTransition(
  tx: Database,
  services: NoticeServices,
  entryId: number,
  actor: Actor,
): Promise<NoticeResult> {
  const [recipient] = await listRecipients(tx, [entryId])
  if (!recipient?.occasion) return { ok: false, reason: 'cambio' }
  return notify(
    tx,
    services,
    {
      entryId,
      occasion: recipient.occasion,
      changeId: recipient.changeId,
      noticeNumber: recipient.notices.length + 1,
    },
    actor,
  )
}
