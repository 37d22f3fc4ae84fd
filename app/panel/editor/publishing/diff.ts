import { type DocumentName, descriptorOf, isDocumentName } from '#app/cms/schema/faults.ts'
import {
  callNameOf,
  descriptorAt,
  type FieldDescriptor,
  fieldInWords,
  type LeafDescriptor,
} from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, isEqual, isPlainObject, valueAt } from '#app/cms/schema/field-path.ts'
import { formatLongDate, formatLongDateTime } from '#app/core/time/mexico-dates.ts'
import { pairItems } from '#app/panel/editor/three-way-merge.ts'

/** A changed field, an added or removed item of a list, or a list whose items changed their order. */
export interface ContentChange {
  documento: string
  campo: FieldPath
  /** Name of the field or the list in the words of the form. */
  label: string
  /** Old value; undefined if the field was empty or `describeValue` finds no text in it. */
  before: DescribedValue | undefined
  /** New value; undefined like `before`. */
  after: DescribedValue | undefined
  /** Moved items of a list in words: «Ximena Agave pasa del 3 al 1». A change with `moves` has no values. */
  moves?: string
}

/** A value described for people: a text, or a picture or file by its path in the edition. */
export type DescribedValue = { text: string; hasEmphasis?: boolean } | { photo: string; alt: string } | { file: string }

type Values = Record<string, unknown>

/** Lists the changes between two states of an edition's documents. List items are matched as in `pairItems`. */
export function changesBetween(before: Values, after: Values): ContentChange[] {
  const nameOf = (id: string) => candidateName(after, id) ?? candidateName(before, id) ?? id
  return Object.keys({ ...before, ...after })
    .filter(isDocumentName)
    .flatMap((document) =>
      listChanges(
        { document, root: descriptorOf(document), roots: [before[document], after[document]], nameOf },
        [],
        before[document],
        after[document],
      ),
    )
}

function candidateName(values: Values, id: string): string | undefined {
  const candidates = valueAt(values['candidatas.yaml'], ['candidatas'])
  const candidate = Array.isArray(candidates) ? candidates.find((item) => valueAt(item, ['id']) === id) : undefined
  return candidate && String(valueAt(candidate, ['nombre']))
}

interface DiffContext {
  document: DocumentName
  root: FieldDescriptor
  /** The document's old and new value. */
  roots: readonly [before: unknown, after: unknown]
  /** Returns a candidate's name by her id; the id if there is no such candidate. */
  nameOf(id: string): string
}

function listChanges(context: DiffContext, field: FieldPath, before: unknown, after: unknown): ContentChange[] {
  if (isEqual(before, after)) return []
  const { root, nameOf } = context
  const descriptor = descriptorAt(root, field)
  // The site sets hidden ids and removes a video's lighter copy itself, so neither is a change by an editor.
  if (descriptor?.kind !== 'group' && descriptor?.isHidden && ['id', 'av1'].includes(String(field.at(-1)))) return []
  if (descriptor?.kind === 'group' && isPlainObject(before) && isPlainObject(after))
    return Object.keys({ ...before, ...after }).flatMap((key) =>
      listChanges(context, [...field, key], before[key], after[key]),
    )
  if (descriptor?.kind === 'list' && Array.isArray(before) && Array.isArray(after)) {
    const newIndexes = pairItems(before, after)
    const itemDescriptor = descriptor.item
    // In a list of unchanged length, a new picture at the index of a removed one counts as a changed item.
    if (itemDescriptor.kind === 'photo' && before.length === after.length)
      for (const [index, newIndex] of newIndexes.entries())
        if (newIndex === undefined && !newIndexes.includes(index)) newIndexes[index] = index
    const moves = movedItems(newIndexes).map((index) => {
      const description = describeValue(before[index], itemDescriptor, nameOf)
      const text =
        description && ('text' in description ? description.text : 'alt' in description ? description.alt : '')
      const name = callNameOf(before[index]) ?? (text ? shortenName(text) : `${itemDescriptor.label} ${index + 1}`)
      return `${name} pasa del ${index + 1} al ${newIndexes[index]! + 1}`
    })
    return [
      ...(moves.length > 0 ? [{ ...changeAt(context, field, undefined, undefined), moves: moves.join('; ') }] : []),
      ...after.flatMap((value, index) => {
        const oldIndex = newIndexes.indexOf(index)
        return oldIndex === -1
          ? [changeAt(context, [...field, index], undefined, value)]
          : listChanges(context, [...field, index], before[oldIndex], value)
      }),
      ...before.flatMap((value, index) =>
        newIndexes[index] === undefined ? [changeAt(context, [...field, index], value, undefined)] : [],
      ),
    ]
  }
  return [changeAt(context, field, before, after)]
}

