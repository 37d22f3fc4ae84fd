import * as v from 'valibot'
import { DOCUMENT_SCHEMAS } from '#app/cms/schema/edition-documents.ts'
import { type DocumentName, descriptorOf, findContradictions } from '#app/cms/schema/faults.ts'
import { type Descriptor, emptyValueOf, fieldAt, type Leaf } from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, isEqual, isPlainObject, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import { isFileName, type Values } from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'

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
  let repaired = withoutMissingFiles(value, published, exists)
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
  const place = placeOfLeaf(descriptor, field) ?? field
  const innermost = fieldAt(descriptor, place)
  if (!innermost) return withValueAt(value, place, undefined)
  const [draftValue, publishedValue] = [valueAt(value, place), valueAt(published, place)]
  if (innermost.kind === 'photo') {
    const { foto, alt, foco } = (isPlainObject(draftValue) ? draftValue : {}) as Record<string, unknown>
    return withValueAt(value, place, {
      foto: typeof foto === 'string' && foto !== '' ? foto : MISSING_PHOTO,
      alt: typeof alt === 'string' && alt.trim() !== '' ? alt.slice(0, 500) : `${innermost.label} (falta)`,
      foco: Array.isArray(foco) && foco.length === 2 ? foco : [50, 50],
    })
  }
  const maxLength =
    (innermost.kind === 'text' || innermost.kind === 'longText') && 'max' in innermost ? innermost.max : undefined
  if (typeof input === 'string' && maxLength !== undefined && input.length > maxLength)
    return withValueAt(value, place, input.slice(0, maxLength))
  if (publishedValue !== undefined && !isEqual(publishedValue, draftValue))
    return withValueAt(value, place, publishedValue)
  if (innermost.isOptional && innermost.kind !== 'list') return withValueAt(value, place, undefined)
  const neutral =
    innermost.kind === 'list' || innermost.kind === 'group'
      ? emptyValueOf(innermost)
      : neutralValueFor(innermost, place)
  if (neutral !== undefined) return withValueAt(value, place, neutral)
  // Without a neutral value, as for a video, the nearest optional group is removed.
  const around = place.map((_, steps) => place.slice(0, place.length - steps))
  const optional = around.find((one) => fieldAt(descriptor, one)?.isOptional)
  return optional ? withValueAt(value, optional, undefined) : value
}

/** Finds the form field that holds a path, as a photograph holds its alternative text. */
const placeOfLeaf = (descriptor: Descriptor, field: FieldPath): FieldPath | undefined =>
  [...field.keys(), field.length]
    .map((length) => field.slice(0, length))
    .find((place) => !['group', 'list', undefined].includes(fieldAt(descriptor, place)?.kind))

/** These values are valid in every field of a kind. */
const NEUTRAL_VALUES: Partial<Record<Leaf['kind'], unknown>> = {
  yesNo: false,
  date: '2025-01-01',
  time: '12:00',
  moment: '2025-01-01T12:00:00-06:00',
  birthday: '1 de enero',
  link: 'https://www.google.com/maps',
  logo: MISSING_LOGO,
}

/** Returns a valid placeholder for an empty field; undefined if the field's kind has none. */
function neutralValueFor({ kind, label, example, options, min }: Leaf, place: FieldPath): unknown {
  if (['text', 'longText', 'lines', 'paragraph'].includes(kind))
    return /^\d+$/.test(example ?? '') ? example : `${label} (falta)`
  if (kind === 'number') return min ?? 1
  if (kind === 'choice' || kind === 'tone') return options?.[0]?.[0]
  if (kind === 'link' && example !== undefined) return example
  if (kind === 'id') return `falta-${slugOf(place.join('-'))}`
  return NEUTRAL_VALUES[kind]
}

/** Returns the value with each missing file replaced by the published file, or by an empty path. */
function withoutMissingFiles(value: unknown, published: unknown, exists: (filePath: string) => boolean): unknown {
  const inside = (item: unknown, key: string | number) => withoutMissingFiles(item, valueAt(published, [key]), exists)
  if (Array.isArray(value)) return value.map(inside)
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inside(item, name)]))
  if (typeof value !== 'string' || !isFileName(value) || exists(value)) return value
  return typeof published === 'string' && exists(published) ? published : ''
}
