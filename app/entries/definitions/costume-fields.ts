import {
  type Campo,
  CONTROL_DE_CORREO,
  campoDeCorreo,
  campoDeOpcion,
  campoDeTexto,
  campoDeWhatsApp,
  MAX_CELULAR_CARACTERES,
  MAX_NOMBRE_CARACTERES,
  maximo,
  NOMBRE_COMPLETO,
} from './field.ts'

/** Of temática and materiales. @source §9 */
const MAX_TEMATICA_CARACTERES = 100
/** @source §9 */
const MAX_DESCRIPCION_CARACTERES = 250
/** The specification names none. */
const MAX_NOMBRE_TRAJE_CARACTERES = 250
/** Centimetres. @source §9 */
const ALTURA_MAXIMA_CM = 150

/** The turns of the checks that §5 names, in its order; what is missing comes before them all. */
const TURNO = { participo: 1, tematica: 2, descripcion: 3, altura: 4 } as const

const FALTA = 'Escribe este dato.'
// The sentences of §8 are written out, numbers and all: a search for one finds it. The tests hold numbers and limits
// together.
/** One sentence for both fields. @source §8 */
const tematicaYMateriales = maximo(MAX_TEMATICA_CARACTERES, 'Temática y materiales no deben exceder 100 caracteres.', {
  turno: TURNO.tematica,
  breve: `Máximo ${MAX_TEMATICA_CARACTERES} caracteres.`,
})

/** The typed fields of a costume's registration, in the form's order. @source §2.9, §3, §5 */
export const CAMPOS_TRAJE: readonly Campo[] = [
  campoDeTexto({
    nombre: 'nombre_disenador',
    etiqueta: 'Nombre del diseñador o diseñadora',
    enPanel: 'Diseñador',
    ...NOMBRE_COMPLETO,
    falta: FALTA,
    resumen: 'titular',
    ficha: 'Diseño',
    ancho: 34,
  }),
  campoDeCorreo({
    nombre: 'email',
    etiqueta: 'Correo electrónico',
    enPanel: 'Correo',
    control: CONTROL_DE_CORREO,
    falta: FALTA,
    resumen: 'correo',
    ancho: 28,
  }),
  campoDeTexto({
    nombre: 'celular',
    etiqueta: 'Celular',
    control: { como: 'renglon', type: 'tel', ancho: 'mitad', placeholder: '10 dígitos', autoComplete: 'tel' },
    falta: FALTA,
    revisiones: [maximo(MAX_CELULAR_CARACTERES, `El celular no debe exceder ${MAX_CELULAR_CARACTERES} caracteres.`)],
    resumen: 'celular',
    ancho: 16,
  }),
  campoDeTexto({
    nombre: 'ciudad',
    etiqueta: 'Ciudad',
    control: {
      como: 'renglon',
      type: 'text',
      ancho: 'mitad',
      placeholder: 'Ciudad y estado',
      autoComplete: 'address-level2',
      autoCapitalize: 'words',
    },
    falta: FALTA,
    revisiones: [maximo(MAX_NOMBRE_CARACTERES, `La ciudad no debe exceder ${MAX_NOMBRE_CARACTERES} caracteres.`)],
    ficha: true,
    ancho: 18,
  }),
  campoDeTexto({
    nombre: 'nombre_traje',
    etiqueta: 'Nombre del traje',
    enPanel: 'Traje',
    control: {
      como: 'renglon',
      type: 'text',
      ancho: 'entero',
      placeholder: 'Como lo vas a presentar',
      autoComplete: 'off',
    },
    falta: FALTA,
    revisiones: [
      maximo(
        MAX_NOMBRE_TRAJE_CARACTERES,
        `El nombre del traje no debe exceder ${MAX_NOMBRE_TRAJE_CARACTERES} caracteres.`,
      ),
    ],
    resumen: 'detalle',
    ancho: 28,
  }),
  campoDeTexto({
    nombre: 'tematica',
    etiqueta: 'Temática',
    control: { como: 'contado', max: MAX_TEMATICA_CARACTERES, ancho: 'entero', placeholder: 'En qué se inspira' },
    falta: FALTA,
    revisiones: [tematicaYMateriales],
    ficha: true,
    ancho: 30,
  }),
  campoDeTexto({
    nombre: 'descripcion',
    etiqueta: 'Descripción',
    control: {
      como: 'contado',
      max: MAX_DESCRIPCION_CARACTERES,
      rows: 4,
      ancho: 'entero',
      placeholder: 'Cómo es, pieza por pieza',
    },
    falta: FALTA,
    revisiones: [
      maximo(MAX_DESCRIPCION_CARACTERES, 'La descripción no debe exceder 250 caracteres.', {
        turno: TURNO.descripcion,
        breve: `Máximo ${MAX_DESCRIPCION_CARACTERES} caracteres.`,
      }),
    ],
    ficha: true,
    ancho: 50,
  }),
  campoDeTexto({
    nombre: 'materiales',
    etiqueta: 'Materiales',
    control: {
      como: 'contado',
      max: MAX_TEMATICA_CARACTERES,
      ancho: 'entero',
      placeholder: 'Telas, bordados, adornos',
    },
    falta: FALTA,
    revisiones: [tematicaYMateriales],
    ficha: true,
    ancho: 30,
  }),
  {
    nombre: 'altura',
    etiqueta: 'Altura (cm)',
    control: {
      como: 'numero',
      step: 'any',
      inputMode: 'decimal',
      ancho: 'mitad',
      placeholder: '150 como máximo',
      autoComplete: 'off',
    },
    falta: FALTA,
    leer: readAltura,
    ilegible: () => 'Escribe la altura en centímetros, con números y mayor que 0. Por ejemplo: 120.',
    revisiones: [
      {
        turno: TURNO.altura,
        falla: (centimetros) => Number(centimetros) > ALTURA_MAXIMA_CM,
        oracion: 'La altura máxima permitida es 150 cm.',
        breve: `Máximo ${ALTURA_MAXIMA_CM} cm.`,
      },
    ],
    panel: { etiqueta: 'Altura', texto: (centimetros) => `${centimetros} cm` },
    ficha: true,
    exporte: { titulo: 'Altura (cm)', ancho: 11 },
  },
  campoDeOpcion({
    nombre: 'ha_participado',
    etiqueta: '¿Ha participado en otros concursos?',
    enPanel: 'Ya participó en otros concursos',
    titulo: 'Ha participado',
    opciones: ['No', 'Sí'],
    falta: FALTA,
    ilegible: 'Elige No o Sí.',
    alMomento: true,
    revisiones: [
      {
        turno: TURNO.participo,
        falla: (valor) => valor === 'Sí',
        oracion: 'El traje no es elegible si ya participó en otros concursos.',
      },
    ],
    ancho: 14,
  }),
  campoDeWhatsApp(),
]

/** Centimetres; undefined for what is no height at all. A decimal comma counts as a point. */
function readAltura(text: string): number | undefined {
  const number = text.replace(',', '.')
  if (!/^\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number)) return undefined
  const centimetres = Number(number)
  return centimetres > 0 ? centimetres : undefined
}
