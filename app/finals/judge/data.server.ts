import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatTime } from '#app/core/time/mexico-dates.ts'
import { readRecord, readUnsignedSheets } from '#app/finals/record/data.server.ts'
import type { JudgeSheet, SheetScores } from '#app/finals/record/schema.ts'
import { activeCandidates, latestRound, roundRules } from '#app/finals/record/state.ts'
import { toSheetPicture } from './sheet-picture.ts'

/** Reads a judge's sheet: this judge's scores only, and no ranking. */
export async function readSheet(
  services: Pick<Services, 'db' | 'keyed'>,
  { edicion, numero: judge, nombre }: { edicion: number; numero: number; nombre: string },
): Promise<JudgeSheet> {
  const { nombre: pageant, anio, candidatas: publishedCandidates } = await loadEdition()
  const { final } = (await readRecord(services, edicion)).state
  const heading = { certamen: `${pageant} ${anio}`, juez: judge, nombre }
  if (!final?.opening.jurado.some(({ numero }) => numero === judge))
    return { ...heading, final: 0, medios: false, rondas: 0, ronda: null, sellada: false }
  const round = latestRound(final)
  const common = { ...heading, final: final.opening.numero, medios: final.rules.medios }
  const night = {
    ...common,
    rondas: Math.max(final.rules.rondas.length, final.rounds.length),
    sellada: final.closing !== undefined,
  }
  if (!round) return { ...night, ronda: null }
  const rules = roundRules(final.rules, round.number)
  const signedSheet = round.sheets.get(judge)
  const unsignedSheet = signedSheet
    ? undefined
    : (await readUnsignedSheets(services.db, edicion, round.number)).get(judge)
  const allScores: SheetScores = signedSheet?.calificaciones ?? unsignedSheet?.calificaciones ?? {}
  const reopening = final.reopenings.findLast((one) => one.ronda === round.number && one.juez === judge)
  const activeIds = activeCandidates(final, round)
  return {
    ...night,
    ronda: {
      numero: round.number,
      nombre: rules.nombre,
      clase: rules.clase,
      criterios: rules.criterios,
      candidatas: final.opening.candidatas.flatMap(({ id, numero, nombre: candidateName }) => {
        if (!activeIds.includes(id)) return []
        const published = publishedCandidates.find((candidate) => candidate.id === id)
        const silhouette = published ? toSheetPicture(published.silueta) : null
        return [{ id, numero, nombre: candidateName, tono: published?.tono ?? 'oro', silueta: silhouette }]
      }),
      abierta: round.closing === undefined,
      marcas: allScores,
      firmada: signedSheet ? formatTime(new Date(signedSheet.levantada)) : null,
      reabierta: !signedSheet && reopening ? reopening.motivo : null,
    },
  }
}
