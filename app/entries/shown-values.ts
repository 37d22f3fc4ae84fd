import { CANDIDATE_FIELDS } from '#app/entries/definitions/candidate-fields.ts'
import { COSTUME_FIELDS } from '#app/entries/definitions/costume-fields.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import type { Field, FieldValue } from '#app/entries/definitions/field.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import type { Data } from './rules.ts'
import type { ShownValue } from './schema.ts'

/** This module words an entry's values outside its form: in the panel, on the jury's card, in the exported tables. */

/** Entries of both forms share these columns of `inscripciones`; the panel shows them in this order. */
const SUMMARY = ['titular', 'detalle', 'edad', 'celular', 'correo'] as const

/** A Summary holds the shared columns of an entry of either form. */
export interface Summary {
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  edad: number | null
  correo: string | null
  celular: string
}

const summaryField = ({ fields }: Pick<FormDescriptor, 'fields'>, column: (typeof SUMMARY)[number]) =>
  fields.find(({ summaryColumn }) => summaryColumn === column)

/** Returns the values of the columns of `inscripciones` that repeat form fields; null where the form has no such field. */
export function summaryOf(descriptor: FormDescriptor, data: Data): Summary {
  const columns = SUMMARY.map((column) => {
    const field = summaryField(descriptor, column)
    return [column, field ? (data[field.name] ?? null) : null]
  })
  return Object.fromEntries(columns) as Summary
}

const inPanelsOrder = (a: Field, b: Field) => placeOf(a) - placeOf(b)
const placeOf = ({ summaryColumn }: Field) => (summaryColumn ? SUMMARY.indexOf(summaryColumn) : SUMMARY.length)

/** Words an entry's values for the panel: first the shared fields, then the form's own; empty values are left out. */
export const panelValues = ({ fields }: Pick<FormDescriptor, 'fields'>, data: Data): ShownValue[] =>
  fields.toSorted(inPanelsOrder).flatMap((field) => show(field, data[field.name], field.panel.label))

/** Words an entry's values for the jury's printed card, on which only fields with `juryCard` stand. */
export const cardValues = ({ fields }: Pick<FormDescriptor, 'fields'>, data: Data): ShownValue[] =>
  fields.flatMap((field) =>
    field.juryCard ? show(field, data[field.name], field.juryCard === true ? field.panel.label : field.juryCard) : [],
  )

function show({ panel, flag }: Field, value: FieldValue | null | undefined, label: string): ShownValue[] {
  if (value === null || value === undefined || value === '') return []
  return [{ label, text: panel.format(value), flag: flag?.applies(value) ? flag.text : undefined }]
}

export interface Column {
  title: string
  /** The width is in characters. */
  width: number
  /** Returns the entry's value; null when it is empty or the entry's form has no such field. */
  value(type: EntryType, data: Data): FieldValue | null
}

/** A field that both forms have, by its name or its place in the summary, is one column. */
const isSameColumn = (a: Field, b: Field) =>
  a.name === b.name || (a.summaryColumn !== undefined && a.summaryColumn === b.summaryColumn)

/** Lists the columns of an exported table for the fields of one form. A field with a flag has a second column for the flag. */
export const dataColumnsOf = (type: EntryType): Column[] =>
  (type === 'candidata' ? CANDIDATE_FIELDS : COSTUME_FIELDS.toSorted(inPanelsOrder)).flatMap(columnsFor)

/** A table of both forms has these columns: the candidates' in their order, then the costumes' that candidates lack. */
export const DATA_COLUMNS: readonly Column[] = [
  ...CANDIDATE_FIELDS.flatMap(columnsFor),
  ...COSTUME_FIELDS.filter((field) => !CANDIDATE_FIELDS.some((one) => isSameColumn(one, field)))
    .toSorted((a, b) => Number(b.summaryColumn !== undefined) - Number(a.summaryColumn !== undefined))
    .flatMap(columnsFor),
]

function columnsFor(field: Field): Column[] {
  /** Finds the field of the entry's own form; a shared column has one in each form. */
  const fieldOf = (type: EntryType) =>
    (type === 'candidata' ? CANDIDATE_FIELDS : COSTUME_FIELDS).find((one) => isSameColumn(one, field))
  const value: Column['value'] = (type, data) => data[fieldOf(type)?.name ?? ''] ?? null
  const { flag, exportColumn } = field
  const applies = (it: FieldValue | null) => it !== null && flag?.applies(it)
  return [
    { ...exportColumn, value },
    ...(flag
      ? [
          {
            title: flag.title,
            width: flag.width,
            value: (...of: Parameters<typeof value>) => (applies(value(...of)) ? 'Sí' : ''),
          },
        ]
      : []),
  ]
}
