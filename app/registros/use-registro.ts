import { type FormEvent, useEffect, useRef, useState } from 'react'
import { errorDeArchivo, inOrder, refuseArchivo, SNIFF_BYTES, sniffContentType } from '#app/inscripciones/archivos.ts'
import { CLASES_DOCUMENTO, type ClaseDocumento, claseOf, LADOS } from '#app/inscripciones/clases.ts'
import type { Forma } from '#app/inscripciones/formas.ts'
import { type ErrorCampo, revisarForma } from '#app/inscripciones/rules.ts'
import {
  discardBorrador,
  discardFile,
  newEntrega,
  saveBorrador,
  saveFile,
  tabName,
  takeBorrador,
} from './borrador.client.ts'
import type { Elegido } from './documento.tsx'
import { type Avance, dropUpload, type Espera, sendRegistro, warmUp } from './envio.client.ts'
import type { MotivoRechazo, ResultadoRegistro } from './schema.ts'

export type Documentos = Readonly<Record<ClaseDocumento, readonly Elegido[]>>

/** Of each kind, what `of` has for it. */
export const documentosOf = (of: (clase: ClaseDocumento) => readonly Elegido[]): Documentos =>
  Object.fromEntries(CLASES_DOCUMENTO.map((clase) => [clase, of(clase)])) as unknown as Documentos

interface Mensaje {
  message: string
  /** The row it stands beside; absent: at the end of the form. */
  junto?: ClaseDocumento
  /** Files that only their names keep out. */
  renombrar?: File[]
}

/** What a form starts from: nothing, what the server sent back, or a draft. */
export interface Comienzo {
  entrega: string
  valores: Readonly<Record<string, string>>
  documentos: Documentos
  recibidos: Partial<Record<ClaseDocumento, string[]>>
  mensaje: Mensaje | undefined
  errores: readonly ErrorCampo[]
  /** A draft that was being sent: it goes on by itself. */
  seguir: boolean
  /** A draft that this tab went on with unasked. */
  retomado: boolean
}

const OTRA_PESTANA = 'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

interface Oyentes {
  /** The registration is in; the form makes room for a new one. */
  onExito(folio: string): void
  /** Something of value was entered. */
  onBegin(): void
  /** A draft is given up. */
  onDrop(): void
}

