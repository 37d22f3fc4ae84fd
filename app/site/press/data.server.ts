import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Edicion, loadEdicion, loadManifest } from '#app/cms/editions/displayed-edition.server.ts'
import type { Acervo } from '#app/cms/editions/media-cache.server.ts'
import { makePng } from '#app/cms/media/full-size-png.server.ts'
import { photoOf, pngFile, typeOf } from '#app/cms/media/image-manifest.server.ts'
import { slugOf } from '#app/cms/schema/edition-documents.ts'
import { answerFile } from '#app/core/http/file-response.server.ts'
import { answerZip } from '#app/core/http/zip-response.server.ts'
import type { Imagen } from '#app/ui/photos/photo.tsx'
import type { Tono } from '#app/ui/styles/tone.ts'

/** One photograph that the press may take home. */
interface Pieza {
  /** Name under /descargas and on the visitor's disk; it says edition, person and version. */
  archivo: string
  leyenda: string
  /** Which of a person's photographs it is, where there are several of each. */
  version?: string | undefined
  imagen: Imagen
}

/** Photographs that belong together on a press page, and in one ZIP. */
export interface Seccion {
  titulo: string
  piezas: Pieza[]
  zip: string
  /** A candidate's own light. */
  tono?: Tono
  /** Whether they are pairs, a person in colour and in black and white. */
  enPares?: true
}

const VERSIONES = { b: 'Versión B, en blanco y negro', normal: 'Versión sencilla', vestido: 'Versión con vestido' }

/** The group photograph and each candidate's three, as PNG; what there is of them. @source §2.13 */
export async function listGaleria(): Promise<Seccion[]> {
  const edicion = await loadEdicion()
  const seccion = sectionMaker(edicion, () => '.png')
  return withPieces([
    seccion('Fotografía de grupo', 'candidatas', [
      { sufijo: 'grupo', leyenda: 'Todas las candidatas', imagen: edicion.grupoPrensa },
    ]),
    ...edicion.candidatas.map(({ id, nombre, prensa, tono }) => ({
      ...seccion(
        nombre,
        id,
        (Object.keys(VERSIONES) as (keyof typeof VERSIONES)[]).map((version) => ({
          sufijo: version,
          leyenda: VERSIONES[version],
          imagen: prensa[version],
        })),
      ),
      tono,
    })),
  ])
}

/** Queen, director, teachers and poster, as the organisers gave them. @source §2.10 */
export async function listConvocatoria(): Promise<{ secciones: Seccion[]; boletin: string }> {
  const edicion = await loadEdicion()
  const { convocatorias, historia, maestros } = edicion
  const { oficial } = convocatorias
  const manifest = await loadManifest()
  const seccion = sectionMaker(edicion, (imagen) => extname(photoOf(manifest, imagen).path))
  const numbered = (leyenda: string, imagenes: Imagen[]) =>
    imagenes.map((imagen, index) => ({ sufijo: String(index + 1), leyenda: `${leyenda}\u00a0(${index + 1})`, imagen }))
  const [directora] = maestros
  return {
    secciones: withPieces([
      seccion('Reina Actual', `reina-${slugOf(historia.reina.nombre)}`, numbered(historia.reina.nombre, oficial.reina)),
      seccion(
        'Directora',
        directora ? `directora-${directora.slug}` : 'directora',
        numbered(directora?.nombre ?? 'Directora', oficial.directora),
      ),
      {
        ...seccion(
          'Maestros',
          'maestros',
          maestros.flatMap(({ nombre, slug, foto, retratoBn }) => [
            { sufijo: `${slug}-color`, leyenda: nombre, version: 'a color', imagen: foto },
            { sufijo: `${slug}-blanco-y-negro`, leyenda: nombre, version: 'en blanco y negro', imagen: retratoBn },
          ]),
        ),
        enPares: true,
      },
      seccion('Cartel de la convocatoria', 'convocatoria', [
        { sufijo: 'cartel', leyenda: `Convocatoria ${edicion.anio}`, imagen: oficial.cartel },
      ]),
    ]),
    boletin: `${prefixOf(edicion)}-boletin${extname(oficial.boletin.documento)}`,
  }
}

const withPieces = (secciones: Seccion[]) => secciones.filter(({ piezas }) => piezas.length > 0)

const prefixOf = ({ nombre, anio }: Edicion) => slugOf(`${nombre} ${anio}`)

const sectionMaker =
  (edicion: Edicion, extensionOf: (imagen: Imagen) => string) =>
  (
    titulo: string,
    quien: string,
    fotos: { sufijo: string; leyenda: string; version?: string; imagen: Imagen | undefined }[],
  ): Seccion => {
    const prefix = `${prefixOf(edicion)}-${quien}`
    return {
      titulo,
      piezas: fotos.flatMap(({ sufijo, leyenda, version, imagen }) =>
        imagen ? [{ leyenda, version, imagen, archivo: `${prefix}-${sufijo}${extensionOf(imagen)}` }] : [],
      ),
      zip: `${prefix}.zip`,
    }
  }

/**
 * A file of either press page, with ranges; or a section as one ZIP, streamed.
 * @param archivo last part of the download's address
 * @returns undefined when there is no such file
 */
export async function openDescarga(archivo: string, request: Request, acervo: Acervo): Promise<Response | undefined> {
  const headers = { 'content-disposition': `attachment; filename="${archivo}"`, 'cache-control': 'private, no-cache' }
  const { secciones, boletin } = await listConvocatoria()
  if (archivo === boletin) {
    const { convocatorias } = await loadEdicion()
    const file = (await acervo.file(convocatorias.oficial.boletin.documento))!
    return answerFile(file.path, request, { ...headers, 'content-type': file.contentType })
  }
  const todas = [...secciones, ...(await listGaleria())]
  const pieza = todas.flatMap(({ piezas }) => piezas).find((una) => una.archivo === archivo)
  if (pieza) return answerFile(await fileOf(pieza, acervo), request, { ...headers, 'content-type': typeOf(archivo) })
  const seccion = todas.find(({ zip }) => zip === archivo)
  return seccion && zipOf(seccion, request.method === 'HEAD', headers, acervo)
}

async function fileOf({ archivo, imagen }: Pieza, acervo: Acervo): Promise<string> {
  const { path, entry } = photoOf(await loadManifest(), imagen)
  const source = await acervo.original(entry)
  if (archivo.endsWith(extname(path))) return source
  const png = pngFile(path, entry)
  await makePng(source, png)
  return png
}

async function zipOf(
  { piezas }: Seccion,
  onlyHead: boolean,
  headers: Record<string, string>,
  acervo: Acervo,
): Promise<Response> {
  const entries = await Promise.all(
    piezas.map(async (pieza) => {
      const path = await fileOf(pieza, acervo)
      const { size, mtime } = await stat(path)
      return { name: pieza.archivo, size, lastModified: mtime, open: () => createReadStream(path) }
    }),
  )
  return answerZip(entries, onlyHead, headers)
}
