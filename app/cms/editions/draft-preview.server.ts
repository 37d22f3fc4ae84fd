import { readBorrador } from '#app/cms/drafts/draft-store.server.ts'
import { FOTO_QUE_FALTA, LOGO_QUE_FALTA, sanar } from '#app/cms/drafts/fallbacks.ts'
import { conSenas, type Lugar } from '#app/cms/drafts/field-markers.ts'
import { type ArchivoDescrito, imageManifest, manifestOf } from '#app/cms/media/image-manifest.server.ts'
import { filesOf } from '#app/cms/publishing/mutations.server.ts'
import { type Publicacion, readArchivos, readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { type Documento, descriptorDe } from '#app/cms/schema/faults.ts'
import { type Archivos, ContentError, checkValores, type Valores } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { type EdicionPuesta, edicionPuesta, puestaDe } from './displayed-edition.server.ts'
import { describe } from './media-cache.server.ts'

/** The draft of an edition, as screens show it. */
interface BorradorVisto {
  puesta: EdicionPuesta
  /** The draft's version; 0 without a draft. */
  version: number
}

/** What stands in a look beforehand where a picture is missing; nobody ever publishes it. */
const FALTAS = new Map<string, ArchivoDescrito>([
  [
    FOTO_QUE_FALTA,
    {
      sha256: '0'.repeat(64),
      source: 'app/cms/drafts/missing-photo.jpg',
      foto: { width: 1200, height: 1500, preview: '' },
    },
  ],
  [LOGO_QUE_FALTA, { sha256: '1'.repeat(64), source: 'app/cms/drafts/missing-logo.svg' }],
])

/**
 * The edition that would be shown if these documents were published. What is missing or wrong is as it is published now,
 * or something neutral.
 * @param marcar changes the checked documents once more, before they are shown
 */
async function puestaDeValores(
  db: Database,
  base: Publicacion,
  valores: Valores,
  marcar: (documentos: Archivos) => Archivos = (documentos) => documentos,
): Promise<EdicionPuesta> {
  const { archivos } = await filesOf(db, base, valores)
  const sanos = sanar(valores, base.valores, (ruta) => ruta in archivos || FALTAS.has(ruta))
  // What was healed may name files of the publication.
  const todos = { ...archivos, ...(await filesOf(db, base, sanos)).archivos }
  const { archivos: documentos, fallas } = checkValores(sanos, (ruta) => ruta in todos || FALTAS.has(ruta))
  if (fallas.length > 0) throw new ContentError(fallas)
  const filas = await readArchivos(db, Object.values(todos))
  const muestra = await imageManifest().catch(() => undefined)
  const descritos = new Map([...describe(todos, filas, muestra), ...FALTAS])
  const { manifest } = manifestOf(descritos, documentos, true)
  return puestaDe(marcar(documentos as Archivos), manifest, undefined, edicionPuesta()?.pasadas)
}

/** A draft whose texts and pictures are known again as fields of their form. */
export interface BorradorSenalado {
  puesta: EdicionPuesta
  /** The fields, by the number of their sign. */
  lugares: Lugar[]
}

/**
 * The draft of an edition as its form shows it beside the fields: faults healed, and a sign on every text and picture.
 * @returns undefined where that edition has never been published
 */
export async function leeBorradorParaVer(db: Database, anio: number): Promise<BorradorSenalado | undefined> {
  const base = await readDraftBase(db, anio)
  if (!base) return undefined
  const { valores } = await readBorrador(db, anio, base.valores)
  const lugares: Lugar[] = []
  const marcar = (documentos: Archivos) =>
    Object.fromEntries(
      (Object.keys(documentos) as Documento[]).map((documento) => [
        documento,
        conSenas(documento, descriptorDe(documento), documentos[documento], lugares),
      ]),
    ) as Archivos
  return { puesta: await puestaDeValores(db, base, valores, marcar), lugares }
}

/** The drafts as this process has them ready for showing. Made once in a process. */
export interface Borradores {
  /** The draft of an edition as screens would show it; undefined where that edition has never been published. */
  ver(anio: number): Promise<BorradorVisto | undefined>
}

export function createBorradores(db: Database): Borradores {
  let kept: { key: string; visto: Promise<BorradorVisto> } | undefined
  return {
    async ver(anio) {
      const base = await readDraftBase(db, anio)
      if (!base) return undefined
      const { valores, version } = await readBorrador(db, anio, base.valores)
      const key = `${anio} ${base.id} ${version}`
      if (kept?.key !== key) {
        const visto = puestaDeValores(db, base, valores).then((puesta) => ({ puesta, version }))
        kept = { key, visto }
        visto.catch(() => {
          kept = undefined
        })
      }
      return kept.visto
    },
  }
}
