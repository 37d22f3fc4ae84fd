import { useEffect, useRef, useState } from 'react'
import { FILE_KINDS, type FileKind, fileTypeOfPath, findSizeRefusal } from '#app/cms/media/file-rules.ts'
import { WAIT_MESSAGES } from '#app/core/uploads/retry-wait.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import { lazyCode } from '#app/ui/deferred/lazy-code.ts'
import type { FileDescriptor } from './file-field-props.ts'
import type { OutgoingFile, SendingResult } from './send-file.client.ts'
import { type ReceivedFile, UPLOAD_MESSAGES } from './upload-protocol.ts'

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

const lazyUploader = lazyCode(() => import('./send-file.client.ts'))

/** Loads the upload code, then sends. @throws the signal's abort reason */
async function deliver(
  outgoingFile: OutgoingFile,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendingResult> {
  const uploader = await lazyUploader.fetch({ onWaiting: progress.onWaiting, signal })
  if (uploader) return uploader.sendFile(outgoingFile, progress, signal)
  return { ok: false, reason: 'falla', message: UPLOAD_MESSAGES.falla(undefined), canResume: true }
}

/** Uploads a field's files, one at a time. @param onFileReceived receives the stored file and its name on the device */
export function useFileSender(
  kind: FileKind,
  { types }: Pick<FileDescriptor, 'types'>,
  onFileReceived: (file: ReceivedFile, name: string) => void,
) {
  const [status, setStatus] = useState<SendingStatus>({ kind: 'idle' })
  const currentUpload = useRef<{ file: OutgoingFile; abort: AbortController }>(undefined)
  const latestOnFileReceived = useRef(onFileReceived)
  useEffect(() => {
    latestOnFileReceived.current = onFileReceived
  })
  // An unmounted field aborts its upload; the site's sweep removes what was sent.
  useEffect(() => () => currentUpload.current?.abort.abort(), [])

  async function start(outgoingFile: OutgoingFile) {
    currentUpload.current?.abort.abort()
    const abort = new AbortController()
    currentUpload.current = { file: outgoingFile, abort }
    const { name, size: total } = outgoingFile.file
    const isCurrent = () => currentUpload.current?.abort === abort && !abort.signal.aborted
    const setStatusIfCurrent = (next: SendingStatus) => isCurrent() && setStatus(next)
    let sent = 0
    let waitText: string | undefined
    let isUploaded = false
    const showStatus = () =>
      setStatusIfCurrent(
        isUploaded
          ? { kind: 'opening', fileName: name, waitText }
          : { kind: 'sending', fileName: name, sent, total, waitText },
      )
    showStatus()
    const progress: UploadProgress = {
      onUploadUrl() {},
      onSent(_id, bytes) {
        sent = bytes
        isUploaded = false
        showStatus()
      },
      onReceived() {
        isUploaded = true
        waitText = undefined
        showStatus()
      },
      onWaiting(waiting) {
        waitText = waiting && WAIT_MESSAGES[waiting]
        showStatus()
      },
    }
    const result = await deliver(outgoingFile, progress, abort.signal).catch((error: unknown) => {
      if (abort.signal.aborted) return undefined
      throw error
    })
    if (!result || !isCurrent()) return
    if (!result.ok) return setStatus({ kind: 'refused', fileName: name, ...result })
    const type = fileTypeOfPath(result.archivo.ruta)
    currentUpload.current = undefined
    if (types && type && !types.includes(type)) {
      const expectedTypes = types.map((expected) => TYPE_NAMES[expected] ?? expected).join(' o ')
      const message = `Aquí va ${expectedTypes}, y «${name}» es ${TYPE_NAMES[type] ?? 'otra cosa'}. Guárdalo así y envíalo de nuevo.`
      return setStatus({ kind: 'refused', fileName: name, message, reason: 'tipo', canResume: false })
    }
    setStatus({ kind: 'idle' })
    latestOnFileReceived.current(result.archivo, name)
  }

  return {
    status,
    accept: FILE_KINDS[kind].accept,
    send(file: File) {
      const message = findSizeRefusal(kind, file.name, file.size)
      if (message) {
        currentUpload.current?.abort.abort()
        return setStatus({ kind: 'refused', fileName: file.name, message, reason: 'archivoGrande', canResume: false })
      }
      void start({ id: 'archivo', file, url: undefined, submissionId: crypto.randomUUID(), kind })
    },
    resume() {
      if (currentUpload.current) void start(currentUpload.current.file)
    },
    pause() {
      const name = currentUpload.current?.file.file.name ?? ''
      currentUpload.current?.abort.abort()
      setStatus({ kind: 'paused', fileName: name })
    },
    /** Abandons the upload; what was sent stays staged until the sweep. */
    abandon() {
      currentUpload.current?.abort.abort()
      currentUpload.current = undefined
      setStatus({ kind: 'idle' })
    },
  }
}

export type FileSender = ReturnType<typeof useFileSender>
