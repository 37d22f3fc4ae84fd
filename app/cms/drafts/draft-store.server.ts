import { sql, type Transaction } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { isBounded, isEqual } from '#app/cms/schema/field-path.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'

/** The newest change of a document in the draft. */
interface Progress {
  version: number
  /** The address of the author's account, or null if the account is unknown or deleted. */
  quien: string | null
  at: Date
  /** False for a draft's document that equals the publication. */
  isChanged: boolean
}

export interface Draft {
  /** `values` has every document as it would be published: the draft's document, or else the publication's. */
  values: Values
  /** The highest version of the draft's documents; 0 without a draft. */
  version: number
  documents: Record<string, Progress>
}

/** A document has at most this many characters of JSON, far more than a person types. */
const MAX_DOCUMENT_CHARACTERS = 250_000

/**
 * Reads an edition's draft on top of its publication.
 * @param publishedContent the documents of the publication that the draft is based on
 */
export async function readDraft(db: Database, edition: number, publishedContent: Values): Promise<Draft> {
  const rows = await db
    .selectFrom('borradores')
    .leftJoin('profiles', 'profiles.id', 'borradores.quien')
    .select(['documento', 'valor', 'version', 'email', 'borradores.updated_at'])
    .where('edicion', '=', edition)
    .execute()
  const documents = rows.map(({ documento, valor: value, version, email, updated_at }): [string, Progress] => [
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

/** A draft is based on this published content. */
export interface DraftBase {
  /** The version changes whenever the content does. */
  version: string
  values: Values
}

/**
 * Saves a document if its newest version is the one that its author saw.
 * @param readBase reads the content that the draft is based on
 * @param seenVersion the version of the document in the draft, or else of the published content
 * @returns the document's version; undefined if the author has not seen the newest one, so that nothing was saved
 * @throws DraftFullError
 */
export function saveDocument(
  db: Database,
  readBase: (tx: Database) => Promise<DraftBase>,
  { seenVersion, ...write }: DocumentWrite & { seenVersion: string },
): Promise<string | undefined> {
  return db.transaction().execute(async (tx) => {
    await lockDraft(tx, write.edition)
    const row = await tx
      .selectFrom('borradores')
      .select(['version', 'valor'])
      .where('edicion', '=', write.edition)
      .where('documento', '=', write.document)
      .executeTakeFirst()
    // A publication removes rows without the lock, so the published content is read after them.
    const base = row ? undefined : await readBase(tx)
    const current = row ? String(row.version) : base!.version
    if (current !== seenVersion) return undefined
    if (isEqual(write.value, row ? row.valor : base!.values[write.document])) return current
    return String(await writeDocument(tx, write))
  })
}

/** Takes the advisory lock by which one transaction at a time writes an edition's draft. */
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
 * Writes a document of the draft, even one that equals the publication, since a publication in preparation may differ.
 * The caller holds `lockDraft`. @throws DraftFullError
 */
export async function writeDocument(
  tx: Transaction<Tables>,
  { edition, document, value, accountId, now }: DocumentWrite,
) {
  const text = JSON.stringify(value)
  if (text.length > MAX_DOCUMENT_CHARACTERS || !isBounded(value)) throw new DraftFullError(document)
  const { version } = await tx
    .insertInto('borradores')
    .values({
      edicion: edition,
      documento: document,
      valor: text,
      quien: accountId,
      updated_at: now,
      version: sql<number>`nextval('versiones_de_borrador')`,
    })
    .onConflict((conflict) =>
      conflict.columns(['edicion', 'documento']).doUpdateSet({
        valor: text,
        quien: accountId,
        updated_at: now,
        version: sql<number>`nextval('versiones_de_borrador')`,
      }),
    )
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

/** A document, or a list in it, exceeds its limit; nothing was saved. */
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
 * @param document one document; undefined: the whole draft
 * @returns how many documents were discarded
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
 * @param tx the transaction that puts the publication in force
 * @param version the draft's version that was published
 */
export async function forgetPublished(tx: Database, edition: number, version: number): Promise<void> {
  await tx.deleteFrom('borradores').where('edicion', '=', edition).where('version', '<=', version).execute()
}
