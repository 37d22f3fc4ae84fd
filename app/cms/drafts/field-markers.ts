import type { FieldDescriptor } from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, valueAt } from '#app/cms/schema/field-path.ts'

/**
 * A marker leads from a text of the preview back to its form field. It consists of invisible characters at the end of the
 * text, which screen readers do not read. Markers exist in a rendered preview only, and are never saved.
 */
const MARKER_EDGE = '\u2060'
const MARKER_DIGITS = ['\u2061', '\u2062', '\u2063', '\u2064']

const MARKER_PATTERN = new RegExp(`${MARKER_EDGE}([${MARKER_DIGITS.join('')}]+)${MARKER_EDGE}`, 'gu')

/** Returns a field's marker. @param number index of the field, from 0 */
export const markerOf = (number: number): string =>
  MARKER_EDGE +
  [...number.toString(MARKER_DIGITS.length)].map((digit) => MARKER_DIGITS[Number(digit)]).join('') +
  MARKER_EDGE

/** Returns the numbers of the fields whose markers a text contains. */
export const markersIn = (text: string): number[] =>
  [...text.matchAll(MARKER_PATTERN)].map(([, digits]) =>
    Number.parseInt([...digits!].map((digit) => MARKER_DIGITS.indexOf(digit)).join(''), MARKER_DIGITS.length),
  )

export const withoutMarkers = (text: string): string => text.replace(MARKER_PATTERN, '')

/** Kinds of fields whose text only people read. Code interprets ids, dates, URLs and choices, so they get no marker. */
const MARKED_KINDS = ['text', 'longText', 'lines', 'paragraph']

export interface MarkedField {
  documento: string
  campo: FieldPath
}

/**
 * Adds a marker to every text that only people read, unless the form hides its field, and to every photograph's alternative text.
 * @param markedFields the fields, by the number of their marker; the fields of this document are appended
 */
export function withMarkers(
  document: string,
  descriptor: FieldDescriptor,
  value: unknown,
  markedFields: MarkedField[],
): unknown {
  const visit = (current: FieldDescriptor, value: unknown, field: FieldPath): unknown => {
    if (value === undefined || value === null) return value
    if (current.kind === 'list')
      return Array.isArray(value) ? value.map((item, index) => visit(current.item, item, [...field, index])) : value
    if (current.kind === 'group') {
      const markedEntries = current.fields.map(
        ({ name, descriptor: fieldDescriptor }) =>
          [name, visit(fieldDescriptor, valueAt(value, [name]), [...field, name])] as const,
      )
      if (Array.isArray(value)) return markedEntries.map(([, item]) => item)
      return { ...(value as object), ...Object.fromEntries(markedEntries.filter(([, item]) => item !== undefined)) }
    }
    if (current.kind === 'photo') {
      const { alt, ...rest } = value as { alt: string }
      return { ...rest, alt: alt + nextMarker(field) }
    }
    if (current.isHidden || !MARKED_KINDS.includes(current.kind)) return value
    if (typeof value === 'string') return value + nextMarker(field)
    return Array.isArray(value)
      ? value.map((line) => (typeof line === 'string' ? line + nextMarker(field) : line))
      : value
  }
  const nextMarker = (field: FieldPath) => markerOf(markedFields.push({ documento: document, campo: field }) - 1)
  return visit(descriptor, value, [])
}
