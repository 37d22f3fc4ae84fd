/** Types and makers of typed fields; candidate-fields.ts and costume-fields.ts define the fields. */

import { checkEmailAddress, type EmailAddressFault, MAX_ADDRESS_LENGTH } from '#app/core/text/email-address.ts'

const EMAIL_FAULT_MESSAGES: Record<EmailAddressFault, string> = {
  empty: 'Escribe un correo.',
  tooLong: `El correo es demasiado largo: caben ${MAX_ADDRESS_LENGTH} letras.`,
  forbiddenCharacters: 'El correo lleva caracteres que no se pueden usar, como comillas, espacios o saltos de línea.',
  accents: 'El correo lleva acentos o eñes antes de la arroba. Revisa cómo está escrito.',
  malformed: 'Escribe el correo completo, como nombre@ejemplo.mx.',
}

/** The value of a typed text, as it is stored. */
export type FieldValue = string | number

/** How a form shows a field. */
export type FieldControl = { width: 'full' | 'half' | 'short'; placeholder?: string; autoComplete?: string } & (
  | { kind: 'line'; type: 'text' | 'email' | 'tel'; autoCapitalize?: 'words' | 'none'; spellCheck?: false }
  | { kind: 'number'; step: string; inputMode: 'numeric' | 'decimal' }
  /** A text with a counter of the characters that are left; with `rows` the text may have several lines. */
  | { kind: 'counted'; max: number; rows?: number }
  /** A select; with `reportsAtOnce` a faulty choice is reported before the form is sent. */
  | { kind: 'select'; options: readonly string[]; reportsAtOnce?: true }
  /** A checkbox with a help text below. */
  | { kind: 'checkbox'; help: string }
)

export interface FieldCheck {
  /**
   * If nothing is missing in a form, the failed check with the lowest rank gives the banner's message. Checks that the
   * specification does not name have no rank, and come last.
   */
  bannerRank?: number
  fails(value: FieldValue): boolean
  /** Text for the banner, and for the field unless the check has a shorter sentence. */
  sentence: string
  shortSentence?: string
}

/** Everything that form, checks, panel, printouts, exports and metadata need of a typed field. */
export interface Field {
  /** Name of the control and of the column of the form's table; also the key of §3 in the metadata, unless `isLeftOutOfMetadata`. */
  name: string
  label: string
  control: FieldControl
  /** Text that is parsed in place of an empty text. */
  defaultText?: string
  /** Whether the field may be left empty; its value is null then. */
  isOptional?: true
  missingMessage: string
  /** Parses a trimmed, non-empty text; undefined for a text without a meaning. */
  parse(text: string): FieldValue | undefined
  /** Returns the message for a text for which `parse` returns undefined. */
  unreadableMessage(text: string): string
  /** Whether an unreadable text counts as missing (§5), so that the banner shows the form's own sentence. */
  isMissingWhenUnreadable?: true
  checks: readonly FieldCheck[]
  /** Column of `inscripciones` that repeats the value, so that entries of both forms are listed and searched together. */
  summaryColumn?: 'titular' | 'detalle' | 'edad' | 'celular' | 'correo'
  panel: { label: string; format(value: FieldValue): string }
  /** Label on the jury's card; `true` stands for the panel's label. Telephone numbers and emails have none, so the card lacks them. */
  juryCardLabel?: true | string
  /** Whether the metadata lacks the field, as the site's own additions to the keys of §3. */
  isLeftOutOfMetadata?: true
  /** Column of CSV and XLSX; the width is in characters. */
  exportColumn: { title: string; width: number }
  /** Draws the organisers' attention to a value, and adds a column to exports; it never causes a refusal. */
  notice?: { title: string; width: number; text: string; isDueFor(value: FieldValue): boolean }
}

/** Counts code points, as the form's counter does, not UTF-16 units. */
const lengthOf = (text: string): number => [...text].length

const CONTROL_CHARACTER = /\p{Cc}/u

/** Returns whether a text lacks control characters and lone surrogates; PostgreSQL refuses NUL and lone surrogates. */
const isStorable = (text: string): boolean => !CONTROL_CHARACTER.test(text) && text.isWellFormed()

const UNREADABLE_TEXT = 'Este dato contiene caracteres que no se pueden guardar. Escríbelo de nuevo.'

/** Makes the check that a text has at most `maxCharacters`. */
export const maxLength = (
  maxCharacters: number,
  sentence: string,
  { bannerRank, shortSentence }: Pick<FieldCheck, 'bannerRank' | 'shortSentence'> = {},
): FieldCheck => ({
  fails: (value) => lengthOf(String(value)) > maxCharacters,
  sentence,
  ...(bannerRank !== undefined && { bannerRank }),
  ...(shortSentence !== undefined && { shortSentence }),
})

type TextFieldOptions = Omit<Field, 'parse' | 'unreadableMessage' | 'checks' | 'panel' | 'exportColumn'> & {
  /** Label in the panel and, without `exportTitle`, in exports; by default the form's. */
  panelLabel?: string
  exportTitle?: string
  exportWidthCharacters: number
  checks?: readonly FieldCheck[]
}

