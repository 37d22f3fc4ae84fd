import { DAY_MS, HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { formatNumericDateTime, isoDateOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { slugOf } from './slug.ts'

/**
 * The content's description of an event has no time: the time stands beside it or, for the fixed events, in edicion.yaml.
 */
interface EventDetails {
  /** A draft stores `id`, so that later edits keep it; an event that was never in a draft has none. */
  id?: string | undefined
  que: string
  lugar: string
  quien?: string | undefined
  nota?: string | undefined
}

/** A programme event has its time, and the id that addresses and calendars use. */
export interface ProgrammeEvent extends EventDetails {
  /** Part of an address, and unique in the programme. */
  id: string
  /** `hora` and `termina` are hours of Mexico City: "19:00". */
  hora: string
  termina?: string | undefined
  /** The ISO moments of start and end; without `termina` the end is undefined. */
  startsAt: string
  endsAt?: string | undefined
  isFinal: boolean
}

/** A day of the programme has its events in the order of their hours. */
export interface ProgrammeDay {
  /** `fecha` is written as 2025-09-12. */
  fecha: string
  titulo?: string | undefined
  eventos: ProgrammeEvent[]
}

interface Programme {
  coronacion?: EventDetails | undefined
  aperturaVotacion?: EventDetails | undefined
  cierreVotacion?: EventDetails | undefined
  dias: readonly {
    fecha: string
    titulo?: string | undefined
    eventos: readonly (EventDetails & { hora: string; termina?: string | undefined })[]
  }[]
}

/** edicion.yaml dates these events by ISO moments. An event without its date is left out. */
interface FixedDates {
  coronacion: string
  aperturaVotacion?: string | undefined
  cierreVotacion: string
}

const FIXED_EVENTS = ['coronacion', 'aperturaVotacion', 'cierreVotacion'] as const

/** Arranges all events by date and hour, and gives each the id by which addresses and calendars know it. */
function arrangeEvents({ programa, fechas: fixedDates }: { programa: Programme; fechas: FixedDates }) {
  const fixedEvents = FIXED_EVENTS.flatMap((which) => {
    const [details, moment] = [programa[which], fixedDates[which]]
    if (!details || moment === undefined) return []
    const [date = '', hora = ''] = formatNumericDateTime(new Date(moment)).split(' ')
    return [{ details, date, hora, termina: undefined, isFinal: which === 'coronacion' }]
  })
  const dates = [...programa.dias.map(({ fecha }) => fecha), ...fixedEvents.map(({ date }) => date)]
  const days = [...new Set(dates)].sort().map((date) => {
    const writtenDay = programa.dias.find(({ fecha }) => fecha === date)
    const events = [
      ...(writtenDay?.eventos ?? []).map((details) => ({
        details,
        date,
        hora: details.hora,
        termina: details.termina,
        isFinal: false,
      })),
      ...fixedEvents.filter((event) => event.date === date),
    ].sort((a, b) => a.hora.localeCompare(b.hora))
    return { fecha: date, titulo: writtenDay?.titulo, events }
  })
  const allEvents = days.flatMap(({ events }) => events)
  const idByEvent = new Map<EventDetails, string>()
  const usedIds = new Set<string>()
  const assignId = (details: EventDetails, id: string) => {
    idByEvent.set(details, id)
    usedIds.add(id)
  }
  // A stored id is kept only if it names its event's year: an id of another year came with a copy of last year's programme, and
  // calendars would take the event for the old one.
  for (const { details, date } of allEvents)
    if (details.id?.startsWith(`${date.slice(0, 4)}-`) && !usedIds.has(details.id)) assignId(details, details.id)
  for (const { details, date } of allEvents) {
    if (idByEvent.has(details)) continue
    const baseId = `${date}-${slugOf(details.que).slice(0, 60).replace(/-$/, '')}`
    let id = baseId
    for (let suffix = 2; usedIds.has(id); suffix++) id = `${baseId}-${suffix}`
    assignId(details, id)
  }
  return { days, idByEvent }
}

/** Lists the programme's days in order, including the events that edicion.yaml dates. */
export function listProgrammeDays(edition: { programa: Programme; fechas: FixedDates }): ProgrammeDay[] {
  const { days, idByEvent } = arrangeEvents(edition)
  return days.map(({ fecha, titulo, events }) => ({
    fecha,
    titulo,
    eventos: events.map(({ details, hora, termina, isFinal }) => ({
      ...details,
      hora,
      termina,
      isFinal,
      ...momentsOf(fecha, { hora, termina }),
      id: idByEvent.get(details)!,
    })),
  }))
}

/**
 * Adds the ids of the programme's events to a publication's documents, so that an event keeps its id in people's
 * calendars after its title or day is edited.
 */
export function withEventIds(documents: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const programme = documents['programa.yaml'] as Programme | undefined
  const { fechas } = (documents['edicion.yaml'] ?? {}) as { fechas?: FixedDates }
  if (!programme?.dias || !fechas) return { ...documents }
  const { idByEvent } = arrangeEvents({ programa: programme, fechas })
  const withId = <Details extends EventDetails>(details: Details): Details => {
    const id = idByEvent.get(details) ?? details.id
    return { ...details, ...(id !== undefined && { id }) }
  }
  const fixedEvents = FIXED_EVENTS.flatMap((which) => {
    const details = programme[which]
    return details ? [[which, withId(details)]] : []
  })
  return {
    ...documents,
    'programa.yaml': {
      ...programme,
      ...Object.fromEntries(fixedEvents),
      dias: programme.dias.map((day) => ({ ...day, eventos: day.eventos.map(withId) })),
    },
  }
}

/**
 * Returns the ISO moments of an event; an event whose end is not after its start ends on the next day. An hour that daylight saving
 * time skipped has no moment: such a start is taken as −06:00, and such an end is undefined.
 */
function momentsOf(date: string, { hora, termina }: { hora: string; termina?: string | undefined }) {
  const endsOn = termina !== undefined && termina <= hora ? dayAfter(date) : date
  return {
    startsAt: parseDateTimeLocal(`${date}T${hora}`) ?? `${date}T${hora}:00-06:00`,
    endsAt: termina === undefined ? undefined : parseDateTimeLocal(`${endsOn}T${termina}`),
  }
}

const dayAfter = (date: string) => new Date(Date.parse(`${date}T00:00Z`) + DAY_MS).toISOString().slice(0, 10)

export const hasProgramme = ({ programa }: { programa: Programme }): boolean =>
  programa.dias.length > 0 || FIXED_EVENTS.some((which) => programa[which] !== undefined)

/** Returns the day of the fair at a moment: four small hours still belong to the day before. */
export const fairDayOf = (now: Date): string => isoDateOf(new Date(now.getTime() - 4 * HOUR_MS))

/** An event without an end is assumed to last this long. */
const DEFAULT_EVENT_MS = 90 * MINUTE_MS

/** Returns whether an event is ahead, on or over at a moment. */
export function eventStatusOf({ startsAt, endsAt }: Pick<ProgrammeEvent, 'startsAt' | 'endsAt'>, moment: Date) {
  const [now, from] = [moment.getTime(), Date.parse(startsAt)]
  const until = endsAt === undefined ? from + DEFAULT_EVENT_MS : Date.parse(endsAt)
  return now < from ? 'upcoming' : now < until ? 'on' : 'over'
}

/** Lists a day's events that are on at a moment, and the next one, each with its mark. */
export function listCurrentEvents({ eventos }: Pick<ProgrammeDay, 'eventos'>, now: Date) {
  const next = eventos.find((event) => eventStatusOf(event, now) === 'upcoming')
  return eventos
    .filter((event) => event === next || eventStatusOf(event, now) === 'on')
    .map((event) => ({ mark: event === next ? 'Sigue' : 'Ahora', event }))
}
