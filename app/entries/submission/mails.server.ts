import { sql } from 'kysely'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import { readMailUsage } from '#app/mail/data.server.ts'
import { queueMail } from '#app/mail/mutations.server.ts'
import { remainingMessages } from '#app/mail/rules.ts'
import type { Letter, MailSender } from '#app/mail/schema.ts'

const ENTRY_PHRASES: Readonly<Record<EntryType, { registration: string; data: string; ifNotYou: string }>> = {
  candidata: { registration: 'tu registro', data: 'Tus datos y tus documentos', ifNotYou: 'Si no te registraste' },
  traje: {
    registration: 'tu registro de traje típico',
    data: 'Los datos y los archivos de tu traje típico',
    ifNotYou: 'Si no registraste un traje',
  },
}

export const entryReceivedLetter = (type: EntryType, folio: string): Letter => ({
  kind: 'inscripcion',
  compose: ({ nombre, anio }, siteUrl) => ({
    subject: `Recibimos ${ENTRY_PHRASES[type].registration} para ${nombre} ${anio}`,
    preheader: `Tu folio es ${folio}. Guárdalo: con él ves cómo va tu registro.`,
    title: 'Recibimos tu registro',
    body: [
      {
        paragraph: `${ENTRY_PHRASES[type].data} ya están con el comité de ${nombre} ${anio}.`,
      },
      { paragraph: 'Este es tu folio:' },
      { code: folio },
      {
        paragraph:
          'Con él puedes ver qué recibimos y cómo va tu registro. Si el comité necesita un documento otra vez, ahí mismo lo subes:',
      },
      { link: `${siteUrl}/folio#${folio}`, label: 'Consultar mi folio' },
    ],
    note: `El folio es personal: quien lo tenga puede ver el estado de tu registro. ${ENTRY_PHRASES[type].ifNotYou}, ignora este correo.`,
  }),
})

const forgottenFolioLetter = (type: EntryType, folio: string): Letter => {
  const receivedLetter = entryReceivedLetter(type, folio)
  return {
    ...receivedLetter,
    compose: (edition, siteUrl) => ({
      ...receivedLetter.compose(edition, siteUrl),
      subject: `Tu folio de ${edition.nombre} ${edition.anio}`,
      title: 'Tu folio',
      note: 'Recibes este correo porque en el sitio se pidió el folio con tu nombre y tu celular. El folio es personal: quien lo tenga puede ver el estado de tu registro. Si no lo pediste tú, no hagas nada: sólo te llega a ti.',
    }),
  }
}

/**
 * Maximum number of folios that are mailed to a mailbox in 24 hours, since a form may carry a stranger's address. The screen shows
 * the folio of a registration anyway.
 */
const MAX_FOLIOS_PER_DAY = 3

/** Maximum number of folios that are mailed in 24 hours in all, since a script may send many forms, each with another address. */
const MAX_FOLIOS_PER_DAY_IN_ALL = 500

/**
 * Queues a mail with the folio, unless the mailbox, however its address is written, got MAX_FOLIOS_PER_DAY in 24 hours,
 * MAX_FOLIOS_PER_DAY_IN_ALL went out, or the day's mail quota has room for codes only.
 * @param requestedOn day of a request for a forgotten folio, which gets one mail a day; undefined for an entry that was just received
 * @returns whether a mail was queued
 */
export async function queueFolioMail(
  tx: Database,
  type: EntryType,
  folio: string,
  entryId: number,
  email: string,
  sender: MailSender,
  requestedOn?: string,
): Promise<boolean> {
  const letter = requestedOn === undefined ? entryReceivedLetter(type, folio) : forgottenFolioLetter(type, folio)
  const { rows } = await sql<{ recipient: string }>`
    select lower(recipient) as recipient from correos
    where inscripcion_id is not null and kind = ${letter.kind} and created_at > now() - interval '1 day'`.execute(tx)
  if (rows.length >= MAX_FOLIOS_PER_DAY_IN_ALL) return false
  const mailbox = mailboxOf(email.toLowerCase())
  if (rows.filter(({ recipient }) => mailboxOf(recipient) === mailbox).length >= MAX_FOLIOS_PER_DAY) return false
  const { 'correo.cuota': quota } = await readEditionSettings(tx)
  if (quota !== undefined && remainingMessages(quota, await readMailUsage(tx)) === 0) return false
  const idempotencyKey = requestedOn === undefined ? `inscripcion:${folio}` : `inscripcion:${folio}:${requestedOn}`
  const queueResult = await queueMail(tx, { ...letter, to: email, sender, entryId, idempotencyKey })
  return queueResult.ok && !queueResult.isRepeated
}
