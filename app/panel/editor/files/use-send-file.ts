import { useEffect, useRef, useState } from 'react'
import { FILE_KINDS, type FileKind, fileTypeOfPath, refuseSize } from '#app/cms/media/file-rules.ts'
import { WAIT_MESSAGES } from '#app/core/uploads/retry-wait.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import { lazyCode } from '#app/ui/deferred/lazy-code.ts'
import type { FileDescriptor } from './file-field-props.ts'
import type { OutgoingFile, SendingResult } from './send-file.client.ts'
import { MESSAGES, type ReceivedFile } from './upload-protocol.ts'

export type SendingStatus =
  | { kind: 'idle' }
  | { kind: 'sending'; fileName: string; sent: number; total: number; waitText: string | undefined }
  /** The upload is complete, and the site checks and stores it. */
  | { kind: 'opening'; fileName: string; waitText: string | undefined }
  | { kind: 'paused'; fileName: string }
  | { kind: 'refused'; fileName: string; message: string; reason: string | undefined; canResume: boolean }

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
async function deliver(sending: OutgoingFile, progress: UploadProgress, signal: AbortSignal): Promise<SendingResult> {
  const uploader = await UPLOADER.fetch({ onWaiting: progress.onWaiting, signal })
  if (uploader) return uploader.sendFile(sending, progress, signal)
  return { ok: false, reason: 'falla', message: MESSAGES.falla(undefined), canResume: true }
}

/** Sends a field's files, one at a time. @param onFileReceived gets the stored file and its name on the device */
export function useSendFile(
  kind: FileKind,
  { types }: Pick<FileDescriptor, 'types'>,
  onFileReceived: (file: ReceivedFile, name: string) => void,
) {
  const [state, setState] = useState<SendingStatus>({ kind: 'idle' })
  const running = useRef<{ sending: OutgoingFile; abort: AbortController }>(undefined)
  const latest = useRef(onFileReceived)
  useEffect(() => {
    latest.current = onFileReceived
  })
  // A field that goes away aborts its upload, which the site's sweep removes.
  useEffect(() => () => running.current?.abort.abort(), [])

  async function run(sending: OutgoingFile) {
    running.current?.abort.abort()
    const abort = new AbortController()
    running.current = { sending, abort }
    const { name, size: total } = sending.file
    const isMine = () => running.current?.abort === abort && !abort.signal.aborted
    const setStateIfMine = (next: SendingStatus) => isMine() && setState(next)
    let sent = 0
    let waitText: string | undefined
    let isUploaded = false
    const show = () =>
      setStateIfMine(
        isUploaded
          ? { kind: 'opening', fileName: name, waitText }
          : { kind: 'sending', fileName: name, sent, total, waitText },
      )
    show()
    const progress: UploadProgress = {
      onUploadUrl() {},
      onSent(_id, bytes) {
        sent = bytes
        isUploaded = false
        show()
      },
      onReceived() {
        isUploaded = true
        waitText = undefined
        show()
      },
      onWaiting(waiting) {
        waitText = waiting && WAIT_MESSAGES[waiting]
        show()
      },
    }
    const result = await deliver(sending, progress, abort.signal).catch((error: unknown) => {
      if (abort.signal.aborted) return undefined
      throw error
    })
    if (!result || !isMine()) return
    if (!result.ok) return setState({ kind: 'refused', fileName: name, ...result })
    const type = fileTypeOfPath(result.archivo.ruta)
    running.current = undefined
    if (types && type && !types.includes(type)) {
      const expectedTypes = types.map((one) => TYPE_NAMES[one] ?? one).join(' o ')
      const message = `Aquí va ${expectedTypes}, y «${name}» es ${TYPE_NAMES[type] ?? 'otra cosa'}. Guárdalo así y envíalo de nuevo.`
      return setState({ kind: 'refused', fileName: name, message, reason: 'tipo', canResume: false })
    }
    setState({ kind: 'idle' })
    latest.current(result.archivo, name)
  }

  return {
    status: state,
    accept: FILE_KINDS[kind].accept,
    send(file: File) {
      const message = refuseSize(kind, file.name, file.size)
      if (message) {
        running.current?.abort.abort()
        return setState({ kind: 'refused', fileName: file.name, message, reason: 'archivoGrande', canResume: false })
      }
      void run({ id: 'archivo', file, url: undefined, submissionId: crypto.randomUUID(), kind })
    },
    resume() {
      if (running.current) void run(running.current.sending)
    },
    pause() {
      const name = running.current?.sending.file.name ?? ''
      running.current?.abort.abort()
      setState({ kind: 'paused', fileName: name })
    },
    /** Gives the upload up; what was sent stays staged until the sweep. */
    abandon() {
      running.current?.abort.abort()
      running.current = undefined
      setState({ kind: 'idle' })
    },
  }
}

export type FileSending = ReturnType<typeof useSendFile>
