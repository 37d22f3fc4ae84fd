import sharp from 'sharp'
import { archivosDeCandidata, sembrarInscripcion } from '../inscripciones.ts'
import { servicesOn } from './cuentas.ts'
import type { Site } from './site.ts'

/** Entries put into the site's own database and storage. */
export async function sow(
  site: Site,
  siembras: NonNullable<Parameters<typeof sembrarInscripcion>[1]>[],
): Promise<number[]> {
  return servicesOn(site, async (services) => {
    const ids: number[] = []
    for (const siembra of siembras) {
      const archivos = archivosDeCandidata()
      for (const one of archivos)
        one.body = await sharp({ create: { width: 300, height: 400, channels: 3, background: '#a86' } })
          .jpeg()
          .toBuffer()
      const theirs = siembra.tipo === 'traje' ? {} : { archivos }
      ids.push(await sembrarInscripcion(services, { ...theirs, ...siembra }))
    }
    return ids
  })
}
