import type { Asiento, AsientoDe, Calificaciones, Reglas } from './record-entries.ts'

interface HojaFirmada {
  calificaciones: Calificaciones
  levantada: string
}

/** A round as the entries tell it. */
export interface RondaLlevada {
  /** From 1. */
  numero: number
  /** Who is in it, by id. */
  candidatas: string[]
  /** Signed sheets by judge. */
  hojas: Map<number, HojaFirmada>
  abierta: string
  cerrada?: AsientoDe<'ronda-cerrada'>
}

/** A final that was opened, as its entries tell it so far. */
export interface Final {
  apertura: AsientoDe<'final-abierta'>
  reglas: Reglas
  /** Place in the lot by candidate: the smaller text goes first. */
  sorteo: ReadonlyMap<string, string>
  rondas: RondaLlevada[]
  retiradas: Map<string, { motivo: string; levantada: string }>
  reabiertas: AsientoDe<'hoja-reabierta'>[]
  telephones: AsientoDe<'telefono'>[]
  cierre?: AsientoDe<'cierre'>
}

/** What the entries of an edition say so far. */
export interface Estado {
  /** The final; undefined: none is open, or the last one was annulled. */
  final?: Final
  /** Openings that were annulled. */
  anuladas: AsientoDe<'final-anulada'>[]
}

export const estadoInicial = (): Estado => ({ anuladas: [] })

/** The round that is under way, or the last one. */
export const ultimaRonda = ({ rondas }: Final): RondaLlevada | undefined => rondas.at(-1)

/** The round in which judges write now. */
export const rondaAbierta = (final: Final): RondaLlevada | undefined => {
  const ultima = ultimaRonda(final)
  return ultima && !ultima.cerrada ? ultima : undefined
}

/** Those of a round who have not been withdrawn. */
export const activas = ({ retiradas }: Final, { candidatas }: Pick<RondaLlevada, 'candidatas'>): string[] =>
  candidatas.filter((id) => !retiradas.has(id))

export const nombreDe = ({ apertura }: Final, candidata: string): string =>
  apertura.candidatas.find(({ id }) => id === candidata)?.nombre ?? candidata

export const numeroDe = ({ apertura }: Final, candidata: string): number =>
  apertura.candidatas.find(({ id }) => id === candidata)?.numero ?? 0

export const juezDe = ({ apertura }: Final, juez: number): string =>
  apertura.jurado.find(({ numero }) => numero === juez)?.nombre ?? `Jurado ${juez}`

/**
 * Takes an entry in. It is not judged here (reglas.ts).
 * @param sorteo places in the lot, which an opening brings with it
 */
export function anotaAsiento(estado: Estado, asiento: Asiento, sorteo?: ReadonlyMap<string, string>): Estado {
  if (asiento.clase === 'final-abierta')
    return {
      ...estado,
      final: {
        ...{ apertura: asiento, reglas: asiento.reglas, sorteo: sorteo ?? new Map() },
        ...{ rondas: [], retiradas: new Map(), reabiertas: [], telephones: [] },
      },
    }
  const { final } = estado
  if (!final) return estado
  if (asiento.clase === 'final-anulada') return { anuladas: [...estado.anuladas, asiento] }
  return { ...estado, final: seguida(final, asiento) }
}

function seguida(final: Final, asiento: Exclude<Asiento, { clase: 'final-abierta' | 'final-anulada' }>): Final {
  const at = (ronda: number, change: (one: RondaLlevada) => RondaLlevada) =>
    final.rondas.map((one) => (one.numero === ronda ? change(one) : one))
  switch (asiento.clase) {
    case 'ronda-abierta': {
      const { ronda: numero, candidatas, levantada: abierta } = asiento
      return { ...final, rondas: [...final.rondas, { numero, candidatas, hojas: new Map(), abierta }] }
    }
    case 'hoja': {
      const { ronda, juez, calificaciones, levantada } = asiento
      return {
        ...final,
        rondas: at(ronda, (one) => ({ ...one, hojas: new Map(one.hojas).set(juez, { calificaciones, levantada }) })),
      }
    }
    case 'hoja-reabierta': {
      const without = (one: RondaLlevada) => ({
        ...one,
        hojas: new Map([...one.hojas].filter(([juez]) => juez !== asiento.juez)),
      })
      return { ...final, rondas: at(asiento.ronda, without), reabiertas: [...final.reabiertas, asiento] }
    }
    case 'telefono':
      return { ...final, telephones: [...final.telephones, asiento] }
    case 'retiro': {
      const { candidata, motivo, levantada } = asiento
      return { ...final, retiradas: new Map(final.retiradas).set(candidata, { motivo, levantada }) }
    }
    case 'ronda-cerrada':
      return { ...final, rondas: at(asiento.ronda, (one) => ({ ...one, cerrada: asiento })) }
    case 'cierre':
      return { ...final, cierre: asiento }
  }
}
