import {
  choiceField,
  EMAIL_CONTROL,
  emailField,
  type Field,
  FULL_NAME,
  MAX_NAME_CHARACTERS,
  MAX_PHONE_CHARACTERS,
  maxLength,
  textField,
  whatsAppField,
} from './field.ts'

/** Limit of each of temática and materiales. @source §9 */
const MAX_THEME_CHARACTERS = 100
/** @source §9 */
const MAX_DESCRIPTION_CHARACTERS = 250
/** The specification sets no limit for the costume's name. */
const MAX_COSTUME_NAME_CHARACTERS = 250
/** @source §9 */
const MAX_HEIGHT_CM = 150

/** Order of the checks that §5 names; missing fields come before all of them. */
const TURN = { participo: 1, tematica: 2, descripcion: 3, altura: 4 } as const

const MISSING = 'Escribe este dato.'
// The sentences of §8 are written out with their numbers, so that a search finds them. Tests hold the numbers to the limits.
/** One sentence for both fields. @source §8 */
const themeAndMaterials = maxLength(MAX_THEME_CHARACTERS, 'Temática y materiales no deben exceder 100 caracteres.', {
  turno: TURN.tematica,
  breve: `Máximo ${MAX_THEME_CHARACTERS} caracteres.`,
})

/** The typed fields of a costume's registration, in the form's order. @source §2.9, §3, §5 */
export const COSTUME_FIELDS: readonly Field[] = [
  textField({
    nombre: 'nombre_disenador',
    etiqueta: 'Nombre del diseñador o diseñadora',
    enPanel: 'Diseñador',
    ...FULL_NAME,
    falta: MISSING,
    resumen: 'titular',
    ficha: 'Diseño',
    ancho: 34,
  }),
  emailField({
    nombre: 'email',
    etiqueta: 'Correo electrónico',
    enPanel: 'Correo',
    control: EMAIL_CONTROL,
    falta: MISSING,
    resumen: 'correo',
    ancho: 28,
  }),
  textField({
    nombre: 'celular',
    etiqueta: 'Celular',
    control: { como: 'renglon', type: 'tel', ancho: 'mitad', placeholder: '10 dígitos', autoComplete: 'tel' },
    falta: MISSING,
    revisiones: [maxLength(MAX_PHONE_CHARACTERS, `El celular no debe exceder ${MAX_PHONE_CHARACTERS} caracteres.`)],
    resumen: 'celular',
    ancho: 16,
  }),
  textField({
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
    falta: MISSING,
    revisiones: [maxLength(MAX_NAME_CHARACTERS, `La ciudad no debe exceder ${MAX_NAME_CHARACTERS} caracteres.`)],
    ficha: true,
    ancho: 18,
  }),
  textField({
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
    falta: MISSING,
    revisiones: [
      maxLength(
        MAX_COSTUME_NAME_CHARACTERS,
        `El nombre del traje no debe exceder ${MAX_COSTUME_NAME_CHARACTERS} caracteres.`,
      ),
    ],
    resumen: 'detalle',
    ancho: 28,
  }),
  textField({
    nombre: 'tematica',
    etiqueta: 'Temática',
    control: { como: 'contado', max: MAX_THEME_CHARACTERS, ancho: 'entero', placeholder: 'En qué se inspira' },
    falta: MISSING,
    revisiones: [themeAndMaterials],
    ficha: true,
    ancho: 30,
  }),
  textField({
    nombre: 'descripcion',
    etiqueta: 'Descripción',
    control: {
      como: 'contado',
      max: MAX_DESCRIPTION_CHARACTERS,
      rows: 4,
      ancho: 'entero',
      placeholder: 'Cómo es, pieza por pieza',
    },
    falta: MISSING,
    revisiones: [
      maxLength(MAX_DESCRIPTION_CHARACTERS, 'La descripción no debe exceder 250 caracteres.', {
        turno: TURN.descripcion,
        breve: `Máximo ${MAX_DESCRIPTION_CHARACTERS} caracteres.`,
      }),
    ],
    ficha: true,
    ancho: 50,
  }),
  textField({
    nombre: 'materiales',
    etiqueta: 'Materiales',
    control: {
      como: 'contado',
      max: MAX_THEME_CHARACTERS,
      ancho: 'entero',
      placeholder: 'Telas, bordados, adornos',
    },
    falta: MISSING,
    revisiones: [themeAndMaterials],
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
    falta: MISSING,
    leer: readHeightCm,
    ilegible: () => 'Escribe la altura en centímetros, con números y mayor que 0. Por ejemplo: 120.',
    revisiones: [
      {
        turno: TURN.altura,
        falla: (heightCm) => Number(heightCm) > MAX_HEIGHT_CM,
        oracion: 'La altura máxima permitida es 150 cm.',
        breve: `Máximo ${MAX_HEIGHT_CM} cm.`,
      },
    ],
    panel: { etiqueta: 'Altura', texto: (heightCm) => `${heightCm} cm` },
    ficha: true,
    exporte: { titulo: 'Altura (cm)', ancho: 11 },
  },
  choiceField({
    nombre: 'ha_participado',
    etiqueta: '¿Ha participado en otros concursos?',
    enPanel: 'Ya participó en otros concursos',
    titulo: 'Ha participado',
    opciones: ['No', 'Sí'],
    falta: MISSING,
    ilegible: 'Elige No o Sí.',
    alMomento: true,
    revisiones: [
      {
        turno: TURN.participo,
        falla: (valor) => valor === 'Sí',
        oracion: 'El traje no es elegible si ya participó en otros concursos.',
      },
    ],
    ancho: 14,
  }),
  whatsAppField(),
]

/** Reads a height in centimetres; undefined for a text that is no positive number. A decimal comma counts as a point. */
function readHeightCm(text: string): number | undefined {
  const number = text.replace(',', '.')
  if (!/^\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number)) return undefined
  const centimetres = Number(number)
  return centimetres > 0 ? centimetres : undefined
}
