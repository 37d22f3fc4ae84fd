import {
  choiceField,
  EMAIL_CONTROL,
  emailField,
  type Field,
  FULL_NAME_PARTS,
  MAX_NAME_CHARACTERS,
  MAX_PHONE_CHARACTERS,
  maxLength,
  textField,
  whatsAppField,
} from './field.ts'

/** Limit of §9 for the theme and for the materials. */
const MAX_THEME_CHARACTERS = 100
/** Limit of §9. */
const MAX_DESCRIPTION_CHARACTERS = 250
/** The specification sets no limit for the costume's name. */
const MAX_COSTUME_NAME_CHARACTERS = 250
/** Limit of §9. */
const MAX_HEIGHT_CM = 150

/** The order of §5; a missing field comes before all of these checks. */
const CHECK_ORDER = { hasParticipated: 1, theme: 2, description: 3, height: 4 } as const

const MISSING_MESSAGE = 'Escribe este dato.'
// The sentences of §8 are written out with their numbers, so that a search finds them; tests compare them with the limits.
/** One check for both fields, since §8 has one sentence for both. */
const themeAndMaterialsCheck = maxLength(
  MAX_THEME_CHARACTERS,
  'Temática y materiales no deben exceder 100 caracteres.',
  {
    bannerRank: CHECK_ORDER.theme,
    shortSentence: `Máximo ${MAX_THEME_CHARACTERS} caracteres.`,
  },
)

/** Fields of a costume's registration without its documents (§2.9, §3, §5), in the form's order. */
export const COSTUME_FIELDS: readonly Field[] = [
  textField({
    name: 'nombre_disenador',
    label: 'Nombre del diseñador o diseñadora',
    panelLabel: 'Diseñador',
    ...FULL_NAME_PARTS,
    missingMessage: MISSING_MESSAGE,
    summaryColumn: 'titular',
    juryCardLabel: 'Diseño',
    exportWidthCharacters: 34,
  }),
  emailField({
    name: 'email',
    label: 'Correo electrónico',
    panelLabel: 'Correo',
    control: EMAIL_CONTROL,
    missingMessage: MISSING_MESSAGE,
    summaryColumn: 'correo',
    exportWidthCharacters: 28,
  }),
  textField({
    name: 'celular',
    label: 'Celular',
    control: { kind: 'line', type: 'tel', width: 'half', placeholder: '10 dígitos', autoComplete: 'tel' },
    missingMessage: MISSING_MESSAGE,
    checks: [maxLength(MAX_PHONE_CHARACTERS, `El celular no debe exceder ${MAX_PHONE_CHARACTERS} caracteres.`)],
    summaryColumn: 'celular',
    exportWidthCharacters: 16,
  }),
  textField({
    name: 'ciudad',
    label: 'Ciudad',
    control: {
      kind: 'line',
      type: 'text',
      width: 'half',
      placeholder: 'Ciudad y estado',
      autoComplete: 'address-level2',
      autoCapitalize: 'words',
    },
    missingMessage: MISSING_MESSAGE,
    checks: [maxLength(MAX_NAME_CHARACTERS, `La ciudad no debe exceder ${MAX_NAME_CHARACTERS} caracteres.`)],
    juryCardLabel: true,
    exportWidthCharacters: 18,
  }),
  textField({
    name: 'nombre_traje',
    label: 'Nombre del traje',
    panelLabel: 'Traje',
    control: {
      kind: 'line',
      type: 'text',
      width: 'full',
      placeholder: 'Como lo vas a presentar',
      autoComplete: 'off',
    },
    missingMessage: MISSING_MESSAGE,
    checks: [
      maxLength(
        MAX_COSTUME_NAME_CHARACTERS,
        `El nombre del traje no debe exceder ${MAX_COSTUME_NAME_CHARACTERS} caracteres.`,
      ),
    ],
    summaryColumn: 'detalle',
    exportWidthCharacters: 28,
  }),
  textField({
    name: 'tematica',
    label: 'Temática',
    control: { kind: 'counted', max: MAX_THEME_CHARACTERS, width: 'full', placeholder: 'En qué se inspira' },
    missingMessage: MISSING_MESSAGE,
    checks: [themeAndMaterialsCheck],
    juryCardLabel: true,
    exportWidthCharacters: 30,
  }),
  textField({
    name: 'descripcion',
    label: 'Descripción',
    control: {
      kind: 'counted',
      max: MAX_DESCRIPTION_CHARACTERS,
      rows: 4,
      width: 'full',
      placeholder: 'Cómo es, pieza por pieza',
    },
    missingMessage: MISSING_MESSAGE,
    checks: [
      maxLength(MAX_DESCRIPTION_CHARACTERS, 'La descripción no debe exceder 250 caracteres.', {
        bannerRank: CHECK_ORDER.description,
        shortSentence: `Máximo ${MAX_DESCRIPTION_CHARACTERS} caracteres.`,
      }),
    ],
    juryCardLabel: true,
    exportWidthCharacters: 50,
  }),
  textField({
    name: 'materiales',
    label: 'Materiales',
    control: {
      kind: 'counted',
      max: MAX_THEME_CHARACTERS,
      width: 'full',
      placeholder: 'Telas, bordados, adornos',
    },
    missingMessage: MISSING_MESSAGE,
    checks: [themeAndMaterialsCheck],
    juryCardLabel: true,
    exportWidthCharacters: 30,
  }),
  {
    name: 'altura',
    label: 'Altura (cm)',
    control: {
      kind: 'number',
      step: 'any',
      inputMode: 'decimal',
      width: 'half',
      placeholder: '150 como máximo',
      autoComplete: 'off',
    },
    missingMessage: MISSING_MESSAGE,
    parse: parseHeightCm,
    unreadableMessage: () => 'Escribe la altura en centímetros, con números y mayor que 0. Por ejemplo: 120.',
    checks: [
      {
        bannerRank: CHECK_ORDER.height,
        fails: (heightCm) => Number(heightCm) > MAX_HEIGHT_CM,
        sentence: 'La altura máxima permitida es 150 cm.',
        shortSentence: `Máximo ${MAX_HEIGHT_CM} cm.`,
      },
    ],
    panel: { label: 'Altura', format: (heightCm) => `${heightCm} cm` },
    juryCardLabel: true,
    exportColumn: { title: 'Altura (cm)', width: 11 },
  },
  choiceField({
    name: 'ha_participado',
    label: '¿Ha participado en otros concursos?',
    panelLabel: 'Ya participó en otros concursos',
    exportTitle: 'Ha participado',
    options: ['No', 'Sí'],
    missingMessage: MISSING_MESSAGE,
    unreadableMessage: 'Elige No o Sí.',
    reportsAtOnce: true,
    checks: [
      {
        bannerRank: CHECK_ORDER.hasParticipated,
        fails: (value) => value === 'Sí',
        sentence: 'El traje no es elegible si ya participó en otros concursos.',
      },
    ],
    exportWidthCharacters: 14,
  }),
  whatsAppField(),
]

/** Parses a height in centimetres; undefined for a text that is no positive number. A decimal comma counts as a point. */
function parseHeightCm(text: string): number | undefined {
  const number = text.replace(',', '.')
  if (!/^\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number)) return undefined
  const centimetres = Number(number)
  return centimetres > 0 ? centimetres : undefined
}