function changeAt(
  { document, root, roots, nameOf }: DiffContext,
  field: FieldPath,
  before: unknown,
  after: unknown,
): ContentChange {
  const descriptor = descriptorAt(root, field)
  const [describedBefore, describedAfter] = [before, after].map((value) => describeValue(value, descriptor, nameOf))
  const hasOnlyNewFocalPoint = describedAfter && 'photo' in describedAfter && isEqual(describedBefore, describedAfter)
  return {
    documento: document,
    campo: field,
    // A removed item is named as it was.
    label: fieldInWords(root, field, before !== undefined && after === undefined ? roots[0] : roots[1]),
    before: describedBefore,
    after: hasOnlyNewFocalPoint ? { ...describedAfter, alt: 'Cambió lo que siempre debe verse' } : describedAfter,
  }
}

/**
 * Finds the moved items of a list: the fewest whose move explains the new order, which are the items outside the longest
 * increasing subsequence of new indexes.
 * @param newIndexes each item's index in the new list; undefined for a removed item
 * @returns the items' indexes in the old list
 */
function movedItems(newIndexes: readonly (number | undefined)[]): number[] {
  // `longestRuns[index]` holds the longest run of items that ends with this item and kept its order.
  const longestRuns: number[][] = []
  for (const [index, newIndex] of newIndexes.entries()) {
    if (newIndex === undefined) continue
    const extendable = longestRuns.filter((run) => newIndexes[run.at(-1)!]! < newIndex)
    longestRuns[index] = [
      ...extendable.reduce((best, run) => (run.length > best.length ? run : best), [] as number[]),
      index,
    ]
  }
  const unmovedIndexes = longestRuns.reduce((best, run) => (run.length > best.length ? run : best), [] as number[])
  return newIndexes.flatMap((newIndex, index) =>
    newIndex === undefined || unmovedIndexes.includes(index) ? [] : [index],
  )
}

const MAX_NAME_CHARACTERS = 60
const shortenName = (text: string) =>
  text.length <= MAX_NAME_CHARACTERS ? text : `«${text.slice(0, MAX_NAME_CHARACTERS).trimEnd()}…»`

const FILE_PATH_PATTERN = /^[\w-]+\/[\w./-]+\.\w+$/
const NAMING_FIELDS: unknown[] = ['nombre', 'titulo', 'que']

/**
 * Describes a value: a list of texts by all of them, another list or an object by its name, title or first text; undefined for a
 * missing value, an empty text, and an object or a list of objects without text.
 */
function describeValue(
  value: unknown,
  descriptor: FieldDescriptor | undefined,
  nameOf: DiffContext['nameOf'],
): DescribedValue | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'boolean') return { text: value ? 'Sí' : 'No' }
  if (typeof value === 'string') {
    if (FILE_PATH_PATTERN.test(value)) return { file: value }
    const leaf = descriptor as LeafDescriptor | undefined
    return { text: leaf ? textOf(value, leaf, nameOf) : value, ...(leaf?.hasEmphasis && { hasEmphasis: true }) }
  }
  if (typeof value !== 'object') return { text: String(value) }
  if ('foto' in value && 'foco' in value)
    return { photo: String(value.foto), alt: 'alt' in value ? String(value.alt) : '' }
  const entries = Object.entries(value).map(([key, item]) => {
    const name = Array.isArray(value) ? Number(key) : key
    return { name, item, descriptor: descriptor && descriptorAt(descriptor, [name]) }
  })
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) {
    const lines = entries.map(({ item, descriptor }) => describeValue(item, descriptor, nameOf))
    return { text: lines.flatMap((line) => (line && 'text' in line ? line.text : [])).join('\n') }
  }
  const orderedEntries = entries
    .filter(({ name }) => name !== 'id')
    .toSorted(
      (first, second) => Number(NAMING_FIELDS.includes(second.name)) - Number(NAMING_FIELDS.includes(first.name)),
    )
  for (const { item, descriptor: itemDescriptor } of orderedEntries) {
    const description = describeValue(item, itemDescriptor, nameOf)
    if (description && 'text' in description) return description
  }
  return undefined
}

/** Returns a stored text as people read it. An invalid date stays as it was typed. */
function textOf(
  value: string,
  { kind, options }: Pick<LeafDescriptor, 'kind' | 'options'>,
  nameOf: DiffContext['nameOf'],
): string {
  if (kind === 'candidate') return nameOf(value)
  if (kind === 'date' && !Number.isNaN(Date.parse(`${value}T12:00Z`))) return formatLongDate(value)
  if (kind === 'moment' && !Number.isNaN(Date.parse(value))) return formatLongDateTime(new Date(value))
  return options?.find(([option]) => option === value)?.[1] ?? value
}
