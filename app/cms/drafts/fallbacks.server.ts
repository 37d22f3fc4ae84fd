import * as v from 'valibot'
import { DOCUMENT_SCHEMAS } from '#app/cms/schema/edition-documents.ts'
import { type DocumentName, descriptorOf, findContradictions } from '#app/cms/schema/faults.ts'
import {
  descriptorAt,
  emptyValueOf,
  type FieldDescriptor,
  type LeafDescriptor,
} from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, isEqual, isPlainObject, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import { type EditionValues, isFilePath } from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'

/** Paths that stand for a missing photograph and a missing logo. */
export const MISSING_PHOTO_PATH = 'falta/foto.jpg'
export const MISSING_LOGO_PATH = 'falta/logo.svg'

/** Maximum number of times that a document is checked, since a repair may uncover another fault. */
const MAX_PASSES = 8

/**
 * Returns a draft's documents in a form that screens can display. A repair cuts a text that is too long, gives a photograph
 * placeholders for its missing parts, and replaces any other faulty field by its published value, by nothing or by a placeholder.
 * A document that has faults at each of MAX_PASSES checks is replaced by the published document. The result is never saved.
 * @param exists returns whether the edition has a file
 */
export function withFallbacks(
  values: EditionValues,
  publishedContent: EditionValues,
  exists: (filePath: string) => boolean,
): EditionValues {
  const repairedDocuments = Object.fromEntries(
    (Object.keys(DOCUMENT_SCHEMAS) as DocumentName[]).map((document) => {
      const [value, published] = [values[document], publishedContent[document]]
      return [
        document,
        isEqual(value, published) ? published : documentWithFallbacks(document, value, published, exists),
      ]
    }),
  )
  // The only contradiction between documents is a winner who is no candidate, so the winner is removed.
  if (findContradictions(repairedDocuments).length > 0)
    repairedDocuments['popularidad.yaml'] = withValueAt(repairedDocuments['popularidad.yaml'], ['ganadora'], undefined)
  return repairedDocuments
}

function documentWithFallbacks(
  document: DocumentName,
  value: unknown,
  published: unknown,
  exists: (filePath: string) => boolean,
) {
  const descriptor = descriptorOf(document)
  let repairedDocument = withoutMissingFiles(value, published, exists)
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { success, issues = [] } = v.safeParse(DOCUMENT_SCHEMAS[document], repairedDocument)
    if (success) return repairedDocument
    for (const { path = [], input } of issues) {
      const field = path.map(({ key }) => key as string | number)
      repairedDocument = repairField(descriptor, repairedDocument, field, input, pass === 0 ? published : undefined)
    }
  }
  return published
}

/** Repairs the field of one fault. @param published the published document, or undefined if its values must not be used */
function repairField(
  descriptor: FieldDescriptor,
  value: unknown,
  field: FieldPath,
  input: unknown,
  published: unknown,
): unknown {
  const fieldPath = leafPathOf(descriptor, field) ?? field
  const fieldDescriptor = descriptorAt(descriptor, fieldPath)
  if (!fieldDescriptor) return withValueAt(value, fieldPath, undefined)
  const [draftValue, publishedValue] = [valueAt(value, fieldPath), valueAt(published, fieldPath)]
  if (fieldDescriptor.kind === 'photo') {
    const { foto, alt, foco } = (isPlainObject(draftValue) ? draftValue : {}) as Record<string, unknown>
    return withValueAt(value, fieldPath, {
      foto: typeof foto === 'string' && foto !== '' ? foto : MISSING_PHOTO_PATH,
      alt: typeof alt === 'string' && alt.trim() !== '' ? alt.slice(0, 500) : `${fieldDescriptor.label} (falta)`,
      foco: Array.isArray(foco) && foco.length === 2 ? foco : [50, 50],
    })
  }
  const maxLength =
    (fieldDescriptor.kind === 'text' || fieldDescriptor.kind === 'longText') && 'max' in fieldDescriptor
      ? fieldDescriptor.max
      : undefined
  if (typeof input === 'string' && maxLength !== undefined && input.length > maxLength)
    return withValueAt(value, fieldPath, input.slice(0, maxLength))
  if (publishedValue !== undefined && !isEqual(publishedValue, draftValue))
    return withValueAt(value, fieldPath, publishedValue)
  if (fieldDescriptor.isOptional && fieldDescriptor.kind !== 'list') return withValueAt(value, fieldPath, undefined)
  const neutralValue =
    fieldDescriptor.kind === 'list' || fieldDescriptor.kind === 'group'
      ? emptyValueOf(fieldDescriptor)
      : neutralValueFor(fieldDescriptor, fieldPath)
  if (neutralValue !== undefined) return withValueAt(value, fieldPath, neutralValue)
  // A field without a neutral value, such as a video, is removed with the nearest optional field around it, or else stays.
  const enclosingPaths = fieldPath.map((_, steps) => fieldPath.slice(0, fieldPath.length - steps))
  const optionalPath = enclosingPaths.find((path) => descriptorAt(descriptor, path)?.isOptional)
  return optionalPath ? withValueAt(value, optionalPath, undefined) : value
}

/**
 * Finds the form field that contains a path; a photograph contains its alternative text. Returns undefined for a path within no
 * field.
 */
const leafPathOf = (descriptor: FieldDescriptor, field: FieldPath): FieldPath | undefined =>
  [...field.keys(), field.length]
    .map((length) => field.slice(0, length))
    .find((path) => !['group', 'list', undefined].includes(descriptorAt(descriptor, path)?.kind))

/** Placeholders by kind; a link takes its field's example, if there is one. */
const NEUTRAL_VALUES: Partial<Record<LeafDescriptor['kind'], unknown>> = {
  yesNo: false,
  date: '2025-01-01',
  time: '12:00',
  moment: '2025-01-01T12:00:00-06:00',
  birthday: '1 de enero',
  link: 'https://www.google.com/maps',
  logo: MISSING_LOGO_PATH,
}

/** Returns a placeholder for a field; undefined if its kind has none. */
function neutralValueFor({ kind, label, example, options, min }: LeafDescriptor, path: FieldPath): unknown {
  // A text whose example has digits only, such as a postal code, must have digits.
  if (['text', 'longText', 'lines', 'paragraph'].includes(kind))
    return /^\d+$/.test(example ?? '') ? example : `${label} (falta)`
  if (kind === 'number') return min ?? 1
  if (kind === 'choice' || kind === 'tone') return options?.[0]?.[0]
  if (kind === 'link' && example !== undefined) return example
  if (kind === 'id') return `falta-${slugOf(path.join('-'))}`
  return NEUTRAL_VALUES[kind]
}

/** Returns the value with each missing file replaced by the published file, or by an empty path. */
function withoutMissingFiles(value: unknown, published: unknown, exists: (filePath: string) => boolean): unknown {
  const repairItem = (item: unknown, key: string | number) =>
    withoutMissingFiles(item, valueAt(published, [key]), exists)
  if (Array.isArray(value)) return value.map(repairItem)
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, repairItem(item, name)]))
  if (typeof value !== 'string' || !isFilePath(value) || exists(value)) return value
  return typeof published === 'string' && exists(published) ? published : ''
}
