import { imageManifest, toImagen, toUrl } from './imagenes.server.ts'
import { ContentError, readEdicion } from './lectura.server.ts'
import { slugOf } from './schema.ts'

export type Edicion = Awaited<ReturnType<typeof build>>

let current: Promise<Edicion> | undefined

/**
 * The current edition, checked, its pictures and files resolved to URLs. Read once in production.
 * @throws ContentError listing every fault of the content
 */
export function loadEdicion(): Promise<Edicion> {
  if (process.env.NODE_ENV !== 'production') return build()
  current ??= build().catch((error: unknown) => {
    current = undefined
    throw error
  })
  return current
}

async function build() {
  const { archivos, fallas } = await readEdicion()
  if (fallas.length > 0) throw new ContentError(fallas)
  const manifest = await imageManifest()
  // Without faults every file is there.
  const { inicio, patrocinadores, maestros, registro, privacidad, ...edicion } = {
    ...archivos['edicion.yaml']!,
    inicio: archivos['inicio.yaml']!,
    patrocinadores: archivos['patrocinadores.yaml']!,
    maestros: archivos['maestros.yaml']!,
    registro: archivos['registro.yaml']!,
    privacidad: archivos['privacidad.yaml']!,
  }
  const corte = ({ av1, h264, cartel }: (typeof inicio)['video']['ancho']) => ({
    av1: toUrl(manifest, av1),
    h264: toUrl(manifest, h264),
    cartel: toImagen(manifest, cartel),
  })
  return {
    ...edicion,
    inicio: {
      video: { ancho: corte(inicio.video.ancho), vertical: corte(inicio.video.vertical) },
      introduccion: inicio.introduccion,
      galeria: inicio.galeria.map((foto) => toImagen(manifest, foto)),
      noticias: inicio.noticias.map((noticia) => ({ ...noticia, imagen: toImagen(manifest, noticia.imagen) })),
    },
    patrocinadores: patrocinadores.map((uno) => ({ ...uno, marca: toUrl(manifest, uno.marca) })),
    maestros: maestros.map((uno) => ({ ...uno, slug: slugOf(uno.nombre) })),
    registro: { ...registro, imagen: toImagen(manifest, registro.imagen) },
    privacidad,
  }
}
