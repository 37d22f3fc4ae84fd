/** An entry's values outside its form: in the panel, on the jury's card, in exported tables. */

import { CANDIDATE_FIELDS } from '#app/entries/definitions/candidate-fields.ts'
import { COSTUME_FIELDS } from '#app/entries/definitions/costume-fields.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import type { Field, FieldValue } from '#app/entries/definitions/field.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import type { CheckedValues } from './rules.ts'
import type { ShownValue } from './schema.ts'

/** Columns of `inscripciones` that repeat form fields (`summaryColumn`), in the panel's order. */
const SUMMARY_COLUMNS = ['titular', 'detalle', 'edad', 'celular', 'correo'] as const

export interface EntrySummary {
  titular: string
  /** The costume's name; null for a candidate. */
  detalle: string | null
  edad: number | null
  correo: string | null
  celular: string
}

const summaryField = ({ fields }: Pick<FormDescriptor, 'fields'>, column: (typeof SUMMARY_COLUMNS)[number]) =>
  fields.find(({ summaryColumn }) => summaryColumn === column)

/** Returns the values of the columns of `inscripciones` that repeat form fields; null for an empty or an absent field. */
export function summaryOf(descriptor: FormDescriptor, values: CheckedValues): EntrySummary {
  const columns = SUMMARY_COLUMNS.map((column) => {
    const field = summaryField(descriptor, column)
    return [column, field ? (values[field.name] ?? null) : null]
  })
  return Object.fromEntries(columns) as EntrySummary
}

const comparePanelOrder = (a: Field, b: Field) => panelIndexOf(a) - panelIndexOf(b)
const panelIndexOf = ({ summaryColumn }: Field) =>
  summaryColumn ? SUMMARY_COLUMNS.indexOf(summaryColumn) : SUMMARY_COLUMNS.length

/** Lists an entry's values for the panel: first those that `inscripciones` repeats, then the others; empty values are left out. */
export const panelValues = ({ fields }: Pick<FormDescriptor, 'fields'>, values: CheckedValues): ShownValue[] =>
  fields.toSorted(comparePanelOrder).flatMap((field) => shownValues(field, values[field.name], field.panel.label))

/** Lists an entry's values for the jury's printed card, which shows only fields with `juryCardLabel`. */
export const juryCardValues = ({ fields }: Pick<FormDescriptor, 'fields'>, values: CheckedValues): ShownValue[] =>
  fields.flatMap((field) =>
    field.juryCardLabel
      ? shownValues(field, values[field.name], field.juryCardLabel === true ? field.panel.label : field.juryCardLabel)
      : [],
  )

function shownValues({ panel, notice }: Field, value: FieldValue | null | undefined, label: string): ShownValue[] {
  if (value === null || value === undefined || value === '') return []
  return [{ label, text: panel.format(value), flag: notice?.isDueFor(value) ? notice.text : undefined }]
}

export interface DataColumn {
  title: string
  /** Width in characters. */
  width: number
  /** Returns the entry's value, or «Sí» or '' in a notice's column; null for an empty value, and if the form has no such field. */
  value(type: EntryType, values: CheckedValues): FieldValue | null
}

/** Returns whether two fields share a column of a table of both forms: by their name, or by their column of the summary. */
const isSameColumn = (a: Field, b: Field) =>
  a.name === b.name || (a.summaryColumn !== undefined && a.summaryColumn === b.summaryColumn)

/** Lists an exported table's columns for the fields of one form. A field with a notice has a second column for it. */
export const dataColumnsOf = (type: EntryType): DataColumn[] =>
  (type === 'candidata' ? CANDIDATE_FIELDS : COSTUME_FIELDS.toSorted(comparePanelOrder)).flatMap(columnsFor)

/** Columns of a table of both forms: the candidates' in their order, then the costumes' that candidates lack. */
export const DATA_COLUMNS: readonly DataColumn[] = [
  ...CANDIDATE_FIELDS.flatMap(columnsFor),
  ...COSTUME_FIELDS.filter((field) => !CANDIDATE_FIELDS.some((candidateField) => isSameColumn(candidateField, field)))
    .toSorted((a, b) => Number(b.summaryColumn !== undefined) - Number(a.summaryColumn !== undefined))
    .flatMap(columnsFor),
]

function columnsFor(field: Field): DataColumn[] {
  /** Finds the field of the entry's own form, since a shared column has a field in each form. */
  const fieldOf = (type: EntryType) =>
    (type === 'candidata' ? CANDIDATE_FIELDS : COSTUME_FIELDS).find((formField) => isSameColumn(formField, field))
  const value: DataColumn['value'] = (type, values) => values[fieldOf(type)?.name ?? ''] ?? null
  const { notice, exportColumn } = field
  const hasNotice = (fieldValue: FieldValue | null) => fieldValue !== null && notice?.isDueFor(fieldValue)
  return [
    { ...exportColumn, value },
    ...(notice
      ? [
          {
            title: notice.title,
            width: notice.width,
            value: (type: EntryType, values: CheckedValues) => (hasNotice(value(type, values)) ? 'Sí' : ''),
          },
        ]
      : []),
  ]
}
