import type { JudgeSheet, SheetMarks, SheetRound, Tap } from '#app/finals/proceedings/schema.ts'

/** A signature that the site has not confirmed yet. */
interface PendingSignature {
  clave: string
  calificaciones: Record<string, number[]>
}

/** A judge's sheet as the telephone stores it, to work offline. */
export interface SheetMemory {
  /** Random id by which the telephone redeems its link. */
  aparato: string
  hoja: JudgeSheet | null
  /** The final and the round that `toques` and `firma` belong to. */
  final: number
  ronda: number
  toques: Tap[]
  firma: PendingSignature | null
}

export const newSheetMemory = (device: string): SheetMemory => ({
  ...{ aparato: device, hoja: null, final: 0, ronda: 0, toques: [], firma: null },
})

/** The memory with the site's current sheet, without taps or a signature for another or a closed round. */
export function receiveSheet(sheetMemory: SheetMemory, sheet: JudgeSheet): SheetMemory {
  const { ronda } = sheet
  const isOfIt = sheetMemory.final === sheet.final && ronda?.numero === sheetMemory.ronda
  const isOpen = isOfIt && ronda?.abierta && ronda.firmada === null
  const present = ronda?.candidatas.map(({ id }) => id) ?? []
  return {
    ...{ aparato: sheetMemory.aparato, hoja: sheet, final: sheet.final, ronda: ronda?.numero ?? 0 },
    toques: isOpen ? sheetMemory.toques.filter(({ candidata }) => present.includes(candidata)) : [],
    firma: isOpen ? sheetMemory.firma : null,
  }
}

/** Spanish message for the judge where `receiveSheet` would discard taps; undefined where none are lost. */
export function lostTapsMessage(sheetMemory: SheetMemory, sheet: JudgeSheet): string | undefined {
  if (!sheetMemory.firma && sheetMemory.toques.length === 0) return undefined
  const { ronda } = sheet
  if (sheetMemory.final !== sheet.final) return 'La final se abrió de nuevo: lo que tocaste antes ya no cuenta.'
  if (ronda?.numero === sheetMemory.ronda && ronda.firmada !== null) return undefined
  if (ronda?.numero === sheetMemory.ronda && ronda.abierta) return undefined
  return 'La ronda se cerró antes de que llegara tu hoja. Avisa en la mesa de la notaría.'
}

/** Adds a tap; it replaces an earlier tap of the same candidate and criterion. */
export const tap = (sheetMemory: SheetMemory, toque: Tap): SheetMemory => ({
  ...sheetMemory,
  toques: [
    ...sheetMemory.toques.filter(
      ({ candidata, criterio }) => candidata !== toque.candidata || criterio !== toque.criterio,
    ),
    toque,
  ],
})

/** Removes taps that the site has saved or refused; later taps stay. */
export const withoutTaps = (sheetMemory: SheetMemory, taken: readonly Tap[]): SheetMemory => ({
  ...sheetMemory,
  toques: sheetMemory.toques.filter((toque) => !taken.some((one) => isSame(one, toque))),
})

const isSame = (a: Tap, b: Tap) => a.candidata === b.candidata && a.criterio === b.criterio && a.decimas === b.decimas

/** The marks that the sheet shows: the site's, overridden by the signature and by later taps. */
export function marksOf({ toques, firma }: SheetMemory, ronda: SheetRound): SheetMarks {
  const allMarks: SheetMarks = Object.fromEntries(
    ronda.candidatas.map(({ id }) => [
      id,
      firma?.calificaciones[id] ?? ronda.criterios.map((_, at) => ronda.marcas[id]?.[at] ?? null),
    ]),
  )
  for (const { candidata, criterio, decimas } of toques) {
    const marks = allMarks[candidata]
    if (marks) allMarks[candidata] = marks.with(criterio, decimas)
  }
  return allMarks
}

/** The complete scores, ready to be signed; undefined while a mark is missing. */
export function completeScores(allMarks: SheetMarks): Record<string, number[]> | undefined {
  const entries = Object.entries(allMarks)
  if (!entries.every(([, marks]) => marks.every((mark) => mark !== null))) return undefined
  return Object.fromEntries(entries) as Record<string, number[]>
}

const STORAGE_KEY = 'jurado'

export function readSheetMemory(storage: Pick<Storage, 'getItem'>): SheetMemory | undefined {
  try {
    const read = JSON.parse(storage.getItem(STORAGE_KEY) ?? 'null') as Partial<SheetMemory> | null
    if (typeof read?.aparato !== 'string' || !Array.isArray(read.toques)) return undefined
    return { ...newSheetMemory(read.aparato), ...read }
  } catch {
    return undefined
  }
}

/** @returns whether the device stored the sheet */
export function save(storage: Pick<Storage, 'setItem'>, sheetMemory: SheetMemory): boolean {
  try {
    storage.setItem(STORAGE_KEY, JSON.stringify(sheetMemory))
    return true
  } catch {
    return false
  }
}
