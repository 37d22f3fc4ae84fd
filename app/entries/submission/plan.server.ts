import { randomUUID } from 'node:crypto'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import {
  type ClaseDocumento,
  claseOf,
  LADOS,
  type LadoCredencial,
  type TipoInscripcion,
} from '#app/entries/definitions/document-kinds.ts'
import { documentPath, folderName, objectUrl } from '#app/entries/documents/file-rules.ts'
import { newFolio } from '#app/entries/folio.server.ts'
import type { Datos } from '#app/entries/rules.ts'
import { resumenDe } from '#app/entries/shown-values.ts'
import { reserveId } from './intake.server.ts'
import type { Staging, Subida } from './staging.server.ts'

/** Everything that storing one submission will do, written down before any of it is done. */
export type Plan = {
  /**
   * Tells this attempt from another of the same submission, which a process may begin that believes this one dead; of a
   * plan from before 20260314 the folder that it was begun over, null where there was only one.
   */
  intento: string | null
  tipo: TipoInscripcion
  folio: string
  folder: string
  /** Milliseconds since 1970, by the site's clock. */
  timestamp: number
  documentos: DocumentoPlaneado[]
  /** Body of metadata_{timestamp}.json, whose address may depend on a setting that changes. */
  metadata: string
} & (Alta | Reposicion)

/** A new entry. */
interface Alta {
  que: 'alta'
  id: number
  /** Year of the edition that it is for. */
  edicion: number
  datos: Datos
}

/** One document of an entry anew, as a solicitud asked for it. */
interface Reposicion {
  que: 'reposicion'
  inscripcion: number
  solicitud: number
  /** What it takes the place of; whoever changed that meanwhile was first. */
  antes: { documento: string; metadata: string }
}

interface DocumentoPlaneado {
  subida: string
  clase: ClaseDocumento
  lado: LadoCredencial | null
  path: string
  filename: string
  contentType: string
  size: number
  sha256: string
}

/** What a running site receives registrations with: its machines, and its one staging area. */
export interface Mesa {
  services: Services
  staging: Staging
}

/** One submission: its key in the journal, and the fingerprint of what was typed. */
interface Envio {
  key: string
  huella: string
}

export type DocumentosRecibidos = Partial<Record<ClaseDocumento, Subida[]>>

/** Reserves the id and every path of a new entry and writes the plan into the journal; nothing is stored yet. */
export async function planAlta(
  { key, huella }: Envio,
  tipo: TipoInscripcion,
  datos: Datos,
  found: DocumentosRecibidos,
  mesa: Mesa,
): Promise<Plan> {
  const { db, clock, settings } = mesa.services
  const forma = FORMAS[tipo]
  const id = await reserveId(db, tipo)
  const folder = folderName(id, resumenDe(forma, datos).titular)
  const timestamp = clock.now().getTime()
  const documentos = forma.clases.flatMap((clase) =>
    (found[clase] ?? []).map((upload, at) => {
      const lado = claseOf(clase).archivos === 2 ? LADOS[at]! : null
      return planDocumento(upload, clase, lado, folder, timestamp)
    }),
  )
  const metadata = metadataOf(tipo, { id, datos }, documentos, settings.publicUrl)
  const { anio: edicion } = await loadFicha()
  return begin({ key, huella }, mesa, {
    ...{ que: 'alta', tipo, id, edicion, datos },
    ...{ folio: newFolio(), folder, timestamp, documentos, metadata },
  })
}

export function planDocumento(
  upload: Subida,
  clase: ClaseDocumento,
  lado: LadoCredencial | null,
  folder: string,
  timestamp: number,
): DocumentoPlaneado {
  const { id: subida, filename } = upload
  const { sha256, contentType } = upload.sealed!
  const path = documentPath({ folder, clase, lado, timestamp, fileName: filename })
  return { subida, clase, lado, path, filename, contentType, size: upload.size!, sha256 }
}

/** Body of an entry's metadata: its values under the keys of §3, and the address of each document by kind. */
export function metadataOf(
  tipo: TipoInscripcion,
  { id, datos }: { id: number; datos: Datos },
  documentos: readonly { clase: ClaseDocumento; path: string }[],
  publicUrl: string,
): string {
  const { campos, clases, bucket } = FORMAS[tipo]
  const values = campos
    .filter(({ fueraDeMetadata }) => !fueraDeMetadata)
    .map(({ nombre }) => [nombre, datos[nombre] ?? null])
  const urls = clases.map((clase) => [
    clase,
    documentos.filter((documento) => documento.clase === clase).map(({ path }) => objectUrl(publicUrl, bucket, path)),
  ])
  return JSON.stringify({ id, ...Object.fromEntries(values), documentos: Object.fromEntries(urls) }, null, 2)
}

/** Writes a plan into the journal. */
export async function begin<P extends Omit<Plan, 'intento'>>(
  { key, huella }: Envio,
  { services }: Mesa,
  planned: P,
): Promise<P & Pick<Plan, 'intento'>> {
  const intento = randomUUID()
  const plan = { ...planned, intento }
  await services.db
    .insertInto('entregas')
    .values({ key, estado: 'guardando', huella, plan: JSON.stringify(plan), tipo: plan.tipo, area: intento })
    .execute()
  return plan
}
