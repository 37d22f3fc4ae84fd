import { CLASES_DOCUMENTO, type ClaseDocumento, claseOf, LADOS } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { errorDeArchivo } from '#app/entries/documents/file-rules.ts'
import type { CuantosArchivos, ErrorCampo } from '#app/entries/rules.ts'
import type { MotivoRechazo, ResultadoRegistro } from '#app/entries/submission/schema.ts'
import { type Comienzo, type Documentos, documentosOf, type Elegido, type EstadoRegistro } from './initial-state.ts'

/** How each thing that happens changes what a registration on the screen knows: pure, without React or a page. */

/** A chosen file that cannot be what it was chosen for. */
export interface Reparo {
  id: string
  campo: ClaseDocumento
  reason: MotivoRechazo
  message: string
}

type RespuestaNegativa = Extract<ResultadoRegistro, { ok: false }>

export type Suceso =
  /** Files were chosen for a document. */
  | { que: 'elige'; clase: ClaseDocumento; files: readonly Elegido[] }
  /** They are refused before they are looked into, and what was there before stays. */
  | { que: 'rehusa'; clase: ClaseDocumento; message: string; renombrar?: File[] }
  /** Looked into, a file that stands already turned out to be none; `replaced` is what it took the place of. */
  | { que: 'devuelve'; reparo: Reparo; replaced: readonly Elegido[] }
  /** The same where the choice stands until it is sent (`files`: what was chosen with it). */
  | { que: 'advierte'; reparo: Reparo; files: readonly Elegido[] }
  | { que: 'quita'; clase: ClaseDocumento; id: string }
  | { que: 'intercambia'; clase: ClaseDocumento }
  | { que: 'corrige'; campo: string }
  | { que: 'dice'; message: string }
  | { que: 'sale' }
  /** An upload begins at this address, or has to begin anew. */
  | { que: 'sube'; id: string; url: string | undefined }
  /** It cannot be sent as it is. */
  | { que: 'reprueba'; message: string; campos: readonly ErrorCampo[] }
  /** Sending ended before the registration was looked at; `archivo`: whose fault it is, where it is a file's. */
  | { que: 'fracasa'; archivo: string | undefined; reason: MotivoRechazo | undefined; message: string }
  /** The server looked at it, and did not take it. */
  | { que: 'niega'; resultado: RespuestaNegativa }

/** Whether a choice joins the one before: a phone offers one photograph at a time, and the second completes the pair. */
export const completesPair = (clase: ClaseDocumento, before: readonly Elegido[], count: number): boolean =>
  claseOf(clase).archivos === 2 && before.length === 1 && count === 1

/** What a choice takes the place of. */
export const replacedBy = (clase: ClaseDocumento, before: readonly Elegido[], count: number): readonly Elegido[] =>
  completesPair(clase, before, count) ? [] : before

/**
 * What is given up for a file that is taken back: its whole choice where another one comes back, else itself alone.
 * @param files the choice that it stands in
 */
export const givenUp = ({ id }: Reparo, files: readonly Elegido[], replaced: readonly Elegido[]): readonly Elegido[] =>
  replaced.length > 0 ? files : files.filter((one) => one.id === id)

