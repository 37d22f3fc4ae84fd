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

/** With reason `version`, `current` is the newer template that another organiser saved meanwhile; nothing was saved. */
export type WordsResult =
  | { ok: true; version: number }
  | { ok: false; reason: 'faults'; problems: Problem[] }
  | { ok: false; reason: 'version'; current: Template }

/**
 * Saves an occasion's template as its next version, unless the organiser began from an outdated version. Unchanged words make
 * no new version.
 */
export async function saveWords(
  db: Database,
  { occasion, baseVersion, words, at }: { occasion: Occasion; baseVersion: number; words: Words; at: Date },
  actor: Actor,
): Promise<WordsResult> {
  const problems = checkWords(occasion, words)
  if (problems.length > 0) return { ok: false, reason: 'faults', problems }
  const before = await readTemplate(db, occasion)
  if (before.version !== baseVersion) return { ok: false, reason: 'version', current: before }
  const isSame = (['asunto', 'titulo', 'texto'] as const).every((field) => before[field] === words[field])
  if (isSame) return { ok: true, version: baseVersion }
  const saved = await db.transaction().execute(async (tx) => {
    const inserted = await tx
      .insertInto('plantillas')
      .values({ ocasion: occasion, version: baseVersion + 1, ...words, quien: actor.quien, at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst()
    if (inserted) await writeAuditLog(tx, actor, { que: 'mensaje.palabras', sobre: OCCASION_NAMES[occasion] })
    return inserted
  })
  return saved ? { ok: true, ...saved } : { ok: false, reason: 'version', current: await readTemplate(db, occasion) }
}

/** A RequestedNotice names a message by the entry as the organiser saw it. */
export interface RequestedNotice {
  entryId: number
  occasion: Occasion
  /** The message tells of the change of state with this id; after a later change, the message is refused. */
  changeId: number
  /** This numbers the messages about that change from 1. As part of the idempotency key, it makes two presses one message. */
  messageNumber: number
}

/** `ok` says that the message is queued, not that it was delivered; `isRepeated`: the same message was queued before. */
export type NoticeResult = { ok: true; isRepeated: boolean } | { ok: false; reason: NoticeRefusal }

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
  { entryId, occasion, changeId, messageNumber }: RequestedNotice,
  actor: Actor,
): Promise<NoticeResult> {
  const [recipient] = await listRecipients(tx, [entryId], 'held')
  if (!recipient) return { ok: false, reason: 'borrada' }
  if (recipient.occasion !== occasion || recipient.changeId !== changeId) return { ok: false, reason: 'cambio' }
  // The number may be the next one or an earlier one (a repeated press); only a forged form has a higher number.
  if (messageNumber > recipient.notices.length + 1) return { ok: false, reason: 'cambio' }
  if (recipient.correo === null) return { ok: false, reason: 'sin-correo' }
  const { version, ...words } = await readTemplate(tx, occasion)
  const queueResult = await queueMail(tx, {
    ...noticeLetter(occasion, words, valuesFor(recipient)),
    to: recipient.correo,
    sender: mailSenderOf(services),
    entryId,
    idempotencyKey: `aviso:${entryId}:${occasion}:${changeId}:${messageNumber}`,
  })
  if (!queueResult.ok) return { ok: false, reason: 'direccion' }
  if (queueResult.isRepeated) return { ok: true, isRepeated: true }
  await tx
    .insertInto('mensajes')
    .values({
      inscripcion_id: entryId,
      ocasion: occasion,
      paso: changeId,
      vez: messageNumber,
      version,
      correo_id: queueResult.id,
      quien: actor.quien,
      at: services.clock.now(),
    })
    .execute()
  await writeAuditLog(tx, actor, { que: 'mensaje.aviso', inscripcion: entryId })
  return { ok: true, isRepeated: false }
}

/** Returns an entry's values for the placeholders of a template. */
export const valuesFor = ({ titular, folio, note, requestedDocuments }: Recipient): Values => ({
  nombre: givenNamesOf(titular),
  folio,
  nota: note,
  documentos: requestedDocuments,
})

/** Queues a message about an entry's new state in the caller's transaction; for an entrant without email it is refused. */
export async function notifyOfTransition(
  tx: Database,
  services: Work,
  entry: number,
  actor: Actor,
): Promise<NoticeResult> {
  const [recipient] = await listRecipients(tx, [entry])
  if (!recipient?.occasion) return { ok: false, reason: 'cambio' }
  return notify(
    tx,
    services,
    {
      entryId: entry,
      occasion: recipient.occasion,
      changeId: recipient.changeId,
      messageNumber: recipient.notices.length + 1,
    },
    actor,
  )
}
