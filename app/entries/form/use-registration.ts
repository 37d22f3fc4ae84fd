import { type RefObject, useReducer, useRef } from 'react'
import { ESPERAS } from '#app/core/uploads/retry-wait.ts'
import { reparosDe } from '#app/entries/chosen-files/content-check.ts'
import type { ClaseDocumento } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { errorDeArchivo, inOrder, refuseArchivo } from '#app/entries/documents/file-rules.ts'
import { discardBorrador, discardFile, newEntrega, saveFile } from '#app/entries/form-state/draft-store.client.ts'
import { type Comienzo, type Elegido, startFrom } from '#app/entries/form-state/initial-state.ts'
import { avanceOf, countFiles, filesOf, givenUp, reduce, replacedBy } from '#app/entries/form-state/reducer.ts'
import { useBorrador, valoresOf } from '#app/entries/form-state/use-draft.ts'
import { type ErrorCampo, revisarForma } from '#app/entries/rules.ts'
import type { ResultadoRegistro } from '#app/entries/submission/schema.ts'
import type { Envio, FinEnvio } from '#app/entries/submission/send.client.ts'
import { dropUpload } from '#app/entries/submission/upload.client.ts'
import { useEnvio, warmUp } from '#app/entries/submission/use-sending.ts'

const OTRA_PESTANA = 'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

/** What a form is worked on by, which stands there without it. */
export interface Partes {
  form: RefObject<HTMLFormElement | null>
  submit: RefObject<HTMLButtonElement | null>
}

export interface Oyentes {
  /** The registration is in; the form makes room for a new one. */
  onExito(folio: string): void
  /** Something of value was entered. */
  onBegin(): void
  /** A draft is given up. */
  onDrop(): void
}

