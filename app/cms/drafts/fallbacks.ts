import * as v from 'valibot'
import { DOCUMENT_SCHEMAS } from '#app/cms/schema/edition-documents.ts'
import { type FieldPath, isEqual, valueAt, withValueAt } from '#app/cms/schema/edits.ts'
import { type DocumentName, descriptorOf, findContradictions } from '#app/cms/schema/faults.ts'
import { type Descriptor, emptyValueOf, fieldAt, type Leaf } from '#app/cms/schema/field-descriptor.ts'
import type { Values } from '#app/cms/schema/read-content.server.ts'

/** These paths stand for a missing photograph and a missing logo. */
export const MISSING_PHOTO = 'falta/foto.jpg'
export const MISSING_LOGO = 'falta/logo.svg'

/** A document is validated and repaired at most this often, since a repair may uncover another fault. */
const MAX_PASSES = 8

/**
 * Returns a draft's documents in a form that screens can display: a missing or invalid field takes its published value, or
 * else a neutral placeholder. The result is never saved.
 * @param exists whether the edition has a file
 */
export function withFallbacks(values: Values, publishedContent: Values, exists: (filePath: string) => boolean): Values {
  const repaired = Object.fromEntries(
    (Object.keys(DOCUMENT_SCHEMAS) as DocumentName[]).map((document) => {
      const [value, published] = [values[document], publishedContent[document]]
      return [
        document,
        isEqual(value, published) ? published : documentWithFallbacks(document, value, published, exists),
      ]
    }),
  )
  // A winner who is no longer a candidate is removed.
  if (findContradictions(repaired).length > 0)
    repaired['popularidad.yaml'] = withValueAt(repaired['popularidad.yaml'], ['ganadora'], undefined)
  return repaired
}

function documentWithFallbacks(
  document: DocumentName,
  value: unknown,
  published: unknown,
  exists: (filePath: string) => boolean,
) {
  const descriptor = descriptorOf(document)
  let repaired = withoutMissingFiles(descriptor, value, published, exists)
  for (let turn = 0; turn < MAX_PASSES; turn++) {
    const { success, issues = [] } = v.safeParse(DOCUMENT_SCHEMAS[document], repaired)
    if (success) return repaired
    for (const { path = [], input } of issues) {
      const field = path.map(({ key }) => key as string | number)
      repaired = withRemedy(descriptor, repaired, field, input, turn === 0 ? published : undefined)
    }
  }
  return published
}

/** Repairs one fault. @param published the published document, if its values may be used */
function withRemedy(
  descriptor: Descriptor,
  value: unknown,
  field: FieldPath,
  input: unknown,
  published: unknown,
): unknown {
  const { place, field: innermost } = fieldHolding(descriptor, field)
  if (!innermost) return withValueAt(value, field, undefined)
  const publishedValue = valueAt(published, place)
  const draftValue = valueAt(value, place)
  if (innermost.kind === 'photo') {
    const { foto, alt, foco } = (typeof draftValue === 'object' && draftValue ? draftValue : {}) as Record<
      string,
      unknown
    >
    return withValueAt(value, place, {
      foto: typeof foto === 'string' && foto !== '' ? foto : MISSING_PHOTO,
      alt: typeof alt === 'string' && alt.trim() !== '' ? alt.slice(0, 500) : `${innermost.label} (falta)`,
      foco: Array.isArray(foco) && foco.length === 2 ? foco : [50, 50],
    })
  }
  if (
    typeof input === 'string' &&
    (innermost.kind === 'text' || innermost.kind === 'longText') &&
    'max' in innermost &&
    input.length > innermost.max!
  )
    return withValueAt(value, place, input.slice(0, innermost.max))
  if (publishedValue !== undefined && !isEqual(publishedValue, draftValue))
    return withValueAt(value, place, publishedValue)
  if (innermost.isOptional && innermost.kind !== 'list') return withValueAt(value, place, undefined)
  if (innermost.kind === 'list' || innermost.kind === 'group') return withValueAt(value, place, emptyValueOf(innermost))
  const neutral = neutralValueFor(innermost, place)
  if (neutral !== undefined) return withValueAt(value, place, neutral)
  // Without a neutral value, as for a video, the nearest optional group is removed.
  const optionalPlace = enclosingOptional(descriptor, place)
  return optionalPlace ? withValueAt(value, optionalPlace, undefined) : value
}

/** Finds the form field that contains a path, or else the group or list at the path. */
function fieldHolding(descriptor: Descriptor, field: FieldPath): { place: FieldPath; field: Descriptor | undefined } {
  for (let length = 0; length <= field.length; length++) {
    const place = field.slice(0, length)
    const fieldHere = fieldAt(descriptor, place)
    if (fieldHere && fieldHere.kind !== 'group' && fieldHere.kind !== 'list') return { place, field: fieldHere }
  }
  return { place: field, field: fieldAt(descriptor, field) }
}

function enclosingOptional(descriptor: Descriptor, place: FieldPath): FieldPath | undefined {
  for (let length = place.length; length > 0; length--)
    if (fieldAt(descriptor, place.slice(0, length))?.isOptional) return place.slice(0, length)
  return undefined
}

/** Returns a valid placeholder for an empty field; undefined if the field's kind has none. */
function neutralValueFor({ kind, label, example, options, min }: Leaf, place: FieldPath): unknown {
  switch (kind) {
    case 'text':
    case 'longText':
    case 'lines':
    case 'paragraph':
      return /^\d+$/.test(example ?? '') ? example : `${label} (falta)`
    case 'number':
      return min ?? 1
    case 'yesNo':
      return false
    case 'choice':
    case 'tone':
      return options?.[0]?.[0]
    case 'date':
      return '2025-01-01'
    case 'time':
      return '12:00'
    case 'moment':
      return '2025-01-01T12:00:00-06:00'
    case 'birthday':
      return '1 de enero'
    case 'link':
      return example ?? 'https://www.google.com/maps'
    case 'logo':
      return MISSING_LOGO
    case 'id':
      return `falta-${place
        .join('-')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')}`
    default:
      return undefined
  }
}

/** Returns the value with each missing file replaced by the published file, or by an empty path. */
function withoutMissingFiles(
  descriptor: Descriptor,
  value: unknown,
  published: unknown,
  exists: (filePath: string) => boolean,
): unknown {
  let repaired = value
  for (const { path: place, kind } of filePlaces(descriptor, value)) {
    const path = kind === 'photo' ? [...place, 'foto'] : place
    const filePath = valueAt(value, path)
    if (typeof filePath !== 'string' || filePath === '' || exists(filePath)) continue
    const publishedValue = valueAt(published, path)
    const replacement = typeof publishedValue === 'string' && exists(publishedValue) ? publishedValue : ''
    repaired = withValueAt(repaired, path, replacement)
  }
  return repaired
}

function filePlaces(descriptor: Descriptor, value: unknown, path: FieldPath = []): { path: FieldPath; kind: string }[] {
  if (value === undefined || value === null) return []
  if (descriptor.kind === 'list')
    return Array.isArray(value) ? value.flatMap((item, at) => filePlaces(descriptor.item, item, [...path, at])) : []
  if (descriptor.kind === 'group')
    return descriptor.fields.flatMap(({ name, descriptor }) =>
      filePlaces(descriptor, valueAt(value, [name]), [...path, name]),
    )
  return ['photo', 'logo', 'video', 'document'].includes(descriptor.kind) ? [{ path, kind: descriptor.kind }] : []
}