/** Makes a field of text, stored as `typedText` returns it. Control characters are refused, but for line breaks in a field with rows. */
export function textField({
  panelLabel,
  exportTitle,
  exportWidthCharacters,
  checks = [],
  ...field
}: TextFieldOptions): Field {
  const { control } = field
  const mayHaveLineBreaks = control.kind === 'counted' && control.rows !== undefined
  const isUnstorable = (value: FieldValue) =>
    !isStorable(mayHaveLineBreaks ? String(value).replaceAll('\n', ' ') : String(value))
  return {
    ...field,
    parse: (text) => text,
    unreadableMessage: () => UNREADABLE_TEXT,
    checks: [...checks, { fails: isUnstorable, sentence: UNREADABLE_TEXT }],
    panel: { label: panelLabel ?? field.label, format: String },
    exportColumn: { title: exportTitle ?? panelLabel ?? field.label, width: exportWidthCharacters },
  }
}

export function choiceField({
  panelLabel,
  exportTitle,
  exportWidthCharacters,
  options,
  unreadableMessage,
  checks = [],
  reportsAtOnce,
  ...field
}: Omit<TextFieldOptions, 'control'> & {
  options: readonly string[]
  unreadableMessage: string
  reportsAtOnce?: true
}): Field {
  return {
    ...field,
    control: {
      kind: 'select',
      width: 'half',
      autoComplete: 'off',
      options,
      ...(reportsAtOnce && { reportsAtOnce }),
    },
    parse: (text) => (options.includes(text) ? text : undefined),
    unreadableMessage: () => unreadableMessage,
    checks,
    panel: { label: panelLabel ?? field.label, format: String },
    exportColumn: { title: exportTitle ?? panelLabel ?? field.label, width: exportWidthCharacters },
  }
}

/** Makes a field for an email address, whose letter case stays; an invalid address counts as missing (§5) in a required field. */
export function emailField(field: TextFieldOptions): Field {
  return {
    ...textField(field),
    parse: (text) => (checkEmailAddress(text).ok ? text : undefined),
    unreadableMessage(text) {
      const addressCheck = checkEmailAddress(text)
      return EMAIL_FAULT_MESSAGES[addressCheck.ok ? 'malformed' : addressCheck.reason]
    },
    ...(!field.isOptional && { isMissingWhenUnreadable: true as const }),
  }
}

/** Values of an unticked and of a ticked permission, as they are stored. */
const PERMISSION_DENIED = 'No'
export const PERMISSION_GRANTED = 'Sí'

/** Makes a permission: a checkbox, unticked at first, which neither the specification nor the metadata has. */
export function permissionField({
  help,
  exportWidthCharacters,
  panelLabel,
  isHiddenFromJury = false,
  ...field
}: Pick<Field, 'name' | 'label'> & {
  help: string
  exportWidthCharacters: number
  panelLabel: string
  /** Whether the jury's card leaves the permission out. */
  isHiddenFromJury?: boolean
}): Field {
  return {
    ...field,
    control: { kind: 'checkbox', width: 'full', autoComplete: 'off', help },
    defaultText: PERMISSION_DENIED,
    missingMessage: '',
    parse: (text) => (text === PERMISSION_GRANTED || text === PERMISSION_DENIED ? text : undefined),
    unreadableMessage: () => 'Marca la casilla o déjala sin marcar, y envía de nuevo.',
    checks: [],
    panel: { label: panelLabel, format: String },
    ...(!isHiddenFromJury && { juryCardLabel: true as const }),
    isLeftOutOfMetadata: true,
    exportColumn: { title: panelLabel, width: exportWidthCharacters },
  }
}

/** Name of the field of both forms by which an entrant lets the committee write by WhatsApp. */
export const WHATSAPP_NOTICES_FIELD = 'avisosWhatsApp'

export const whatsAppField = (): Field =>
  permissionField({
    name: WHATSAPP_NOTICES_FIELD,
    label: 'El comité puede escribirme por WhatsApp a este celular',
    help: 'Es opcional, y sólo para avisarte de tu registro y del certamen. Si no la marcas, te llaman.',
    panelLabel: 'Acepta WhatsApp',
    exportWidthCharacters: 16,
    isHiddenFromJury: true,
  })

export const MAX_NAME_CHARACTERS = 120
export const MAX_PHONE_CHARACTERS = 30
/** Control and checks of a full name, in both forms. */
export const FULL_NAME_PARTS = {
  control: {
    kind: 'line',
    type: 'text',
    width: 'full',
    placeholder: 'Nombre completo',
    autoComplete: 'name',
    autoCapitalize: 'words',
    spellCheck: false,
  } satisfies FieldControl,
  checks: [maxLength(MAX_NAME_CHARACTERS, `El nombre no debe exceder ${MAX_NAME_CHARACTERS} caracteres.`)],
}
export const EMAIL_CONTROL: FieldControl = {
  kind: 'line',
  type: 'email',
  width: 'full',
  placeholder: 'nombre@ejemplo.mx',
  autoComplete: 'email',
  autoCapitalize: 'none',
  spellCheck: false,
}
