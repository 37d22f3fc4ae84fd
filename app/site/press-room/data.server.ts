import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Edition, loadEdition, loadManifest } from '#app/cms/editions/displayed-edition.server.ts'
import type { MediaCache } from '#app/cms/editions/media-cache.server.ts'
import { ensurePng } from '#app/cms/media/ensure-png.server.ts'
import { contentTypeOf, findPhotoEntry, pngPath } from '#app/cms/media/image-manifest.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { fileResponse } from '#app/core/http/file-response.server.ts'
import { zipResponse } from '#app/core/http/zip-response.server.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import type { Tone } from '#app/ui/styles/tone.ts'

/** A photograph that the press may download. */
interface PressPhoto {
  /** File name under /descargas, made of edition, section and suffix. */
  fileName: string
  caption: string
  /** Version of the photograph, shown after the caption; absent if the caption says it, or there is only one. */
  version?: string | undefined
  picture: Picture
}

/** Photographs that are together on a press page, and in one ZIP. */
export interface PressSection {
  title: string
  pieces: PressPhoto[]
  /** File name of the ZIP under /descargas. */
  zip: string
  /** Tone of the candidate in the photographs. */
  tone?: Tone
  /** Whether the photographs are pairs: a person in colour, and in black and white. */
  inPairs?: true
}

const PHOTO_VERSIONS = { b: 'Versión B, en blanco y negro', normal: 'Versión sencilla', vestido: 'Versión con vestido' }

/** Lists the group photograph and three of each candidate as PNG files, as far as the edition has them. @source §2.13 */
export async function listGallerySections(): Promise<PressSection[]> {
  const edition = await loadEdition()
  // The group photograph shows the candidates, who are not known before the edition presents them.
  if (edition.candidatas.length === 0) return []
  const makeSection = createSectionMaker(edition, () => '.png')
  return withoutEmptySections([
    makeSection('Fotografía de grupo', 'candidatas', [
      { suffix: 'grupo', caption: 'Todas las candidatas', picture: edition.grupoPrensa },
    ]),
    ...edition.candidatas.map(({ id, nombre, prensa, tono }) => ({
      ...makeSection(
        nombre,
        id,
        (Object.keys(PHOTO_VERSIONS) as (keyof typeof PHOTO_VERSIONS)[]).map((version) => ({
          suffix: version,
          caption: PHOTO_VERSIONS[version],
          picture: prensa[version],
        })),
      ),
      tone: tono,
    })),
  ])
}

/**
 * Reads the press release's file name and the photographs of queen, director, teachers and poster, in the formats of the
 * organisers' files.
 * @source §2.10
 */
export async function readOfficialCall(): Promise<{ sections: PressSection[]; releaseFile: string }> {
  const edition = await loadEdition()
  const { convocatorias, historia, maestros } = edition
  const { oficial } = convocatorias
  const manifest = await loadManifest()
  const makeSection = createSectionMaker(edition, (picture) => extname(findPhotoEntry(manifest, picture).path))
  const numberedPhotos = (caption: string, pictures: Picture[]) =>
    pictures.map((picture, index) => ({
      suffix: String(index + 1),
      caption: `${caption}\u00a0(${index + 1})`,
      picture,
    }))
  // The first teacher in the list is the director.
  const [director] = maestros
  return {
    sections: withoutEmptySections([
      makeSection(
        'Reina Actual',
        `reina-${slugOf(historia.reina.nombre)}`,
        numberedPhotos(historia.reina.nombre, oficial.reina),
      ),
      makeSection(
        'Directora',
        director ? `directora-${director.slug}` : 'directora',
        numberedPhotos(director?.nombre ?? 'Directora', oficial.directora),
      ),
      {
        ...makeSection(
          'Maestros',
          'maestros',
          maestros.flatMap(({ nombre, slug, foto, retratoBn }) => [
            { suffix: `${slug}-color`, caption: nombre, version: 'a color', picture: foto },
            { suffix: `${slug}-blanco-y-negro`, caption: nombre, version: 'en blanco y negro', picture: retratoBn },
          ]),
        ),
        inPairs: true,
      },
      makeSection('Cartel de la convocatoria', 'convocatoria', [
        { suffix: 'cartel', caption: `Convocatoria ${edition.anio}`, picture: oficial.cartel },
      ]),
    ]),
    releaseFile: `${prefixOf(edition)}-boletin${extname(oficial.boletin.documento)}`,
  }
}

const withoutEmptySections = (sections: PressSection[]) => sections.filter(({ pieces }) => pieces.length > 0)

const prefixOf = ({ nombre, anio }: Edition) => slugOf(`${nombre} ${anio}`)

const createSectionMaker =
  (edition: Edition, extensionOf: (picture: Picture) => string) =>
  (
    title: string,
    nameSlug: string,
    photos: { suffix: string; caption: string; version?: string; picture: Picture | undefined }[],
  ): PressSection => {
    const prefix = `${prefixOf(edition)}-${nameSlug}`
    return {
      title,
      pieces: photos.flatMap(({ suffix, caption, version, picture }) =>
        picture ? [{ caption, version, picture, fileName: `${prefix}-${suffix}${extensionOf(picture)}` }] : [],
      ),
      zip: `${prefix}.zip`,
    }
  }

/**
 * Returns a response with a file of the press pages, of which a range may be requested, or with a section as a streamed ZIP.
 * @param name last segment of the download's path
 * @returns undefined if there is no such file
 */
export async function openDownload(
  name: string,
  request: Request,
  mediaCache: MediaCache,
): Promise<Response | undefined> {
  const headers = { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'private, no-cache' }
  const { sections, releaseFile } = await readOfficialCall()
  if (name === releaseFile) {
    const { convocatorias } = await loadEdition()
    const document = (await mediaCache.findFile(convocatorias.oficial.boletin.documento))!
    return fileResponse(document.path, request, { ...headers, 'content-type': document.contentType })
  }
  const allSections = [...sections, ...(await listGallerySections())]
  const piece = allSections.flatMap(({ pieces }) => pieces).find(({ fileName }) => fileName === name)
  if (piece)
    return fileResponse(await fileOf(piece, mediaCache), request, { ...headers, 'content-type': contentTypeOf(name) })
  const section = allSections.find(({ zip }) => zip === name)
  return section && zipOf(section, request.method === 'HEAD', headers, mediaCache)
}

async function fileOf({ fileName, picture }: PressPhoto, mediaCache: MediaCache): Promise<string> {
  const { path, entry } = findPhotoEntry(await loadManifest(), picture)
  const originalPath = await mediaCache.fetchOriginal(entry)
  if (fileName.endsWith(extname(path))) return originalPath
  const pngFilePath = pngPath(path, entry)
  await ensurePng(originalPath, pngFilePath)
  return pngFilePath
}

async function zipOf(
  { pieces }: PressSection,
  isHeadRequest: boolean,
  headers: Record<string, string>,
  mediaCache: MediaCache,
): Promise<Response> {
  const entries = await Promise.all(
    pieces.map(async (piece) => {
      const path = await fileOf(piece, mediaCache)
      const { size, mtime } = await stat(path)
      return { name: piece.fileName, size, lastModified: mtime, open: () => createReadStream(path) }
    }),
  )
  return zipResponse(entries, isHeadRequest, headers)
}
