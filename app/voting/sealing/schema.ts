import type { FlagKind } from '#app/core/db/tables.ts'

/** The state of the vote, as organisers see it. */
export interface Results {
  /** One row per candidate, in the vote's order; names as in the content. */
  filas: { id: string; nombre: string; votos: number; porcentaje: string }[]
  otros: number
  total: number
  anulados: number
  /** Counted votes that are flagged and not annulled. */
  sospechosos: number
  /** Counted rows that were written into the database without the site. */
  ajenos: number
  /** When the results were read, by the site's clock. */
  leidos: string
}

export interface HourlyVotes {
  /** The hour's beginning, ISO. */
  hora: string
  /** Votes in the candidates' order, those for others last. */
  votos: number[]
}

/** A flagged origin as organisers see it, without the candidates of its votes. */
export interface FlaggedOrigin {
  /** Id of the flag. */
  id: number
  clase: FlagKind
  origen: string
  /** Beginning of a burst's ten minutes, ISO; undefined: the whole edition. */
  tramo: string | undefined
  umbral: number
  /** When the origin was flagged, ISO. */
  at: string
  votos: number
  anulados: number
  /** Votes that count and are on no other flag. */
  unsuspected: number
  /** Whether the origin still exceeds its present limit. */
  isPast: boolean
  /** Domains of the flagged votes; empty for a domain and for a burst. */
  dominios: string[]
  /** Votes of each hour that has some, oldest first. */
  horas: { hora: string; votos: number }[]
}

/** An origin of many votes within ten minutes. A burst flags nothing by itself. */
export interface Burst {
  clase: 'red' | 'dominio'
  origen: string
  /** Votes in the busiest span of ten minutes. */
  tope: number
  tramo: string
  /** Votes of the whole edition. */
  votos: number
}

/** An hour with far more votes than usual from addresses of one kind. A leap flags nothing by itself. */
export interface Leap {
  /** A provider's domain, or «servicios de alias» or «dominios propios» for all of these together. */
  correo: string
  /** The hour's beginning, ISO. */
  hora: string
  votos: number
  /** All votes of that hour. */
  total: number
  /** Expected votes by the kind's share of all other hours, rounded. */
  usual: number
}

/** The answer to an organiser's button. */
export type TallyAnswer = { ok: true } | { ok: false; reason: TallyRefusal }

export type TallyRefusal =
  | 'abierta'
  /** The vote is over by the site's clock, but not by the machine's. */
  | 'reloj'
  /** Another process has been sealing for too long. */
  | 'ocupada'
  /** The votes were signed with another key than this process has. */
  | 'otra-firma'
  | 'sellada'
  /** The organiser did not confirm a step that cannot be undone. */
  | 'seguro'
  | 'motivo'
  | 'nada'
  /** The flag's votes are not those that the site flagged. */
  | 'marca'
  /** The limit has grown with the vote beyond the origin's votes. */
  | 'alcanzada'
  /** The vote has begun: its opening record exists. */
  | 'empezada'
  | 'sin-candidatas'
  /** No winner is proclaimed before the closing record is sealed. */
  | 'sin-acta'
  /** The recount found differences. */
  | 'diferencias'
  /** Another candidate leads in the sealed record. */
  | 'no-gano'

export const TALLY_MESSAGES: Record<TallyRefusal, string> = {
  abierta: 'La votación sigue abierta, o acaba de cerrar: el acta se sella un minuto después del cierre.',
  reloj:
    'Este sitio corre con otra hora (SITE_CLOCK), y según la de la máquina la votación no ha terminado: aquí no se sella el acta. Para ensayar el cierre, usa una copia cuya votación ya haya terminado según ambas.',
  ocupada: 'Otro proceso está sellando votos y no termina. El acta no se selló; vuelve a intentarlo en un minuto.',
  sellada: 'El acta de cierre ya está sellada: nada de lo contado puede cambiar.',
  seguro: 'Marca que entiendes que no se puede deshacer.',
  motivo: 'Escribe el motivo con al menos 10 letras y a lo más 500: se publica en el acta.',
  nada: 'Ahí no queda ningún voto marcado por anular; los demás no los puede anular nadie.',
  marca:
    'Los votos de esa marca no son los que el sitio marcó: alguien escribió en la base de datos. No se anuló nada; haz un recuento, que dice qué cambió.',
  alcanzada:
    'La votación creció, y ese origen ya no pasa de lo que la regla permite: sus votos cuentan. Si vuelve a pasar, aquí se podrá anular.',
  'otra-firma':
    'La votación se firmó con otro secreto que el de este servidor. Hay que volver a poner el de antes (SESSION_SECRET, o el archivo session-secret) y reiniciar el sitio.',
  empezada: 'El acta de cero ya está levantada.',
  'sin-candidatas': 'Todavía no hay candidatas. Anúncialas primero, y después levanta el acta de cero.',
  'sin-acta': 'Primero sella el acta de cierre: sólo se proclama lo que ella dice.',
  diferencias: 'El recuento encontró diferencias: no se proclamó a nadie. Están arriba, en «Recuento».',
  'no-gano': 'El acta de cierre no le da el primer lugar: no se proclamó a nadie.',
}

/** @source §9 */
export const OTHERS = 'Otros / inválidos'