/** What a registration on the screen knows and does, from the first choice to the answer. */
export function useRegistro(forma: Forma, comienzo: Comienzo, { onExito, onBegin, onDrop }: Oyentes) {
  const form = useRef<HTMLFormElement>(null)
  const outcome = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const [entrega, setEntrega] = useState(comienzo.entrega)
  const [documentos, setDocumentos] = useState(comienzo.documentos)
  const [mensaje, setMensaje] = useState(comienzo.mensaje)
  /** By field; they outlive the message, each until its field is touched. */
  const [errores, setErrores] = useState(comienzo.errores)
  /** How often it was not taken: each time its outcome takes the focus. */
  const [rechazos, setRechazos] = useState(0)
  const [enviado, setEnviado] = useState(comienzo.seguir)
  const [enCurso, setEnCurso] = useState(false)
  const [espera, setEspera] = useState<Espera>()
  /** Bytes on their way, by file. */
  const [bytes, setBytes] = useState<Readonly<Record<string, number>>>({})
  /** Set before any render, so that the second press of a double click already finds it. */
  const sending = useRef<AbortController>(undefined)
  const writing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const kept = useRef(forma.clases.some((clase) => comienzo.documentos[clase].length > 0))

  const latest = useRef({ entrega, documentos, enviado, enCurso })
  latest.current = { entrega, documentos, enviado, enCurso }

  const readValores = () => {
    const data = new FormData(form.current!)
    return Object.fromEntries(forma.campos.map(({ nombre }) => [nombre, String(data.get(nombre) ?? '')]))
  }

  function remember() {
    if (!kept.current || !form.current) return
    clearTimeout(writing.current)
    const { entrega, documentos, enviado, enCurso } = latest.current
    const valores = readValores()
    const { elements } = form.current
    const isChosen = (campo: string) => elements.namedItem(campo) instanceof HTMLSelectElement
    const isBlank = forma.campos.every(({ nombre }) => isChosen(nombre) || valores[nombre] === '')
    if (isBlank && forma.clases.every((clase) => documentos[clase].length === 0)) {
      void discardBorrador(entrega)
      return
    }
    void saveBorrador({
      entrega,
      tipo: forma.tipo,
      pestana: tabName(),
      enviado,
      enviando: enCurso,
      guardado: Date.now(),
      valores,
      archivos: forma.clases.flatMap((clase) => documentos[clase].map(({ id, url }) => ({ id, clase, url }))),
    })
  }
  useEffect(remember, [entrega, documentos, enviado, enCurso])

  useEffect(() => {
    const hold = new AbortController()
    takeBorrador(entrega, hold.signal).then((mine) => {
      if (hold.signal.aborted || !comienzo.seguir || entrega !== comienzo.entrega) return
      if (!mine) return setMensaje({ message: OTRA_PESTANA })
      submit.current?.focus()
      void send()
    })
    return () => hold.abort()
  }, [entrega])

  useEffect(
    () => () => {
      clearTimeout(writing.current)
      sending.current?.abort()
    },
    [],
  )

  const setOf = (clase: ClaseDocumento, change: (before: readonly Elegido[]) => readonly Elegido[]) =>
    setDocumentos((all) => ({ ...all, [clase]: change(all[clase]) }))

  function choose(clase: ClaseDocumento, files: File[]): boolean {
    const refuse = (message: string, renombrar?: File[]) => {
      setMensaje({ message, junto: clase, ...(renombrar ? { renombrar } : {}) })
      return false
    }
    const [refusal] = inOrder(files.flatMap((file) => refuseArchivo(clase, file) ?? []))
    if (refusal && forma.refusesAtOnce)
      return refuse(refusal.message, refusal.reason === 'nombreArchivo' ? files : undefined)

    const before = documentos[clase]
    // A phone offers one photograph at a time: the second one completes the pair.
    const completes = claseOf(clase).archivos === 2 && before.length === 1 && files.length === 1
    const added = files.map((file): Elegido => ({ id: newEntrega(), file, url: undefined }))
    const now = completes ? [...before, ...added] : added
    setOf(clase, () => now)
    setMensaje(undefined)
    mended(clase)
    kept.current = true
    onBegin()
    warmUp()
    for (const { id, file } of added) void saveFile(entrega, id, file)
    if (forma.refusesAtOnce) void settle(clase, now, completes ? [] : before)
    else {
      for (const one of before) forget(one)
      void warn(clase, added)
    }
    return true
  }

  /** Says early what sending would be refused for; the choice stands until then. */
  async function warn(clase: ClaseDocumento, chosen: readonly Elegido[]) {
    const [refusal] = inOrder(await refusalsOf(clase, chosen))
    if (!refusal || !latest.current.documentos[clase].some(({ id }) => id === refusal.id)) return
    const files = chosen.map(({ file }) => file)
    setErrores((all) => [...all.filter(({ campo }) => campo !== clase), errorDeArchivo(refusal)])
    setMensaje({
      message: refusal.message,
      junto: clase,
      ...(refusal.reason === 'nombreArchivo' ? { renombrar: files } : {}),
    })
  }

  /**
   * Shown at once, since a phone may have to fetch the file first; what it replaces is given up only when its content
   * is one of ours, and else comes back.
   */
  async function settle(clase: ClaseDocumento, chosen: readonly Elegido[], replaced: readonly Elegido[]) {
    const [refusal] = await refusalsOf(clase, chosen)
    if (!refusal) {
      for (const one of replaced) forget(one)
      return
    }
    const out = replaced.length > 0 ? chosen : chosen.filter(({ id }) => id === refusal.id)
    setOf(clase, (now) => {
      // Chosen anew or taken out meanwhile: there is nothing to take back.
      if (!now.some(({ id }) => id === refusal.id)) return now
      return replaced.length > 0 ? replaced : now.filter(({ id }) => id !== refusal.id)
    })
    for (const one of out) forget(one)
    setMensaje({ message: refusal.message, junto: clase })
  }

  function remove(clase: ClaseDocumento, id: string) {
    for (const one of documentos[clase]) if (one.id === id) forget(one)
    setOf(clase, (before) => before.filter((one) => one.id !== id))
    setMensaje((said) => (said?.junto === clase ? undefined : said))
    mended(clase)
  }

  /** Neither this device nor the server keeps what is not wanted any more. */
  function forget({ id, url }: Elegido) {
    void discardFile(entrega, id)
    dropUpload(entrega, url)
  }

  function corrected(event: FormEvent<HTMLFormElement>) {
    const { name, type } = event.target as HTMLInputElement
    // What a file input brings is looked at in its own event, which follows.
    if (type === 'file') return
    mended(name)
    kept.current = true
    clearTimeout(writing.current)
    writing.current = setTimeout(remember, 400)
  }

  const mended = (campo: string) => setErrores((all) => all.filter((one) => one.campo !== campo))

  function reject(message: string, campos: readonly ErrorCampo[]) {
    setMensaje({ message })
    setErrores(campos)
    setRechazos((count) => count + 1)
  }
  // After the render that shows it.
  useEffect(() => {
    if (rechazos > 0) outcome.current?.focus()
  }, [rechazos])

  const avance: Avance = {
    onUrl: (id, url) =>
      setDocumentos((all) => {
        const next = { ...all }
        for (const clase of forma.clases) {
          next[clase] = all[clase].map((one) => (one.id === id ? { ...one, url } : one))
        }
        return next
      }),
    onSent: (id, sent) => setBytes((before) => ({ ...before, [id]: sent })),
    onReceived: () => setEspera(undefined),
    onWaiting: setEspera,
  }

  async function send() {
    if (sending.current || !form.current) return
    const { documentos, entrega } = latest.current
    const cuentas = Object.fromEntries(
      forma.clases.map((clase) => [clase, documentos[clase].length || (comienzo.recibidos[clase]?.length ?? 0)]),
    )
    const controller = new AbortController()
    sending.current = controller
    const refusals = forma.refusesAtOnce
      ? []
      : await Promise.all(forma.clases.map((clase) => refusalsOf(clase, documentos[clase])))
    if (!form.current) return
    const files = inOrder(refusals.flat())
    const validacion = revisarForma(forma, readValores(), cuentas)
    if (!validacion.ok || files[0]) {
      sending.current = undefined
      return validacion.ok
        ? reject(files[0]!.message, files.map(errorDeArchivo))
        : reject(validacion.message, [
            ...validacion.campos.map(explainUnreadable(forma, form.current)),
            ...files.map(errorDeArchivo),
          ])
    }
    setEnCurso(true)
    setEnviado(true)
    setMensaje(undefined)
    setErrores([])
    try {
      const archivos = forma.clases.flatMap((clase) =>
        documentos[clase].map(({ id, file, url }, side) => ({
          id,
          clase,
          lado: claseOf(clase).archivos === 2 ? LADOS[side] : undefined,
          file,
          url,
        })),
      )
      const fin = await sendRegistro<ResultadoRegistro>(
        { destino: `${forma.ruta}/envio`, entrega, archivos, valores: readValores },
        avance,
        controller.signal,
      )
      if (fin.estado === 'detenido') return
      if (fin.estado === 'sinCargador') {
        // From here on the server's page keeps what there is.
        await endBorrador()
        form.current.submit()
      } else if (fin.estado === 'rechazo') {
        const campo = archivos.find(({ id }) => id === fin.archivo)?.clase
        reject(fin.message, campo ? [errorDeArchivo({ ...fin, campo })] : [])
      } else if (fin.resultado.ok) {
        await endBorrador()
        onExito(fin.resultado.folio)
      } else {
        const { message, campos } = fin.resultado
        if (fin.resultado.entrega !== entrega) startOver(fin.resultado.entrega)
        else forgetUploads(campos)
        reject(message, campos)
      }
    } finally {
      sending.current = undefined
      setEnCurso(false)
    }
  }

  function endBorrador() {
    kept.current = false
    clearTimeout(writing.current)
    return discardBorrador(latest.current.entrega)
  }

  function drop() {
    sending.current?.abort()
    for (const clase of forma.clases) for (const one of latest.current.documentos[clase]) forget(one)
    void endBorrador()
    onDrop()
  }

  /** The server has closed this entrega: the same data goes on under another one. */
  function startOver(next: string) {
    void discardBorrador(entrega)
    setEntrega(next)
    for (const clase of forma.clases) {
      for (const { id, file } of latest.current.documentos[clase]) void saveFile(next, id, file)
    }
    forgetUploads(forma.clases.map((campo) => ({ campo })))
  }

  /** What the server refused or lost is sent again from its first byte. */
  function forgetUploads(campos: readonly { campo: string }[]) {
    for (const clase of forma.clases) {
      if (campos.some(({ campo }) => campo === clase)) {
        setOf(clase, (before) => before.map((one) => ({ ...one, url: undefined })))
      }
    }
  }

  const swap = (clase: ClaseDocumento) => setOf(clase, (pair) => pair.toReversed())

  /** Bytes that have left, and bytes in all. */
  function avanceOf(elegidos: readonly Elegido[]) {
    let sent = 0
    let total = 0
    for (const { id, file } of elegidos) {
      sent += Math.min(bytes[id] ?? 0, file.size)
      total += file.size
    }
    return { sent, total, part: total === 0 ? 1 : sent / total }
  }

  return {
    refs: { form, outcome, submit },
    entrega,
    documentos,
    mensaje,
    errores,
    enCurso,
    espera,
    avanceOf,
    choose,
    remove,
    swap,
    corrected,
    remember,
    send,
    drop,
    stop: () => {
      sending.current?.abort()
      // The button goes away.
      submit.current?.focus()
    },
  }
}

