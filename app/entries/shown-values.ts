import { CANDIDATE_FIELDS } from '#app/entries/definitions/candidate-fields.ts'
import { COSTUME_FIELDS } from '#app/entries/definitions/costume-fields.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import type { Field, FieldValue } from '#app/entries/definitions/field.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import type { Data } from './rules.ts'
import type { ShownValue } from './schema.ts'

/** An entry's values outside its form: in the panel, on the jury's card, in the exported tables. */

/** The columns that entries of both forms share, in the panel's order. */
const SUMMARY = ['titular', 'detalle', 'edad', 'celular', 'correo'] as const

/** The shared columns of an entry, whichever form it came by. */
export interface Summary {
  titular: string
  /** The costume's name. */
  detalle: string | null
  edad: number | null
  correo: string | null
  celular: string
}

const summaryField = ({ fields }: Pick<FormDescriptor, 'fields'>, column: (typeof SUMMARY)[number]) =>
  fields.find(({ summaryColumn }) => summaryColumn === column)

/** Values of the columns of `inscripciones` that repeat form fields. */
export function summaryOf(descriptor: FormDescriptor, data: Data): Summary {
  const columns = SUMMARY.map((column) => {
    const field = summaryField(descriptor, column)
    return [column, field ? (data[field.name] ?? null) : null]
  })
  return Object.fromEntries(columns) as Summary
}

const inPanelsOrder = (a: Field, b: Field) => placeOf(a) - placeOf(b)
const placeOf = ({ summaryColumn }: Field) => (summaryColumn ? SUMMARY.indexOf(summaryColumn) : SUMMARY.length)

/** An entry's values as the panel shows them: first the fields that both forms share, then the form's own in its order. */
export const panelValues = ({ fields }: Pick<FormDescriptor, 'fields'>, data: Data): ShownValue[] =>
  fields.toSorted(inPanelsOrder).flatMap((field) => show(field, data[field.name], field.panel.label))

/** An entry's values for the jury's printed card: neither telephone nor email. */
export const cardValues = ({ fields }: Pick<FormDescriptor, 'fields'>, data: Data): ShownValue[] =>
  fields.flatMap((field) =>
    field.juryCard ? show(field, data[field.name], field.juryCard === true ? field.panel.label : field.juryCard) : [],
  )

function show({ panel, flag }: Field, value: FieldValue | null | undefined, label: string): ShownValue[] {
  if (value === null || value === undefined || value === '') return []
  return [{ label, text: panel.format(value), flag: flag?.applies(value) ? flag.text : undefined }]
}

/** A column of an exported table. */
export interface Column {
  title: string
  /** Width in characters. */
  width: number
  /** @returns null when the entry's form has no such field */
  value(type: EntryType, data: Data): FieldValue | null
}

/**
 * Columns for the fields of both forms: the candidates' in their order, then the costumes' that are not shared, those of the
 * summary first.
 */
export const DATA_COLUMNS: readonly Column[] = [
  ...CANDIDATE_FIELDS.flatMap((field) => columnsFor(field)),
  ...COSTUME_FIELDS.filter(
    ({ summaryColumn }) => !summaryColumn || !CANDIDATE_FIELDS.some((one) => one.summaryColumn === summaryColumn),
  )
    .toSorted((a, b) => Number(b.summaryColumn !== undefined) - Number(a.summaryColumn !== undefined))
    .flatMap((field) => columnsFor(field)),
]

function columnsFor(field: Field): Column[] {
  /** Each form has its own field for a shared column. */
  const fieldOf = (type: EntryType) => {
    const own = type === 'candidata' ? CANDIDATE_FIELDS : COSTUME_FIELDS
    return field.summaryColumn
      ? own.find(({ summaryColumn }) => summaryColumn === field.summaryColumn)
      : own.find((one) => one === field)
  }
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