/** A form of the registrations at work: its state (reduce), its draft and its sender. */
export function useRegistro(
  forma: Forma,
  comienzo: Comienzo,
  { form, submit }: Partes,
  { onExito, onBegin, onDrop }: Oyentes,
) {
  const [estado, dispatch] = useReducer(reduce, comienzo, startFrom)
  const { entrega, documentos } = estado
  const latest = useRef(estado)
  latest.current = estado
  const { enCurso, espera, bytes, ...envio } = useEnvio()

  const readValores = () => valoresOf(forma, form.current!)

  const borrador = useBorrador(
    forma,
    form,
    { entrega, documentos, enviado: estado.enviado, enCurso },
    {
      begun: forma.clases.some((clase) => comienzo.documentos[clase].length > 0),
      onTaken(taken, isMine) {
        if (!comienzo.seguir || taken !== comienzo.entrega) return
        if (!isMine) return dispatch({ que: 'dice', message: OTRA_PESTANA })
        submit.current?.focus()
        void send()
      },
    },
  )

  function choose(clase: ClaseDocumento, chosen: File[]): boolean {
    const [refusal] = inOrder(chosen.flatMap((file) => refuseArchivo(clase, file) ?? []))
    if (refusal && forma.refusesAtOnce) {
      const renombrar = refusal.reason === 'nombreArchivo' ? { renombrar: chosen } : {}
      dispatch({ que: 'rehusa', clase, message: refusal.message, ...renombrar })
      return false
    }
    const files = chosen.map(toElegido)
    const before = documentos[clase]
    const replaced = replacedBy(clase, before, files.length)
    dispatch({ que: 'elige', clase, files })
    borrador.begin()
    onBegin()
    warmUp()
    for (const { id, file } of files) void saveFile(entrega, id, file)
    if (forma.refusesAtOnce) void settle(clase, replaced === before ? files : [...before, ...files], replaced)
    else {
      replaced.forEach(forget)
      void warn(clase, files)
    }
    return true
  }

  /** Says early what sending would be refused for; the choice stands until then. */
  async function warn(clase: ClaseDocumento, files: readonly Elegido[]) {
    const [reparo] = inOrder(await reparosDe(clase, files))
    if (reparo) dispatch({ que: 'advierte', reparo, files })
  }

  /**
   * A choice is shown at once, since a phone may have to fetch the file first; what it replaces is given up only when its
   * content is one of ours, and else comes back.
   */
  async function settle(clase: ClaseDocumento, files: readonly Elegido[], replaced: readonly Elegido[]) {
    const [reparo] = await reparosDe(clase, files)
    if (!reparo) return replaced.forEach(forget)
    dispatch({ que: 'devuelve', reparo, replaced })
    givenUp(reparo, files, replaced).forEach(forget)
  }

  function remove(clase: ClaseDocumento, id: string) {
    documentos[clase].filter((one) => one.id === id).forEach(forget)
    dispatch({ que: 'quita', clase, id })
  }

  /** Neither this device nor the server keeps what is not wanted any more. */
  function forget({ id, url }: Elegido) {
    void discardFile(entrega, id)
    dropUpload(entrega, url)
  }

  function corrected(campo: string) {
    dispatch({ que: 'corrige', campo })
    borrador.rememberSoon()
  }

  const send = () =>
    envio.send<ResultadoRegistro>({
      prepare,
      onUrl: (id, url) => dispatch({ que: 'sube', id, url }),
      onFin: settleSending,
    })

  /** @returns undefined for what would be refused, which is then said */
  async function prepare(): Promise<Envio | undefined> {
    if (!form.current) return undefined
    const { documentos, entrega } = latest.current
    const found = forma.refusesAtOnce
      ? []
      : await Promise.all(forma.clases.map((clase) => reparosDe(clase, documentos[clase])))
    if (!form.current) return undefined
    const reparos = inOrder(found.flat())
    const errores = reparos.map(errorDeArchivo)
    const validacion = revisarForma(forma, readValores(), countFiles(forma, documentos, comienzo.recibidos))
    if (!validacion.ok) {
      const campos = [...validacion.campos.map(explainUnreadable(forma, form.current)), ...errores]
      dispatch({ que: 'reprueba', message: validacion.message, campos })
      return undefined
    }
    if (reparos[0]) {
      dispatch({ que: 'reprueba', message: reparos[0].message, campos: errores })
      return undefined
    }
    dispatch({ que: 'sale' })
    return { destino: `${forma.ruta}/envio`, entrega, archivos: filesOf(forma, documentos), valores: readValores }
  }

  async function settleSending(fin: FinEnvio<ResultadoRegistro>) {
    if (fin.estado === 'detenido') return
    if (fin.estado === 'sinCargador') {
      // From here on the server's page keeps what there is.
      await borrador.end()
      form.current?.submit()
    } else if (fin.estado === 'rechazo') {
      const { archivo, reason, message } = fin
      dispatch({ que: 'fracasa', archivo, reason, message })
    } else if (fin.resultado.ok) {
      await borrador.end()
      onExito(fin.resultado.folio)
    } else {
      if (fin.resultado.entrega !== latest.current.entrega) moveFiles(fin.resultado.entrega)
      dispatch({ que: 'niega', resultado: fin.resultado })
    }
  }

  /** The server has closed this entrega: the same data goes on under another one, on this device too. */
  function moveFiles(next: string) {
    const { entrega, documentos } = latest.current
    void discardBorrador(entrega)
    for (const { id, file } of filesOf(forma, documentos)) void saveFile(next, id, file)
  }

  function drop() {
    envio.stop()
    filesOf(forma, latest.current.documentos).forEach(forget)
    void borrador.end()
    onDrop()
  }

  return {
    entrega,
    documentos,
    mensaje: estado.mensaje,
    errores: estado.errores,
    rechazos: estado.rechazos,
    enCurso,
    /** Why nothing moves, in words. */
    espera: espera && ESPERAS[espera],
    avanceOf: (elegidos: readonly Elegido[]) => avanceOf(elegidos, bytes),
    choose,
    remove,
    swap: (clase: ClaseDocumento) => dispatch({ que: 'intercambia', clase }),
    corrected,
    remember: borrador.remember,
    send,
    drop,
    stop() {
      envio.stop()
      // The button goes away.
      submit.current?.focus()
    },
  }
}

/** A file as it was chosen, with nothing of it on its way yet. */
export const toElegido = (file: File): Elegido => ({ id: newEntrega(), file, url: undefined })

/** A number field hands over nothing at all when what was typed is no number; then «missing» would puzzle. */
const explainUnreadable =
  ({ campos }: Forma, form: HTMLFormElement) =>
  (error: ErrorCampo): ErrorCampo => {
    const control = form.elements.namedItem(error.campo)
    const unreadable = control instanceof HTMLInputElement && control.validity.badInput
    const campo = campos.find(({ nombre }) => nombre === error.campo)
    return unreadable && campo ? { ...error, message: campo.ilegible('') } : error
  }
