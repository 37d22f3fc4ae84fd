import type { Descriptor } from '#app/cms/schema/field-descriptor.ts'
import { type FieldPath, valueAt } from '#app/cms/schema/field-path.ts'

/**
 * Markers lead from a preview's texts back to their form fields. They are characters at the end of each text that no
 * screen shows and no screen reader reads aloud. Markers exist in one rendering, and are never saved.
 */
const MARKER_EDGE = '\u2060'
const DIGITS = ['\u2061', '\u2062', '\u2063', '\u2064']

const MARKER = new RegExp(`${MARKER_EDGE}([${DIGITS.join('')}]+)${MARKER_EDGE}`, 'gu')

/** Writes a field's marker. @param number index of the field, from 0 */
export const markerOf = (number: number): string =>
  MARKER_EDGE + [...number.toString(DIGITS.length)].map((digit) => DIGITS[Number(digit)]).join('') + MARKER_EDGE

/** Returns the numbers of the fields whose markers a text contains. */
export const markersIn = (text: string): number[] =>
  [...text.matchAll(MARKER)].map(([, digits]) =>
    Number.parseInt([...digits!].map((one) => DIGITS.indexOf(one)).join(''), DIGITS.length),
  )

export const withoutMarkers = (text: string): string => text.replace(MARKER, '')

/** Only people read the text of these kinds. Code interprets ids, dates, addresses and choices, which get no marker. */
const TEXT_KINDS = ['text', 'longText', 'lines', 'paragraph']

export interface Place {
  documento: string
  campo: FieldPath
}

/**
 * Adds a marker to every text that is only read, and to every photograph's alternative text.
 * @param places the fields, by the number of their marker; the fields of this document are appended
 */
export function withMarkers(document: string, descriptor: Descriptor, value: unknown, places: Place[]): unknown {
  const visit = (here: Descriptor, value: unknown, field: FieldPath): unknown => {
    if (value === undefined || value === null) return value
    if (here.kind === 'list')
      return Array.isArray(value) ? value.map((item, at) => visit(here.item, item, [...field, at])) : value
    if (here.kind === 'group') {
      const markedEntries = here.fields.map(
        ({ name, descriptor: one }) => [name, visit(one, valueAt(value, [name]), [...field, name])] as const,
      )
      if (Array.isArray(value)) return markedEntries.map(([, item]) => item)
      return { ...(value as object), ...Object.fromEntries(markedEntries.filter(([, item]) => item !== undefined)) }
    }
    if (here.kind === 'photo') {
      const { alt, ...rest } = value as { alt: string }
      return { ...rest, alt: alt + nextMarker(field) }
    }
    if (here.isHidden || !TEXT_KINDS.includes(here.kind)) return value
    if (typeof value === 'string') return value + nextMarker(field)
    return Array.isArray(value)
      ? value.map((line) => (typeof line === 'string' ? line + nextMarker(field) : line))
      : value
  }
  const nextMarker = (field: FieldPath) => markerOf(places.push({ documento: document, campo: field }) - 1)
  return visit(descriptor, value, [])
}
