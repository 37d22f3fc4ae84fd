import type { Transaction } from 'kysely'
import { lockDraft, readDraft, writeDocument } from '#app/cms/drafts/draft-store.server.ts'
import type { Publication } from '#app/cms/publishing/publications.server.ts'
import { MAX_CANDIDATES, MAX_NAME_CHARACTERS, TONES } from '#app/cms/schema/edition-documents.ts'
import { descriptorOf } from '#app/cms/schema/faults.ts'
import { descriptorAt, emptyValueOf } from '#app/cms/schema/field-descriptor.ts'
import { valueAt } from '#app/cms/schema/field-path.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Tables } from '#app/core/db/tables.ts'

const CANDIDATES_DOCUMENT = 'candidatas.yaml'

/** Data of a new candidate. The site sets her id and her tone; all other fields stay empty, and «Por arreglar» leads to them. */
export interface NewCandidate {
  nombre: string
  edad: number
  carrera: string
  /** Path of her photograph in the edition; undefined if none may be shown. */
  foto: string | undefined
  /** Id that she had before in this edition; undefined for a new candidate. */
  id: string | undefined
}

interface CandidateItem {
  id?: string
  tono?: string
}

const itemsOf = (values: Readonly<Record<string, unknown>>, list: 'candidatas' | 'retiradas'): CandidateItem[] => {
  const items = valueAt(values[CANDIDATES_DOCUMENT], [list])
  return Array.isArray(items) ? items : []
}

/** Creates from a name an id that is not among `usedIds`. */
function createCandidateId(name: string, usedIds: ReadonlySet<string | undefined>): string {
  const slug = slugOf(name) || 'candidata'
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const id = `${slug.slice(0, MAX_NAME_CHARACTERS - suffix.length).replace(/-$/, '')}${suffix}`
    if (!usedIds.has(id)) return id
  }
}

/**
 * Appends a candidate to the draft's list and leaves the rest of the draft as it is.
 * @param tx the caller's transaction
 * @param base publication on which the draft is based
 * @returns her id, which is a new one if she had none, if a candidate of the draft has hers or if she was withdrawn; undefined if
 *   the draft already has MAX_CANDIDATES
 * @throws DraftFullError
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
    createCandidateId(
      newCandidate.nombre,
      new Set([
        ...currentIds,
        ...withdrawnIds,
        ...itemsOf(base.valores, 'candidatas').map((candidate) => candidate.id),
      ]),
    )
  const usedTones = currentItems.map(({ tono }) => tono)
  const tone =
    TONES.find((candidateTone) => !usedTones.includes(candidateTone)) ?? TONES[currentItems.length % TONES.length]
  const emptyItem = emptyValueOf(descriptorAt(descriptorOf(CANDIDATES_DOCUMENT), ['candidatas', 0])!) as object
  const photo = newCandidate.foto === undefined ? undefined : { foto: newCandidate.foto, alt: '', foco: [50, 50] }
  const newItem = {
    ...emptyItem,
    id,
    nombre: newCandidate.nombre,
    edad: newCandidate.edad,
    carrera: newCandidate.carrera,
    tono: tone,
    ...(photo && { galeria: [photo], prensa: { normal: photo } }),
  }
  const value = { ...(values[CANDIDATES_DOCUMENT] as object), candidatas: [...currentItems, newItem] }
  await writeDocument(tx, { edition: edicion, document: CANDIDATES_DOCUMENT, value, accountId, now })
  return id
}

/** Finds a candidate's index in the draft's list; `withdrawn` after her withdrawal; undefined if the draft lacks her. */
export async function findCandidateIndex(
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
  const index = itemsOf(values, 'candidatas').findIndex((candidate) => candidate.id === id)
  return index === -1 ? undefined : index
}
