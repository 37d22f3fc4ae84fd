import { formatNumericDateTime, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
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

const DAY_MS = 86_400_000

/** edicion.yaml dates these two events by ISO moments. */
interface FixedDates {
  coronacion: string
  cierreVotacion: string
}

/** Returns the programme by days, and the ids by which addresses and calendars know its events. */
function placed({ programa, fechas: fixedDates }: { programa: Programme; fechas: FixedDates }) {
  const dated = (['coronacion', 'cierreVotacion'] as const).flatMap((which) => {
    const statement = programa[which]
    const [day = '', hour = ''] = formatNumericDateTime(new Date(fixedDates[which])).split(' ')
    return statement
      ? [{ dicho: statement, dia: day, hora: hour, termina: undefined, esFinal: which === 'coronacion' }]
      : []
  })
  const dates = [...new Set([...programa.dias.map(({ fecha }) => fecha), ...dated.map(({ dia }) => dia)])].sort()
  const days = dates.map((date) => {
    const said = programa.dias.find((day) => day.fecha === date)
    const events = [
      ...(said?.eventos ?? []).map((statement) => ({
        ...{ dicho: statement, dia: date, hora: statement.hora, termina: statement.termina, esFinal: false },
      })),
      ...dated.filter(({ dia }) => dia === date),
    ].sort((a, b) => a.hora.localeCompare(b.hora))
    return { fecha: date, titulo: said?.titulo, eventos: events }
  })
  const all = days.flatMap(({ eventos }) => eventos)
  const ids = new Map<EventDetails, string>()
  const taken = new Set<string>()
  const give = (statement: EventDetails, id: string) => {
    ids.set(statement, id)
    taken.add(id)
  }
  // An id of another year was copied with last year's programme: calendars would take this event for the old one.
  for (const { dicho, dia } of all)
    if (dicho.id?.startsWith(`${dia.slice(0, 4)}-`) && !taken.has(dicho.id)) give(dicho, dicho.id)
  for (const { dicho, dia } of all) {
    if (ids.has(dicho)) continue
    const name = `${dia}-${slugOf(dicho.que).slice(0, 60).replace(/-$/, '')}`
    let id = name
    for (let times = 2; taken.has(id); times++) id = `${name}-${times}`
    give(dicho, id)
  }
  return { dias: days, ids }
}

/** Returns the programme by days, including the events that edicion.yaml dates. */
export function daysOf(edition: { programa: Programme; fechas: FixedDates }): ProgrammeDay[] {
  const { dias: days, ids } = placed(edition)
  return days.map(({ fecha, titulo, eventos }) => ({
    ...{ fecha, titulo },
    eventos: eventos.map(({ dicho, hora, termina, esFinal }) => ({
      ...{ ...dicho, hora, termina, esFinal },
      ...momentsOf(fecha, { hora, termina }),
      id: ids.get(dicho)!,
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
  const { ids } = placed({ programa: programme, fechas })
  const named = <Said extends EventDetails>(statement: Said): Said => ({ ...statement, id: ids.get(statement)! })
  const { coronacion, cierreVotacion, dias: days } = programme
  return {
    ...values,
    'programa.yaml': {
      ...programme,
      ...(coronacion && { coronacion: named(coronacion) }),
      ...(cierreVotacion && { cierreVotacion: named(cierreVotacion) }),
      dias: days.map((day) => ({ ...day, eventos: day.eventos.map(named) })),
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
