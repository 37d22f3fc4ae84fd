import type { HojaDicha, Marcas, RondaDicha, Toque } from '#app/finals/record/schema.ts'

/** A signature on its way. */
interface Firma {
  clave: string
  calificaciones: Record<string, number[]>
}

/** What a telephone keeps of a judge's sheet, so that it needs no line. */
export interface Memoria {
  /** What the telephone calls itself when it uses a link. */
  aparato: string
  hoja: HojaDicha | null
  /** What `toques` and `firma` are of. */
  final: number
  ronda: number
  toques: Toque[]
  firma: Firma | null
}

export const memoriaNueva = (aparato: string): Memoria => ({
  ...{ aparato, hoja: null, final: 0, ronda: 0, toques: [], firma: null },
})

/** The sheet as the site has it now; what was tapped for another round is let go of. */
export function recibe(memoria: Memoria, hoja: HojaDicha): Memoria {
  const { ronda } = hoja
  const isOfIt = memoria.final === hoja.final && ronda?.numero === memoria.ronda
  const isOpen = isOfIt && ronda?.abierta && ronda.firmada === null
  const present = ronda?.candidatas.map(({ id }) => id) ?? []
  return {
    ...{ aparato: memoria.aparato, hoja, final: hoja.final, ronda: ronda?.numero ?? 0 },
    toques: isOpen ? memoria.toques.filter(({ candidata }) => present.includes(candidata)) : [],
    firma: isOpen ? memoria.firma : null,
  }
}

/** What is let go of by `recibe` though it was typed, in words; undefined: nothing that matters. */
export function perdido(memoria: Memoria, hoja: HojaDicha): string | undefined {
  if (!memoria.firma && memoria.toques.length === 0) return undefined
  const { ronda } = hoja
  if (memoria.final !== hoja.final) return 'La final se abrió de nuevo: lo que tocaste antes ya no cuenta.'
  if (ronda?.numero === memoria.ronda && ronda.firmada !== null) return undefined
  if (ronda?.numero === memoria.ronda && ronda.abierta) return undefined
  return 'La ronda se cerró antes de que llegara tu hoja. Avisa en la mesa de la notaría.'
}

/** A tap: it takes the place of an earlier one. */
export const toca = (memoria: Memoria, toque: Toque): Memoria => ({
  ...memoria,
  toques: [
    ...memoria.toques.filter(({ candidata, criterio }) => candidata !== toque.candidata || criterio !== toque.criterio),
    toque,
  ],
})

/** After the site has taken some taps: later ones stay. */
export const sinEstos = (memoria: Memoria, taken: readonly Toque[]): Memoria => ({
  ...memoria,
  toques: memoria.toques.filter((toque) => !taken.some((one) => isSame(one, toque))),
})

const isSame = (a: Toque, b: Toque) =>
  a.candidata === b.candidata && a.criterio === b.criterio && a.decimas === b.decimas

/** What the sheet shows: what the site has, and above it what was tapped since. */
export function marcasDe({ toques, firma }: Memoria, ronda: RondaDicha): Marcas {
  const marcas: Marcas = Object.fromEntries(
    ronda.candidatas.map(({ id }) => [
      id,
      firma?.calificaciones[id] ?? ronda.criterios.map((_, at) => ronda.marcas[id]?.[at] ?? null),
    ]),
  )
  for (const { candidata, criterio, decimas } of toques) {
    const marks = marcas[candidata]
    if (marks) marcas[candidata] = marks.with(criterio, decimas)
  }
  return marcas
}

/** The whole sheet, ready to be signed; undefined while something is missing. */
export function completas(marcas: Marcas): Record<string, number[]> | undefined {
  const entries = Object.entries(marcas)
  if (!entries.every(([, marks]) => marks.every((mark) => mark !== null))) return undefined
  return Object.fromEntries(entries) as Record<string, number[]>
}

const ENTRADA = 'jurado'

export function lee(storage: Pick<Storage, 'getItem'>): Memoria | undefined {
  try {
    const read = JSON.parse(storage.getItem(ENTRADA) ?? 'null') as Partial<Memoria> | null
    if (typeof read?.aparato !== 'string' || !Array.isArray(read.toques)) return undefined
    return { ...memoriaNueva(read.aparato), ...read }
  } catch {
    return undefined
  }
}

/** @returns whether the device keeps it */
export function guarda(storage: Pick<Storage, 'setItem'>, memoria: Memoria): boolean {
  try {
    storage.setItem(ENTRADA, JSON.stringify(memoria))
    return true
  } catch {
    return false
  }
}
