import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Edition, loadEdition, loadManifest } from '#app/cms/editions/displayed-edition.server.ts'
import type { MediaCache } from '#app/cms/editions/media-cache.server.ts'
import { makePng } from '#app/cms/media/full-size-png.server.ts'
import { photoOf, pngFile, typeOf } from '#app/cms/media/image-manifest.server.ts'
import { slugOf } from '#app/cms/schema/edition-documents.ts'
import { answerFile } from '#app/core/http/file-response.server.ts'
import { answerZip } from '#app/core/http/zip-response.server.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import type { Tone } from '#app/ui/styles/tone.ts'

/** A photograph that the press may download. */
interface Piece {
  /** File name under /descargas, with edition, person and version. */
  archivo: string
  leyenda: string
  /** Version of the photograph, where a person has several. */
  version?: string | undefined
  imagen: Picture
}

/** Photographs that belong together on a press page, and in one ZIP. */
export interface Section {
  titulo: string
  piezas: Piece[]
  zip: string
  /** Colour of a candidate. */
  tono?: Tone
  /** Whether the photographs are pairs: a person in colour, and in black and white. */
  enPares?: true
}

const PHOTO_VERSIONS = { b: 'Versión B, en blanco y negro', normal: 'Versión sencilla', vestido: 'Versión con vestido' }

/** The group photograph and each candidate's three, as PNG, as far as the edition has them. @source §2.13 */
export async function listGallerySections(): Promise<Section[]> {
  const edition = await loadEdition()
  const section = sectionMaker(edition, () => '.png')
  return withPieces([
    section('Fotografía de grupo', 'candidatas', [
      { sufijo: 'grupo', leyenda: 'Todas las candidatas', imagen: edition.grupoPrensa },
    ]),
    ...edition.candidatas.map(({ id, nombre, prensa, tono }) => ({
      ...section(
        nombre,
        id,
        (Object.keys(PHOTO_VERSIONS) as (keyof typeof PHOTO_VERSIONS)[]).map((version) => ({
          sufijo: version,
          leyenda: PHOTO_VERSIONS[version],
          imagen: prensa[version],
        })),
      ),
      tono,
    })),
  ])
}

/** Queen, director, teachers and poster, in the formats of the organisers' files. @source §2.10 */
export async function readOfficialCall(): Promise<{ secciones: Section[]; boletin: string }> {
  const edition = await loadEdition()
  const { convocatorias, historia, maestros } = edition
  const { oficial } = convocatorias
  const manifest = await loadManifest()
  const section = sectionMaker(edition, (picture) => extname(photoOf(manifest, picture).path))
  const numbered = (caption: string, pictures: Picture[]) =>
    pictures.map((picture, index) => ({
      sufijo: String(index + 1),
      leyenda: `${caption}\u00a0(${index + 1})`,
      imagen: picture,
    }))
  const [directora] = maestros
  return {
    secciones: withPieces([
      section('Reina Actual', `reina-${slugOf(historia.reina.nombre)}`, numbered(historia.reina.nombre, oficial.reina)),
      section(
        'Directora',
        directora ? `directora-${directora.slug}` : 'directora',
        numbered(directora?.nombre ?? 'Directora', oficial.directora),
      ),
      {
        ...section(
          'Maestros',
          'maestros',
          maestros.flatMap(({ nombre, slug, foto, retratoBn }) => [
            { sufijo: `${slug}-color`, leyenda: nombre, version: 'a color', imagen: foto },
            { sufijo: `${slug}-blanco-y-negro`, leyenda: nombre, version: 'en blanco y negro', imagen: retratoBn },
          ]),
        ),
        enPares: true,
      },
      section('Cartel de la convocatoria', 'convocatoria', [
        { sufijo: 'cartel', leyenda: `Convocatoria ${edition.anio}`, imagen: oficial.cartel },
      ]),
    ]),
    boletin: `${prefixOf(edition)}-boletin${extname(oficial.boletin.documento)}`,
  }
}

const withPieces = (sections: Section[]) => sections.filter(({ piezas }) => piezas.length > 0)

const prefixOf = ({ nombre, anio }: Edition) => slugOf(`${nombre} ${anio}`)

const sectionMaker =
  (edition: Edition, extensionOf: (picture: Picture) => string) =>
  (
    title: string,
    who: string,
    photos: { sufijo: string; leyenda: string; version?: string; imagen: Picture | undefined }[],
  ): Section => {
    const prefix = `${prefixOf(edition)}-${who}`
    return {
      titulo: title,
      piezas: photos.flatMap(({ sufijo, leyenda, version, imagen }) =>
        imagen ? [{ leyenda, version, imagen, archivo: `${prefix}-${sufijo}${extensionOf(imagen)}` }] : [],
      ),
      zip: `${prefix}.zip`,
    }
  }

/**
 * A file of either press page, with ranges; or a section as one ZIP, streamed.
 * @param file last part of the download's address
 * @returns undefined when there is no such file
 */
export async function openDownload(
  file: string,
  request: Request,
  mediaCache: MediaCache,
): Promise<Response | undefined> {
  const headers = { 'content-disposition': `attachment; filename="${file}"`, 'cache-control': 'private, no-cache' }
  const { secciones, boletin } = await readOfficialCall()
  if (file === boletin) {
    const { convocatorias } = await loadEdition()
    const file = (await mediaCache.file(convocatorias.oficial.boletin.documento))!
    return answerFile(file.path, request, { ...headers, 'content-type': file.contentType })
  }
  const all = [...secciones, ...(await listGallerySections())]
  const piece = all.flatMap(({ piezas }) => piezas).find((una) => una.archivo === file)
  if (piece) return answerFile(await fileOf(piece, mediaCache), request, { ...headers, 'content-type': typeOf(file) })
  const section = all.find(({ zip }) => zip === file)
  return section && zipOf(section, request.method === 'HEAD', headers, mediaCache)
}

async function fileOf({ archivo, imagen }: Piece, mediaCache: MediaCache): Promise<string> {
  const { path, entry } = photoOf(await loadManifest(), imagen)
  const source = await mediaCache.original(entry)
  if (archivo.endsWith(extname(path))) return source
  const png = pngFile(path, entry)
  await makePng(source, png)
  return png
}

async function zipOf(
  { piezas }: Section,
  onlyHead: boolean,
  headers: Record<string, string>,
  mediaCache: MediaCache,
): Promise<Response> {
  const entries = await Promise.all(
    piezas.map(async (piece) => {
      const path = await fileOf(piece, mediaCache)
      const { size, mtime } = await stat(path)
      return { name: piece.archivo, size, lastModified: mtime, open: () => createReadStream(path) }
    }),
  )
  return answerZip(entries, onlyHead, headers)
}
