import { useEffect, useRef, useState } from 'react'
import { CLASES_DE_ARCHIVO, type ClaseDeArchivo, refuseTamano, tipoDeRuta } from '#app/cms/media/file-rules.ts'
import type { Avance } from '#app/core/uploads/retry-wait.client.ts'
import { ESPERAS } from '#app/core/uploads/retry-wait.ts'
import { herramienta } from '#app/ui/loading/lazy-code.ts'
import type { DescriptorDeArchivo } from './file-field-props.ts'
import type { EnEnvio, FinDeEnvio } from './send-file.client.ts'
import { type ArchivoRecibido, MENSAJES } from './upload-protocol.ts'

/** How far a field's file is. */
export type EstadoDeEnvio =
  | { que: 'quieto' }
  | { que: 'enviando'; nombre: string; sent: number; total: number; espera: string | undefined }
  /** It is all there, and being opened. */
  | { que: 'abriendo'; nombre: string; espera: string | undefined }
  | { que: 'detenido'; nombre: string }
  | { que: 'rechazado'; nombre: string; message: string; reason: string | undefined; seguir: boolean }

const NOMBRES_DE_TIPO: Partial<Record<string, string>> = {
  'image/svg+xml': 'un SVG',
  'image/png': 'un PNG',
  'video/mp4': 'un MP4',
  'video/webm': 'un WebM',
  'application/pdf': 'un PDF',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'un documento de Word (.docx)',
}

const CARGADOR = herramienta(() => import('./send-file.client.ts'))

/** Sends with what is fetched for it. @throws what the signal was aborted with */
async function deliver(envio: EnEnvio, avance: Avance, signal: AbortSignal): Promise<FinDeEnvio> {
  const cargador = await CARGADOR.fetch({ onWaiting: avance.onWaiting, signal })
  if (cargador) return cargador.enviarArchivo(envio, avance, signal)
  return { ok: false, reason: 'falla', message: MENSAJES.falla(undefined), seguir: true }
}

/** Sends a field's file, one at a time. @param onRecibido the file as the edition has it, and what the device called it */
export function useEnvioDeArchivo(
  clase: ClaseDeArchivo,
  { tipos }: Pick<DescriptorDeArchivo, 'tipos'>,
  onRecibido: (archivo: ArchivoRecibido, nombre: string) => void,
) {
  const [estado, setEstado] = useState<EstadoDeEnvio>({ que: 'quieto' })
  const running = useRef<{ envio: EnEnvio; abort: AbortController }>(undefined)
  const latest = useRef(onRecibido)
  useEffect(() => {
    latest.current = onRecibido
  })
  // What is not wanted on this page any more is left to the sweep.
  useEffect(() => () => running.current?.abort.abort(), [])

  async function run(envio: EnEnvio) {
    running.current?.abort.abort()
    const abort = new AbortController()
    running.current = { envio, abort }
    const { name: nombre, size: total } = envio.file
    const isMine = () => running.current?.abort === abort && !abort.signal.aborted
    const tell = (next: EstadoDeEnvio) => isMine() && setEstado(next)
    let sent = 0
    let espera: string | undefined
    let isUp = false
    const show = () =>
      tell(isUp ? { que: 'abriendo', nombre, espera } : { que: 'enviando', nombre, sent, total, espera })
    show()
    const avance: Avance = {
      onUrl() {},
      onSent(_id, bytes) {
        sent = bytes
        isUp = false
        show()
      },
      onReceived() {
        isUp = true
        espera = undefined
        show()
      },
      onWaiting(why) {
        espera = why && ESPERAS[why]
        show()
      },
    }
    const fin = await deliver(envio, avance, abort.signal).catch((error: unknown) => {
      if (abort.signal.aborted) return undefined
      throw error
    })
    if (!fin || !isMine()) return
    if (!fin.ok) return setEstado({ que: 'rechazado', nombre, ...fin })
    const tipo = tipoDeRuta(fin.archivo.ruta)
    running.current = undefined
    if (tipos && tipo && !tipos.includes(tipo)) {
      const wanted = tipos.map((one) => NOMBRES_DE_TIPO[one] ?? one).join(' o ')
      const message = `Aquí va ${wanted}, y «${nombre}» es ${NOMBRES_DE_TIPO[tipo] ?? 'otra cosa'}. Guárdalo así y envíalo de nuevo.`
      return setEstado({ que: 'rechazado', nombre, message, reason: 'tipo', seguir: false })
    }
    setEstado({ que: 'quieto' })
    latest.current(fin.archivo, nombre)
  }

  return {
    estado,
    accept: CLASES_DE_ARCHIVO[clase].accept,
    enviar(file: File) {
      const message = refuseTamano(clase, file.name, file.size)
      if (message) {
        running.current?.abort.abort()
        return setEstado({ que: 'rechazado', nombre: file.name, message, reason: 'archivoGrande', seguir: false })
      }
      void run({ id: 'archivo', file, url: undefined, entrega: crypto.randomUUID(), clase })
    },
    /** From where it stopped. */
    seguir() {
      if (running.current) void run(running.current.envio)
    },
    detener() {
      const nombre = running.current?.envio.file.name ?? ''
      running.current?.abort.abort()
      setEstado({ que: 'detenido', nombre })
    },
    /** Nothing more of it. */
    olvidar() {
      running.current?.abort.abort()
      running.current = undefined
      setEstado({ que: 'quieto' })
    },
  }
}

export type EnvioDeArchivo = ReturnType<typeof useEnvioDeArchivo>
