import type { FlagKind } from '#app/core/db/tables.ts'

/** The state of the vote, as organisers see it. */
export interface Results {
  /** One row a candidate, in the vote's order; names as the content has them. */
  filas: { id: string; nombre: string; votos: number; porcentaje: string }[]
  otros: number
  total: number
  anulados: number
  /** Counted votes that are marked and not annulled. */
  sospechosos: number
  /** Counted, but written into the database without the site. */
  ajenos: number
  /** When they were read, by the site's clock. */
  leidos: string
}

export interface HourlyVotes {
  /** The hour's beginning, ISO. */
  hora: string
  /** Votes in the candidates' order, those for others last. */
  votos: number[]
}

/** An origin whose votes are marked, as organisers see it: never for whom they are. */
export interface FlaggedOrigin {
  /** Id of the mark. */
  id: number
  clase: FlagKind
  origen: string
  /** Beginning of a burst's ten minutes, ISO; undefined: the whole edition. */
  tramo: string | undefined
  umbral: number
  /** When it was marked, ISO. */
  at: string
  votos: number
  anulados: number
  /** Of its votes that count, those that are on no other mark. */
  unsuspected: number
  /** Whether it has more votes than its limit is by now. */
  isPast: boolean
  /** Its domains; for an origin that is not made of domains, none. */
  dominios: string[]
  /** Votes of each hour that has some, oldest first. */
  horas: { hora: string; votos: number }[]
}

/** Where many votes came from within ten minutes; it marks nothing by itself. */
export interface Burst {
  clase: 'red' | 'dominio'
  origen: string
  /** Votes in the busiest span of ten minutes. */
  tope: number
  tramo: string
  /** Votes of the whole edition. */
  votos: number
}

/** An hour in which far more votes than usual came from addresses of one kind; it marks nothing by itself. */
export interface Leap {
  /** A provider's domain, «dominios propios» for all others together. */
  correo: string
  /** The hour's beginning, ISO. */
  hora: string
  votos: number
  /** All votes of that hour. */
  total: number
  /** As many as there would have been by its part of all other hours, rounded. */
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
  /** The step cannot be undone, and was not confirmed. */
  | 'seguro'
  | 'motivo'
  | 'nada'
  /** The mark's votes are not those that the site marked. */
  | 'marca'
  /** The limit has grown with the vote beyond what the origin has. */
  | 'alcanzada'
  /** The vote has begun: there is an act of zero. */
  | 'empezada'
  | 'sin-candidatas'
  /** Nobody is proclaimed before the closing act is sealed. */
  | 'sin-acta'
  /** The recount found differences. */
  | 'diferencias'
  /** The sealed act says that somebody else leads. */
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
