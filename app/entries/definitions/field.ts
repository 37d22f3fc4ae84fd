import { type AddressFault, checkAddress, MAX_ADDRESS } from '#app/core/text/email-address.ts'

/** What a typed field is; the fields themselves stand in candidate-fields.ts and costume-fields.ts. */

/** What is wrong with an address, beside its field. */
const ADDRESS_FAULTS: Record<AddressFault, string> = {
  vacia: 'Escribe un correo.',
  larga: `El correo es demasiado largo: caben ${MAX_ADDRESS} letras.`,
  caracteres: 'El correo lleva caracteres que no se pueden usar, como comillas, espacios o saltos de línea.',
  acentos: 'El correo lleva acentos o eñes antes de la arroba. Revisa cómo está escrito.',
  forma: 'Escribe el correo completo, como nombre@ejemplo.mx.',
}

/** What a text means once it is read: what is stored under the field's name. */
export type Valor = string | number

/** How a form shows a field. */
export type Control = { ancho: 'entero' | 'mitad' | 'corto'; placeholder?: string; autoComplete?: string } & (
  | { como: 'renglon'; type: 'text' | 'email' | 'tel'; autoCapitalize?: 'words' | 'none'; spellCheck?: false }
  | { como: 'numero'; step: string; inputMode: 'numeric' | 'decimal' }
  /** It says how much room is left; with `rows` it has several lines. */
  | { como: 'contado'; max: number; rows?: number }
  /** With `alMomento`, what is wrong with a choice is said as it is made. */
  | { como: 'opciones'; opciones: readonly string[]; alMomento?: true }
  /** Ticked or not, with what that means below it. */
  | { como: 'casilla'; ayuda: string }
)

/** Something that may be wrong with a value. */
export interface Revision {
  /**
   * Its place in the order in which the specification names a form's checks: the first that fails gives the banner.
   * Checks that the specification does not name have none, and come after all that have one.
   */
  turno?: number
  falla(valor: Valor): boolean
  /** For the banner; and for the field's own line, unless that has a shorter one. */
  oracion: string
  breve?: string
}

/** One typed field of a form: everything that form, checks, panel, print, exports and metadata know of it. */
export interface Field {
  /** Its key of §3: of the control, of the column in the form's table, of the metadata. */
  nombre: string
  /** As the form shows it. */
  etiqueta: string
  control: Control
  /** Stands for what was left empty. */
  porOmision?: string
  /** It may be left empty; it is null then. */
  esOpcional?: true
  /** What its own line says when it is empty. */
  falta: string
  /** What the text means; undefined: nothing that can be stored. */
  leer(text: string): Valor | undefined
  /** What is said of a text that means nothing. */
  ilegible(text: string): string
  /** A text that means nothing counts as missing. @source §5 */
  ilegibleFalta?: true
  revisiones: readonly Revision[]
  /** The column of `inscripciones` that repeats it, so that entries of both forms are listed and found together. */
  resumen?: 'titular' | 'detalle' | 'edad' | 'celular' | 'correo'
  /** On an entry's screen of the panel. */
  panel: { etiqueta: string; texto(valor: Valor): string }
  /** On the jury's card, under this name or the panel's. Neither telephones nor addresses stand there. */
  ficha?: true | string
  /** The metadata's keys are the specification's (§3): what the site asks for beyond it is no statement of the person's. */
  fueraDeMetadata?: true
  /** Column of CSV and XLSX; its width in characters. */
  exporte: { titulo: string; ancho: number }
  /** What the organisers are made aware of: nothing is refused for it. */
  marca?: { titulo: string; ancho: number; texto: string; hay(valor: Valor): boolean }
}

/** Characters as people count them. */
const lengthOf = (text: string): number => [...text].length

const CONTROL = /\p{Cc}/u

/** Neither control characters nor halves of one: the database has no place for them. */
const isStorable = (text: string): boolean => !CONTROL.test(text) && text.isWellFormed()

const UNREADABLE_TEXT = 'Este dato contiene caracteres que no se pueden guardar. Escríbelo de nuevo.'

/** A limit on how long a text may be, and what is said beyond it. */
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
  /** In panel and exports; without it, the form's. */
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

/** An address to which mail can be sent, kept as it was typed; what is none counts as missing (§5), where it is asked for. */
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

/** What an unticked box is stored as, and a ticked one. */
const DENIED = 'No'
export const GRANTED = 'Sí'

/** Something that a person may allow and need not: a box of its own, unticked, outside the specification's fields. */
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
  /** It is nothing to the jury. */
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

/** The field by which a person lets the committee write by WhatsApp; the same in both forms. */
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
/** How either form asks for a person's whole name. */
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
/** How either form asks for an address. */
export const EMAIL_CONTROL: Control = {
  como: 'renglon',
  type: 'email',
  ancho: 'entero',
  placeholder: 'nombre@ejemplo.mx',
  autoComplete: 'email',
  autoCapitalize: 'none',
  spellCheck: false,
}
