import { setImmediate as turn } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import { isBounded, isIgual, type Retoque, retocar } from '#app/cms/schema/edits.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'

/** Name of a document (edicion.yaml, …) → its value as written. */
export type Valores = Record<string, unknown>

/** A document of the draft: its newest change. */
interface Avance {
  version: number
  /** Address of the account; null: its account is gone. */
  quien: string | null
  at: Date
  /** Whether it says anything else than the publication. */
  cambia: boolean
}

export interface Borrador {
  /** All documents as they would be published: the draft's where there is one, else those of the publication. */
  valores: Valores
  /** The newest version of all; 0 without a draft. */
  version: number
  documentos: Record<string, Avance>
}

/** A draft is words: nothing of this length was typed by anybody. */
const MAX_DOCUMENTO_CARACTERES = 250_000
/** Others get their turn so often while a sending of many changes is worked through. */
const BREATH_MS = 10

/**
 * The draft of an edition over what is published.
 * @param publicados the documents of the publication that the draft is of
 */
export async function readBorrador(db: Database, edicion: number, publicados: Valores): Promise<Borrador> {
  const rows = await db
    .selectFrom('borradores')
    .leftJoin('profiles', 'profiles.id', 'borradores.quien')
    .select(['documento', 'valor', 'version', 'email', 'borradores.updated_at'])
    .where('edicion', '=', edicion)
    .execute()
  const documentos = rows.map(({ documento, valor, version, email, updated_at }): [string, Avance] => [
    documento,
    { version, quien: email, at: updated_at, cambia: !isIgual(valor, publicados[documento]) },
  ])
  return {
    valores: { ...publicados, ...Object.fromEntries(rows.map(({ documento, valor }) => [documento, valor])) },
    version: Math.max(0, ...rows.map(({ version }) => version)),
    documentos: Object.fromEntries(documentos),
  }
}

/** What came of one change: done, or how the field stands that somebody else changed. */
type HechoDeCampo = { ok: true } | { ok: false; actual: unknown; quien: string | null }

export interface Guardado {
  /** One for each change, in their order. */
  hechos: HechoDeCampo[]
  /** The changed documents: their versions before and now, their values, and who changed them before, and when. */
  documentos: Record<string, { antes: number; version: number; valor: unknown; quien: string | null; at: Date }>
}

/**
 * Applies changes to the draft, each only while its field is as it was seen; the others are told how it stands.
 * @param publicados the documents of the publication that the draft is of
 * @param now the site's clock
 */
export function saveCampos(
  db: Database,
  edicion: number,
  publicados: Valores,
  retoques: readonly Retoque[],
  quien: string | null,
  now: Date,
): Promise<Guardado> {
  return db.transaction().execute(async (tx) => {
    await lockBorrador(tx, edicion)
    const before = await readBorrador(tx, edicion, publicados)
    const valores = { ...before.valores }
    const hechos: HechoDeCampo[] = []
    let since = performance.now()
    for (const retoque of retoques) {
      hechos.push(apply(retoque))
      if (performance.now() - since < BREATH_MS) continue
      await turn()
      since = performance.now()
    }
    function apply(retoque: Retoque): HechoDeCampo {
      const { documento } = retoque
      const other = before.documentos[documento]?.quien ?? null
      if (!Object.hasOwn(publicados, documento)) return { ok: false, actual: undefined, quien: other }
      const hecho = retocar(valores[documento], retoque)
      if (!hecho.ok) return { ok: false, actual: hecho.actual, quien: other }
      valores[documento] = hecho.valor
      return { ok: true }
    }
    const changed = Object.keys(valores).filter((documento) => !isIgual(valores[documento], before.valores[documento]))
    const documentos: Guardado['documentos'] = {}
    for (const documento of changed) {
      const valor = valores[documento]
      const version = await writeDocumento(tx, { edicion, documento, valor, quien, now })
      const { version: antes = 0, quien: other = null, at = now } = before.documentos[documento] ?? {}
      documentos[documento] = { antes, version, valor, quien: other, at }
    }
    return { hechos, documentos }
  })
}

/** Who changes a draft takes turns with whoever else does. */
export const lockBorrador = (tx: Database, edicion: number) =>
  sql`select pg_advisory_xact_lock(${CANDADOS.redactar}, ${edicion})`.execute(tx)

interface Escritura {
  edicion: number
  documento: string
  valor: unknown
  quien: string | null
  now: Date
}

/** A document that says again what is published stays, so that what is being prepared meanwhile is not taken for it. */
export async function writeDocumento(tx: Transaction<Tables>, { edicion, documento, valor, quien, now }: Escritura) {
  const text = JSON.stringify(valor)
  if (text.length > MAX_DOCUMENTO_CARACTERES || !isBounded(valor)) throw new BorradorLlenoError(documento)
  const { version } = await tx
    .insertInto('borradores')
    .values({
      ...{ edicion, documento, valor: text, quien, updated_at: now },
      version: sql<number>`nextval('versiones_de_borrador')`,
    })
    .onConflict((conflict) =>
      conflict.columns(['edicion', 'documento']).doUpdateSet({
        ...{ valor: text, quien, updated_at: now },
        version: sql<number>`nextval('versiones_de_borrador')`,
      }),
    )
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

/** A document, or a list in it, grew beyond all measure: nothing was saved. */
export class BorradorLlenoError extends Error {
  override name = 'BorradorLlenoError'
  readonly documento: string
  constructor(documento: string) {
    super(`${documento} is longer than ${MAX_DOCUMENTO_CARACTERES} characters, or has a list of more items than any`)
    this.documento = documento
  }
}

/**
 * Throws away what was changed since the publication.
 * @param documento one document; undefined: the whole draft
 * @returns how many documents there were
 */
export function discardBorrador(
  db: Database,
  edicion: number,
  documento: string | undefined,
  autor: Autor,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await lockBorrador(tx, edicion)
    let gone = tx.deleteFrom('borradores').where('edicion', '=', edicion)
    if (documento !== undefined) gone = gone.where('documento', '=', documento)
    const rows = await gone.returning('documento').execute()
    if (rows.length > 0) {
      const names = rows.map((row) => row.documento).sort()
      await anotar(tx, autor, { que: 'sitio.descartado', edicion, sobre: names.join(', ') })
    }
    return rows.length
  })
}

/**
 * Takes out of the draft what is published now; what was changed since stays.
 * @param tx the transaction that puts the publication in force
 * @param version the draft's version of which the publication was made
 */
export async function forgetPublicado(tx: Database, edicion: number, version: number): Promise<void> {
  await tx.deleteFrom('borradores').where('edicion', '=', edicion).where('version', '<=', version).execute()
}
