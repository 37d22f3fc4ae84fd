import { sql, type Transaction } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { isBounded, isEqual } from '#app/cms/schema/field-path.ts'
import type { EditionValues } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'

/** The latest change of a document in the draft. */
interface DocumentProgress {
  version: number
  /** Email address of the author; null if the account is unknown or deleted. */
  quien: string | null
  at: Date
  /** Whether the document differs from the publication. */
  isChanged: boolean
}

export interface Draft {
  /** Every document as it would be published: the draft's or, if the draft lacks it, the publication's. */
  values: EditionValues
  /** Highest version of the draft's documents; 0 without a draft. */
  version: number
  /** The draft's own documents, by name. */
  documents: Record<string, DocumentProgress>
}

/** Maximum length of a document as JSON. */
const MAX_DOCUMENT_CHARACTERS = 250_000

/**
 * Reads an edition's draft on top of its publication.
 * @param publishedContent the documents of the publication that the draft is based on
 */
export async function readDraft(db: Database, edition: number, publishedContent: EditionValues): Promise<Draft> {
  const rows = await db
    .selectFrom('borradores')
    .leftJoin('profiles', 'profiles.id', 'borradores.quien')
    .select(['documento', 'valor', 'version', 'email', 'borradores.updated_at'])
    .where('edicion', '=', edition)
    .execute()
  const documents = rows.map(({ documento, valor: value, version, email, updated_at }): [string, DocumentProgress] => [
    documento,
    { version, quien: email, at: updated_at, isChanged: !isEqual(value, publishedContent[documento]) },
  ])
  return {
    values: {
      ...publishedContent,
      ...Object.fromEntries(rows.map(({ documento, valor: value }) => [documento, value])),
    },
    version: Math.max(0, ...rows.map(({ version }) => version)),
    documents: Object.fromEntries(documents),
  }
}

/** Published content on which a draft is based. */
export interface DraftBase {
  /** Changes whenever the content does. */
  version: string
  values: EditionValues
}

/**
 * Saves a document if its newest version is the one that its author saw.
 * @param readBase reads the content that the draft is based on
 * @param seenVersion version of the document in the draft or, without one, of the published content
 * @returns the document's version, which is unchanged if the value is; undefined if the author has not seen the newest version, so
 *   that nothing was saved
 * @throws DraftFullError
 */
export function saveDocument(
  db: Database,
  readBase: (tx: Database) => Promise<DraftBase>,
  { seenVersion, ...documentWrite }: DocumentWrite & { seenVersion: string },
): Promise<string | undefined> {
  return db.transaction().execute(async (tx) => {
    await lockDraft(tx, documentWrite.edition)
    const row = await tx
      .selectFrom('borradores')
      .select(['version', 'valor'])
      .where('edicion', '=', documentWrite.edition)
      .where('documento', '=', documentWrite.document)
      .executeTakeFirst()
    // A publication removes draft rows without this lock, so the published content is read after the row.
    const base = row ? undefined : await readBase(tx)
    const currentVersion = row ? String(row.version) : base!.version
    if (currentVersion !== seenVersion) return undefined
    if (isEqual(documentWrite.value, row ? row.valor : base!.values[documentWrite.document])) return currentVersion
    return String(await writeDocument(tx, documentWrite))
  })
}

/** Takes the advisory lock under which only one transaction at a time writes an edition's draft. */
export const lockDraft = (tx: Database, edition: number) =>
  sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.writeDraft}, ${edition})`.execute(tx)

interface DocumentWrite {
  edition: number
  document: string
  value: unknown
  accountId: string | null
  now: Date
}

/**
 * Writes a document of the draft, even one that equals the publication's, since a publication in preparation may differ.
 * The caller must have called `lockDraft`. @throws DraftFullError
 */
export async function writeDocument(
  tx: Transaction<Tables>,
  { edition, document, value, accountId, now }: DocumentWrite,
) {
  const json = JSON.stringify(value)
  if (json.length > MAX_DOCUMENT_CHARACTERS || !isBounded(value)) throw new DraftFullError(document)
  const { version } = await tx
    .insertInto('borradores')
    .values({
      edicion: edition,
      documento: document,
      valor: json,
      quien: accountId,
      updated_at: now,
      version: sql<number>`nextval('versiones_de_borrador')`,
    })
    .onConflict((conflict) =>
      conflict.columns(['edicion', 'documento']).doUpdateSet({
        valor: json,
        quien: accountId,
        updated_at: now,
        version: sql<number>`nextval('versiones_de_borrador')`,
      }),
    )
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

/** Thrown for a document that is too long, is nested too deeply, or has too large a list or group; nothing was saved. */
export class DraftFullError extends Error {
  override name = 'DraftFullError'
  readonly document: string
  constructor(document: string) {
    super(`${document} is longer than ${MAX_DOCUMENT_CHARACTERS} characters, or has a list of more items than any`)
    this.document = document
  }
}

/**
 * Discards the changes since the publication.
 * @param document name of one document; if it is undefined, the whole draft is discarded
 * @returns number of discarded documents
 */
export function discardDraft(
  db: Database,
  edition: number,
  document: string | undefined,
  actor: Actor,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await lockDraft(tx, edition)
    let deletion = tx.deleteFrom('borradores').where('edicion', '=', edition)
    if (document !== undefined) deletion = deletion.where('documento', '=', document)
    const rows = await deletion.returning('documento').execute()
    if (rows.length > 0) {
      const names = rows.map((row) => row.documento).sort()
      await writeAuditLog(tx, actor, { que: 'sitio.descartado', edicion: edition, sobre: names.join(', ') })
    }
    return rows.length
  })
}

/**
 * Removes published documents from the draft; later changes stay.
 * @param tx transaction that puts the publication in force
 * @param version of the draft that was published
 */
export async function removePublishedDocuments(tx: Database, edition: number, version: number): Promise<void> {
  await tx.deleteFrom('borradores').where('edicion', '=', edition).where('version', '<=', version).execute()
}
