import { sql } from 'kysely'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { entriesMatching, readFormRow } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { GRANTED, WHATSAPP_NOTICES_FIELD } from '#app/entries/definitions/field.ts'
import type { Entry, EntryListRow } from '#app/entries/schema.ts'
import { listEntryMails, MAIL_COLUMNS, toMailView } from '#app/mail/data.server.ts'
import type { MailView } from '#app/mail/schema.ts'
import { listNotifiableEntries } from './notifiable-entries.server.ts'
import { DEFAULT_WORDS, occasionOf, whatsAppText, whatsAppUrl } from './rules.ts'
import { type Contact, type Notice, OCCASIONS, type Occasion, type Recipient, type Template } from './schema.ts'

/** Reads the current template of an occasion: the organisers' latest version, or the site's default. */
export async function readTemplate(db: Database, occasion: Occasion): Promise<Template> {
  const [latest] = await templateVersionsOf(db, occasion).limit(1).execute()
  return latest
    ? toTemplate(latest)
    : { ocasion: occasion, version: 0, author: null, at: null, ...DEFAULT_WORDS[occasion] }
}

/** Lists every version of an occasion's template, the newest first; the site's default comes last. */
export async function listTemplateVersions(db: Database, occasion: Occasion): Promise<Template[]> {
  const rows = await templateVersionsOf(db, occasion).execute()
  return [
    ...rows.map(toTemplate),
    { ocasion: occasion, version: 0, author: null, at: null, ...DEFAULT_WORDS[occasion] } satisfies Template,
  ]
}

/** Reads the current templates of all occasions. */
export const readTemplates = (db: Database): Promise<Template[]> =>
  Promise.all(OCCASIONS.map((occasion) => readTemplate(db, occasion)))

const templateVersionsOf = (db: Database, occasion: Occasion) =>
  db
    .selectFrom('plantillas')
    .leftJoin('profiles', 'profiles.id', 'plantillas.quien')
    .select(['ocasion', 'version', 'asunto', 'titulo', 'texto', 'email', 'at'])
    .where('ocasion', '=', occasion)
    .orderBy('version', 'desc')

const toTemplate = ({ email, ...row }: Omit<Template, 'author'> & { email: string | null }): Template => ({
  ...row,
  author: email,
})

/**
 * Lists entries as recipients of notices, with the notices about their last change of state; deleted entries are left out.
 * @param held locks the entries' rows against changes and deletion until the transaction ends
 */
export async function listRecipients(db: Database, ids: number[], held?: 'held'): Promise<Recipient[]> {
  const found = await listNotifiableEntries(db, ids, held)
  const notices = await listNotices(
    db,
    found.map(({ id }) => id),
  )
  return found.map((one) => ({
    ...one,
    occasion: occasionOf(one.estado),
    notices: notices.filter(({ inscripcion, paso }) => inscripcion === one.id && paso === one.changeId),
  }))
}

async function listNotices(db: Database, ids: number[]): Promise<(Notice & { inscripcion: number; paso: number })[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('mensajes')
    .innerJoin('correos', 'correos.id', 'mensajes.correo_id')
    .leftJoin('profiles', 'profiles.id', 'mensajes.quien')
    .select([...MAIL_COLUMNS, 'mensajes.inscripcion_id as inscripcion', 'mensajes.paso', 'ocasion', 'email'])
    .where('mensajes.inscripcion_id', 'in', ids)
    .orderBy('mensajes.id', 'desc')
    .execute()
  return rows.map(({ inscripcion, paso, ocasion, email, ...row }) => ({
    ...toMailView(row),
    inscripcion,
    paso,
    ocasion,
    author: email,
  }))
}

type Work = Pick<Services, 'db' | 'settings'>

/** Reads an entrant's contact, with the WhatsApp URL and the mail sent so far. */
export async function readContact({ db, settings }: Work, entry: Entry): Promise<Contact> {
  const { id, tipo, folio, estado, correo, celular, telefono, history } = entry
  const [formRow, mails, notices, { nombre, anio }] = await Promise.all([
    readFormRow(db, FORMS[tipo], id),
    listEntryMails(db, id),
    listNotices(db, [id]),
    loadEditionCard(),
  ])
  const mayUseWhatsApp = formRow.data[WHATSAPP_NOTICES_FIELD] === GRANTED
  const text = whatsAppText(entry, `${nombre} ${anio}`, `${settings.publicUrl}/folio#${folio}`)
  const occasion = occasionOf(estado)
  return {
    id,
    correo,
    celular,
    mails,
    occasion,
    mayUseWhatsApp,
    tel: telefono === null ? undefined : `tel:${telefono}`,
    whatsapp: mayUseWhatsApp && telefono ? whatsAppUrl(telefono, text) : undefined,
    notices: notices.filter(({ paso }) => paso === history[0]?.id),
    hasSmtp: settings.smtpUrl !== undefined,
  }
}

/** An UndeliveredEntry is an entry's last message, which was not delivered, with the entry. */
export interface UndeliveredEntry extends MailView {
  entry: Pick<EntryListRow, 'id' | 'folio' | 'titular' | 'detalle' | 'tipo'>
}

/**
 * Builds the query for the entries of an edition whose last message was refused, bounced, or only stored in a folder. An entry
 * with a newer message is left out, even while that message waits in the queue.
 */
const selectUndelivered = (db: Database, edition: number) =>
  entriesMatching(db, { edition })
    .clearOrderBy()
    .innerJoin('correos', 'correos.inscripcion_id', 'inscripciones.id')
    .where('correos.inscripcion_id', 'is not', null)
    .where(sql<boolean>`(correos.failed_at is not null or correos.rebotado_at is not null or correos.en_carpeta)`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('correos as newer')
            .select('newer.id')
            .whereRef('newer.inscripcion_id', '=', 'correos.inscripcion_id')
            .whereRef('newer.id', '>', 'correos.id'),
        ),
      ),
    )

/**
 * Counts the entries of an edition whose last message was not delivered.
 * @param from counts only failures known after that moment of the database's clock; absent: counts all
 */
export async function countUndelivered(db: Database, edition: number, from?: Date): Promise<number> {
  const found = selectUndelivered(db, edition)
  const since = from
    ? found.where(
        sql<boolean>`greatest(correos.failed_at, correos.rebotado_at, case when correos.en_carpeta then correos.sent_at end) > ${from}`,
      )
    : found
  const { cuantos } = await since.select(({ fn }) => fn.countAll<number>().as('cuantos')).executeTakeFirstOrThrow()
  return cuantos
}

const MAX_UNDELIVERED = 200

/** Lists the entries whose last message was not delivered, the latest message first, at most MAX_UNDELIVERED. */
export async function listUndelivered(db: Database, edition: number): Promise<UndeliveredEntry[]> {
  const rows = await selectUndelivered(db, edition)
    .select([...MAIL_COLUMNS])
    .select([
      'inscripciones.id as inscripcion',
      'inscripciones.folio',
      'inscripciones.titular',
      'inscripciones.detalle',
      'inscripciones.tipo',
    ])
    .orderBy('correos.id', 'desc')
    .limit(MAX_UNDELIVERED)
    .execute()
  return rows.map(({ inscripcion, folio, titular, detalle, tipo, ...row }) => ({
    ...toMailView(row),
    entry: { id: inscripcion, folio, titular, detalle, tipo },
  }))
}
