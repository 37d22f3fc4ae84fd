import { randomUUID } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { PERMISSION_GRANTED, WHATSAPP_NOTICES_FIELD } from '#app/entries/definitions/field.ts'
import { MAIL_COLUMNS, toMailView } from '#app/mail/data.server.ts'
import { mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import type { Letter } from '#app/mail/schema.ts'
import { pieceAsText } from '#app/mail/template.server.tsx'
import { listRecipients } from './data.server.ts'
import { placeholderValuesOf } from './mutations.server.ts'
import { noticeLetter, whatsAppUrl } from './rules.ts'
import type { Message, MessageWithContact, NoticeRecipient, WrittenMessage } from './schema.ts'

/** Builds the letter of a message, whose subject is also its title. */
export const messageLetter = (
  { asunto, texto, appointment }: Message,
  values: Parameters<typeof noticeLetter>[2],
  code: string,
): Letter => noticeLetter('mensaje', { asunto, titulo: asunto, texto }, values, appointment && { ...appointment, code })

/**
 * Sends a message to the chosen entries by mail. For an entry without a usable email address the message is only recorded, so that
 * an organiser tells the entrant by telephone. Repeating a `sendingId` adds nothing for the entries that have its message.
 */
export const sendMessage = (
  services: Pick<Services, 'db' | 'settings' | 'keyed' | 'clock'>,
  sending: MessageToSend,
  actor: Actor,
): Promise<void> =>
  services.db.transaction().execute((tx) => sendMessageIn(tx, services, sending, actor, 'mensaje.escrito'))

type MessageToSend = Message & { sendingId: string; entryIds: number[] }

/** Sends a message within a transaction, as `sendMessage` does. @param eventName of the line in the audit log */
export async function sendMessageIn(
  tx: Database,
  services: Pick<Services, 'settings' | 'keyed' | 'clock'>,
  { sendingId, entryIds, ...message }: MessageToSend,
  actor: Actor,
  eventName: 'mensaje.escrito' | 'mensaje.cita-cancelada',
): Promise<void> {
  const { appointment } = message
  const { publicUrl } = services.settings
  const card = await loadEditionCard()
  for (const recipient of await listRecipients(tx, entryIds, { forUpdate: true })) {
    const appointmentCode = randomUUID()
    const letter = messageLetter(message, placeholderValuesOf(recipient), appointmentCode)
    const { subject, body } = letter.compose(card, publicUrl)
    const row = await tx
      .insertInto('mensajes_escritos')
      .values({
        envio: sendingId,
        inscripcion_id: recipient.id,
        asunto: subject,
        // A text of placeholders alone may be empty for some recipients.
        texto: body.map(pieceAsText).join('\n\n') || subject,
        cita_at: appointment?.at ?? null,
        cita_lugar: appointment?.place ?? null,
        cita_codigo: appointment ? appointmentCode : null,
        quien: actor.quien,
        at: services.clock.now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!row) continue
    const mailId = await queueMailFor(recipient, letter)
    await tx.updateTable('mensajes_escritos').set({ correo_id: mailId }).where('id', '=', row.id).execute()
    await writeAuditLog(tx, actor, { que: eventName, inscripcion: recipient.id })
  }

  async function queueMailFor({ id, correo }: NoticeRecipient, letter: Letter) {
    if (correo === null) return null
    const queueResult = await queueMail(tx, {
      ...letter,
      to: correo,
      sender: mailSenderOf(services),
      entryId: id,
      idempotencyKey: `mensaje:${id}:${sendingId}`,
    })
    return queueResult.ok ? queueResult.id : null
  }
}

/** Lists the messages of one sending, or to one entry, the newest first; messages to entries being deleted are left out. */
export async function listMessages(
  db: Database,
  scope: { sendingId: string } | { entryId: number },
): Promise<MessageWithContact[]> {
  const rows = await db
    .selectFrom('mensajes_escritos as message')
    .leftJoin('profiles', 'profiles.id', 'message.quien')
    .select(['message.id', 'inscripcion_id', 'envio', 'asunto', 'texto', 'correo_id', 'message.at', 'email'])
    .select(['cita_at', 'cita_lugar'])
    .where((eb) => ('entryId' in scope ? eb('inscripcion_id', '=', scope.entryId) : eb('envio', '=', scope.sendingId)))
    .orderBy('message.id', 'desc')
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ inscripcion_id }) => inscripcion_id)
  const mailIds = rows.flatMap(({ correo_id }) => correo_id ?? [])
  const [recipients, permittedIds, mails] = await Promise.all([
    listRecipients(db, ids),
    findIdsWithWhatsAppPermission(db, ids),
    mailIds.length === 0
      ? []
      : db
          .selectFrom('correos')
          .select([...MAIL_COLUMNS])
          .where('id', 'in', mailIds)
          .execute(),
  ])
  return rows.flatMap((row): MessageWithContact[] => {
    const recipient = recipients.find(({ id }) => id === row.inscripcion_id)
    if (!recipient) return []
    const mail = mails.find(({ id }) => id === row.correo_id)
    const { telefono, celular, titular } = recipient
    return [
      {
        id: row.id,
        sendingId: row.envio,
        at: row.at,
        author: row.email,
        asunto: row.asunto,
        texto: row.texto,
        mail: mail && toMailView(mail),
        appointment: row.cita_at && row.cita_lugar !== null ? { at: row.cita_at, place: row.cita_lugar } : undefined,
        entryId: recipient.id,
        titular,
        celular,
        tel: telefono === null ? undefined : `tel:${telefono}`,
        whatsapp: telefono !== null && permittedIds.has(recipient.id) ? whatsAppUrl(telefono, row.texto) : undefined,
      },
    ]
  })
}

async function findIdsWithWhatsAppPermission(db: Database, ids: number[]): Promise<Set<number>> {
  const [candidateRows, costumeRows] = await Promise.all(
    (['registros', 'trajes_tipicos'] as const).map((table) =>
      // Both tables have these columns; Kysely cannot type a union of tables.
      db
        .selectFrom(table as 'registros')
        .select('inscripcion_id')
        .where('inscripcion_id', 'in', ids)
        .where(sql<SqlBool>`${sql.ref(WHATSAPP_NOTICES_FIELD)} = ${PERMISSION_GRANTED}`)
        .execute(),
    ),
  )
  return new Set([...candidateRows!, ...costumeRows!].map(({ inscripcion_id }) => inscripcion_id))
}

/** A message that was sent to `entryCount` entries, without those that were deleted since. */
export interface MessageSending extends Pick<WrittenMessage, 'sendingId' | 'at' | 'asunto' | 'author'> {
  entryCount: number
}

const MAX_SENDINGS = 30

/** Lists at most MAX_SENDINGS messages to entries of an edition, the latest first. */
export async function listSendings(db: Database, edition: number): Promise<MessageSending[]> {
  const rows = await db
    .selectFrom('mensajes_escritos as message')
    .innerJoin('inscripciones', 'inscripciones.id', 'message.inscripcion_id')
    .leftJoin('profiles', 'profiles.id', 'message.quien')
    .select(({ fn }) => [
      'envio',
      'email',
      // Placeholders may make the subjects differ, so one of them stands for all.
      fn.min('asunto').as('asunto'),
      fn.countAll<number>().as('entryCount'),
      fn.max('message.at').as('at'),
    ])
    .where('inscripciones.edicion', '=', edition)
    .groupBy(['envio', 'email'])
    .orderBy('at', 'desc')
    .limit(MAX_SENDINGS)
    .execute()
  return rows.map(({ envio, email, ...row }) => ({ ...row, sendingId: envio, author: email }))
}
