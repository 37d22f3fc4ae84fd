import type { Transaction } from 'kysely'
import { lockDraft, readDraft, writeDocument } from '#app/cms/drafts/draft-store.server.ts'
import type { Publication } from '#app/cms/publishing/publications.server.ts'
import { LONGEST_NAME_CHARACTERS, MAX_CANDIDATES, TONES } from '#app/cms/schema/edition-documents.ts'
import { descriptorOf } from '#app/cms/schema/faults.ts'
import { emptyValueOf, fieldAt } from '#app/cms/schema/field-descriptor.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Tables } from '#app/core/db/tables.ts'

const CANDIDATES_DOCUMENT = 'candidatas.yaml'

/** A new candidate has these data. All other fields stay empty, and the checklist leads to them. */
export interface NewCandidate {
  nombre: string
  edad: number
  carrera: string
  /** The path of her photograph in the edition; undefined if none may be shown. */
  foto: string | undefined
  /** `id` is her earlier id in this edition; undefined for a new candidate. */
  id: string | undefined
}

interface Item {
  id?: string
  tono?: string
}

const itemsOf = (values: Readonly<Record<string, unknown>>, list: 'candidatas' | 'retiradas'): Item[] => {
  const items = valueAt(values[CANDIDATES_DOCUMENT], [list])
  return Array.isArray(items) ? items : []
}

/** Makes an id from the name, which no candidate of the edition has or had. */
function newIdFor(name: string, usedIds: ReadonlySet<string | undefined>): string {
  const slug = slugOf(name) || 'candidata'
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const id = `${slug.slice(0, LONGEST_NAME_CHARACTERS - end.length).replace(/-$/, '')}${end}`
    if (!usedIds.has(id)) return id
  }
}

/**
 * Appends a candidate to the draft's list and leaves the rest of the draft as it is.
 * @param tx the caller's transaction
 * @param base the publication that the draft is based on
 * @returns her id; undefined if the edition already has MAX_CANDIDATES
 */
export async function addCandidate(
  tx: Transaction<Tables>,
  base: Publication,
  newCandidate: NewCandidate,
  { accountId, now }: { accountId: string | null; now: Date },
): Promise<string | undefined> {
  const { edicion } = base
  await lockDraft(tx, edicion)
  const { values } = await readDraft(tx, edicion, base.valores)
  const currentItems = itemsOf(values, 'candidatas')
  if (currentItems.length >= MAX_CANDIDATES) return undefined
  const withdrawnRows = await tx.selectFrom('retiradas').select('candidata').where('edicion', '=', edicion).execute()
  const withdrawnIds = new Set([
    ...itemsOf(values, 'retiradas').map((candidate) => candidate.id),
    ...withdrawnRows.map((candidate) => candidate.candidata),
  ])
  const currentIds = new Set(currentItems.map((candidate) => candidate.id))
  const keptId =
    newCandidate.id !== undefined && !currentIds.has(newCandidate.id) && !withdrawnIds.has(newCandidate.id)
      ? newCandidate.id
      : undefined
  const id =
    keptId ??
    newIdFor(
      newCandidate.nombre,
      new Set([
        ...currentIds,
        ...withdrawnIds,
        ...itemsOf(base.valores, 'candidatas').map((candidate) => candidate.id),
      ]),
    )
  const usedTones = currentItems.map(({ tono }) => tono)
  const tone = TONES.find((one) => !usedTones.includes(one)) ?? TONES[currentItems.length % TONES.length]
  const empty = emptyValueOf(fieldAt(descriptorOf(CANDIDATES_DOCUMENT), ['candidatas', 0])!) as object
  const photo = newCandidate.foto === undefined ? undefined : { foto: newCandidate.foto, alt: '', foco: [50, 50] }
  const item = {
    ...empty,
    id,
    nombre: newCandidate.nombre,
    edad: newCandidate.edad,
    carrera: newCandidate.carrera,
    tono: tone,
    ...(photo && { galeria: [photo], prensa: { normal: photo } }),
  }
  const value = { ...(values[CANDIDATES_DOCUMENT] as object), candidatas: [...currentItems, item] }
  await writeDocument(tx, { edition: edicion, document: CANDIDATES_DOCUMENT, value, accountId, now })
  return id
}

/** Finds a candidate's place in the draft, from 0; `withdrawn` after her withdrawal; undefined if the draft lacks her. */
export async function findCandidatePlace(
  db: Parameters<typeof readDraft>[0],
  base: Publication,
  id: string,
): Promise<number | 'withdrawn' | undefined> {
  const withdrawnRow = await db
    .selectFrom('retiradas')
    .select('candidata')
    .where('edicion', '=', base.edicion)
    .where('candidata', '=', id)
    .executeTakeFirst()
  if (withdrawnRow) return 'withdrawn'
  const { values } = await readDraft(db, base.edicion, base.valores)
  const at = itemsOf(values, 'candidatas').findIndex((candidate) => candidate.id === id)
  return at === -1 ? undefined : at
}
