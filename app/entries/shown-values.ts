import { CANDIDATE_FIELDS } from '#app/entries/definitions/candidate-fields.ts'
import { COSTUME_FIELDS } from '#app/entries/definitions/costume-fields.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import type { Field, Valor } from '#app/entries/definitions/field.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
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

const summaryField = ({ campos }: Pick<Forma, 'campos'>, column: (typeof SUMMARY)[number]) =>
  campos.find(({ resumen }) => resumen === column)

/** Values of the columns of `inscripciones` that repeat form fields. */
export function summaryOf(forma: Forma, data: Data): Summary {
  const columns = SUMMARY.map((column) => {
    const field = summaryField(forma, column)
    return [column, field ? (data[field.nombre] ?? null) : null]
  })
  return Object.fromEntries(columns) as Summary
}

const inPanelsOrder = (a: Field, b: Field) => placeOf(a) - placeOf(b)
const placeOf = ({ resumen }: Field) => (resumen ? SUMMARY.indexOf(resumen) : SUMMARY.length)

/** An entry's values as the panel shows them: first the fields that both forms share, then the form's own in its order. */
export const panelValues = ({ campos }: Pick<Forma, 'campos'>, data: Data): ShownValue[] =>
  campos.toSorted(inPanelsOrder).flatMap((field) => show(field, data[field.nombre], field.panel.etiqueta))

/** An entry's values for the jury's printed card: neither telephone nor email. */
export const cardValues = ({ campos }: Pick<Forma, 'campos'>, data: Data): ShownValue[] =>
  campos.flatMap((field) =>
    field.ficha ? show(field, data[field.nombre], field.ficha === true ? field.panel.etiqueta : field.ficha) : [],
  )

function show({ panel, marca }: Field, valor: Valor | null | undefined, label: string): ShownValue[] {
  if (valor === null || valor === undefined || valor === '') return []
  return [{ etiqueta: label, texto: panel.texto(valor), marca: marca?.hay(valor) ? marca.texto : undefined }]
}

/** A column of an exported table. */
export interface Column {
  titulo: string
  /** Width in characters. */
  ancho: number
  /** @returns null when the entry's form has no such field */
  valor(type: EntryType, data: Data): Valor | null
}

/**
 * Columns for the fields of both forms: the candidates' in their order, then the costumes' that are not shared, those of the
 * summary first.
 */
export const DATA_COLUMNS: readonly Column[] = [
  ...CANDIDATE_FIELDS.flatMap((field) => columnsFor(field)),
  ...COSTUME_FIELDS.filter(({ resumen }) => !resumen || !CANDIDATE_FIELDS.some((one) => one.resumen === resumen))
    .toSorted((a, b) => Number(b.resumen !== undefined) - Number(a.resumen !== undefined))
    .flatMap((field) => columnsFor(field)),
]

function columnsFor(field: Field): Column[] {
  /** Each form has its own field for a shared column. */
  const fieldOf = (type: EntryType) => {
    const own = type === 'candidata' ? CANDIDATE_FIELDS : COSTUME_FIELDS
    return field.resumen ? own.find(({ resumen }) => resumen === field.resumen) : own.find((one) => one === field)
  }
  const valor: Column['valor'] = (type, data) => data[fieldOf(type)?.nombre ?? ''] ?? null
  const { marca, exporte } = field
  const hay = (it: Valor | null) => it !== null && marca?.hay(it)
  return [
    { ...exporte, valor },
    ...(marca
      ? [
          {
            titulo: marca.titulo,
            ancho: marca.ancho,
            valor: (...of: Parameters<typeof valor>) => (hay(valor(...of)) ? 'Sí' : ''),
          },
        ]
      : []),
  ]
}
