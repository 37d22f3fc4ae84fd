import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { enHora } from '#app/core/time/mexico-dates.ts'
import { readActa, readSinFirmar } from '#app/finals/record/data.server.ts'
import type { HojaDicha, Marcas } from '#app/finals/record/schema.ts'
import { activas, ultimaRonda } from '#app/finals/record/state.ts'

/** What the telephone of a judge shows: nobody else's marks, and no order. */
export async function readHoja(
  services: Pick<Services, 'db' | 'keyed'>,
  { edicion, numero: juez, nombre }: { edicion: number; numero: number; nombre: string },
): Promise<HojaDicha> {
  const { nombre: certamen, anio, candidatas: publicadas } = await loadEdicion()
  const { final } = (await readActa(services, edicion)).estado
  const said = { certamen: `${certamen} ${anio}`, juez, nombre }
  if (!final?.apertura.jurado.some(({ numero }) => numero === juez))
    return { ...said, final: 0, medios: false, rondas: 0, ronda: null, sellada: false }
  const ronda = ultimaRonda(final)
  const common = { ...said, final: final.apertura.numero, medios: final.reglas.medios }
  const night = { ...common, rondas: final.reglas.rondas.length, sellada: final.cierre !== undefined }
  if (!ronda) return { ...night, ronda: null }
  const rules = final.reglas.rondas[ronda.numero - 1]!
  const firmada = ronda.hojas.get(juez)
  const escrita = firmada ? undefined : (await readSinFirmar(services.db, edicion, ronda.numero)).get(juez)
  const marcas: Marcas = firmada?.calificaciones ?? escrita?.calificaciones ?? {}
  const reabierta = final.reabiertas.findLast((one) => one.ronda === ronda.numero && one.juez === juez)
  const present = activas(final, ronda)
  return {
    ...night,
    ronda: {
      ...{ numero: ronda.numero, nombre: rules.nombre, clase: rules.clase, criterios: rules.criterios },
      candidatas: final.apertura.candidatas.flatMap(({ id, numero, nombre: its }) => {
        if (!present.includes(id)) return []
        const publicada = publicadas.find((una) => una.id === id)
        const silueta = publicada ? { ...publicada.silueta, vista: undefined } : null
        return [{ id, numero, nombre: its, tono: publicada?.tono ?? 'oro', silueta }]
      }),
      abierta: ronda.cerrada === undefined,
      marcas,
      firmada: firmada ? enHora(new Date(firmada.levantada)) : null,
      reabierta: !firmada && reabierta ? reabierta.motivo : null,
    },
  }
}
