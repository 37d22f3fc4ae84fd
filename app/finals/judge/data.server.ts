import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatTime } from '#app/core/time/mexico-dates.ts'
import { readFinalRecord, readUnsignedSheets } from '#app/finals/record/data.server.ts'
import type { JudgeSheet, SheetScores } from '#app/finals/record/schema.ts'
import { activeCandidateIds, latestRoundOf, rulesOfRound } from '#app/finals/record/state.ts'
import { toSheetPicture } from './sheet-picture.ts'

/**
 * Reads a judge's sheet, with this judge's scores only and without a ranking. The sheet is empty for a judge who is not on the
 * jury of an open or sealed final.
 */
export async function readSheet(
  services: Pick<Services, 'db' | 'keyed'>,
  { edicion, numero: judgeNumber, nombre }: { edicion: number; numero: number; nombre: string },
): Promise<JudgeSheet> {
  const { nombre: pageant, anio, candidatas: publishedCandidates } = await loadEdition()
  const { final } = (await readFinalRecord(services, edicion)).state
  const sheetHeading = { certamen: `${pageant} ${anio}`, juez: judgeNumber, nombre }
  if (!final?.opening.jurado.some(({ numero }) => numero === judgeNumber))
    return { ...sheetHeading, final: 0, medios: false, rondas: 0, ronda: null, sellada: false }
  const round = latestRoundOf(final)
  const openingFields = { ...sheetHeading, final: final.opening.numero, medios: final.rules.medios }
  const commonFields = {
    ...openingFields,
    rondas: Math.max(final.rules.rondas.length, final.rounds.length),
    sellada: final.closing !== undefined,
  }
  if (!round) return { ...commonFields, ronda: null }
  const rules = rulesOfRound(final.rules, round.number)
  const signedSheet = round.sheets.get(judgeNumber)
  const unsignedSheet = signedSheet
    ? undefined
    : (await readUnsignedSheets(services.db, edicion, round.number)).get(judgeNumber)
  const scores: SheetScores = signedSheet?.calificaciones ?? unsignedSheet?.calificaciones ?? {}
  const reopening = final.reopenings.findLast(({ ronda, juez }) => ronda === round.number && juez === judgeNumber)
  const activeIds = activeCandidateIds(final, round)
  return {
    ...commonFields,
    ronda: {
      numero: round.number,
      nombre: rules.nombre,
      clase: rules.clase,
      criterios: rules.criterios,
      candidatas: final.opening.candidatas.flatMap(({ id, numero, nombre: candidateName }) => {
        if (!activeIds.includes(id)) return []
        const publishedCandidate = publishedCandidates.find((candidate) => candidate.id === id)
        const silhouette = publishedCandidate ? toSheetPicture(publishedCandidate.silueta) : null
        return [{ id, numero, nombre: candidateName, tono: publishedCandidate?.tono ?? 'oro', silueta: silhouette }]
      }),
      abierta: round.closing === undefined,
      marcas: scores,
      firmada: signedSheet ? formatTime(new Date(signedSheet.levantada)) : null,
      reabierta: !signedSheet && reopening ? reopening.motivo : null,
    },
  }
}
