import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { formatTime } from '#app/core/time/mexico-dates.ts'
import { readRecord, readUnsignedSheets } from '#app/finals/record/data.server.ts'
import type { JudgeSheet, SheetMarks } from '#app/finals/record/schema.ts'
import { activeCandidates, ultimaRonda } from '#app/finals/record/state.ts'

/** Reads a judge's sheet: this judge's own marks only, and no ranking. */
export async function readSheet(
  services: Pick<Services, 'db' | 'keyed'>,
  { edicion, numero: judge, nombre }: { edicion: number; numero: number; nombre: string },
): Promise<JudgeSheet> {
  const { nombre: pageant, anio, candidatas: isPublished } = await loadEdition()
  const { final } = (await readRecord(services, edicion)).estado
  const said = { certamen: `${pageant} ${anio}`, juez: judge, nombre }
  if (!final?.apertura.jurado.some(({ numero }) => numero === judge))
    return { ...said, final: 0, medios: false, rondas: 0, ronda: null, sellada: false }
  const ronda = ultimaRonda(final)
  const common = { ...said, final: final.apertura.numero, medios: final.reglas.medios }
  const night = { ...common, rondas: final.reglas.rondas.length, sellada: final.cierre !== undefined }
  if (!ronda) return { ...night, ronda: null }
  const rules = final.reglas.rondas[ronda.numero - 1]!
  const signed = ronda.hojas.get(judge)
  const written = signed ? undefined : (await readUnsignedSheets(services.db, edicion, ronda.numero)).get(judge)
  const allMarks: SheetMarks = signed?.calificaciones ?? written?.calificaciones ?? {}
  const reopened = final.reabiertas.findLast((one) => one.ronda === ronda.numero && one.juez === judge)
  const present = activeCandidates(final, ronda)
  return {
    ...night,
    ronda: {
      ...{ numero: ronda.numero, nombre: rules.nombre, clase: rules.clase, criterios: rules.criterios },
      candidatas: final.apertura.candidatas.flatMap(({ id, numero, nombre: its }) => {
        if (!present.includes(id)) return []
        const published = isPublished.find((una) => una.id === id)
        const silhouette = published ? { ...published.silueta, vista: undefined } : null
        return [{ id, numero, nombre: its, tono: published?.tono ?? 'oro', silueta: silhouette }]
      }),
      abierta: ronda.cerrada === undefined,
      marcas: allMarks,
      firmada: signed ? formatTime(new Date(signed.levantada)) : null,
      reabierta: !signed && reopened ? reopened.motivo : null,
    },
  }
}
