import { fechaYHora, momentoDe } from '#app/core/time/mexico-dates.ts'
import { slugOf } from './edition-documents.ts'

/** What the content says of something that takes place. */
interface Dicho {
  /** Written down when the event is first changed after its publication. */
  id?: string | undefined
  que: string
  lugar: string
  quien?: string | undefined
  nota?: string | undefined
}

/** Something that takes place, with its moments. */
export interface EventoDelPrograma extends Dicho {
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
export interface DiaDelPrograma {
  /** 2025-09-12 */
  fecha: string
  titulo?: string | undefined
  eventos: EventoDelPrograma[]
}

interface Programa {
  coronacion?: Dicho | undefined
  cierreVotacion?: Dicho | undefined
  dias: readonly {
    fecha: string
    titulo?: string | undefined
    eventos: readonly (Dicho & { hora: string; termina?: string | undefined })[]
  }[]
}

const DAY_MS = 86_400_000

/** What edicion.yaml dates, ISO. */
interface Fijos {
  coronacion: string
  cierreVotacion: string
}

/** The programme by days, each event with what the content says of it and the id by which addresses and calendars know it. */
function placed({ programa, fechas: fijos }: { programa: Programa; fechas: Fijos }) {
  const dated = (['coronacion', 'cierreVotacion'] as const).flatMap((which) => {
    const dicho = programa[which]
    const [dia = '', hora = ''] = fechaYHora(new Date(fijos[which])).split(' ')
    return dicho ? [{ dicho, dia, hora, termina: undefined, esFinal: which === 'coronacion' }] : []
  })
  const fechas = [...new Set([...programa.dias.map(({ fecha }) => fecha), ...dated.map(({ dia }) => dia)])].sort()
  const dias = fechas.map((fecha) => {
    const said = programa.dias.find((dia) => dia.fecha === fecha)
    const eventos = [
      ...(said?.eventos ?? []).map((dicho) => ({
        ...{ dicho, dia: fecha, hora: dicho.hora, termina: dicho.termina, esFinal: false },
      })),
      ...dated.filter(({ dia }) => dia === fecha),
    ].sort((a, b) => a.hora.localeCompare(b.hora))
    return { fecha, titulo: said?.titulo, eventos }
  })
  const all = dias.flatMap(({ eventos }) => eventos)
  const ids = new Map<Dicho, string>()
  const taken = new Set<string>()
  const give = (dicho: Dicho, id: string) => {
    ids.set(dicho, id)
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
export function diasDe(edicion: { programa: Programa; fechas: Fijos }): DiaDelPrograma[] {
  const { dias, ids } = placed(edicion)
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
export function withEventIds(valores: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const programa = valores['programa.yaml'] as Programa | undefined
  const { fechas } = (valores['edicion.yaml'] ?? {}) as { fechas?: Fijos }
  if (!programa?.dias || !fechas) return { ...valores }
  const { ids } = placed({ programa, fechas })
  const named = <Said extends Dicho>(dicho: Said): Said => ({ ...dicho, id: ids.get(dicho)! })
  const { coronacion, cierreVotacion, dias } = programa
  return {
    ...valores,
    'programa.yaml': {
      ...programa,
      ...(coronacion && { coronacion: named(coronacion) }),
      ...(cierreVotacion && { cierreVotacion: named(cierreVotacion) }),
      dias: dias.map((dia) => ({ ...dia, eventos: dia.eventos.map(named) })),
    },
  }
}

/** What ends at an hour that is not after its beginning ends on the day after. */
function momentsOf(fecha: string, { hora, termina }: { hora: string; termina?: string | undefined }) {
  const endsOn = termina !== undefined && termina <= hora ? dayAfter(fecha) : fecha
  return {
    inicia: momentoDe(`${fecha}T${hora}`) ?? `${fecha}T${hora}:00-06:00`,
    acaba: termina === undefined ? undefined : momentoDe(`${endsOn}T${termina}`),
  }
}

const dayAfter = (fecha: string) => new Date(Date.parse(`${fecha}T00:00Z`) + DAY_MS).toISOString().slice(0, 10)

/** Whether there is anything in the programme yet. */
export const hayPrograma = ({ programa }: { programa: Programa }): boolean =>
  programa.dias.length > 0 || programa.coronacion !== undefined || programa.cierreVotacion !== undefined
