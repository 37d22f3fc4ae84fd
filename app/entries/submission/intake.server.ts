import { sql } from 'kysely'
import type { Actor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { DocumentKind, EntryType, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import type { Data } from '#app/entries/rules.ts'
import { summaryOf } from '#app/entries/shown-values.ts'
import { applyTransition } from '#app/entries/states/transition.server.ts'
import { queueMail } from '#app/mail/mutations.server.ts'
import type { MailSender } from '#app/mail/schema.ts'
import { entryReceivedLetter } from './mails.server.ts'

/** A document that has just been stored. */
export interface NewDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
  /** As the person's device called it. */
  nombreArchivo: string
  contentType: string
  bytes: number
  sha256: string
}

/** A whole entry, its objects stored already. */
export interface NewEntry {
  tipo: EntryType
  /** Year of the edition. */
  edicion: number
  folio: string
  /** Of the form's own table: reserved beforehand, since the folder is called by it. */
  id: number
  carpeta: string
  metadataPath: string
  datos: Data
  documentos: readonly NewDocument[]
  /** By the site's clock. */
  at: Date
}

/** An id of the form's own table, which names the folder of an entry before there is one. */
export async function reserveId(db: Database, type: EntryType): Promise<number> {
  const { tabla } = FORMS[type]
  const reserved = await sql<{ id: number }>`select nextval(pg_get_serial_sequence(${tabla}, 'id')) as id`.execute(db)
  return reserved.rows[0]!.id
}

/**
 * Enters a registration with all its documents, within the caller's transaction. Who gave an address gets the folio by
 * mail.
 * @returns the entry's id
 */
export async function insertEntry(tx: Database, newOne: NewEntry, sender: MailSender): Promise<number> {
  const { tipo, edicion, folio, datos, at } = newOne
  const forma = FORMS[tipo]
  const summary = summaryOf(forma, datos)
  const { id } = await tx
    .insertInto('inscripciones')
    .values({ tipo, edicion, folio, ...summary, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const fila = {
    ...{
      id: newOne.id,
      inscripcion_id: id,
      carpeta: newOne.carpeta,
      metadata_path: newOne.metadataPath,
      created_at: at,
    },
    ...datos,
  }
  // The columns of a form's table are its descriptors' names, which the types of the tables do not know of.
  await tx
    .insertInto(forma.tabla)
    .values(fila as never)
    .execute()
  await insertDocuments(tx, id, newOne.documentos, at)
  const letter = entryReceivedLetter(tipo, folio)
  if (summary.correo !== null && (await mayBeTold(tx, letter.kind, summary.correo)))
    await queueMail(tx, {
      ...letter,
      ...{ to: summary.correo, remite: sender, inscripcion: id },
      idempotencyKey: `inscripcion:${folio}`,
    })
  return id
}

/** How many folios a mailbox is sent within a day: the screen shows each, and anybody may type anybody's address. */
const MAX_FOLIOS_PER_DAY = 3

/** Whether a mailbox, however its address is written, has room for one more folio today. */
async function mayBeTold(tx: Database, kind: string, email: string): Promise<boolean> {
  const { rows } = await sql<{ recipient: string }>`
    select lower(recipient) as recipient from correos
    where inscripcion_id is not null and kind = ${kind} and created_at > now() - interval '1 day'`.execute(tx)
  const mailbox = mailboxOf(email.toLowerCase())
  return rows.filter(({ recipient }) => mailboxOf(recipient) === mailbox).length < MAX_FOLIOS_PER_DAY
}

async function insertDocuments(
  tx: Database,
  entry: number,
  documents: readonly NewDocument[],
  at: Date,
): Promise<void> {
  await tx
    .insertInto('documentos')
    .values(
      documents.map(({ clase, lado, path, nombreArchivo, contentType, bytes, sha256 }) => ({
        ...{ inscripcion_id: entry, clase, lado, path, sha256, recibido_at: at },
        ...{ nombre_archivo: nombreArchivo, content_type: contentType, size_bytes: bytes },
      })),
    )
    .execute()
}

/** A document that takes the place of another one, because a solicitud asked for it. */
export interface DocumentReplacement {
  tipo: EntryType
  inscripcion: number
  solicitud: number
  /** Paths of what it takes the place of: whoever changed that meanwhile was first. */
  antes: { documento: string; metadata: string }
  metadataPath: string
  documentos: readonly NewDocument[]
  /** By the site's clock. */
  at: Date
}

/** The person, who needs no account to send what was asked for. */
const ENTRANT: Actor = { quien: null, desde: 'folio' }

/**
 * Takes a document that was asked for again, within the caller's transaction. The old one stays in the history; with the
 * last one that was asked for, the entry goes back to whoever judges it.
 * @returns false when somebody else was first, or the organisers do not ask for it any more: the caller takes all back
 */
export async function replaceDocument(tx: Database, replacement: DocumentReplacement): Promise<boolean> {
  const { tipo, inscripcion, solicitud, antes, at } = replacement
  const entry = await tx
    .selectFrom('inscripciones')
    .select('estado')
    .where('id', '=', inscripcion)
    .forUpdate()
    .executeTakeFirst()
  if (entry === undefined) return false
  const answered = await tx
    .updateTable('solicitudes')
    .set({ cumplida_at: at })
    .where('id', '=', solicitud)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .executeTakeFirstOrThrow()
  const replaced = await tx
    .updateTable('documentos')
    .set({ reemplazado_at: at })
    .where('inscripcion_id', '=', inscripcion)
    .where('path', '=', antes.documento)
    .where('reemplazado_at', 'is', null)
    .executeTakeFirstOrThrow()
  const moved = await tx
    .updateTable(FORMS[tipo].tabla)
    .set({ metadata_path: replacement.metadataPath })
    .where('inscripcion_id', '=', inscripcion)
    .where('metadata_path', '=', antes.metadata)
    .executeTakeFirstOrThrow()
  if ([answered, replaced, moved].some(({ numUpdatedRows }) => numUpdatedRows !== 1n)) return false
  await insertDocuments(tx, inscripcion, replacement.documentos, at)
  const missing = await tx
    .selectFrom('solicitudes')
    .select('id')
    .where('inscripcion_id', '=', inscripcion)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const { estado } = entry
  const isWaiting = missing !== undefined || estado === 'en-revision'
  await applyTransition(
    tx,
    { id: inscripcion, at },
    isWaiting ? undefined : { de: estado, a: 'en-revision', nota: null },
    ENTRANT,
  )
  return true
}
