import { fechaYHora, momentoDe } from '#app/platform/fechas.ts'
import { slugOf } from './schema.ts'

/** What the content says of something that takes place. */
interface Dicho {
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

/** The programme by days, with what edicion.yaml dates in its place. */
export function diasDe({ programa, fechas: fijos }: { programa: Programa; fechas: Fijos }): DiaDelPrograma[] {
  const dated = (['coronacion', 'cierreVotacion'] as const).flatMap((which) => {
    const dicho = programa[which]
    const [dia = '', hora = ''] = fechaYHora(new Date(fijos[which])).split(' ')
    return dicho ? [{ ...dicho, dia, hora, esFinal: which === 'coronacion' }] : []
  })
  const fechas = [...new Set([...programa.dias.map(({ fecha }) => fecha), ...dated.map(({ dia }) => dia)])].sort()
  const used = new Map<string, number>()
  return fechas.map((fecha) => {
    const said = programa.dias.find((dia) => dia.fecha === fecha)
    const eventos = [
      ...(said?.eventos ?? []).map((evento) => ({ ...evento, esFinal: false })),
      ...dated.filter(({ dia }) => dia === fecha).map(({ dia: _, ...evento }) => ({ ...evento, termina: undefined })),
    ].sort((a, b) => a.hora.localeCompare(b.hora))
    return {
      fecha,
      titulo: said?.titulo,
      eventos: eventos.map((evento) => {
        const name = `${fecha}-${slugOf(evento.que).slice(0, 60).replace(/-$/, '')}`
        const times = (used.get(name) ?? 0) + 1
        used.set(name, times)
        return { ...evento, ...momentsOf(fecha, evento), id: times === 1 ? name : `${name}-${times}` }
      }),
    }
  })
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
