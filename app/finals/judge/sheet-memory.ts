import type { JudgeSheet, SheetResponse, SheetRound, SheetScores, Tap } from '#app/finals/record/schema.ts'

/** A signature that the site has not confirmed yet. `clave` is its idempotency key, so a retry signs only once. */
interface PendingSignature {
  clave: string
  calificaciones: Record<string, number[]>
}

/** A judge's sheet as the telephone stores it, to work offline. The keys are stored and stay Spanish. */
export interface SheetMemory {
  /** Random id with which the telephone redeems its link. */
  aparato: string
  /** The site's latest sheet; null before the first. */
  hoja: JudgeSheet | null
  /** Opening entry of the final that `toques` and `firma` belong to; `ronda` is their round. Both numbers are 0 if there is none. */
  final: number
  ronda: number
  toques: Tap[]
  firma: PendingSignature | null
}

export const newSheetMemory = (deviceId: string): SheetMemory => ({
  aparato: deviceId,
  hoja: null,
  final: 0,
  ronda: 0,
  toques: [],
  firma: null,
})

/**
 * Returns the memory with the site's current sheet. Taps and a signature stay only if their round is open and unsigned; taps of a
 * candidate who has left the round are dropped.
 */
export function receiveSheet(sheetMemory: SheetMemory, sheet: JudgeSheet): SheetMemory {
  const { ronda: round } = sheet
  const isSameRound = sheetMemory.final === sheet.final && round?.numero === sheetMemory.ronda
  const isOpen = isSameRound && round?.abierta && round.firmada === null
  const candidateIds = round?.candidatas.map(({ id }) => id) ?? []
  return {
    aparato: sheetMemory.aparato,
    hoja: sheet,
    final: sheet.final,
    ronda: round?.numero ?? 0,
    toques: isOpen ? sheetMemory.toques.filter(({ candidata }) => candidateIds.includes(candidata)) : [],
    firma: isOpen ? sheetMemory.firma : null,
  }
}

/**
 * Returns a message for the judge if `receiveSheet` loses taps or a signature; undefined if it loses none, or only taps of a
 * sheet that is signed or of a candidate who was withdrawn.
 */
export function lostTapsMessage(sheetMemory: SheetMemory, sheet: JudgeSheet): string | undefined {
  if (!sheetMemory.firma && sheetMemory.toques.length === 0) return undefined
  const { ronda: round } = sheet
  if (sheetMemory.final !== sheet.final) return 'La final se abrió de nuevo: lo que tocaste antes ya no cuenta.'
  if (round?.numero === sheetMemory.ronda && round.firmada !== null) return undefined
  if (round?.numero === sheetMemory.ronda && round.abierta) return undefined
  return 'La ronda se cerró antes de que llegara tu hoja. Avisa en la mesa de la notaría.'
}

/** Adds a tap, which replaces an earlier tap of the same candidate and criterion. */
export const addTap = (sheetMemory: SheetMemory, newTap: Tap): SheetMemory => ({
  ...sheetMemory,
  toques: [
    ...sheetMemory.toques.filter(
      ({ candidata, criterio }) => candidata !== newTap.candidata || criterio !== newTap.criterio,
    ),
    newTap,
  ],
})

/**
 * Returns the memory after the site's response. Saved taps and refused taps or signatures are dropped; later taps stay, and
 * so does everything that a retry may still deliver. `receiveSheet` drops a confirmed signature.
 * @param sentMemory memory as it was sent
 */
export function afterSending(sheetMemory: SheetMemory, sentMemory: SheetMemory, response: SheetResponse): SheetMemory {
  if (!response.ok && response.reason !== 'rechazo') return sheetMemory
  if (sentMemory.firma) {
    // The judge may have withdrawn the sent signature meanwhile, and signed anew.
    const isSentSignature = sheetMemory.firma?.clave === sentMemory.firma.clave
    return response.ok || !isSentSignature ? sheetMemory : { ...sheetMemory, firma: null }
  }
  return {
    ...sheetMemory,
    toques: sheetMemory.toques.filter((tap) => !sentMemory.toques.some((sentTap) => isSameTap(sentTap, tap))),
  }
}

const isSameTap = (a: Tap, b: Tap) =>
  a.candidata === b.candidata && a.criterio === b.criterio && a.decimas === b.decimas

/** Returns the scores of the sheet: the site's, overridden by those of the signature, and these by the taps. */
export function scoresOf({ toques: taps, firma: signature }: SheetMemory, round: SheetRound): SheetScores {
  const allScores: SheetScores = Object.fromEntries(
    round.candidatas.map(({ id }) => [
      id,
      signature?.calificaciones[id] ?? round.criterios.map((_, index) => round.marcas[id]?.[index] ?? null),
    ]),
  )
  for (const { candidata, criterio, decimas } of taps) {
    const scores = allScores[candidata]
    if (scores) allScores[candidata] = scores.with(criterio, decimas)
  }
  return allScores
}

/** Returns the scores for signing; undefined while a score is missing. */
export function completeScores(allScores: SheetScores): Record<string, number[]> | undefined {
  const entries = Object.entries(allScores)
  if (!entries.every(([, scores]) => scores.every((score) => score !== null))) return undefined
  return Object.fromEntries(entries) as Record<string, number[]>
}

const STORAGE_KEY = 'jurado'

/** Reads the stored memory; undefined if none is stored, or it is damaged or cannot be read. */
export function readSheetMemory(storage: Pick<Storage, 'getItem'>): SheetMemory | undefined {
  try {
    const storedValue = JSON.parse(storage.getItem(STORAGE_KEY) ?? 'null') as Partial<SheetMemory> | null
    if (typeof storedValue?.aparato !== 'string' || !Array.isArray(storedValue.toques)) return undefined
    return { ...newSheetMemory(storedValue.aparato), ...storedValue }
  } catch {
    return undefined
  }
}

/** Stores the sheet on the device. @returns whether the device accepted it; private browsing may refuse */
export function storeSheetMemory(storage: Pick<Storage, 'setItem'>, sheetMemory: SheetMemory): boolean {
  try {
    storage.setItem(STORAGE_KEY, JSON.stringify(sheetMemory))
    return true
  } catch {
    return false
  }
}
