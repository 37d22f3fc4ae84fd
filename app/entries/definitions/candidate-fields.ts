import {
  choiceField,
  EMAIL_CONTROL,
  emailField,
  type Field,
  type FieldValue,
  FULL_NAME_PARTS,
  MAX_PHONE_CHARACTERS,
  maxLength,
  permissionField,
  textField,
  whatsAppField,
} from './field.ts'

/** An age beyond these two limits counts as unreadable. */
const MIN_AGE = 1
const MAX_AGE = 120
/** An age outside the suggested range is accepted, too; the panel flags it (§5, D14). */
export const SUGGESTED_MIN_AGE = 18
export const SUGGESTED_MAX_AGE = 26
/** A height beyond these two limits counts as unreadable. */
const MIN_HEIGHT_M = 0.5
const MAX_HEIGHT_M = 2.5
/** The levels of §2.8; the form opens with the first. */
const EDUCATION_LEVELS = ['Estudiante', 'Egresada', 'Profesionista'] as const

/** Name of the field by which a candidate permits publishing her face photograph, and no other, once she is accepted. */
export const PUBLISH_FACE_FIELD = 'publicarRostro'

/** Returns whether an age is outside the suggested range (D14); false without an age, as for a costume's entry. */
export const isOutsideSuggestedAge = (age: FieldValue | null): boolean =>
  typeof age === 'number' && (age < SUGGESTED_MIN_AGE || age > SUGGESTED_MAX_AGE)

/** Fields of a candidate's registration without its documents (§2.8, §3, §5), in the form's order. */
export const CANDIDATE_FIELDS: readonly Field[] = [
  textField({
    name: 'nombre',
    label: 'Nombre',
    ...FULL_NAME_PARTS,
    missingMessage: 'Escribe tu nombre completo.',
    summaryColumn: 'titular',
    exportWidthCharacters: 34,
  }),
  {
    name: 'edad',
    label: 'Edad',
    control: {
      kind: 'number',
      step: '1',
      inputMode: 'numeric',
      width: 'short',
      placeholder: '18 a 26 años',
      autoComplete: 'off',
    },
    missingMessage: 'Escribe tu edad.',
    parse: parseAge,
    unreadableMessage: () =>
      `Escribe tu edad en años cumplidos, con números enteros entre ${MIN_AGE} y ${MAX_AGE}. Por ejemplo: 21.`,
    checks: [],
    summaryColumn: 'edad',
    panel: { label: 'Edad', format: (age) => `${age} años` },
    juryCardLabel: true,
    exportColumn: { title: 'Edad', width: 7 },
    notice: {
      title: `Fuera de ${SUGGESTED_MIN_AGE}–${SUGGESTED_MAX_AGE}`,
      width: 15,
      text: `fuera de ${SUGGESTED_MIN_AGE}–${SUGGESTED_MAX_AGE}`,
      isDueFor: isOutsideSuggestedAge,
    },
  },
  {
    name: 'estatura',
    label: 'Estatura (m)',
    control: {
      kind: 'number',
      step: '0.01',
      inputMode: 'decimal',
      width: 'short',
      placeholder: '1.66 sin zapatos',
      autoComplete: 'off',
    },
    missingMessage: 'Escribe tu estatura.',
    parse: parseHeightM,
    unreadableMessage: () =>
      'Escribe tu estatura en metros, entre 0.50 y 2.50 y con dos decimales a lo más. Por ejemplo: 1.66.',
    checks: [],
    panel: { label: 'Estatura', format: (heightM) => `${Number(heightM).toFixed(2)} m` },
    juryCardLabel: true,
    exportColumn: { title: 'Estatura (m)', width: 12 },
  },
  choiceField({
    name: 'gradoEstudio',
    label: 'Grado de Estudio',
    panelLabel: 'Grado de estudio',
    options: EDUCATION_LEVELS,
    defaultText: EDUCATION_LEVELS[0],
    missingMessage: '',
    unreadableMessage: `Elige tu grado de estudio: ${EDUCATION_LEVELS.join(', ')}.`,
    juryCardLabel: true,
    exportWidthCharacters: 16,
  }),
  textField({
    name: 'celular',
    label: 'Celular',
    control: { kind: 'line', type: 'tel', width: 'half', placeholder: '10 dígitos', autoComplete: 'tel' },
    missingMessage: 'Escribe tu número de celular.',
    checks: [maxLength(MAX_PHONE_CHARACTERS, `El celular no debe exceder ${MAX_PHONE_CHARACTERS} caracteres.`)],
    summaryColumn: 'celular',
    exportWidthCharacters: 16,
  }),
  // The specification asks for no email; an entrant without one is called by telephone (docs/decisions/0029).
  {
    ...emailField({
      name: 'correo',
      label: 'Correo electrónico (opcional)',
      panelLabel: 'Correo',
      control: EMAIL_CONTROL,
      isOptional: true,
      missingMessage: '',
      summaryColumn: 'correo',
      exportWidthCharacters: 28,
    }),
    isLeftOutOfMetadata: true,
  },
  permissionField({
    name: PUBLISH_FACE_FIELD,
    label: 'Si me aceptan, pueden publicar mi fotografía de rostro en el sitio',
    help: 'Es opcional: tu registro vale igual si no la marcas. Tu fotografía de cuerpo entero no se publica nunca.',
    panelLabel: 'Permite publicar su rostro',
    exportWidthCharacters: 26,
  }),
  whatsAppField(),
]

function parseAge(text: string): number | undefined {
  if (!/^\d{1,3}$/.test(text)) return undefined
  const years = Number(text)
  return years >= MIN_AGE && years <= MAX_AGE ? years : undefined
}

/** Parses a height in metres; undefined for a text that is no height, or a height out of range. A decimal comma counts as a point. */
function parseHeightM(text: string): number | undefined {
  if (!/^\d(?:[.,]\d{1,2})?$/.test(text)) return undefined
  const metres = Number(text.replace(',', '.'))
  return metres >= MIN_HEIGHT_M && metres <= MAX_HEIGHT_M ? metres : undefined
}
