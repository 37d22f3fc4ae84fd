/** Votes taken out of the count by an organiser, as the act says it. */
export interface AnulacionDicha {
  motivo: string
  votos: number
  /** By candidate. */
  conteo: Record<string, number>
  /** Of the sorted hashes of the receipts concerned, one a line. */
  huella: string
}

/** The act of zero: nothing had been counted when it was drawn up. */
export interface Apertura {
  clase: 'apertura'
  edicion: number
  candidatas: string[]
  /** Last moment of the vote. */
  cierre: string
  papeletas: 0
  /** By the site's clock. */
  levantada: string
}

/** The closing act. */
export interface Cierre {
  clase: 'cierre'
  edicion: number
  /** Seal of the act of zero. */
  apertura: string
  candidatas: { nombre: string; votos: number }[]
  /** Of whoever is no candidate of the edition any more. */
  otros: number
  /** All that were sealed, annulled ones included. */
  papeletas: number
  anulados: number
  anulaciones: AnulacionDicha[]
  /** Rows that were written into the database without the site; no ballots, not counted. */
  ajenos: number
  /** What the count before the closing found wrong; empty: nothing. */
  fallas: string[]
  cajas: number
  /** Seal of the last published link: where the file's chain ends. */
  ultimoSello: string
  /** Seal of the last batch: where the chain in the database ended, as the recount says it. */
  ultimoLote: string
  levantada: string
}

/** First line of the published file. */
export interface Portada {
  /** In Spanish: how the rest is made. */
  lectura: string
  acta: Cierre
  sello: string
  apertura: Apertura
  selloApertura: string
  /** Names that ballots refer to by their place. */
  nombres: string[]
}

/** For whoever counts the file without this site's program. */
export const LECTURA =
  'Cada papeleta es la huella de su recibo, un espacio y el lugar de su candidata en «nombres», desde 0. ' +
  'La huella es el SHA-256, en hexadecimal, del recibo tal como se mostró: en mayúsculas y con guiones, como 7F2K-94QX-M3TR. ' +
  'El sello de una caja es el SHA-256 de estos renglones, cada uno con su salto de línea: el número de la caja; el sello anterior; ' +
  'y por cada papeleta la huella, un espacio y el nombre de la candidata.'

/** A link of the published chain, a line of the file: ballots are «hash of the receipt, space, place of the name». */
export interface CajaPublicada {
  numero: number
  anterior: string
  sello: string
  papeletas: string[]
}

/** Where the vote stands for organisers. */
export interface Resultados {
  filas: { nombre: string; votos: number; porcentaje: string }[]
  otros: number
  total: number
  anulados: number
  /** Counted, from where unusually many came. */
  sospechosos: number
  /** Counted, but written into the database without the site. */
  ajenos: number
  /** By the site's clock. */
  leidos: string
}

export interface Hora {
  /** ISO. */
  hora: string
  /** In the candidates' order, others last. */
  votos: number[]
}

export interface Rafaga {
  clase: 'red' | 'dominio'
  origen: string
  /** In the busiest span of ten minutes. */
  tope: number
  tramo: string
  votos: number
  /** Counted as yet. */
  sospechosos: number
  /** Spans in which some came under suspicion, annulled ones included. */
  tramos: { tramo: string; sospechosos: number }[]
}

export type MotivoDeEscrutinio =
  | 'abierta'
  /** By the site's clock it is over, by the machine's it is not. */
  | 'reloj'
  /** Another process has been sealing for too long. */
  | 'ocupada'
  /** The votes were signed with another key than this process has. */
  | 'clave'
  | 'sellada'
  /** What cannot be undone is asked for twice. */
  | 'seguro'
  | 'motivo'
  | 'nada'
  | 'recibo'
  /** The vote has begun: there is an act of zero. */
  | 'empezada'
  /** Nobody is proclaimed before the closing act is sealed. */
  | 'sin-acta'
  /** The recount found differences. */
  | 'diferencias'
  /** The sealed act says that somebody else leads. */
  | 'no-gano'

export const PALABRAS_ESCRUTINIO: Record<MotivoDeEscrutinio, string> = {
  abierta: 'La votación sigue abierta, o acaba de cerrar: el acta se sella un minuto después del cierre.',
  reloj:
    'Este sitio corre con otra hora (SITE_CLOCK), y según la de la máquina la votación no ha terminado: aquí no se sella el acta. Para ensayar el cierre, usa una copia cuya votación ya haya terminado según ambas.',
  ocupada: 'Otro proceso está sellando votos y no termina. El acta no se selló; vuelve a intentarlo en un minuto.',
  sellada: 'El acta de cierre ya está sellada: nada de lo contado puede cambiar.',
  seguro: 'Marca que entiendes que no se puede deshacer.',
  motivo: 'Escribe el motivo con al menos 10 letras y a lo más 500: se publica en el acta.',
  nada: 'Ahí no queda ningún voto bajo sospecha por anular; los demás no los puede anular nadie.',
  recibo: 'Un recibo tiene doce letras y números, como 7F2K-94QX-M3TR.',
  clave:
    'La votación se firmó con otra clave que la de este servidor. Hay que volver a poner la de antes (SESSION_SECRET, o el archivo session-secret) y reiniciar el sitio.',
  empezada: 'El acta de cero ya está levantada.',
  'sin-acta': 'Primero sella el acta de cierre: sólo se proclama lo que ella dice.',
  diferencias: 'El recuento encontró diferencias: no se proclamó a nadie. Están arriba, en «Recuento».',
  'no-gano': 'El acta de cierre no le da el primer lugar: no se proclamó a nadie.',
}
