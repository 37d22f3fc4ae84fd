import { formatMomentInWords, formatTime, isoDateOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import type { EntryState } from '#app/entries/schema.ts'
import type { Letter, LetterPiece } from '#app/mail/schema.ts'
import {
  type Appointment,
  type LetterTexts,
  type LetterType,
  MAX_LETTER_CHARACTERS,
  MAX_PLACE_CHARACTERS,
  type Message,
  type MessageDraft,
  OCCASIONS,
  type Occasion,
  PLACEHOLDERS,
  type Placeholder,
  placeholdersOf,
} from './schema.ts'

export const parseOccasion = (text: unknown): Occasion | undefined => OCCASIONS.find((occasion) => occasion === text)

/** Returns the occasion of a state; undefined for a state without a notice. */
export const occasionOf = (state: EntryState): Occasion | undefined => parseOccasion(state)

/** The site's own templates, which are used until the organisers save theirs. */
export const DEFAULT_TEXTS: Readonly<Record<Occasion, LetterTexts>> = {
  aceptada: {
    asunto: 'Tu registro para {certamen} fue aceptado',
    titulo: '¡Felicidades, {nombre}!',
    texto:
      'El comité revisó tu registro, con el folio {folio}, y lo aceptó.\n\n{nota}\n\nPronto te buscamos para decirte lo que sigue. Con tu folio puedes ver tu registro cuando quieras:\n\n{enlace}',
  },
  rechazada: {
    asunto: 'Sobre tu registro para {certamen}',
    titulo: 'Hola, {nombre}',
    texto:
      'El comité revisó tu registro, con el folio {folio}, y esta vez no fue aceptado.\n\n{nota}\n\nGracias por tu interés y por el tiempo que le diste. Con tu folio puedes ver tu registro mientras lo conservamos:\n\n{enlace}',
  },
  'falta-documento': {
    asunto: 'Necesitamos un documento de tu registro para {certamen}',
    titulo: 'Falta un documento',
    texto:
      'Hola, {nombre}. Para seguir con tu registro necesitamos que subas otra vez:\n\n{documentos}\n\n{nota}\n\nCon tu folio {folio} subes sólo lo que falta; lo demás ya lo tenemos:\n\n{enlace}',
  },
}

export interface TextProblem {
  field: keyof LetterTexts
  message: string
}

const EMPTY_MESSAGES: Readonly<Record<keyof LetterTexts, string>> = {
  asunto: 'Escribe el asunto: es lo primero que se lee.',
  titulo: 'Escribe el título de la carta.',
  texto: 'Escribe lo que dice la carta.',
}

const PLACEHOLDER_PATTERN = /\{([^{}\n]*)\}/g

/** Finds the first fault of each text of a template or of a message; browser and server run the same check. */
export function checkLetterTexts(type: LetterType, texts: LetterTexts): TextProblem[] {
  return (['asunto', 'titulo', 'texto'] as const).flatMap((field) => {
    const message = findTextProblem(type, field, texts[field])
    return message === undefined ? [] : [{ field, message }]
  })
}

function findTextProblem(type: LetterType, field: keyof LetterTexts, text: string): string | undefined {
  if (text.trim() === '') return EMPTY_MESSAGES[field]
  const maxLength = MAX_LETTER_CHARACTERS[field]
  const length = [...text].length
  if (length > maxLength) return `Escríbelo más corto: caben ${maxLength} caracteres y lleva ${length}.`
  const placeholders = placeholdersOf(type)
  const placeholderList = placeholders.map((placeholder) => `{${placeholder}}`).join(', ')
  for (const [placeholderText, name] of text.matchAll(PLACEHOLDER_PATTERN)) {
    if ((placeholders as string[]).includes(name!)) {
      if (field !== 'texto' && ['enlace', 'nota', 'documentos'].includes(name!))
        return `${placeholderText} sólo puede ir en el texto de la carta. Quítalo de aquí.`
      continue
    }
    return Object.hasOwn(PLACEHOLDERS, name!)
      ? `${placeholderText} no se conoce en esta carta. Los que hay son ${placeholderList}.`
      : `${placeholderText} no es un dato que se pueda poner. Los que hay son ${placeholderList}. Escríbelo igual que ahí, o quita las llaves.`
  }
  if (/[{}]/.test(text.replace(PLACEHOLDER_PATTERN, '')))
    return `Hay una llave suelta. Cada dato va entre dos llaves, como {nombre}; quita la que sobra.`
  return undefined
}

/** Checks a message. An appointment needs day, hour and place, and must be in the future. */
export function checkMessage(
  { asunto, texto, dia, hora, lugar }: MessageDraft,
  now: Date,
): { ok: true; message: Message } | { ok: false; problems: Partial<Record<keyof MessageDraft, string>> } {
  const problems: Partial<Record<keyof MessageDraft, string>> = {}
  for (const { field, message } of checkLetterTexts('mensaje', { asunto, titulo: asunto, texto }))
    problems[field === 'titulo' ? 'asunto' : field] ??= message
  if (!dia && !hora && !lugar)
    return Object.keys(problems).length > 0
      ? { ok: false, problems }
      : { ok: true, message: { asunto, texto, appointment: undefined } }
  const isoMoment = parseDateTimeLocal(`${dia}T${hora}`)
  if (!dia) problems.dia = 'Elige el día de la cita, o deja vacíos los tres datos.'
  else if (!hora) problems.hora = 'Elige a qué hora es la cita.'
  else if (!isoMoment) problems.dia = 'Escribe el día y la hora otra vez: ese momento no existe.'
  else if (new Date(isoMoment) <= now) problems.dia = 'Ese día y esa hora ya pasaron. Elige los de la cita.'
  if (!lugar) problems.lugar = 'Escribe dónde es la cita.'
  else if ([...lugar].length > MAX_PLACE_CHARACTERS)
    problems.lugar = `Escribe el lugar más corto: caben ${MAX_PLACE_CHARACTERS} caracteres.`
  if (!isoMoment || Object.keys(problems).length > 0) return { ok: false, problems }
  return { ok: true, message: { asunto, texto, appointment: { at: new Date(isoMoment), place: lugar } } }
}

/** Values for the placeholders of one letter, but for `certamen` and `enlace`, which `noticeLetter` fills in. */
export type PlaceholderValues = Readonly<Record<Exclude<Placeholder, 'certamen' | 'enlace'>, string>>

const BUTTON_LABELS: Readonly<Record<LetterType, string>> = {
  aceptada: 'Consultar mi folio',
  rechazada: 'Consultar mi folio',
  'falta-documento': 'Subir lo que falta',
  mensaje: 'Consultar mi folio',
}

/** Kinds of letters in the log and in the outbox. */
const LETTER_KINDS: Readonly<Record<LetterType, string>> = {
  aceptada: 'aceptada',
  rechazada: 'rechazada',
  'falta-documento': 'documento',
  mensaje: 'mensaje',
}

const MAX_PREHEADER_CHARACTERS = 120

const footnoteOf = (pageant: string) =>
  `Recibes este correo porque diste esta dirección al registrarte para ${pageant}. Tu folio es personal: quien lo tenga puede ver cómo va tu registro. Si no fuiste tú, ignora este correo.`

/** Returns a text such as «Tienes una cita el lunes 1 de septiembre a las 10 a.m. Lugar: Casa de la Cultura.» */
export function appointmentInWords({ at, place }: Pick<Appointment, 'at' | 'place'>): string {
  const [moment, placeName] = [formatMomentInWords(at, at), place].map((text) => text.replace(/\.$/, ''))
  return `Tienes una cita ${moment}. Lugar: ${placeName}.`
}

/** Returns a text such as «el lunes 1 de septiembre a las 10 a.m., en Casa de la Cultura». */
export const appointmentDetails = ({ at, place }: Pick<Appointment, 'at' | 'place'>): string =>
  `${formatMomentInWords(at, at)}, en ${place.replace(/\.$/, '')}`

/** Builds a message for the organiser to complete: it moves an appointment or, without one, makes one. */
export const appointmentDraft = (appointment: Pick<Appointment, 'at' | 'place'> | undefined): MessageDraft =>
  appointment
    ? {
        asunto: 'Tu cita con {certamen} cambió',
        texto:
          'Hola, {nombre}. Tu cita cambió. Aquí van el día, la hora y el lugar: reemplazan a los de antes.\n{enlace}',
        dia: isoDateOf(appointment.at),
        hora: formatTime(appointment.at),
        lugar: appointment.place,
      }
    : {
        asunto: 'Tu cita con {certamen}',
        texto: 'Hola, {nombre}. Aquí van el día, la hora y el lugar de tu cita.\n{enlace}',
        dia: '',
        hora: '',
        lugar: '',
      }

/** A message for the organiser to complete, to people who all lack documents. */
export const MISSING_DOCUMENTS_DRAFT: MessageDraft = {
  asunto: 'Falta un documento de tu registro',
  texto:
    'Hola, {nombre}. Para seguir con tu registro todavía nos falta:\n{documentos}\nCon tu folio {folio} subes sólo lo que falta; lo demás ya lo tenemos:\n{enlace}',
  dia: '',
  hora: '',
  lugar: '',
}

export const cancellationMessage = ({ at, place }: Pick<Appointment, 'at' | 'place'>): Omit<LetterTexts, 'titulo'> => ({
  asunto: 'Tu cita se canceló',
  texto: `Hola, {nombre}. Se canceló tu cita, la que era ${formatMomentInWords(at, at)} en: ${place.replace(/\.$/, '')}. No hace falta que vayas. Si te damos otra, te la mandamos igual, y la ves con tu folio.\n{enlace}`,
})

/** Builds a letter's part about an appointment, with the button that saves it in a calendar. */
const appointmentPieces = (appointment: Appointment, siteUrl: string): LetterPiece[] => [
  { paragraph: appointmentInWords(appointment) },
  { link: calendarUrl(appointment, siteUrl), label: 'Guardar la cita en mi calendario' },
]

export const reminderLetter = (appointment: Appointment, folio: string): Letter => ({
  kind: 'cita',
  compose({ nombre, anio }, siteUrl) {
    const pageant = `${nombre} ${anio}`
    return {
      subject: `Recordatorio de tu cita con ${pageant}`,
      preheader: appointmentInWords(appointment),
      title: 'Tu cita se acerca',
      body: [
        ...appointmentPieces(appointment, siteUrl),
        { link: `${siteUrl}/folio#${folio}`, label: BUTTON_LABELS.mensaje },
      ],
      note: footnoteOf(pageant),
    }
  },
})

/** @param siteUrl '' for a path instead of a URL */
export const calendarUrl = ({ code }: Pick<Appointment, 'code'>, siteUrl: string): string =>
  `${siteUrl}/cita/${code}.ics`

/**
 * Builds the letter of a notice, or of a message, which may make an appointment. Each line of the filled text becomes a paragraph;
 * a line of nothing but `{enlace}` becomes a button, and a line with `{nota}` or `{documentos}` is left out if that value is empty.
 */
export const noticeLetter = (
  type: LetterType,
  { asunto, titulo, texto }: LetterTexts,
  values: PlaceholderValues,
  appointment?: Appointment,
): Letter => ({
  kind: LETTER_KINDS[type],
  compose({ nombre, anio }, siteUrl) {
    const pageant = `${nombre} ${anio}`
    const url = `${siteUrl}/folio#${values.folio}`
    const allValues: Readonly<Record<string, string>> = { ...values, certamen: pageant, enlace: url }
    // All placeholders are filled in one pass, so that placeholders within an inserted value, such as a note, stay as they are.
    const fill = (text: string) =>
      text.replace(PLACEHOLDER_PATTERN, (placeholderText, name: string, at: number) => {
        const value = allValues[name] ?? placeholderText
        // The organiser's text has a full stop of its own.
        return text[at + placeholderText.length] === '.' ? value.replace(/\.$/, '') : value
      })
    const lines = texto
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    const lacksValue = (line: string) =>
      (['nota', 'documentos'] as const).some(
        (placeholder) => line.includes(`{${placeholder}}`) && values[placeholder] === '',
      )
    const body = lines
      .filter((line) => !lacksValue(line))
      .flatMap((line): LetterPiece[] =>
        line === '{enlace}'
          ? [{ link: url, label: BUTTON_LABELS[type] }]
          : fill(line)
              .split('\n')
              .map((paragraph) => ({ paragraph })),
      )
    const firstParagraph = body.find((piece) => 'paragraph' in piece)
    return {
      subject: fill(asunto),
      preheader:
        firstParagraph && 'paragraph' in firstParagraph
          ? [...firstParagraph.paragraph].slice(0, MAX_PREHEADER_CHARACTERS).join('')
          : fill(titulo),
      title: fill(titulo),
      body: [...body, ...(appointment ? appointmentPieces(appointment, siteUrl) : [])],
      note: footnoteOf(pageant),
    }
  },
})

/** Values in the preview of a template. */
export const EXAMPLE_VALUES: PlaceholderValues = {
  nombre: 'Lucía',
  folio: '7K2M-9QXR-4TBD',
  nota: 'Aquí va la nota que el comité escribe para la persona. Si no hay nota, este renglón no sale.',
  documentos: 'Credencial de elector, reverso: no se lee el número.',
}

const NAME_PARTICLES = new Set(['de', 'del', 'la', 'las', 'los', 'y', 'e'])

/**
 * Guesses the given names of a full name by dropping two surnames and the particles before them: «Ana Sofía Ramírez Luna» is Ana
 * Sofía, «Ana Ramírez» is Ana. With a single surname the guess loses a second given name: «Ana Sofía Ramírez» is Ana, too.
 */
export function givenNamesOf(fullName: string): string {
  const words = fullName.trim().split(/\s+/)
  const givenNames = words.slice(0, Math.max(1, words.length - 2))
  while (givenNames.length > 1 && NAME_PARTICLES.has(givenNames.at(-1)!.toLowerCase())) givenNames.pop()
  return givenNames.join(' ')
}

const WHATSAPP_SENTENCES: Readonly<Record<EntryState, string>> = {
  recibida: 'Recibimos tu registro y pronto lo revisamos.',
  'en-revision': 'Estamos revisando tu registro.',
  'falta-documento': 'Para seguir con tu registro nos falta un documento. Súbelo aquí, con tu folio:',
  aceptada: '¡Felicidades! El comité aceptó tu registro.',
  rechazada: 'El comité revisó tu registro y esta vez no fue aceptado. Gracias por tu interés.',
}

/** Builds the URL that opens WhatsApp with a text. @param phone with its plus sign and country code */
export const whatsAppUrl = (phone: string, text: string): string =>
  `https://wa.me/${phone.slice(1)}?text=${encodeURIComponent(text)}`

export function whatsAppText(
  { titular, estado }: { titular: string; estado: EntryState },
  pageant: string,
  folioUrl: string,
): string {
  const { [estado]: sentence } = WHATSAPP_SENTENCES
  const linkText = sentence.endsWith(':') ? '' : ' Aquí puedes ver tu registro:'
  return `Hola, ${givenNamesOf(titular)}. Te escribimos del comité de ${pageant}. ${sentence}${linkText} ${folioUrl}`
}
