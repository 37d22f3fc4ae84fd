import { type AddressFault, checkAddress, MAX_ADDRESS } from '#app/core/text/email-address.ts'

/** Descriptor of a typed field; candidate-fields.ts and costume-fields.ts define the fields. */

/** Messages for a faulty email address, shown beside its field. */
const ADDRESS_FAULTS: Record<AddressFault, string> = {
  vacia: 'Escribe un correo.',
  larga: `El correo es demasiado largo: caben ${MAX_ADDRESS} letras.`,
  caracteres: 'El correo lleva caracteres que no se pueden usar, como comillas, espacios o saltos de línea.',
  acentos: 'El correo lleva acentos o eñes antes de la arroba. Revisa cómo está escrito.',
  forma: 'Escribe el correo completo, como nombre@ejemplo.mx.',
}

/** A field's value once its text is parsed, as it is stored. */
export type FieldValue = string | number

/** The control by which a form shows a field. */
export type Control = { width: 'entero' | 'mitad' | 'corto'; placeholder?: string; autoComplete?: string } & (
  | { kind: 'renglon'; type: 'text' | 'email' | 'tel'; autoCapitalize?: 'words' | 'none'; spellCheck?: false }
  | { kind: 'numero'; step: string; inputMode: 'numeric' | 'decimal' }
  /** A text that counts the characters left; with `rows`, of several lines. */
  | { kind: 'contado'; max: number; rows?: number }
  /** A select; a faulty choice may be reported at once. */
  | { kind: 'opciones'; options: readonly string[]; reportsAtOnce?: true }
  /** A checkbox with a help text below it. */
  | { kind: 'casilla'; help: string }
)

/** A check of a value. */
export interface FieldCheck {
  /**
   * Place in the specification's order of a form's checks: the first failed check gives the banner's message. Checks that the
   * specification does not name have no place, and come last.
   */
  order?: number
  fails(value: FieldValue): boolean
  /** Message for the banner; also shown beside the field, unless the check has a shorter one. */
  sentence: string
  shortSentence?: string
}

/** One typed field of a form, with everything that form, checks, panel, print, exports and metadata need. */
export interface Field {
  /** Key of §3: name of the control, of the column in the form's table and of the key in the metadata. */
  name: string
  /** Label in the form. */
  label: string
  control: Control
  /** Text that stands in for an empty one. */
  defaultText?: string
  /** The field may be left empty; its value is null then. */
  isOptional?: true
  /** Message beside the field when it is empty. */
  missingMessage: string
  /** Parses the text; undefined for a text without a meaning. */
  parse(text: string): FieldValue | undefined
  /** Message for a text without a meaning. */
  unreadableMessage(text: string): string
  /** A text without a meaning counts as missing. @source §5 */
  isMissingWhenUnreadable?: true
  checks: readonly FieldCheck[]
  /** Column of `inscripciones` that repeats the value, so that entries of both forms are listed and searched together. */
  summaryColumn?: 'titular' | 'detalle' | 'edad' | 'celular' | 'correo'
  /** Label and text on an entry's screen in the panel. */
  panel: { label: string; format(value: FieldValue): string }
  /** On the jury's card, under this label or the panel's. Telephones and emails never appear there. */
  juryCard?: true | string
  /** Left out of the metadata, whose keys §3 fixes: the site's own additions are not among them. */
  isOutsideMetadata?: true
  /** Column of CSV and XLSX; its width in characters. */
  exportColumn: { title: string; width: number }
  /** Flag that draws the organisers' attention to a value; it never causes a refusal. */
  flag?: { title: string; width: number; text: string; applies(value: FieldValue): boolean }
}

/** Length in code points, not in UTF-16 units. */
const lengthOf = (text: string): number => [...text].length

const CONTROL = /\p{Cc}/u

/** Refuses control characters and lone surrogates; PostgreSQL stores neither NUL nor a lone surrogate. */
const isStorable = (text: string): boolean => !CONTROL.test(text) && text.isWellFormed()

const UNREADABLE_TEXT = 'Este dato contiene caracteres que no se pueden guardar. Escríbelo de nuevo.'

/** Limits a text's length, with the messages for a longer one. */
export const maxLength = (
  characters: number,
  sentence: string,
  { order, shortSentence }: Pick<FieldCheck, 'order' | 'shortSentence'> = {},
): FieldCheck => ({
  fails: (value) => lengthOf(String(value)) > characters,
  sentence,
  ...(order !== undefined && { order }),
  ...(shortSentence !== undefined && { shortSentence }),
})

