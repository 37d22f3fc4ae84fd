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
export type Valor = string | number

/** The control by which a form shows a field. */
export type Control = { ancho: 'entero' | 'mitad' | 'corto'; placeholder?: string; autoComplete?: string } & (
  | { como: 'renglon'; type: 'text' | 'email' | 'tel'; autoCapitalize?: 'words' | 'none'; spellCheck?: false }
  | { como: 'numero'; step: string; inputMode: 'numeric' | 'decimal' }
  /** A text that counts the characters left; with `rows`, of several lines. */
  | { como: 'contado'; max: number; rows?: number }
  /** A select; a faulty choice may be reported at once. */
  | { como: 'opciones'; opciones: readonly string[]; alMomento?: true }
  /** A checkbox with a help text below it. */
  | { como: 'casilla'; ayuda: string }
)

/** A check of a value. */
export interface Revision {
  /**
   * Place in the specification's order of a form's checks: the first failed check gives the banner's message. Checks that the
   * specification does not name have no place, and come last.
   */
  turno?: number
  falla(valor: Valor): boolean
  /** Message for the banner; also shown beside the field, unless the check has a shorter one. */
  oracion: string
  breve?: string
}

/** One typed field of a form, with everything that form, checks, panel, print, exports and metadata need. */
export interface Field {
  /** Key of §3: name of the control, of the column in the form's table and of the key in the metadata. */
  nombre: string
  /** Label in the form. */
  etiqueta: string
  control: Control
  /** Text that stands in for an empty one. */
  porOmision?: string
  /** The field may be left empty; its value is null then. */
  esOpcional?: true
  /** Message beside the field when it is empty. */
  falta: string
  /** Parses the text; undefined for a text without a meaning. */
  leer(text: string): Valor | undefined
  /** Message for a text without a meaning. */
  ilegible(text: string): string
  /** A text without a meaning counts as missing. @source §5 */
  ilegibleFalta?: true
  revisiones: readonly Revision[]
  /** Column of `inscripciones` that repeats the value, so that entries of both forms are listed and searched together. */
  resumen?: 'titular' | 'detalle' | 'edad' | 'celular' | 'correo'
  /** Label and text on an entry's screen in the panel. */
  panel: { etiqueta: string; texto(valor: Valor): string }
  /** On the jury's card, under this label or the panel's. Telephones and emails never appear there. */
  ficha?: true | string
  /** Left out of the metadata, whose keys §3 fixes: the site's own additions are not among them. */
  fueraDeMetadata?: true
  /** Column of CSV and XLSX; its width in characters. */
  exporte: { titulo: string; ancho: number }
  /** Flag that draws the organisers' attention to a value; it never causes a refusal. */
  marca?: { titulo: string; ancho: number; texto: string; hay(valor: Valor): boolean }
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
  { turno, breve }: Pick<Revision, 'turno' | 'breve'> = {},
): Revision => ({
  falla: (valor) => lengthOf(String(valor)) > characters,
  oracion: sentence,
  ...(turno !== undefined && { turno }),
  ...(breve !== undefined && { breve }),
})

type TextFieldOptions = Omit<Field, 'leer' | 'ilegible' | 'revisiones' | 'panel' | 'exporte'> & {
  /** Label in panel and exports; by default the form's. */
  enPanel?: string
  titulo?: string
  ancho: number
  revisiones?: readonly Revision[]
}

/** A field that is stored as it was typed. */
export function textField({ enPanel, titulo, ancho, revisiones = [], ...field }: TextFieldOptions): Field {
  const { control } = field
  const hasLines = control.como === 'contado' && control.rows !== undefined
  const isUnstorable = (valor: Valor) => !isStorable(hasLines ? String(valor).replaceAll('\n', ' ') : String(valor))
  return {
    ...field,
    leer: (text) => text,
    ilegible: () => UNREADABLE_TEXT,
    revisiones: [...revisiones, { falla: isUnstorable, oracion: UNREADABLE_TEXT }],
    panel: { etiqueta: enPanel ?? field.etiqueta, texto: String },
    exporte: { titulo: titulo ?? enPanel ?? field.etiqueta, ancho },
  }
}

