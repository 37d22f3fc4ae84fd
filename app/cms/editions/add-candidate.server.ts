import type { Transaction } from 'kysely'
import { lockBorrador, readBorrador, writeDocumento } from '#app/cms/drafts/draft-store.server.ts'
import type { Publicacion } from '#app/cms/publishing/publications.server.ts'
import { MAX_CANDIDATAS, NOMBRE_CARACTERES, TONOS } from '#app/cms/schema/edition-documents.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import { descriptorDe } from '#app/cms/schema/faults.ts'
import { campoEn, vacioDe } from '#app/cms/schema/field-descriptor.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Tables } from '#app/core/db/tables.ts'

const DOCUMENTO = 'candidatas.yaml'

/** What is known of somebody who is to be a candidate; all else stays empty, for the checklist to lead to. */
export interface CandidataNueva {
  nombre: string
  edad: number
  carrera: string
  /** Path of her photograph in the edition; undefined: none of hers may be shown. */
  foto: string | undefined
  /** The id that she had in this edition before; undefined: she is new to it. */
  id: string | undefined
}

interface Item {
  id?: string
  tono?: string
}

const itemsOf = (valores: Readonly<Record<string, unknown>>, lista: 'candidatas' | 'retiradas'): Item[] => {
  const items = valorEn(valores[DOCUMENTO], [lista])
  return Array.isArray(items) ? items : []
}

/** An id of her own, which nobody in this edition has or had. */
function idPara(nombre: string, taken: ReadonlySet<string | undefined>): string {
  const slug = slugOf(nombre) || 'candidata'
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const id = `${slug.slice(0, NOMBRE_CARACTERES - end.length).replace(/-$/, '')}${end}`
    if (!taken.has(id)) return id
  }
}

/**
 * Adds a candidate at the end of the draft's; what others have written stays as it is.
 * @param tx the caller's transaction
 * @param base what the draft is of
 * @returns her id; undefined when the edition has as many candidates as it may
 */
export async function agregaCandidata(
  tx: Transaction<Tables>,
  base: Publicacion,
  nueva: CandidataNueva,
  { quien, now }: { quien: string | null; now: Date },
): Promise<string | undefined> {
  const { edicion } = base
  await lockBorrador(tx, edicion)
  const { valores } = await readBorrador(tx, edicion, base.valores)
  const there = itemsOf(valores, 'candidatas')
  if (there.length >= MAX_CANDIDATAS) return undefined
  const gone = await tx.selectFrom('retiradas').select('candidata').where('edicion', '=', edicion).execute()
  const out = new Set([...itemsOf(valores, 'retiradas').map((una) => una.id), ...gone.map((una) => una.candidata)])
  const here = new Set(there.map((una) => una.id))
  const own = nueva.id !== undefined && !here.has(nueva.id) && !out.has(nueva.id) ? nueva.id : undefined
  const id =
    own ?? idPara(nueva.nombre, new Set([...here, ...out, ...itemsOf(base.valores, 'candidatas').map((una) => una.id)]))
  const taken = there.map(({ tono }) => tono)
  const tono = TONOS.find((one) => !taken.includes(one)) ?? TONOS[there.length % TONOS.length]
  const vacia = vacioDe(campoEn(descriptorDe(DOCUMENTO), ['candidatas', 0])!) as object
  const foto = nueva.foto === undefined ? undefined : { foto: nueva.foto, alt: '', foco: [50, 50] }
  const item = {
    ...vacia,
    ...{ id, nombre: nueva.nombre, edad: nueva.edad, carrera: nueva.carrera, tono },
    ...(foto && { galeria: [foto], prensa: { normal: foto } }),
  }
  const valor = { ...(valores[DOCUMENTO] as object), candidatas: [...there, item] }
  await writeDocumento(tx, { edicion, documento: DOCUMENTO, valor, quien, now })
  return id
}

/** Where a candidate stands in the draft: her place from 0, or that she was withdrawn; undefined: nowhere. */
export async function dondeEstaCandidata(
  db: Parameters<typeof readBorrador>[0],
  base: Publicacion,
  id: string,
): Promise<number | 'retirada' | undefined> {
  const gone = await db
    .selectFrom('retiradas')
    .select('candidata')
    .where('edicion', '=', base.edicion)
    .where('candidata', '=', id)
    .executeTakeFirst()
  if (gone) return 'retirada'
  const { valores } = await readBorrador(db, base.edicion, base.valores)
  const at = itemsOf(valores, 'candidatas').findIndex((una) => una.id === id)
  return at === -1 ? undefined : at
}
