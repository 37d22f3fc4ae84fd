import { DAY_MS, HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { formatNumericDateTime, isoDateOf, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { slugOf } from './schema/slug.ts'

/**
 * Fields of an event in programa.yaml, without its time. Events of `dias` have `hora` and `termina` beside them; the fixed
 * events are dated in edicion.yaml.
 */
interface EventDetails {
  /** Id that is stored with the first draft, so that later edits keep it; absent in content that was never edited in the panel. */
  id?: string | undefined
  que: string
  lugar: string
  /** The performers. */
  quien?: string | undefined
  nota?: string | undefined
}

export interface ProgrammeEvent extends EventDetails {
  /** Id in URLs and calendars, unique in the programme. */
  id: string
  /** Start in Mexico City's time, as "19:00"; `termina` is the end. */
  hora: string
  termina?: string | undefined
  /** ISO moment of the start; `endsAt` is the moment of the end, undefined if unknown (`momentsOf`). */
  startsAt: string
  endsAt?: string | undefined
  isFinal: boolean
}

/** A day of the programme with its events in the order of their times. */
export interface ProgrammeDay {
  /** Day such as 2025-09-12. */
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

/** ISO moments of the fixed events, which edicion.yaml dates. An event without its date is left out. */
interface FixedDates {
  coronacion: string
  aperturaVotacion?: string | undefined
  cierreVotacion: string
}

const FIXED_EVENTS = ['coronacion', 'aperturaVotacion', 'cierreVotacion'] as const

/** Sorts all events by date and time, and assigns the ids that URLs and calendars use. */
function arrangeEvents({ programa, fechas: fixedDates }: { programa: Programme; fechas: FixedDates }) {
  const fixedEvents = FIXED_EVENTS.flatMap((name) => {
    const [details, moment] = [programa[name], fixedDates[name]]
    if (!details || moment === undefined) return []
    const [date = '', hora = ''] = formatNumericDateTime(new Date(moment)).split(' ')
    return [{ details, date, hora, termina: undefined, isFinal: name === 'coronacion' }]
  })
  const dates = [...programa.dias.map(({ fecha }) => fecha), ...fixedEvents.map(({ date }) => date)]
  const days = [...new Set(dates)].sort().map((date) => {
    const contentDay = programa.dias.find(({ fecha }) => fecha === date)
    const events = [
      ...(contentDay?.eventos ?? []).map((details) => ({
        details,
        date,
        hora: details.hora,
        termina: details.termina,
        isFinal: false,
      })),
      ...fixedEvents.filter((event) => event.date === date),
    ].sort((a, b) => a.hora.localeCompare(b.hora))
    return { fecha: date, titulo: contentDay?.titulo, events }
  })
  const allEvents = days.flatMap(({ events }) => events)
  const idByEvent = new Map<EventDetails, string>()
  const usedIds = new Set<string>()
  const assignId = (details: EventDetails, id: string) => {
    idByEvent.set(details, id)
    usedIds.add(id)
  }
  // A stored id of another year came with a copy of last year's programme and is replaced, since calendars would take the
  // event for the old one.
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
  const fixedEvents = FIXED_EVENTS.flatMap((name) => {
    const details = programme[name]
    return details ? [[name, withId(details)]] : []
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
 * Returns the ISO moments of an event; an event whose end is not after its start ends on the next day. A time that daylight saving
 * time skipped has no moment: as a start it is taken as −06:00, as an end it is undefined, as is an end that is not stated.
 */
function momentsOf(date: string, { hora, termina }: { hora: string; termina?: string | undefined }) {
  const endDate = termina !== undefined && termina <= hora ? dayAfter(date) : date
  return {
    startsAt: parseDateTimeLocal(`${date}T${hora}`) ?? `${date}T${hora}:00-06:00`,
    endsAt: termina === undefined ? undefined : parseDateTimeLocal(`${endDate}T${termina}`),
  }
}

const dayAfter = (date: string) => new Date(Date.parse(`${date}T00:00Z`) + DAY_MS).toISOString().slice(0, 10)

export const hasProgramme = ({ programa }: { programa: Programme }): boolean =>
  programa.dias.length > 0 || FIXED_EVENTS.some((name) => programa[name] !== undefined)

/** Returns the fair's day at a moment, as 2025-09-12. The night until 4 a.m. belongs to the day before. */
export const fairDayOf = (now: Date): string => isoDateOf(new Date(now.getTime() - 4 * HOUR_MS))

/** Assumed length of an event without an end. */
const DEFAULT_EVENT_MS = 90 * MINUTE_MS

export function eventStateOf({ startsAt, endsAt }: Pick<ProgrammeEvent, 'startsAt' | 'endsAt'>, moment: Date) {
  const [nowMs, startMs] = [moment.getTime(), Date.parse(startsAt)]
  const endMs = endsAt === undefined ? startMs + DEFAULT_EVENT_MS : Date.parse(endsAt)
  return nowMs < startMs ? 'upcoming' : nowMs < endMs ? 'on' : 'over'
}

/** Lists a day's events that are on at a moment, and the next one; `label` is «Ahora» or «Sigue». */
export function listCurrentEvents({ eventos }: Pick<ProgrammeDay, 'eventos'>, now: Date) {
  const nextEvent = eventos.find((event) => eventStateOf(event, now) === 'upcoming')
  return eventos
    .filter((event) => event === nextEvent || eventStateOf(event, now) === 'on')
    .map((event) => ({ label: event === nextEvent ? 'Sigue' : 'Ahora', event }))
}