export function reduce(estado: EstadoRegistro, suceso: Suceso): EstadoRegistro {
  switch (suceso.que) {
    case 'elige': {
      const { clase, files } = suceso
      const before = estado.documentos[clase]
      const now = completesPair(clase, before, files.length) ? [...before, ...files] : files
      return { ...withDocumento(estado, clase, now), mensaje: undefined, errores: without(estado.errores, clase) }
    }
    case 'rehusa': {
      const { clase, message, renombrar } = suceso
      return { ...estado, mensaje: { message, junto: clase, ...(renombrar ? { renombrar } : {}) } }
    }
    case 'devuelve': {
      const { reparo, replaced } = suceso
      const now = estado.documentos[reparo.campo]
      const after = replaced.length > 0 ? replaced : now.filter(({ id }) => id !== reparo.id)
      return {
        // Chosen anew or taken out meanwhile: there is nothing to take back.
        ...(isThere(now, reparo) ? withDocumento(estado, reparo.campo, after) : estado),
        mensaje: { message: reparo.message, junto: reparo.campo },
      }
    }
    case 'advierte': {
      const { reparo, files } = suceso
      if (!isThere(estado.documentos[reparo.campo], reparo)) return estado
      const renombrar = reparo.reason === 'nombreArchivo' ? { renombrar: files.map(({ file }) => file) } : {}
      return {
        ...estado,
        mensaje: { message: reparo.message, junto: reparo.campo, ...renombrar },
        errores: [...without(estado.errores, reparo.campo), errorDeArchivo(reparo)],
      }
    }
    case 'quita': {
      const { clase, id } = suceso
      const now = estado.documentos[clase].filter((one) => one.id !== id)
      return {
        ...withDocumento(estado, clase, now),
        mensaje: estado.mensaje?.junto === clase ? undefined : estado.mensaje,
        errores: without(estado.errores, clase),
      }
    }
    case 'intercambia':
      return withDocumento(estado, suceso.clase, estado.documentos[suceso.clase].toReversed())
    case 'corrige':
      return { ...estado, errores: without(estado.errores, suceso.campo) }
    case 'dice':
      return { ...estado, mensaje: { message: suceso.message } }
    case 'sale':
      return { ...estado, enviado: true, mensaje: undefined, errores: [] }
    case 'sube': {
      const { id, url } = suceso
      return { ...estado, documentos: mapped(estado.documentos, (one) => (one.id === id ? { ...one, url } : one)) }
    }
    case 'reprueba':
      return refused(estado, suceso.message, suceso.campos)
    case 'fracasa': {
      const { archivo, reason, message } = suceso
      const campo = claseWith(estado.documentos, archivo)
      return refused(estado, message, campo ? [errorDeArchivo({ campo, reason, message })] : [])
    }
    case 'niega': {
      const { entrega, message, campos } = suceso.resultado
      // Under another entrega everything is sent again; under the same one, what the server refused or lost.
      const isLost = (clase: string) => entrega !== estado.entrega || campos.some(({ campo }) => campo === clase)
      const documentos = documentosOf((clase) =>
        isLost(clase) ? estado.documentos[clase].map((one) => ({ ...one, url: undefined })) : estado.documentos[clase],
      )
      return refused({ ...estado, entrega, documentos }, message, campos)
    }
  }
}

const refused = (estado: EstadoRegistro, message: string, errores: readonly ErrorCampo[]): EstadoRegistro => ({
  ...estado,
  mensaje: { message },
  errores,
  rechazos: estado.rechazos + 1,
})

const withDocumento = (estado: EstadoRegistro, clase: ClaseDocumento, now: readonly Elegido[]): EstadoRegistro => ({
  ...estado,
  documentos: { ...estado.documentos, [clase]: now },
})

const mapped = (documentos: Documentos, change: (one: Elegido) => Elegido) =>
  documentosOf((clase) => documentos[clase].map(change))

const without = (errores: readonly ErrorCampo[], campo: string) => errores.filter((one) => one.campo !== campo)

const isThere = (files: readonly Elegido[], { id }: Reparo) => files.some((one) => one.id === id)

const claseWith = (documentos: Documentos, archivo: string | undefined) =>
  CLASES_DOCUMENTO.find((clase) => documentos[clase].some(({ id }) => id === archivo))

/** How many files each document of a form has: chosen here, or else received before this page. */
export const countFiles = (forma: Forma, documentos: Documentos, recibidos: Comienzo['recibidos']): CuantosArchivos =>
  Object.fromEntries(forma.clases.map((clase) => [clase, documentos[clase].length || (recibidos[clase]?.length ?? 0)]))

/** The chosen files as they are sent: of a pair, the first is the front. */
export const filesOf = (forma: Forma, documentos: Documentos) =>
  forma.clases.flatMap((clase) =>
    documentos[clase].map((elegido, side) => ({
      ...elegido,
      clase,
      lado: claseOf(clase).archivos === 2 ? LADOS[side] : undefined,
    })),
  )

/** Bytes that have left, and bytes in all. @param bytes that have left, by the id of their file */
export function avanceOf(elegidos: readonly Elegido[], bytes: Readonly<Record<string, number>>) {
  let sent = 0
  let total = 0
  for (const { id, file } of elegidos) {
    sent += Math.min(bytes[id] ?? 0, file.size)
    total += file.size
  }
  return { sent, total, part: total === 0 ? 1 : sent / total }
}
