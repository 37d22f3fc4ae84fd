import { type Borrador, readBorrador } from '#app/cms/drafts/draft-store.server.ts'
import { readDraftBase } from '#app/cms/publishing/publications.server.ts'
import { descriptorDe, type FallaDeCampo, fallasDe, isDocumento } from '#app/cms/schema/faults.ts'
import { campoEn, type Descriptor } from '#app/cms/schema/field-descriptor.ts'
import type { Valores } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { estaEn, type Pantalla, type Parte } from './editable-screens.ts'

/** What the draft is of. */
export interface Publicados {
  anio: number
  /** Changes with every publication. */
  huella: string
  valores: Valores
  /** Path of a file → sha256. */
  archivos: Record<string, string>
}

/** The documents of an edition as they were published last. @throws Error where nothing has been */
export async function readPublicados(db: Database, anio: number): Promise<Publicados> {
  const ultima = await readDraftBase(db, anio)
  if (!ultima) throw new Error(`Nothing of the edition ${anio} is published: there is nothing to write a draft of`)
  return { anio, huella: `p${ultima.id}`, valores: ultima.valores, archivos: ultima.archivos }
}

export interface Redaccion {
  publicados: Publicados
  borrador: Borrador
}

/** The draft as it stands, and what it is of. */
export async function readRedaccion(db: Database, anio: number): Promise<Redaccion> {
  const publicados = await readPublicados(db, anio)
  return { publicados, borrador: await readBorrador(db, publicados.anio, publicados.valores) }
}

/** Says whether a page has seen a document as it stands. */
export const versionDe = ({ publicados, borrador }: Redaccion, documento: string): string => {
  const own = borrador.documentos[documento]?.version
  return own === undefined ? publicados.huella : String(own)
}

/** The documents of a screen that there are in this edition. */
export const documentosDe = ({ partes }: Pantalla): string[] => [
  ...new Set(partes.map(({ documento }) => documento).filter(isDocumento)),
]

/** What is wrong with a screen, as the draft stands. */
export const fallasDePantalla = (pantalla: Pantalla, { borrador }: Redaccion): FallaDeCampo[] =>
  documentosDe(pantalla)
    .flatMap((documento) => (isDocumento(documento) ? fallasDe(documento, borrador.valores[documento]) : []))
    .filter(({ documento, campo }) => pantalla.partes.some((parte) => estaEn(parte, documento, campo)))

/** What can be written in a part of a form. */
export interface ParteDescrita extends Parte {
  descriptor: Descriptor
}

export const describirPantalla = ({ partes }: Pantalla): ParteDescrita[] =>
  partes.flatMap((parte) => {
    if (!isDocumento(parte.documento)) return []
    const descriptor = campoEn(descriptorDe(parte.documento), parte.campo ?? [])
    return descriptor ? [{ ...parte, descriptor }] : []
  })
