import { type DocumentName, descriptorOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { type Descriptor, fieldAt, inWords } from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, isEqual, isGroup, valueAt } from '#app/cms/schema/field-path.ts'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { isDay } from '#app/panel/editor/day-in-words.ts'

/** A Change is a changed field; `label` names the field in the words of the form. */
export interface Change {
  documento: string
  campo: FieldPath
  label: string
  /** The old or the new value is undefined where the field was or is empty. */
  before: DescribedValue | undefined
  after: DescribedValue | undefined
}

/** A value is described for people as text, or as a picture or file by its path in the edition. */
export type DescribedValue = { text: string } | { photo: string; alt: string } | { file: string }

/** Lists the changed fields between two states of an edition's documents, document by document. */
export function changesBetween(before: Record<string, unknown>, now: Record<string, unknown>): Change[] {
  return Object.keys({ ...before, ...now })
    .filter(isDocumentName)
    .flatMap((document) => listDifferences(document, descriptorOf(document), [], before[document], now[document]))
}

function listDifferences(
  document: DocumentName,
  root: Descriptor,
  field: FieldPath,
  before: unknown,
  now: unknown,
): Change[] {
  if (isEqual(before, now)) return []
  const descriptor = fieldAt(root, field)
  // The site sets hidden ids by itself, so no editor changed them.
  if (descriptor?.kind !== 'group' && descriptor?.isHidden && field.at(-1) === 'id') return []
  const deeper = (key: string | number) =>
    listDifferences(document, root, [...field, key], valueAt(before, [key]), valueAt(now, [key]))
  if (descriptor?.kind === 'group' && isGroup(before) && isGroup(now))
    return Object.keys({ ...before, ...now }).flatMap(deeper)
  if (descriptor?.kind === 'list' && Array.isArray(before) && Array.isArray(now)) {
    if (before.length === now.length) return before.flatMap((_, index) => deeper(index))
    // Of a list whose length changed, added and removed items are listed one by one; a moved item is not.
    const addedIndexes = now.flatMap((item, index) => (before.some((one) => isEqual(one, item)) ? [] : [index]))
    const removedIndexes = before.flatMap((item, index) => (now.some((one) => isEqual(one, item)) ? [] : [index]))
    const changeAt = (index: number, before: unknown, after: unknown): Change => ({
      documento: document,
      campo: [...field, index],
      label: inWords(root, [...field, index]),
      before: describeValue(before),
      after: describeValue(after),
    })
    return [
      ...addedIndexes.map((index) => changeAt(index, undefined, now[index])),
      ...removedIndexes.map((index) => changeAt(index, before[index], undefined)),
    ]
  }
  return [
    {
      documento: document,
      campo: field,
      label: inWords(root, field),
      before: describeValue(before),
      after: describeValue(now),
    },
  ]
}

const FILE_PATH = /^[\w-]+\/[\w./-]+\.\w+$/

/** Describes a value in few words, a group by its name, title or first text. */
function describeValue(value: unknown): DescribedValue | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && isDay(value)) return { text: formatLongDate(value) }
  if (typeof value === 'string') return FILE_PATH.test(value) ? { file: value } : { text: value }
  if (typeof value === 'boolean') return { text: value ? 'Sí' : 'No' }
  if (typeof value !== 'object') return { text: String(value) }
  if ('foto' in value && 'foco' in value)
    return { photo: String(value.foto), alt: 'alt' in value ? String(value.alt) : '' }
  const entries = Object.entries(value).filter(([key]) => key !== 'id')
  const namingEntries = entries.filter(([key]) => key === 'nombre' || key === 'titulo' || key === 'que')
  for (const [, item] of [...namingEntries, ...entries]) {
    const described = describeValue(item)
    if (described && 'text' in described) return described
  }
  return undefined
}
