import type { ClaseDocumento, LadoCredencial } from '#app/inscripciones/clases.ts'
import type { Avance } from '#app/platform/espera.client.ts'
import {
  type ArchivoPorSubir,
  dropUploadOf,
  type FinSubida,
  type Tus,
  uploadFiles,
} from '#app/platform/subida.client.ts'
import { fallaDeRegistro } from './schema.ts'

interface DocumentoPorSubir extends ArchivoPorSubir {
  clase: ClaseDocumento
  lado: LadoCredencial | undefined
}

/** The files of one submission. */
export interface PorSubir {
  entrega: string
  archivos: DocumentoPorSubir[]
  /** Of the entry, when it is a document of it that was asked for again. */
  folio?: string
}

const ownerOf = (entrega: string) => ({ 'x-entrega': entrega })

/** Brings the files of a submission up. */
export const uploadAll = (
  tus: Tus,
  { entrega, archivos, folio }: PorSubir,
  avance: Avance,
  signal: AbortSignal,
): Promise<FinSubida> =>
  uploadFiles(
    tus,
    {
      endpoint: '/subidas',
      headers: ownerOf(entrega),
      archivos,
      metadataOf: ({ clase, lado }) => ({ clase, ...(lado ? { lado } : {}), ...(folio ? { folio } : {}) }),
      falla: fallaDeRegistro,
    },
    avance,
    signal,
  )

/** Tells the server that a file will not be needed after all. */
export const dropUpload = (entrega: string, url: string | undefined): void => dropUploadOf(ownerOf(entrega), url)