type Refusal = { id: string; campo: ClaseDocumento; reason: MotivoRechazo; message: string }

/** What is wrong with files of a kind, their content looked at. A file that cannot be read now says so when it is sent. */
async function refusalsOf(clase: ClaseDocumento, elegidos: readonly Elegido[]): Promise<Refusal[]> {
  const found = await Promise.all(
    elegidos.map(async ({ id, file }) => {
      const head = await file
        .slice(0, SNIFF_BYTES)
        .arrayBuffer()
        .catch(() => undefined)
      const contentType = head && (sniffContentType(new Uint8Array(head)) ?? null)
      const refusal = refuseArchivo(clase, { name: file.name, size: file.size, contentType })
      return refusal ? [{ id, campo: clase, ...refusal }] : []
    }),
  )
  return found.flat()
}

/** A number field hands over nothing at all when what was typed is no number; then «missing» would puzzle. */
const explainUnreadable =
  ({ campos }: Forma, form: HTMLFormElement) =>
  (error: ErrorCampo): ErrorCampo => {
    const control = form.elements.namedItem(error.campo)
    const unreadable = control instanceof HTMLInputElement && control.validity.badInput
    const campo = campos.find(({ nombre }) => nombre === error.campo)
    return unreadable && campo ? { ...error, message: campo.ilegible('') } : error
  }
