import { useEffect, useRef, useState } from 'react'
import { FILE_KINDS, type FileKind, fileTypeOfPath, refuseSize } from '#app/cms/media/file-rules.ts'
import type { Progress } from '#app/core/uploads/retry-wait.client.ts'
import { WAITING } from '#app/core/uploads/retry-wait.ts'
import { lazyCode } from '#app/ui/loading/lazy-code.ts'
import type { FileDescriptor } from './file-field-props.ts'
import type { OutgoingFile, SendingResult } from './send-file.client.ts'
import { MESSAGES, type ReceivedFile } from './upload-protocol.ts'

/** Progress of a field's upload. */
export type SendingStatus =
  | { que: 'quieto' }
  | { que: 'enviando'; nombre: string; sent: number; total: number; espera: string | undefined }
  /** The upload is complete, and the site checks and stores it. */
  | { que: 'abriendo'; nombre: string; espera: string | undefined }
  | { que: 'detenido'; nombre: string }
  | { que: 'rechazado'; nombre: string; message: string; reason: string | undefined; seguir: boolean }

const TYPE_NAMES: Partial<Record<string, string>> = {
  'image/svg+xml': 'un SVG',
  'image/png': 'un PNG',
  'video/mp4': 'un MP4',
  'video/webm': 'un WebM',
  'application/pdf': 'un PDF',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'un documento de Word (.docx)',
}

const UPLOADER = lazyCode(() => import('./send-file.client.ts'))

/** Loads the upload code, then sends. @throws the signal's abort reason */
async function deliver(sending: OutgoingFile, progress: Progress, signal: AbortSignal): Promise<SendingResult> {
  const uploader = await UPLOADER.fetch({ onWaiting: progress.onWaiting, signal })
  if (uploader) return uploader.sendFile(sending, progress, signal)
  return { ok: false, reason: 'falla', message: MESSAGES.falla(undefined), seguir: true }
}

/** Sends a field's file, one at a time. @param onFileReceived gets the stored file and its name on the device */
export function useSendFile(
  kind: FileKind,
  { tipos }: Pick<FileDescriptor, 'tipos'>,
  onFileReceived: (file: ReceivedFile, name: string) => void,
) {
  const [state, setEstado] = useState<SendingStatus>({ que: 'quieto' })
  const running = useRef<{ envio: OutgoingFile; abort: AbortController }>(undefined)
  const latest = useRef(onFileReceived)
  useEffect(() => {
    latest.current = onFileReceived
  })
  // A closed field abandons its upload, which the site's sweep removes.
  useEffect(() => () => running.current?.abort.abort(), [])

  async function run(sending: OutgoingFile) {
    running.current?.abort.abort()
    const abort = new AbortController()
    running.current = { envio: sending, abort }
    const { name, size: total } = sending.file
    const isMine = () => running.current?.abort === abort && !abort.signal.aborted
    const tell = (next: SendingStatus) => isMine() && setEstado(next)
    let sent = 0
    let wait: string | undefined
    let isUp = false
    const show = () =>
      tell(
        isUp
          ? { que: 'abriendo', nombre: name, espera: wait }
          : { que: 'enviando', nombre: name, sent, total, espera: wait },
      )
    show()
    const progress: Progress = {
      onUrl() {},
      onSent(_id, bytes) {
        sent = bytes
        isUp = false
        show()
      },
      onReceived() {
        isUp = true
        wait = undefined
        show()
      },
      onWaiting(why) {
        wait = why && WAITING[why]
        show()
      },
    }
    const fin = await deliver(sending, progress, abort.signal).catch((error: unknown) => {
      if (abort.signal.aborted) return undefined
      throw error
    })
    if (!fin || !isMine()) return
    if (!fin.ok) return setEstado({ que: 'rechazado', nombre: name, ...fin })
    const type = fileTypeOfPath(fin.archivo.ruta)
    running.current = undefined
    if (tipos && type && !tipos.includes(type)) {
      const wanted = tipos.map((one) => TYPE_NAMES[one] ?? one).join(' o ')
      const message = `Aquí va ${wanted}, y «${name}» es ${TYPE_NAMES[type] ?? 'otra cosa'}. Guárdalo así y envíalo de nuevo.`
      return setEstado({ que: 'rechazado', nombre: name, message, reason: 'tipo', seguir: false })
    }
    setEstado({ que: 'quieto' })
    latest.current(fin.archivo, name)
  }

  return {
    estado: state,
    accept: FILE_KINDS[kind].accept,
    enviar(file: File) {
      const message = refuseSize(kind, file.name, file.size)
      if (message) {
        running.current?.abort.abort()
        return setEstado({ que: 'rechazado', nombre: file.name, message, reason: 'archivoGrande', seguir: false })
      }
      void run({ id: 'archivo', file, url: undefined, entrega: crypto.randomUUID(), clase: kind })
    },
    /** Resumes the upload where it stopped. */
    seguir() {
      if (running.current) void run(running.current.envio)
    },
    detener() {
      const name = running.current?.envio.file.name ?? ''
      running.current?.abort.abort()
      setEstado({ que: 'detenido', nombre: name })
    },
    /** Abandons the upload. */
    olvidar() {
      running.current?.abort.abort()
      running.current = undefined
      setEstado({ que: 'quieto' })
    },
  }
}

export type FileSending = ReturnType<typeof useSendFile>