/** A field that takes one of a few values. */
export function choiceField({
  enPanel,
  titulo,
  ancho,
  opciones,
  ilegible,
  revisiones = [],
  alMomento,
  ...field
}: Omit<TextFieldOptions, 'control'> & { opciones: readonly string[]; ilegible: string; alMomento?: true }): Field {
  return {
    ...field,
    control: { como: 'opciones', ancho: 'mitad', autoComplete: 'off', opciones, ...(alMomento && { alMomento }) },
    leer: (text) => (opciones.includes(text) ? text : undefined),
    ilegible: () => ilegible,
    revisiones,
    panel: { etiqueta: enPanel ?? field.etiqueta, texto: String },
    exporte: { titulo: titulo ?? enPanel ?? field.etiqueta, ancho },
  }
}

/** An email address, stored as typed; an invalid one counts as missing (§5), unless the field is optional. */
export function emailField(field: TextFieldOptions): Field {
  return {
    ...textField(field),
    leer: (text) => (checkAddress(text).ok ? text : undefined),
    ilegible(text) {
      const checked = checkAddress(text)
      return ADDRESS_FAULTS[checked.ok ? 'forma' : checked.reason]
    },
    ...(!field.esOpcional && { ilegibleFalta: true as const }),
  }
}

/** Stored values of an unticked and a ticked permission. */
const DENIED = 'No'
export const GRANTED = 'Sí'

/** An optional permission: a checkbox, unticked at first, beyond the specification's fields. */
export function permissionField({
  ayuda,
  ancho,
  enPanel,
  sinFicha = false,
  ...field
}: Pick<Field, 'nombre' | 'etiqueta'> & {
  ayuda: string
  ancho: number
  enPanel: string
  /** Left out of the jury's card. */
  sinFicha?: boolean
}): Field {
  return {
    ...field,
    control: { como: 'casilla', ancho: 'entero', autoComplete: 'off', ayuda },
    porOmision: DENIED,
    falta: '',
    leer: (text) => (text === GRANTED || text === DENIED ? text : undefined),
    ilegible: () => 'Marca la casilla o déjala sin marcar, y envía de nuevo.',
    revisiones: [],
    panel: { etiqueta: enPanel, texto: String },
    ...(!sinFicha && { ficha: true as const }),
    fueraDeMetadata: true,
    exporte: { titulo: enPanel, ancho },
  }
}

/** Field by which an entrant lets the committee write by WhatsApp; the same in both forms. */
export const WHATSAPP_NOTICES_FIELD = 'avisosWhatsApp'

export const whatsAppField = (): Field =>
  permissionField({
    nombre: WHATSAPP_NOTICES_FIELD,
    etiqueta: 'El comité puede escribirme por WhatsApp a este celular',
    ayuda: 'Es opcional, y sólo para avisarte de tu registro y del certamen. Si no la marcas, te llaman.',
    enPanel: 'Acepta WhatsApp',
    ancho: 16,
    sinFicha: true,
  })

export const MAX_NAME_CHARACTERS = 120
export const MAX_PHONE_CHARACTERS = 30
/** Control and checks of a full name, in either form. */
export const FULL_NAME = {
  control: {
    como: 'renglon',
    type: 'text',
    ancho: 'entero',
    placeholder: 'Nombre completo',
    autoComplete: 'name',
    autoCapitalize: 'words',
    spellCheck: false,
  } satisfies Control,
  revisiones: [maxLength(MAX_NAME_CHARACTERS, `El nombre no debe exceder ${MAX_NAME_CHARACTERS} caracteres.`)],
}
/** Control of an email address, in either form. */
export const EMAIL_CONTROL: Control = {
  como: 'renglon',
  type: 'email',
  ancho: 'entero',
  placeholder: 'nombre@ejemplo.mx',
  autoComplete: 'email',
  autoCapitalize: 'none',
  spellCheck: false,
}
