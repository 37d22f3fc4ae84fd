import { DAY_MS, formatNumericDateTime, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { slugOf } from './slug.ts'

/** The content describes an event without its time in this form. */
interface EventDetails {
  /** `id` is stored when the programme is first edited after the event's publication. */
  id?: string | undefined
  que: string
  lugar: string
  quien?: string | undefined
  nota?: string | undefined
}

/** A programme event has its time, and the id that addresses and calendars use. */
export interface ProgrammeEvent extends EventDetails {
  /** `id` is part of an address, and unique in the programme. */
  id: string
  /** `hora` and `termina` are hours of Mexico City: "19:00". */
  hora: string
  termina?: string | undefined
  /** `inicia` and `acaba` are the ISO moments of start and end. */
  inicia: string
  acaba?: string | undefined
  esFinal: boolean
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
  cierreVotacion?: EventDetails | undefined
  dias: readonly {
    fecha: string
    titulo?: string | undefined
    eventos: readonly (EventDetails & { hora: string; termina?: string | undefined })[]
  }[]
}

/** edicion.yaml dates these two events by ISO moments. */
interface FixedDates {
  coronacion: string
  cierreVotacion: string
}

/** Returns the programme by days, and the ids by which addresses and calendars know its events. */
function placeEvents({ programa, fechas: fixedDates }: { programa: Programme; fechas: FixedDates }) {
  const dated = (['coronacion', 'cierreVotacion'] as const).flatMap((which) => {
    const details = programa[which]
    const [day = '', hour = ''] = formatNumericDateTime(new Date(fixedDates[which])).split(' ')
    return details ? [{ details, day, hora: hour, termina: undefined, esFinal: which === 'coronacion' }] : []
  })
  const dates = [...new Set([...programa.dias.map(({ fecha }) => fecha), ...dated.map(({ day }) => day)])].sort()
  const days = dates.map((date) => {
    const writtenDay = programa.dias.find((day) => day.fecha === date)
    const events = [
      ...(writtenDay?.eventos ?? []).map((details) => ({
        ...{ details, day: date, hora: details.hora, termina: details.termina, esFinal: false },
      })),
      ...dated.filter(({ day }) => day === date),
    ].sort((a, b) => a.hora.localeCompare(b.hora))
    return { fecha: date, titulo: writtenDay?.titulo, eventos: events }
  })
  const all = days.flatMap(({ eventos }) => eventos)
  const ids = new Map<EventDetails, string>()
  const taken = new Set<string>()
  const assignId = (details: EventDetails, id: string) => {
    ids.set(details, id)
    taken.add(id)
  }
  // An id of another year was copied with last year's programme: calendars would take this event for the old one.
  for (const { details, day } of all)
    if (details.id?.startsWith(`${day.slice(0, 4)}-`) && !taken.has(details.id)) assignId(details, details.id)
  for (const { details, day } of all) {
    if (ids.has(details)) continue
    const name = `${day}-${slugOf(details.que).slice(0, 60).replace(/-$/, '')}`
    let id = name
    for (let times = 2; taken.has(id); times++) id = `${name}-${times}`
    assignId(details, id)
  }
  return { days, ids }
}

/** Returns the programme by days, including the events that edicion.yaml dates. */
export function daysOf(edition: { programa: Programme; fechas: FixedDates }): ProgrammeDay[] {
  const { days, ids } = placeEvents(edition)
  return days.map(({ fecha, titulo, eventos }) => ({
    ...{ fecha, titulo },
    eventos: eventos.map(({ details, hora, termina, esFinal }) => ({
      ...{ ...details, hora, termina, esFinal },
      ...momentsOf(fecha, { hora, termina }),
      id: ids.get(details)!,
    })),
  }))
}

/**
 * Adds the ids of the programme's events to a publication's documents, so that an event keeps its id in people's
 * calendars after its title or day is edited.
 */
export function withEventIds(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const programme = values['programa.yaml'] as Programme | undefined
  const { fechas } = (values['edicion.yaml'] ?? {}) as { fechas?: FixedDates }
  if (!programme?.dias || !fechas) return { ...values }
  const { ids } = placeEvents({ programa: programme, fechas })
  const withId = <Details extends EventDetails>(details: Details): Details => ({ ...details, id: ids.get(details)! })
  const { coronacion, cierreVotacion, dias: days } = programme
  return {
    ...values,
    'programa.yaml': {
      ...programme,
      ...(coronacion && { coronacion: withId(coronacion) }),
      ...(cierreVotacion && { cierreVotacion: withId(cierreVotacion) }),
      dias: days.map((day) => ({ ...day, eventos: day.eventos.map(withId) })),
    },
  }
}

/** Returns the ISO moments of an event; an event whose end is not after its start ends on the next day. */
function momentsOf(date: string, { hora, termina }: { hora: string; termina?: string | undefined }) {
  const endsOn = termina !== undefined && termina <= hora ? dayAfter(date) : date
  return {
    inicia: parseDateTimeLocal(`${date}T${hora}`) ?? `${date}T${hora}:00-06:00`,
    acaba: termina === undefined ? undefined : parseDateTimeLocal(`${endsOn}T${termina}`),
  }
}

const dayAfter = (date: string) => new Date(Date.parse(`${date}T00:00Z`) + DAY_MS).toISOString().slice(0, 10)

export const hasProgramme = ({ programa }: { programa: Programme }): boolean =>
  programa.dias.length > 0 || programa.coronacion !== undefined || programa.cierreVotacion !== undefined
