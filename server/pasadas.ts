import * as v from 'valibot'
import { conEdicion, type EdicionPasada, puestaDe } from '#app/cms/editions/displayed-edition.server.ts'
import { describe } from '#app/cms/editions/media-cache.server.ts'
import { imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { readArchivos, readPasadas } from '#app/cms/publishing/publications.server.ts'
import { type Archivos, checkValores } from '#app/cms/schema/read-content.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { loadEleccion, loadGanadora } from '#app/voting/election/data.server.ts'
import { readSellada } from '#app/voting/tally/sealed-record.server.ts'

const ConVotosSchema = v.object({
  candidatas: v.array(v.object({ id: v.optional(v.string()), nombre: v.string(), votos: v.number() })),
})

/**
 * The editions that the site has shown before this one, with who won and the act that says so.
 * @param actual year of the edition that is shown
 */
export async function readEdicionesPasadas(
  services: Pick<Services, 'db' | 'clock'>,
  actual: number,
  root = '.',
): Promise<EdicionPasada[]> {
  const { db } = services
  const muestra = await imageManifest(root).catch(() => undefined)
  const pasadas: EdicionPasada[] = []
  for (const { edicion: anio, valores, archivos } of await readPasadas(db, actual)) {
    const filas = await readArchivos(db, Object.values(archivos))
    const { archivos: documentos, fallas } = checkValores(valores, (ruta) => filas.has(archivos[ruta] ?? ''))
    // An edition that this version cannot show any more has no screen, and keeps nothing else from being shown.
    if (fallas.length > 0) continue
    const { manifest } = manifestOf(describe(archivos, filas, muestra), documentos, true)
    const puesta = puestaDe(documentos as Archivos, manifest)
    pasadas.push({
      edicion: puesta.edicion,
      puesta,
      resultado: await conEdicion(puesta, () => readResultado(services, anio)),
    })
  }
  return pasadas
}

/** What the sealed act of the edition in force says; undefined without one. */
async function readResultado(
  services: Pick<Services, 'db' | 'clock'>,
  anio: number,
): Promise<EdicionPasada['resultado']> {
  const sellada = await readSellada(services, await loadEleccion())
  if (!sellada) return undefined
  const acta = v.safeParse(ConVotosSchema, JSON.parse(sellada.contenido))
  if (!acta.success) return undefined
  const ganadora = await loadGanadora(services.db)
  return {
    votos: acta.output.candidatas
      .map(({ id, nombre, votos }) => ({ id: id ?? nombre, nombre, votos }))
      .sort((a, b) => b.votos - a.votos),
    ganadora: ganadora && {
      ...{ id: ganadora.id, nombreCorto: ganadora.nombreCorto, mensaje: ganadora.mensaje },
      foto: ganadora.foto,
    },
    sello: sellada.sello,
    archivo: `/misspopularidad/acta.json?edicion=${anio}`,
  }
}
