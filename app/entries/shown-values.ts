import { CAMPOS_CANDIDATA } from '#app/entries/definitions/candidate-fields.ts'
import { CAMPOS_TRAJE } from '#app/entries/definitions/costume-fields.ts'
import type { TipoInscripcion } from '#app/entries/definitions/document-kinds.ts'
import type { Campo, Valor } from '#app/entries/definitions/field.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import type { Datos } from './rules.ts'
import type { DatoMostrado } from './schema.ts'

/** What is made of an entry's values beyond its form: the panel's card, the jury's, the exported tables. */

/** The columns that entries of both forms share, in the panel's order. */
const RESUMEN = ['titular', 'detalle', 'edad', 'celular', 'correo'] as const

/** What the organisers list of an entry, whichever form it came by. */
export interface Resumen {
  titular: string
  /** The costume's name. */
  detalle: string | null
  edad: number | null
  correo: string | null
  celular: string
}

const campoDeResumen = ({ campos }: Pick<Forma, 'campos'>, columna: (typeof RESUMEN)[number]) =>
  campos.find(({ resumen }) => resumen === columna)

/** The columns of `inscripciones` that repeat what a form asked for. */
export function resumenDe(forma: Forma, datos: Datos): Resumen {
  const columnas = RESUMEN.map((columna) => {
    const campo = campoDeResumen(forma, columna)
    return [columna, campo ? (datos[campo.nombre] ?? null) : null]
  })
  return Object.fromEntries(columnas) as Resumen
}

const inPanelsOrder = (a: Campo, b: Campo) => placeOf(a) - placeOf(b)
const placeOf = ({ resumen }: Campo) => (resumen ? RESUMEN.indexOf(resumen) : RESUMEN.length)

/** An entry's values as the panel shows them: what every form asks for first, then its own, in its order. */
export const datosDePanel = ({ campos }: Pick<Forma, 'campos'>, datos: Datos): DatoMostrado[] =>
  campos.toSorted(inPanelsOrder).flatMap((campo) => mostrar(campo, datos[campo.nombre], campo.panel.etiqueta))

/** The same for the jury, on paper: neither telephones nor addresses. */
export const datosDeFicha = ({ campos }: Pick<Forma, 'campos'>, datos: Datos): DatoMostrado[] =>
  campos.flatMap((campo) =>
    campo.ficha ? mostrar(campo, datos[campo.nombre], campo.ficha === true ? campo.panel.etiqueta : campo.ficha) : [],
  )

function mostrar({ panel, marca }: Campo, valor: Valor | null | undefined, etiqueta: string): DatoMostrado[] {
  if (valor === null || valor === undefined || valor === '') return []
  return [{ etiqueta, texto: panel.texto(valor), marca: marca?.hay(valor) ? marca.texto : undefined }]
}

/** A column of an exported table. */
export interface Columna {
  titulo: string
  /** In characters. */
  ancho: number
  /** @param datos of an entry, null where another form asks for this */
  valor(tipo: TipoInscripcion, datos: Datos): Valor | null
}

/**
 * The columns of what both forms ask for: the candidates' in their order, then the costumes' that are not among them,
 * those that every entry is listed by first.
 */
export const COLUMNAS_DE_DATOS: readonly Columna[] = [
  ...CAMPOS_CANDIDATA.flatMap((campo) => columnasDe(campo)),
  ...CAMPOS_TRAJE.filter(({ resumen }) => !resumen || !CAMPOS_CANDIDATA.some((one) => one.resumen === resumen))
    .toSorted((a, b) => Number(b.resumen !== undefined) - Number(a.resumen !== undefined))
    .flatMap((campo) => columnasDe(campo)),
]

function columnasDe(campo: Campo): Columna[] {
  /** Each form has its own field for a column that both share. */
  const campoOf = (tipo: TipoInscripcion) => {
    const own = tipo === 'candidata' ? CAMPOS_CANDIDATA : CAMPOS_TRAJE
    return campo.resumen ? own.find(({ resumen }) => resumen === campo.resumen) : own.find((one) => one === campo)
  }
  const valor: Columna['valor'] = (tipo, datos) => datos[campoOf(tipo)?.nombre ?? ''] ?? null
  const { marca, exporte } = campo
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
