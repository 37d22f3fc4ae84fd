import type { Transaction } from 'kysely'
import { lockDraft, readDraft, writeDocument } from '#app/cms/drafts/draft-store.server.ts'
import type { Publication } from '#app/cms/publishing/publications.server.ts'
import { LONGEST_NAME_CHARACTERS, MAX_CANDIDATES, TONES } from '#app/cms/schema/edition-documents.ts'
import { valorEn } from '#app/cms/schema/edits.ts'
import { descriptorDe } from '#app/cms/schema/faults.ts'
import { emptyValueOf, fieldAt } from '#app/cms/schema/field-descriptor.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Tables } from '#app/core/db/tables.ts'

const CANDIDATES_DOCUMENT = 'candidatas.yaml'

/** What is known of somebody who is to be a candidate; all else stays empty, for the checklist to lead to. */
export interface NewCandidate {
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

const itemsOf = (values: Readonly<Record<string, unknown>>, list: 'candidatas' | 'retiradas'): Item[] => {
  const items = valorEn(values[CANDIDATES_DOCUMENT], [list])
  return Array.isArray(items) ? items : []
}

/** An id of her own, which nobody in this edition has or had. */
function idPara(name: string, taken: ReadonlySet<string | undefined>): string {
  const slug = slugOf(name) || 'candidata'
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const id = `${slug.slice(0, LONGEST_NAME_CHARACTERS - end.length).replace(/-$/, '')}${end}`
    if (!taken.has(id)) return id
  }
}

/**
 * Adds a candidate at the end of the draft's; what others have written stays as it is.
 * @param tx the caller's transaction
 * @param base what the draft is of
 * @returns her id; undefined when the edition has as many candidates as it may
 */
export async function addCandidate(
  tx: Transaction<Tables>,
  base: Publication,
  newOne: NewCandidate,
  { quien, now }: { quien: string | null; now: Date },
): Promise<string | undefined> {
  const { edicion } = base
  await lockDraft(tx, edicion)
  const { valores } = await readDraft(tx, edicion, base.valores)
  const there = itemsOf(valores, 'candidatas')
  if (there.length >= MAX_CANDIDATES) return undefined
  const gone = await tx.selectFrom('retiradas').select('candidata').where('edicion', '=', edicion).execute()
  const out = new Set([...itemsOf(valores, 'retiradas').map((una) => una.id), ...gone.map((una) => una.candidata)])
  const here = new Set(there.map((una) => una.id))
  const own = newOne.id !== undefined && !here.has(newOne.id) && !out.has(newOne.id) ? newOne.id : undefined
  const id =
    own ??
    idPara(newOne.nombre, new Set([...here, ...out, ...itemsOf(base.valores, 'candidatas').map((una) => una.id)]))
  const taken = there.map(({ tono }) => tono)
  const tone = TONES.find((one) => !taken.includes(one)) ?? TONES[there.length % TONES.length]
  const empty = emptyValueOf(fieldAt(descriptorDe(CANDIDATES_DOCUMENT), ['candidatas', 0])!) as object
  const photo = newOne.foto === undefined ? undefined : { foto: newOne.foto, alt: '', foco: [50, 50] }
  const item = {
    ...empty,
    ...{ id, nombre: newOne.nombre, edad: newOne.edad, carrera: newOne.carrera, tono: tone },
    ...(photo && { galeria: [photo], prensa: { normal: photo } }),
  }
  const valor = { ...(valores[CANDIDATES_DOCUMENT] as object), candidatas: [...there, item] }
  await writeDocument(tx, { edicion, documento: CANDIDATES_DOCUMENT, valor, quien, now })
  return id
}

/** Where a candidate stands in the draft: her place from 0, or that she was withdrawn; undefined: nowhere. */
export async function findCandidatePlace(
  db: Parameters<typeof readDraft>[0],
  base: Publication,
  id: string,
): Promise<number | 'retirada' | undefined> {
  const gone = await db
    .selectFrom('retiradas')
    .select('candidata')
    .where('edicion', '=', base.edicion)
    .where('candidata', '=', id)
    .executeTakeFirst()
  if (gone) return 'retirada'
  const { valores } = await readDraft(db, base.edicion, base.valores)
  const at = itemsOf(valores, 'candidatas').findIndex((una) => una.id === id)
  return at === -1 ? undefined : at
}