type TextFieldOptions = Omit<Field, 'parse' | 'unreadableMessage' | 'checks' | 'panel' | 'exportColumn'> & {
  /** Label in panel and exports; by default the form's. */
  panelLabel?: string
  exportTitle?: string
  exportWidth: number
  checks?: readonly FieldCheck[]
}

/** A field that is stored as it was typed. */
export function textField({ panelLabel, exportTitle, exportWidth, checks = [], ...field }: TextFieldOptions): Field {
  const { control } = field
  const hasLines = control.kind === 'contado' && control.rows !== undefined
  const isUnstorable = (value: FieldValue) =>
    !isStorable(hasLines ? String(value).replaceAll('\n', ' ') : String(value))
  return {
    ...field,
    parse: (text) => text,
    unreadableMessage: () => UNREADABLE_TEXT,
    checks: [...checks, { fails: isUnstorable, sentence: UNREADABLE_TEXT }],
    panel: { label: panelLabel ?? field.label, format: String },
    exportColumn: { title: exportTitle ?? panelLabel ?? field.label, width: exportWidth },
  }
}

/** A field that takes one of a few values. */
export function choiceField({
  panelLabel,
  exportTitle,
  exportWidth,
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
      kind: 'opciones',
      width: 'mitad',
      autoComplete: 'off',
      options,
      ...(reportsAtOnce && { reportsAtOnce }),
    },
    parse: (text) => (options.includes(text) ? text : undefined),
    unreadableMessage: () => unreadableMessage,
    checks,
    panel: { label: panelLabel ?? field.label, format: String },
    exportColumn: { title: exportTitle ?? panelLabel ?? field.label, width: exportWidth },
  }
}

/** An email address, stored as typed; an invalid one counts as missing (§5), unless the field is optional. */
export function emailField(field: TextFieldOptions): Field {
  return {
    ...textField(field),
    parse: (text) => (checkAddress(text).ok ? text : undefined),
    unreadableMessage(text) {
      const checked = checkAddress(text)
      return ADDRESS_FAULTS[checked.ok ? 'forma' : checked.reason]
    },
    ...(!field.isOptional && { isMissingWhenUnreadable: true as const }),
  }
}

/** Stored values of an unticked and a ticked permission. */
const DENIED = 'No'
export const GRANTED = 'Sí'

/** An optional permission: a checkbox, unticked at first, beyond the specification's fields. */
export function permissionField({
  help,
  exportWidth,
  panelLabel,
  isHiddenFromJury = false,
  ...field
}: Pick<Field, 'name' | 'label'> & {
  help: string
  exportWidth: number
  panelLabel: string
  /** Left out of the jury's card. */
  isHiddenFromJury?: boolean
}): Field {
  return {
    ...field,
    control: { kind: 'casilla', width: 'entero', autoComplete: 'off', help },
    defaultText: DENIED,
    missingMessage: '',
    parse: (text) => (text === GRANTED || text === DENIED ? text : undefined),
    unreadableMessage: () => 'Marca la casilla o déjala sin marcar, y envía de nuevo.',
    checks: [],
    panel: { label: panelLabel, format: String },
    ...(!isHiddenFromJury && { juryCard: true as const }),
    isOutsideMetadata: true,
    exportColumn: { title: panelLabel, width: exportWidth },
  }
}

/** Field by which an entrant lets the committee write by WhatsApp; the same in both forms. */
export const WHATSAPP_NOTICES_FIELD = 'avisosWhatsApp'

export const whatsAppField = (): Field =>
  permissionField({
    name: WHATSAPP_NOTICES_FIELD,
    label: 'El comité puede escribirme por WhatsApp a este celular',
    help: 'Es opcional, y sólo para avisarte de tu registro y del certamen. Si no la marcas, te llaman.',
    panelLabel: 'Acepta WhatsApp',
    exportWidth: 16,
    isHiddenFromJury: true,
  })

export const MAX_NAME_CHARACTERS = 120
export const MAX_PHONE_CHARACTERS = 30
/** Control and checks of a full name, in either form. */
export const FULL_NAME = {
  control: {
    kind: 'renglon',
    type: 'text',
    width: 'entero',
    placeholder: 'Nombre completo',
    autoComplete: 'name',
    autoCapitalize: 'words',
    spellCheck: false,
  } satisfies Control,
  checks: [maxLength(MAX_NAME_CHARACTERS, `El nombre no debe exceder ${MAX_NAME_CHARACTERS} caracteres.`)],
}
/** Control of an email address, in either form. */
export const EMAIL_CONTROL: Control = {
  kind: 'renglon',
  type: 'email',
  width: 'entero',
  placeholder: 'nombre@ejemplo.mx',
  autoComplete: 'email',
  autoCapitalize: 'none',
  spellCheck: false,
}
