import { datePartsOf, formatDateRange, formatLongDate, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { type DocumentName, descriptorOf, type FieldFault, isDocumentName } from './faults.ts'
import { type FieldDescriptor, fieldInWords } from './field-descriptor.ts'
import { type FieldPath, isPlainObject, valueAt } from './field-path.ts'

const MONTHS = [
  ...['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio'],
  ...['julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
]
const WEEKDAY = '(lunes|martes|miércoles|jueves|viernes|sábado|domingo)'
const MONTH = `(${MONTHS.join('|')})`
/** Matches days such as «sábado 27 de septiembre de 2025»; weekday and year are optional. */
const DATE_PATTERN = new RegExp(`(?:${WEEKDAY},? )?(?<!\\d)(\\d{1,2}) de ${MONTH}(?: del? (\\d{4}))?`, 'giu')
/** Matches days without a month, such as «el sábado 27». */
const WEEKDAY_AND_DAY_PATTERN = new RegExp(`${WEEKDAY} (\\d{1,2})(?! de |\\d)`, 'giu')
/** Matches ranges such as «del 26 de septiembre al 12 de octubre»; the first month and the year are optional. */
const RANGE_PATTERN = new RegExp(`del (\\d{1,2})(?: de ${MONTH})? al (\\d{1,2}) de ${MONTH}(?: del? (\\d{4}))?`, 'giu')

/** Dates of the edition, as days such as 2025-09-27, with which the texts must agree. */
interface EditionDates {
  year: number
  fairStart: string
  fairEnd: string
  final: string
  /** Undefined if the vote opens when the candidates are published. */
  voteOpening: string | undefined
  voteClosing: string
}

/**
 * Lists dates that contradict the edition's dates or each other, for a person to check before publishing. Texts are read sentence by
 * sentence, and the first contradiction of each text is listed. A date of another year is only checked against its own weekday; in
 * the privacy notice, a date of the previous year is reported, too. Nothing is listed while `readEditionDates` lacks a date.
 */
export function listDateContradictions(values: Readonly<Record<string, unknown>>): FieldFault[] {
  const editionDates = readEditionDates(values['edicion.yaml'])
  if (!editionDates) return []
  const faults = [
    ...contradictionsOfDates(values, editionDates),
    ...Object.keys(values)
      .filter(isDocumentName)
      .flatMap((document) =>
        textsOf(descriptorOf(document), values[document]).flatMap(({ field, text }) => {
          const [advice] = adviceOnText(text, editionDates, document)
          return advice === undefined ? [] : [faultAt(document, field, advice)]
        }),
      ),
  ]
  return faults.map(({ documento, campo, remedio }) => ({
    documento,
    campo,
    donde: fieldInWords(descriptorOf(documento), campo, values[documento]),
    remedio,
  }))
}

const faultAt = (document: DocumentName, field: FieldPath, advice: string) => ({
  documento: document,
  campo: field,
  remedio: advice,
})

/** Reads the edition's dates; undefined while a required one is missing or invalid, which is a fault of the form. */
function readEditionDates(edition: unknown): EditionDates | undefined {
  const dayAt = (...path: string[]) => {
    const value = valueAt(edition, path)
    // Noon in Mexico City, so that the day stays the same.
    const date = new Date(
      typeof value === 'string' ? (value.length === 10 ? `${value}T12:00-06:00` : value) : Number.NaN,
    )
    return Number.isNaN(date.getTime()) ? undefined : isoDateOf(date)
  }
  const year = valueAt(edition, ['anio'])
  const [fairStart, fairEnd] = [dayAt('feria', 'inicia'), dayAt('feria', 'termina')]
  const [final, voteClosing] = [dayAt('fechas', 'coronacion'), dayAt('fechas', 'cierreVotacion')]
  if (typeof year !== 'number' || !fairStart || !fairEnd || !final || !voteClosing) return undefined
  return { year, fairStart, fairEnd, final, voteOpening: dayAt('fechas', 'aperturaVotacion'), voteClosing }
}

function contradictionsOfDates(
  values: Readonly<Record<string, unknown>>,
  { year, fairStart, fairEnd, final, voteOpening, voteClosing }: EditionDates,
): ReturnType<typeof faultAt>[] {
  const faults: ReturnType<typeof faultAt>[] = []
  const fairInWords = `la feria va ${formatDateRange(fairStart, fairEnd)} de ${fairEnd.slice(0, 4)}`
  const isInFair = (day: string) => fairStart <= day && day <= fairEnd
  if (!fairStart.startsWith(String(year)))
    faults.push(faultAt('edicion.yaml', ['feria', 'inicia'], `la edición es la ${year}, y ${fairInWords}`))
  if (!isInFair(final))
    faults.push(faultAt('edicion.yaml', ['fechas', 'coronacion'], `es el ${formatLongDate(final)}, y ${fairInWords}`))
  if (voteClosing > final)
    faults.push(
      faultAt('edicion.yaml', ['fechas', 'cierreVotacion'], `es después de la final (${formatLongDate(final)})`),
    )
  if (voteOpening === undefined && valueAt(values['programa.yaml'], ['aperturaVotacion']) !== undefined)
    faults.push(
      faultAt(
        'programa.yaml',
        ['aperturaVotacion'],
        'no se ve: escribe su día y su hora en «El certamen», en «Fechas»',
      ),
    )
  const days = valueAt(values['programa.yaml'], ['dias'])
  for (const [index, day] of (Array.isArray(days) ? days : []).entries()) {
    const date = valueAt(day, ['fecha'])
    if (typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) && !isInFair(date))
      faults.push(faultAt('programa.yaml', ['dias', index, 'fecha'], `es el ${formatLongDate(date)}, y ${fairInWords}`))
  }
  const bulletinDate = valueAt(values['convocatorias.yaml'], ['oficial', 'boletin', 'fecha'])
  if (typeof bulletinDate === 'string' && bulletinDate > final)
    faults.push(faultAt('convocatorias.yaml', ['oficial', 'boletin', 'fecha'], 'es después de la final'))
  return faults
}

const TEXT_KINDS = ['text', 'longText', 'lines', 'paragraph']

/** Lists a document's texts, those of hidden fields too, and the alternative texts of its photographs, each with its field. */
function textsOf(
  descriptor: FieldDescriptor,
  value: unknown,
  field: FieldPath = [],
): { field: FieldPath; text: string }[] {
  if (descriptor.kind === 'list')
    return (Array.isArray(value) ? value : []).flatMap((item, index) =>
      textsOf(descriptor.item, item, [...field, index]),
    )
  if (descriptor.kind === 'group')
    return descriptor.fields.flatMap(({ name, descriptor: fieldDescriptor }) =>
      textsOf(fieldDescriptor, Array.isArray(value) ? value[Number(name)] : valueAt(value, [name]), [...field, name]),
    )
  if (descriptor.kind === 'photo') return isPlainObject(value) ? [{ field, text: String(value.alt ?? '') }] : []
  if (!TEXT_KINDS.includes(descriptor.kind)) return []
  return [{ field, text: Array.isArray(value) ? value.join('. ') : String(value ?? '') }]
}

/** Returns advice in Spanish for each contradiction between a text and the edition's dates. */
function adviceOnText(text: string, editionDates: EditionDates, document: DocumentName): string[] {
  return text.split(/[.;!?¡¿:]\s+/u).flatMap((sentence) => {
    const dates = [...sentence.matchAll(DATE_PATTERN)].map(([dateText, weekday, day, month, year]) => ({
      dateText: dateText.trim(),
      weekday: weekday?.toLowerCase(),
      day: dateOf(Number(year ?? editionDates.year), month!, Number(day)),
    }))
    return [
      ...dates.flatMap(({ dateText, weekday, day }) => (weekday && day ? adviceOnWeekday(dateText, weekday, day) : [])),
      ...adviceOnBareDays(sentence, editionDates),
      ...adviceOnRanges(sentence, editionDates),
      ...adviceOnEvents(sentence, dates, editionDates),
      ...(document === 'privacidad.yaml' && dates.some(({ day }) => day?.startsWith(String(editionDates.year - 1)))
        ? [`dice una fecha de ${editionDates.year - 1}, y esta edición es la ${editionDates.year}`]
        : []),
    ]
  })
}

/** Returns a day such as 2025-09-27; undefined if the month does not have the day. */
function dateOf(year: number, month: string, day: number): string | undefined {
  const date = new Date(Date.UTC(year, MONTHS.indexOf(month.toLowerCase()), day))
  return date.getUTCDate() === day ? date.toISOString().slice(0, 10) : undefined
}

const adviceOnWeekday = (dateText: string, weekday: string, day: string): string[] =>
  datePartsOf(day).weekday === weekday
    ? []
    : [`dice «${dateText}», y el ${formatLongDate(day)} es ${datePartsOf(day).weekday}`]

/**
 * Checks days without a month, such as «el sábado 27», against the months in which the fair begins and ends. Reports a day only if
 * its weekday is wrong in each month in which it falls within the fair.
 */
function adviceOnBareDays(sentence: string, { fairStart, fairEnd }: EditionDates): string[] {
  return [...sentence.matchAll(WEEKDAY_AND_DAY_PATTERN)].flatMap(([dateText, weekday, number]) => {
    const days = [fairStart, fairEnd].map((fairDay) => `${fairDay.slice(0, 8)}${number!.padStart(2, '0')}`)
    const daysInFair = days.filter((day) => fairStart <= day && day <= fairEnd)
    const advice = daysInFair.map((day) => adviceOnWeekday(dateText, weekday!.toLowerCase(), day)[0])
    return advice.length > 0 && advice.every((message) => message !== undefined) ? [advice[0]!] : []
  })
}

/**
 * Checks date ranges that probably mean the fair: the sentence has «feria … del», or the range overlaps the fair and passes its first
 * or last day, or the range overlaps the fair and is at least half as long.
 */
function adviceOnRanges(sentence: string, { year, fairStart, fairEnd }: EditionDates): string[] {
  return [...sentence.matchAll(RANGE_PATTERN)].flatMap(
    ([dateText, firstDay, firstMonth, lastDay, lastMonth, writtenYear]) => {
      if (writtenYear !== undefined && Number(writtenYear) !== year) return []
      const from = dateOf(year, firstMonth ?? lastMonth!, Number(firstDay))
      const to = dateOf(year, lastMonth!, Number(lastDay))
      if (!from || !to || (from === fairStart && to === fairEnd)) return []
      const followsFeria = /\bferia\b(?: \S+){0,2} del \d/iu.test(sentence)
      const isDuringFair = from <= fairEnd && to >= fairStart
      const isBeyondFair = from < fairStart || to > fairEnd
      const isHalfOfFair = 2 * lengthMs(from, to) >= lengthMs(fairStart, fairEnd)
      return followsFeria || (isDuringFair && (isBeyondFair || isHalfOfFair))
        ? [`dice «${dateText}», y la feria va ${formatDateRange(fairStart, fairEnd)}`]
        : []
    },
  )
}

const lengthMs = (from: string, to: string) => Date.parse(to) - Date.parse(from)

const FINAL_PATTERN = /\b(?:la final|final|coronación|coronada|(?:entrega|entregará) la corona)(?![\p{L}])/iu
const OPENING_PATTERN =
  /(?<![\p{L}])(?:vota|votar|votación)(?![\p{L}]).*\b(?:desde|abre|empieza|comienza)\b|\b(?:abre|empieza|comienza) la votación(?![\p{L}])/iu
const CLOSING_PATTERN = /(?<![\p{L}])(?:vota|votar|votación)(?![\p{L}]).*\b(?:hasta|cierra)\b|\bcierra la votación\b/iu

/** Checks a sentence with exactly one date, of the edition's year, if it is about the final or the opening or closing of the vote. */
function adviceOnEvents(
  sentence: string,
  dates: readonly { dateText: string; day: string | undefined }[],
  { year, final, voteOpening, voteClosing }: EditionDates,
): string[] {
  const [date] = dates
  if (dates.length !== 1 || !date?.day?.startsWith(String(year))) return []
  const { dateText, day } = date
  if (CLOSING_PATTERN.test(sentence))
    return day === voteClosing ? [] : [`dice «${dateText}», y la votación cierra el ${formatLongDate(voteClosing)}`]
  if (voteOpening !== undefined && OPENING_PATTERN.test(sentence))
    return day === voteOpening ? [] : [`dice «${dateText}», y la votación abre el ${formatLongDate(voteOpening)}`]
  return FINAL_PATTERN.test(sentence) && day !== final
    ? [`dice «${dateText}», y la final es el ${formatLongDate(final)}`]
    : []
}
