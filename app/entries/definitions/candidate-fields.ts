import {
  choiceField,
  EMAIL_CONTROL,
  emailField,
  type Field,
  FULL_NAME,
  MAX_PHONE_CHARACTERS,
  maxLength,
  permissionField,
  textField,
  type Valor,
  whatsAppField,
} from './field.ts'

/** Accepted ages in years. The suggested 18 to 26 are a hint in the form and a flag in the panel, no rule. @source §5, D14 */
const MIN_AGE = 1
const MAX_AGE = 120
export const SUGGESTED_MIN_AGE = 18
export const SUGGESTED_MAX_AGE = 26
const MIN_HEIGHT_M = 0.5
const MAX_HEIGHT_M = 2.5
/** The first is the default. @source §2.8 */
const EDUCATION_LEVELS = ['Estudiante', 'Egresada', 'Profesionista'] as const

/** Field by which a candidate permits publishing her face photograph, and no other, once she is accepted. */
export const PUBLISH_FACE_FIELD = 'publicarRostro'

/** Whether an age lies outside the suggested range, whose ends are included. @source D14 */
export const isOutsideAgeRange = (age: Valor | null): boolean =>
  typeof age === 'number' && (age < SUGGESTED_MIN_AGE || age > SUGGESTED_MAX_AGE)

/** The typed fields of a candidate's registration, in the form's order. @source §2.8, §3, §5 */
export const CANDIDATE_FIELDS: readonly Field[] = [
  textField({
    nombre: 'nombre',
    etiqueta: 'Nombre',
    ...FULL_NAME,
    falta: 'Escribe tu nombre completo.',
    resumen: 'titular',
    ancho: 34,
  }),
  {
    nombre: 'edad',
    etiqueta: 'Edad',
    control: {
      como: 'numero',
      step: '1',
      inputMode: 'numeric',
      ancho: 'corto',
      placeholder: '18 a 26 años',
      autoComplete: 'off',
    },
    falta: 'Escribe tu edad.',
    leer: readAge,
    ilegible: () =>
      `Escribe tu edad en años cumplidos, con números enteros entre ${MIN_AGE} y ${MAX_AGE}. Por ejemplo: 21.`,
    revisiones: [],
    resumen: 'edad',
    panel: { etiqueta: 'Edad', texto: (age) => `${age} años` },
    ficha: true,
    exporte: { titulo: 'Edad', ancho: 7 },
    marca: {
      titulo: `Fuera de ${SUGGESTED_MIN_AGE}–${SUGGESTED_MAX_AGE}`,
      ancho: 15,
      texto: `fuera de ${SUGGESTED_MIN_AGE}–${SUGGESTED_MAX_AGE}`,
      hay: isOutsideAgeRange,
    },
  },
  {
    nombre: 'estatura',
    etiqueta: 'Estatura (m)',
    control: {
      como: 'numero',
      step: '0.01',
      inputMode: 'decimal',
      ancho: 'corto',
      placeholder: '1.66 sin zapatos',
      autoComplete: 'off',
    },
    falta: 'Escribe tu estatura.',
    leer: readHeightM,
    ilegible: () => 'Escribe tu estatura en metros, entre 0.50 y 2.50 y con dos decimales a lo más. Por ejemplo: 1.66.',
    revisiones: [],
    panel: { etiqueta: 'Estatura', texto: (metros) => `${Number(metros).toFixed(2)} m` },
    ficha: true,
    exporte: { titulo: 'Estatura (m)', ancho: 12 },
  },
  choiceField({
    nombre: 'gradoEstudio',
    etiqueta: 'Grado de Estudio',
    enPanel: 'Grado de estudio',
    opciones: EDUCATION_LEVELS,
    porOmision: EDUCATION_LEVELS[0],
    falta: '',
    ilegible: `Elige tu grado de estudio: ${EDUCATION_LEVELS.join(', ')}.`,
    ficha: true,
    ancho: 16,
  }),
  textField({
    nombre: 'celular',
    etiqueta: 'Celular',
    control: { como: 'renglon', type: 'tel', ancho: 'mitad', placeholder: '10 dígitos', autoComplete: 'tel' },
    falta: 'Escribe tu número de celular.',
    revisiones: [maxLength(MAX_PHONE_CHARACTERS, `El celular no debe exceder ${MAX_PHONE_CHARACTERS} caracteres.`)],
    resumen: 'celular',
    ancho: 16,
  }),
  // Not in the specification: an entrant without email is called by telephone (docs/decisions/0029-messages.md).
  {
    ...emailField({
      nombre: 'correo',
      etiqueta: 'Correo electrónico (opcional)',
      enPanel: 'Correo',
      control: EMAIL_CONTROL,
      esOpcional: true,
      falta: '',
      resumen: 'correo',
      ancho: 28,
    }),
    fueraDeMetadata: true,
  },
  permissionField({
    nombre: PUBLISH_FACE_FIELD,
    etiqueta: 'Si me aceptan, pueden publicar mi fotografía de rostro en el sitio',
    ayuda: 'Es opcional: tu registro vale igual si no la marcas. Tu fotografía de cuerpo entero no se publica nunca.',
    enPanel: 'Permite publicar su rostro',
    ancho: 26,
  }),
  whatsAppField(),
]

function readAge(text: string): number | undefined {
  if (!/^\d{1,3}$/.test(text)) return undefined
  const years = Number(text)
  return years >= MIN_AGE && years <= MAX_AGE ? years : undefined
}

/** Reads a height in metres. A decimal comma counts as a point: people write 1,70. */
function readHeightM(text: string): number | undefined {
  if (!/^\d(?:[.,]\d{1,2})?$/.test(text)) return undefined
  const metres = Number(text.replace(',', '.'))
  return metres >= MIN_HEIGHT_M && metres <= MAX_HEIGHT_M ? metres : undefined
}
