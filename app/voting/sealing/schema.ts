import type { FlagKind } from '#app/core/db/tables.ts'

/** The state of the vote, as organisers see it. */
export interface Results {
  /** A row per candidate, in the vote's order, then one per withdrawn candidate whose votes count. `porcentaje` is such as «12.3». */
  filas: { id: string; nombre: string; votos: number; porcentaje: string }[]
  /** Number of votes without an annulment that count in no row of `filas`. */
  otros: number
  /** Number of votes without an annulment, including `ajenos`. */
  total: number
  anulados: number
  /** Number of votes that are flagged and not annulled, without flags whose origin no longer exceeds its threshold. */
  sospechosos: number
  /** Number of rows that were written into the database without the site, so that sealing has set them apart. */
  ajenos: number
  /** Moment of the reading in ISO 8601, by the site's clock. */
  leidos: string
}

export interface HourlyVotes {
  /** Start of the hour in ISO 8601. */
  hour: string
  /** Votes in the candidates' order; the last number is of the votes for no candidate. */
  votos: number[]
}

/** A flagged origin as organisers see it, without the candidates of its votes. */
export interface FlaggedOrigin {
  id: number
  clase: FlagKind
  /**
   * A domain, a mail server, or the keyed hash of a network or a block; a hash and a server for `alojamiento`; empty for
   * `desechable` and `servicio`.
   */
  origen: string
  /** Start of a burst's ten minutes in ISO 8601; undefined if the flag covers the whole edition. */
  tramo: string | undefined
  /** Threshold at the flagging. */
  umbral: number
  /** Moment of the flagging in ISO 8601. */
  at: string
  votos: number
  anulados: number
  /** Number of votes that are neither annulled nor on another flag. */
  exclusiveVotes: number
  /** Whether the origin exceeds its present threshold, which may have grown since the flagging. */
  isBeyondThreshold: boolean
  /** At most twelve domains of the flagged votes. Empty for flags on a domain or a burst. */
  domains: string[]
  /** Votes of each hour with votes, oldest first. */
  hours: { hour: string; votos: number }[]
}

/** Many votes from one origin within ten minutes. It may be below the threshold for a flag. */
export interface Burst {
  clase: 'red' | 'dominio'
  /** The keyed hash of a network, or a registrable domain. */
  origen: string
  /** Number of votes in the busiest span of ten minutes. */
  tope: number
  /** Start of that span in ISO 8601. */
  tramo: string
  /** Number of the origin's votes in the whole edition. */
  votos: number
}

/** An hour with far more votes than usual from addresses of one kind. No rule flags leaps. */
export interface Leap {
  /** A provider's domain, or «servicios de alias» or «dominios propios» for all such domains together. */
  correo: string
  /** Start of the hour in ISO 8601. */
  hour: string
  votos: number
  /** Number of all votes of the hour. */
  total: number
  /** Expected number of votes according to the addresses' share of all other hours, rounded. */
  usual: number
}

/** Answer to an organiser's button. */
export type TallyAnswer = { ok: true } | { ok: false; reason: TallyRefusal }

export type TallyRefusal =
  | 'abierta'
  /** The vote is over by the site's clock, but not by the machine's. */
  | 'reloj'
  /** A lock of sealing, voting or annulment was not free within the maximum wait. */
  | 'ocupada'
  /** The opening record is signed with another key than this process's. */
  | 'otra-firma'
  | 'sellada'
  /** The organiser did not confirm a step that cannot be undone. */
  | 'seguro'
  /** The stated reason is too short or too long. */
  | 'motivo'
  /** The flag does not exist, or none of its votes is left to annul. */
  | 'nada'
  /** The flag's votes are not those that the site flagged. */
  | 'marca'
  /** The threshold has grown, and the origin no longer exceeds it. */
  | 'alcanzada'
  /** The vote has begun: its opening record exists. */
  | 'empezada'
  | 'sin-candidatas'
  /** The closing record is not sealed yet. */
  | 'sin-acta'
  /** The recount found differences, or the closing record states some. */
  | 'diferencias'
  /** The chosen candidate does not lead in the sealed record. */
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
