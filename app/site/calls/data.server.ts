import { type Edition, loadEdition, loadManifest } from '#app/cms/editions/displayed-edition.server.ts'
import { describeFile, type ImageManifest } from '#app/cms/media/image-manifest.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { parseRichText } from '#app/core/text/rich-text.ts'
import { formatLongDate } from '#app/core/time/mexico-dates.ts'

type StoredCall = Edition['convocatorias']['anuncios'][number]

export const callPath = (slug: string) => `/convocatoria/${slug}`

/** These files of a call are for everybody; the button's words follow «Descargar». */
const FILES = { documento: 'la convocatoria', bases: 'las bases' } as const

/** Lists the edition's calls as the screen shows them. */
export async function listCalls() {
  const edition = await loadEdition()
  const manifest = await loadManifest()
  return edition.convocatorias.anuncios.map((call) => ({
    slug: call.slug,
    titulo: call.titulo,
    texto: parseRichText(call.texto),
    imagen: call.imagen,
    nota: call.nota,
    registro: call.registro,
    invitacion: call.invitacion && { ...call.invitacion, texto: parseRichText(call.invitacion.texto) },
    date: call.fecha === undefined ? undefined : { iso: call.fecha, text: formatLongDate(call.fecha) },
    downloads: downloadsOf(call, edition, manifest),
  }))
}

const downloadsOf = (call: StoredCall, { nombre, anio }: Edition, manifest: ImageManifest) =>
  (Object.keys(FILES) as (keyof typeof FILES)[]).flatMap((field) => {
    const url = call[field]
    if (url === undefined) return []
    const fileName = `${slugOf(`${nombre} ${anio}`)}-${call.slug}-${slugOf(FILES[field])}${url.slice(url.lastIndexOf('.'))}`
    return [{ url, fileName, label: `Descargar ${FILES[field]} (${describeFile(manifest, url)})` }]
  })
