import type { FlagKind } from '#app/core/db/tables.ts'

/** `Results` is the state of the vote, as organisers see it. */
export interface Results {
  /** `filas` has one row per candidate, in the vote's order; names as in the content. */
  filas: { id: string; nombre: string; votos: number; porcentaje: string }[]
  otros: number
  total: number
  anulados: number
  /** Counts votes that are flagged and not annulled. */
  sospechosos: number
  /** Counts rows that sealing has found to be written into the database without the site. */
  ajenos: number
  /** When the results were read, by the site's clock. */
  leidos: string
}

export interface HourlyVotes {
  /** The hour's beginning in ISO 8601. */
  hour: string
  /** Holds the votes in the candidates' order, those for others last. */
  votos: number[]
}

/** A `FlaggedOrigin` is what organisers see of a flagged origin, without the candidates of its votes. */
export interface FlaggedOrigin {
  id: number
  clase: FlagKind
  origen: string
  /** The beginning of a burst's ten minutes, ISO; undefined: the flag covers the whole edition. */
  tramo: string | undefined
  umbral: number
  /** When the origin was flagged, ISO. */
  at: string
  votos: number
  anulados: number
  /** Counts votes that count and are on no other flag. */
  unsuspected: number
  /** Whether the origin still exceeds its present limit. */
  isPast: boolean
  /** Lists domains of the flagged votes; empty for a domain and for a burst. */
  domains: string[]
  /** Holds the votes of each hour that has some, oldest first. */
  hours: { hour: string; votos: number }[]
}

/** A `Burst` is an origin of many votes within ten minutes. A burst flags nothing by itself. */
export interface Burst {
  clase: 'red' | 'dominio'
  origen: string
  /** The number of votes in the busiest span of ten minutes. */
  tope: number
  tramo: string
  /** Counts the origin's votes of the whole edition. */
  votos: number
}

/** A `Leap` is an hour with far more votes than usual from addresses of one kind. A leap flags nothing by itself. */
export interface Leap {
  /** A provider's domain, or «servicios de alias» or «dominios propios» for all of these together. */
  correo: string
  /** The hour's beginning in ISO 8601. */
  hour: string
  votos: number
  /** Counts all votes of that hour. */
  total: number
  /** The expected number of votes by the kind's share of all other hours, rounded. */
  usual: number
}

/** `TallyAnswer` answers an organiser's button. */
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

/** §9 gives this label. */
export const OTHERS = 'Otros / inválidos'
