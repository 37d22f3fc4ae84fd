import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { applyEdit, type Edit, isBounded, isEqual } from '#app/cms/schema/edits.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'

/** The newest change of a document in the draft. */
interface DocumentChange {
  version: number
  /** `quien` is the address of the author's account, or null if the account is unknown or deleted. */
  quien: string | null
  at: Date
  /** `isChanged` is false for a draft's document that equals the publication. */
  isChanged: boolean
}

export interface Draft {
  /** `values` has every document as it would be published: the draft's document, or else the publication's. */
  values: Values
  /** `version` is the highest version of the draft's documents; 0 without a draft. */
  version: number
  documents: Record<string, DocumentChange>
}

/** A document has at most this many characters of JSON, far more than a person types. */
const MAX_DOCUMENT_CHARACTERS = 250_000
/** A save of many edits may block the event loop for this many milliseconds before it yields. */
const YIELD_AFTER_MS = 10

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
  const documents = rows.map(({ documento, valor: value, version, email, updated_at }): [string, DocumentChange] => [
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

/** An edit is done, or refused with the current value of a field that another person has changed. */
type FieldResult = { ok: true } | { ok: false; actual: unknown; quien: string | null }

export interface SaveResult {
  /** `results` has one result for each edit, in order. */
  results: FieldResult[]
  /** `documents` has each changed document; `quien` and `at` belong to the change before this save. */
  documents: Record<string, { before: number; version: number; value: unknown; quien: string | null; at: Date }>
}

/**
 * Applies edits to the draft. An edit whose field is not as its author saw it is refused with the current value.
 * @param publishedContent the documents of the publication that the draft is based on
 * @param now the site's clock
 */
export function saveFields(
  db: Database,
  edition: number,
  publishedContent: Values,
  edits: readonly Edit[],
  accountId: string | null,
  now: Date,
): Promise<SaveResult> {
  return db.transaction().execute(async (tx) => {
    await lockDraft(tx, edition)
    const before = await readDraft(tx, edition, publishedContent)
    const values = { ...before.values }
    const results: FieldResult[] = []
    let lastYieldAt = performance.now()
    for (const edit of edits) {
      results.push(apply(edit))
      if (performance.now() - lastYieldAt < YIELD_AFTER_MS) continue
      await yieldToEventLoop()
      lastYieldAt = performance.now()
    }
    function apply(edit: Edit): FieldResult {
      const { documento } = edit
      const previousAuthor = before.documents[documento]?.quien ?? null
      if (!Object.hasOwn(publishedContent, documento)) return { ok: false, actual: undefined, quien: previousAuthor }
      const editResult = applyEdit(values[documento], edit)
      if (!editResult.ok) return { ok: false, actual: editResult.actual, quien: previousAuthor }
      values[documento] = editResult.value
      return { ok: true }
    }
    const changed = Object.keys(values).filter((document) => !isEqual(values[document], before.values[document]))
    const documents: SaveResult['documents'] = {}
    for (const document of changed) {
      const value = values[document]
      const version = await writeDocument(tx, { edition, document, value, accountId: accountId, now })
      const { version: previousVersion = 0, quien: previousAuthor = null, at = now } = before.documents[document] ?? {}
      documents[document] = { before: previousVersion, version, value, quien: previousAuthor, at }
    }
    return { results, documents }
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
      ...{ edicion: edition, documento: document, valor: text, quien: accountId, updated_at: now },
      version: sql<number>`nextval('versiones_de_borrador')`,
    })
    .onConflict((conflict) =>
      conflict.columns(['edicion', 'documento']).doUpdateSet({
        ...{ valor: text, quien: accountId, updated_at: now },
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
