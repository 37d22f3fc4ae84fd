import { type Edition, loadEdition, loadManifest } from '#app/cms/editions/displayed-edition.server.ts'
import { describeFile, type ImageManifest } from '#app/cms/media/image-manifest.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { parseRichText } from '#app/core/text/rich-text.ts'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'

type StoredSlide = Edition['convocatorias']['anuncios'][number]

export const callPath = (slug: string) => `/convocatoria/${slug}`

/** Fields of a slide's public files, each with the words that follow «Descargar» on its button. */
const DOWNLOAD_NAMES = { documento: 'la convocatoria', bases: 'las bases' } as const

/** Lists the edition's slides as the screen shows them. */
export async function listSlides() {
  const edition = await loadEdition()
  const manifest = await loadManifest()
  return edition.convocatorias.anuncios.map((slide) => ({
    slug: slide.slug,
    titulo: slide.titulo,
    texto: parseRichText(slide.texto),
    imagen: slide.imagen,
    nota: slide.nota,
    registro: slide.registro,
    invitacion: slide.invitacion && { ...slide.invitacion, texto: parseRichText(slide.invitacion.texto) },
    date: slide.fecha === undefined ? undefined : { iso: slide.fecha, text: formatLongDate(slide.fecha) },
    downloads: downloadsOf(slide, edition, manifest),
  }))
}

const downloadsOf = (slide: StoredSlide, { nombre, anio }: Edition, manifest: ImageManifest) =>
  (Object.keys(DOWNLOAD_NAMES) as (keyof typeof DOWNLOAD_NAMES)[]).flatMap((field) => {
    const url = slide[field]
    if (url === undefined) return []
    const fileName = `${slugOf(`${nombre} ${anio}`)}-${slide.slug}-${slugOf(DOWNLOAD_NAMES[field])}${url.slice(url.lastIndexOf('.'))}`
    return [{ url, fileName, label: `Descargar ${DOWNLOAD_NAMES[field]} (${describeFile(manifest, url)})` }]
  })
