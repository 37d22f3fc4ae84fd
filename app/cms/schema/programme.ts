import { formatNumericDateTime, parseDateTimeLocal } from '#app/core/time/mexico-dates.ts'
import { slugOf } from './edition-documents.ts'

/** What the content says of something that takes place. */
interface EventDetails {
  /** Written down when the event is first changed after its publication. */
  id?: string | undefined
  que: string
  lugar: string
  quien?: string | undefined
  nota?: string | undefined
}

/** Something that takes place, with its moments. */
export interface ProgrammeEvent extends EventDetails {
  /** Part of an address, unique in the programme. */
  id: string
  /** "19:00", and until when. */
  hora: string
  termina?: string | undefined
  /** The same as ISO moments. */
  inicia: string
  acaba?: string | undefined
  /** Whether it is the final. */
  esFinal: boolean
}

/** One day of the programme, its events by the hour. */
export interface ProgrammeDay {
  /** 2025-09-12 */
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

/** What edicion.yaml dates, ISO. */
interface FixedDates {
  coronacion: string
  cierreVotacion: string
}

/** The programme by days, each event with what the content says of it and the id by which addresses and calendars know it. */
function placed({ programa, fechas: fixedDates }: { programa: Programme; fechas: FixedDates }) {
  const dated = (['coronacion', 'cierreVotacion'] as const).flatMap((which) => {
    const statement = programa[which]
    const [day = '', hour = ''] = formatNumericDateTime(new Date(fixedDates[which])).split(' ')
    return statement
      ? [{ dicho: statement, dia: day, hora: hour, termina: undefined, esFinal: which === 'coronacion' }]
      : []
  })
  const dates = [...new Set([...programa.dias.map(({ fecha }) => fecha), ...dated.map(({ dia }) => dia)])].sort()
  const dias = dates.map((date) => {
    const said = programa.dias.find((day) => day.fecha === date)
    const events = [
      ...(said?.eventos ?? []).map((statement) => ({
        ...{ dicho: statement, dia: date, hora: statement.hora, termina: statement.termina, esFinal: false },
      })),
      ...dated.filter(({ dia }) => dia === date),
    ].sort((a, b) => a.hora.localeCompare(b.hora))
    return { fecha: date, titulo: said?.titulo, eventos: events }
  })
  const all = dias.flatMap(({ eventos }) => eventos)
  const ids = new Map<EventDetails, string>()
  const taken = new Set<string>()
  const give = (statement: EventDetails, id: string) => {
    ids.set(statement, id)
    taken.add(id)
  }
  // An id of another year came along with last year's programme: a calendar would take the event for that one.
  for (const { dicho, dia } of all)
    if (dicho.id?.startsWith(`${dia.slice(0, 4)}-`) && !taken.has(dicho.id)) give(dicho, dicho.id)
  for (const { dicho, dia } of all) {
    if (ids.has(dicho)) continue
    const name = `${dia}-${slugOf(dicho.que).slice(0, 60).replace(/-$/, '')}`
    let id = name
    for (let times = 2; taken.has(id); times++) id = `${name}-${times}`
    give(dicho, id)
  }
  return { dias, ids }
}

/** The programme by days, with what edicion.yaml dates in its place. */
export function diasDe(edition: { programa: Programme; fechas: FixedDates }): ProgrammeDay[] {
  const { dias, ids } = placed(edition)
  return dias.map(({ fecha, titulo, eventos }) => ({
    ...{ fecha, titulo },
    eventos: eventos.map(({ dicho, hora, termina, esFinal }) => ({
      ...{ ...dicho, hora, termina, esFinal },
      ...momentsOf(fecha, { hora, termina }),
      id: ids.get(dicho)!,
    })),
  }))
}

/**
 * What was published, each event of the programme with its id written down: mended afterwards, by its title or its day, it stays
 * the same event in the calendars that have it.
 */
export function withEventIds(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const programme = values['programa.yaml'] as Programme | undefined
  const { fechas } = (values['edicion.yaml'] ?? {}) as { fechas?: FixedDates }
  if (!programme?.dias || !fechas) return { ...values }
  const { ids } = placed({ programa: programme, fechas })
  const named = <Said extends EventDetails>(statement: Said): Said => ({ ...statement, id: ids.get(statement)! })
  const { coronacion, cierreVotacion, dias } = programme
  return {
    ...values,
    'programa.yaml': {
      ...programme,
      ...(coronacion && { coronacion: named(coronacion) }),
      ...(cierreVotacion && { cierreVotacion: named(cierreVotacion) }),
      dias: dias.map((day) => ({ ...day, eventos: day.eventos.map(named) })),
    },
  }
}

/** What ends at an hour that is not after its beginning ends on the day after. */
function momentsOf(date: string, { hora, termina }: { hora: string; termina?: string | undefined }) {
  const endsOn = termina !== undefined && termina <= hora ? dayAfter(date) : date
  return {
    inicia: parseDateTimeLocal(`${date}T${hora}`) ?? `${date}T${hora}:00-06:00`,
    acaba: termina === undefined ? undefined : parseDateTimeLocal(`${endsOn}T${termina}`),
  }
}

const dayAfter = (date: string) => new Date(Date.parse(`${date}T00:00Z`) + DAY_MS).toISOString().slice(0, 10)

/** Whether there is anything in the programme yet. */
export const hasProgramme = ({ programa }: { programa: Programme }): boolean =>
  programa.dias.length > 0 || programa.coronacion !== undefined || programa.cierreVotacion !== undefined
