import { sql } from 'kysely'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { entriesMatching, readFormRow } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { PERMISSION_GRANTED, WHATSAPP_NOTICES_FIELD } from '#app/entries/definitions/field.ts'
import type { Entry, EntryListRow } from '#app/entries/schema.ts'
import { listEntryMails, MAIL_COLUMNS, toMailView } from '#app/mail/data.server.ts'
import type { MailView } from '#app/mail/schema.ts'
import { listNotifiableEntries } from './notifiable-entries.server.ts'
import { DEFAULT_TEXTS, occasionOf, whatsAppText, whatsAppUrl } from './rules.ts'
import {
  type EntrantContact,
  type EntryNotice,
  type LetterTemplate,
  type NoticeRecipient,
  OCCASIONS,
  type Occasion,
} from './schema.ts'

/** Reads the current template of an occasion: the organisers' latest version, or the site's default. */
export async function readTemplate(db: Database, occasion: Occasion): Promise<LetterTemplate> {
  const [latestRow] = await selectTemplateVersions(db, occasion).limit(1).execute()
  return latestRow ?? defaultTemplate(occasion)
}

/** Lists every version of an occasion's template, the newest first; the site's default comes last. */
export async function listTemplateVersions(db: Database, occasion: Occasion): Promise<LetterTemplate[]> {
  const rows = await selectTemplateVersions(db, occasion).execute()
  return [...rows, defaultTemplate(occasion)]
}

export const readTemplates = (db: Database): Promise<LetterTemplate[]> =>
  Promise.all(OCCASIONS.map((occasion) => readTemplate(db, occasion)))

const defaultTemplate = (occasion: Occasion): LetterTemplate => ({
  occasion,
  version: 0,
  author: null,
  at: null,
  ...DEFAULT_TEXTS[occasion],
})

const selectTemplateVersions = (db: Database, occasion: Occasion) =>
  db
    .selectFrom('plantillas')
    .leftJoin('profiles', 'profiles.id', 'plantillas.quien')
    .select(['ocasion as occasion', 'version', 'asunto', 'titulo', 'texto', 'email as author', 'at'])
    .where('ocasion', '=', occasion)
    .orderBy('version', 'desc')

/**
 * Lists entries as recipients of letters, with the notices about the last state change; entries being deleted are left out.
 * @param forUpdate whether the entries' rows are locked against changes and deletion until the caller's transaction ends
 */
export async function listRecipients(
  db: Database,
  ids: number[],
  { forUpdate = false } = {},
): Promise<NoticeRecipient[]> {
  const entries = await listNotifiableEntries(db, ids, { forUpdate })
  const notices = await listNotices(
    db,
    entries.map(({ id }) => id),
  )
  return entries.map((entry) => ({
    ...entry,
    occasion: occasionOf(entry.estado),
    notices: notices.filter(({ entryId, changeId }) => entryId === entry.id && changeId === entry.changeId),
  }))
}

async function listNotices(
  db: Database,
  entryIds: number[],
): Promise<(EntryNotice & { entryId: number; changeId: number })[]> {
  if (entryIds.length === 0) return []
  const rows = await db
    .selectFrom('mensajes')
    .innerJoin('correos', 'correos.id', 'mensajes.correo_id')
    .leftJoin('profiles', 'profiles.id', 'mensajes.quien')
    .select([...MAIL_COLUMNS, 'mensajes.inscripcion_id as inscripcion', 'mensajes.paso', 'ocasion', 'email'])
    .where('mensajes.inscripcion_id', 'in', entryIds)
    .orderBy('mensajes.id', 'desc')
    .execute()
  return rows.map(({ inscripcion, paso, ocasion, email, ...row }) => ({
    ...toMailView(row),
    entryId: inscripcion,
    changeId: paso,
    occasion: ocasion,
    author: email,
  }))
}

/** Reads an entrant's contact, with the URL for WhatsApp and the mail so far. */
export async function readContact(
  { db, settings }: Pick<Services, 'db' | 'settings'>,
  entry: Entry,
): Promise<EntrantContact> {
  const { id, tipo, folio, estado, correo, celular, telefono, history } = entry
  const [formRow, mails, notices, { nombre, anio }] = await Promise.all([
    readFormRow(db, FORMS[tipo], id),
    listEntryMails(db, id),
    listNotices(db, [id]),
    loadEditionCard(),
  ])
  const mayUseWhatsApp = formRow.values[WHATSAPP_NOTICES_FIELD] === PERMISSION_GRANTED
  const preparedText = whatsAppText(entry, `${nombre} ${anio}`, `${settings.publicUrl}/folio#${folio}`)
  const occasion = occasionOf(estado)
  return {
    id,
    correo,
    celular,
    mails,
    occasion,
    mayUseWhatsApp,
    tel: telefono === null ? undefined : `tel:${telefono}`,
    whatsapp: mayUseWhatsApp && telefono ? whatsAppUrl(telefono, preparedText) : undefined,
    notices: notices.filter(({ changeId }) => changeId === history[0]?.id),
    hasSmtp: settings.smtpUrl !== undefined,
  }
}

/** The last mail of an entry, which was not delivered (`selectUndelivered`), with the entry. */
export interface UndeliveredEntry extends MailView {
  entry: Pick<EntryListRow, 'id' | 'folio' | 'titular' | 'detalle' | 'tipo'>
}

/**
 * Builds the query for the entries of an edition whose last mail was given up, bounced, or only stored in a folder. An entry with
 * a newer mail is left out, even while that mail waits in the queue.
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
 * Counts the entries of an edition whose last mail was not delivered.
 * @param since counts only failures that became known after this moment of the database's clock
 */
export async function countUndelivered(db: Database, edition: number, since?: Date): Promise<number> {
  const allUndelivered = selectUndelivered(db, edition)
  const countedEntries = since
    ? allUndelivered.where(
        sql<boolean>`greatest(correos.failed_at, correos.rebotado_at, case when correos.en_carpeta then correos.sent_at end) > ${since}`,
      )
    : allUndelivered
  const { count } = await countedEntries.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

const MAX_UNDELIVERED = 200

/** Lists at most MAX_UNDELIVERED entries whose last mail was not delivered, the latest mail first. */
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
