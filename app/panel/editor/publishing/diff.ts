import { type DocumentName, descriptorOf, isDocumentName } from '#app/cms/schema/faults.ts'
import { type Descriptor, fieldAt, inWords, type Leaf } from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, isEqual, isPlainObject, valueAt } from '#app/cms/schema/field-path.ts'
import { formatLongDate, formatLongDateTime } from '#app/core/time/mexico-dates.ts'
import { pairItems } from '#app/panel/editor/three-way-merge.ts'

/** A Change is a changed field, or a list in another order; `label` names either in the words of the form. */
export interface Change {
  documento: string
  campo: FieldPath
  label: string
  /** The old or the new value is undefined where the field was or is empty. */
  before: DescribedValue | undefined
  after: DescribedValue | undefined
  /** The items of a list that changed places, in words: «Ximena Agave pasa del 3 al 1». Such a change has no values. */
  moves?: string
}

/** A value is described for people as text, or as a picture or file by its path in the edition. */
export type DescribedValue = { text: string } | { photo: string; alt: string } | { file: string }

type Values = Record<string, unknown>

/** Lists the changes between two states of an edition's documents, document by document. List items are compared by identity. */
export function changesBetween(before: Values, now: Values): Change[] {
  const nameOf = (id: string) => candidateName(now, id) ?? candidateName(before, id) ?? id
  return Object.keys({ ...before, ...now })
    .filter(isDocumentName)
    .flatMap((document) =>
      listDifferences({ document, root: descriptorOf(document), nameOf }, [], before[document], now[document]),
    )
}

function candidateName(values: Values, id: string): string | undefined {
  const candidates = valueAt(values['candidatas.yaml'], ['candidatas'])
  const found = Array.isArray(candidates) ? candidates.find((one) => valueAt(one, ['id']) === id) : undefined
  return found && String(valueAt(found, ['nombre']))
}

interface Scope {
  document: DocumentName
  root: Descriptor
  /** Returns a candidate's name by her id. */
  nameOf(id: string): string
}

function listDifferences(scope: Scope, field: FieldPath, before: unknown, now: unknown): Change[] {
  if (isEqual(before, now)) return []
  const { root, nameOf } = scope
  const descriptor = fieldAt(root, field)
  // The site sets hidden ids by itself, so no editor changed them.
  if (descriptor?.kind !== 'group' && descriptor?.isHidden && field.at(-1) === 'id') return []
  if (descriptor?.kind === 'group' && isPlainObject(before) && isPlainObject(now))
    return Object.keys({ ...before, ...now }).flatMap((key) =>
      listDifferences(scope, [...field, key], before[key], now[key]),
    )
  if (descriptor?.kind === 'list' && Array.isArray(before) && Array.isArray(now)) {
    const indexesNow = pairItems(before, now)
    const item = descriptor.item
    // In a list as long as before, a picture in the place of another one is the same item with another picture.
    if (item.kind === 'photo' && before.length === now.length)
      for (const [index, paired] of indexesNow.entries())
        if (paired === undefined && !indexesNow.includes(index)) indexesNow[index] = index
    const moves = movedItems(indexesNow).map((index) => {
      const described = describeValue(before[index], item, nameOf)
      const words = described && ('text' in described ? described.text : 'alt' in described ? described.alt : '')
      const name = words ? shorten(words) : `${item.label} ${index + 1}`
      return `${name} pasa del ${index + 1} al ${indexesNow[index]! + 1}`
    })
    return [
      ...(moves.length > 0 ? [{ ...changeAt(scope, field, undefined, undefined), moves: moves.join('; ') }] : []),
      ...now.flatMap((value, index) => {
        const earlier = indexesNow.indexOf(index)
        return earlier === -1
          ? [changeAt(scope, [...field, index], undefined, value)]
          : listDifferences(scope, [...field, index], before[earlier], value)
      }),
      ...before.flatMap((value, index) =>
        indexesNow[index] === undefined ? [changeAt(scope, [...field, index], value, undefined)] : [],
      ),
    ]
  }
  return [changeAt(scope, field, before, now)]
}

function changeAt({ document, root, nameOf }: Scope, field: FieldPath, before: unknown, after: unknown): Change {
  const descriptor = fieldAt(root, field)
  return {
    documento: document,
    campo: field,
    label: inWords(root, field),
    before: describeValue(before, descriptor, nameOf),
    after: describeValue(after, descriptor, nameOf),
  }
}

/**
 * Finds the items that changed places: the fewest whose move explains the new order, so that an item that only made room for
 * another one is left out.
 * @param indexesNow each item's index in the new list; undefined for a removed item
 * @returns the items' indexes in the old list
 */
function movedItems(indexesNow: readonly (number | undefined)[]): number[] {
  // `longest[index]` is the longest run of items up to this one that kept their order among each other.
  const longest: number[][] = []
  for (const [index, place] of indexesNow.entries()) {
    if (place === undefined) continue
    const before = longest.filter((run) => indexesNow[run.at(-1)!]! < place)
    longest[index] = [...before.reduce((best, run) => (run.length > best.length ? run : best), [] as number[]), index]
  }
  const kept = longest.reduce((best, run) => (run.length > best.length ? run : best), [] as number[])
  return indexesNow.flatMap((place, index) => (place === undefined || kept.includes(index) ? [] : [index]))
}

const MAX_NAME_CHARACTERS = 60
const shorten = (text: string) =>
  text.length <= MAX_NAME_CHARACTERS ? text : `«${text.slice(0, MAX_NAME_CHARACTERS).trimEnd()}…»`

const FILE_PATH = /^[\w-]+\/[\w./-]+\.\w+$/
const NAMING_FIELDS: unknown[] = ['nombre', 'titulo', 'que']

/** Describes a value in few words, a group by its name, title or first text. */
function describeValue(
  value: unknown,
  descriptor: Descriptor | undefined,
  nameOf: Scope['nameOf'],
): DescribedValue | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'boolean') return { text: value ? 'Sí' : 'No' }
  if (typeof value === 'string') {
    if (FILE_PATH.test(value)) return { file: value }
    return { text: descriptor && 'kind' in descriptor ? textOf(value, descriptor as Leaf, nameOf) : value }
  }
  if (typeof value !== 'object') return { text: String(value) }
  if ('foto' in value && 'foco' in value)
    return { photo: String(value.foto), alt: 'alt' in value ? String(value.alt) : '' }
  const entries = Object.entries(value).map(([key, item]) => {
    const name = Array.isArray(value) ? Number(key) : key
    return { name, item, descriptor: descriptor && fieldAt(descriptor, [name]) }
  })
  const ordered = entries
    .filter(({ name }) => name !== 'id')
    .toSorted((one, other) => Number(NAMING_FIELDS.includes(other.name)) - Number(NAMING_FIELDS.includes(one.name)))
  for (const { item, descriptor: own } of ordered) {
    const described = describeValue(item, own, nameOf)
    if (described && 'text' in described) return described
  }
  return undefined
}

/** Words a stored text as people read it; a date that is no date yet stays as it was typed. */
function textOf(value: string, { kind, options }: Pick<Leaf, 'kind' | 'options'>, nameOf: Scope['nameOf']): string {
  if (kind === 'candidate') return nameOf(value)
  if (kind === 'date' && !Number.isNaN(Date.parse(`${value}T12:00Z`))) return formatLongDate(value)
  if (kind === 'moment' && !Number.isNaN(Date.parse(value))) return formatLongDateTime(new Date(value))
  return options?.find(([option]) => option === value)?.[1] ?? value
}
