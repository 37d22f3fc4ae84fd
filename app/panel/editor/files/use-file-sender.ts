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
  /** `sent` and `total` are in bytes. */
  | { kind: 'sending'; fileName: string; sent: number; total: number; waitText: string | undefined }
  /** The upload is complete, and the site checks and stores it. */
  | { kind: 'opening'; fileName: string; waitText: string | undefined }
  | { kind: 'paused'; fileName: string }
  /** With `canResume`, `resume` sends the same file again (SendingResult). */
  | { kind: 'refused'; fileName: string; message: string; reason: string | undefined; canResume: boolean }

const TYPES_WITH_ARTICLE: Partial<Record<string, string>> = {
  'image/svg+xml': 'un SVG',
  'image/png': 'un PNG',
  'video/mp4': 'un MP4',
  'video/webm': 'un WebM',
  'application/pdf': 'un PDF',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'un documento de Word (.docx)',
}

const lazyUploadCode = lazyCode(() => import('./send-file.client.ts'))

/** Loads the upload code, then sends; returns a refusal if the code cannot be loaded. @throws the signal's abort reason */
async function uploadWithCode(
  outgoingFile: OutgoingFile,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendingResult> {
  const uploadCode = await lazyUploadCode.fetch({ onWaiting: progress.onWaiting, signal })
  if (uploadCode) return uploadCode.sendFile(outgoingFile, progress, signal)
  return { ok: false, reason: 'falla', message: UPLOAD_MESSAGES.falla(undefined), canResume: true }
}

/**
 * Uploads a field's files. A new file aborts the upload under way.
 * @param onFileReceived receives the stored file and its name on the device
 */
export function useFileSender(
  fileKind: FileKind,
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

  async function startUpload(outgoingFile: OutgoingFile) {
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
    const sendingResult = await uploadWithCode(outgoingFile, progress, abort.signal).catch((error: unknown) => {
      if (abort.signal.aborted) return undefined
      throw error
    })
    if (!sendingResult || !isCurrent()) return
    if (!sendingResult.ok) return setStatus({ kind: 'refused', fileName: name, ...sendingResult })
    const type = fileTypeOfPath(sendingResult.archivo.ruta)
    currentUpload.current = undefined
    if (types && type && !types.includes(type)) {
      const expectedTypes = types.map((expected) => TYPES_WITH_ARTICLE[expected] ?? expected).join(' o ')
      const message = `Aquí va ${expectedTypes}, y «${name}» es ${TYPES_WITH_ARTICLE[type] ?? 'otra cosa'}. Guárdalo así y envíalo de nuevo.`
      return setStatus({ kind: 'refused', fileName: name, message, reason: 'tipo', canResume: false })
    }
    setStatus({ kind: 'idle' })
    latestOnFileReceived.current(sendingResult.archivo, name)
  }

  return {
    status,
    accept: FILE_KINDS[fileKind].accept,
    send(file: File) {
      const message = findSizeRefusal(fileKind, file.name, file.size)
      if (message) {
        currentUpload.current?.abort.abort()
        return setStatus({ kind: 'refused', fileName: file.name, message, reason: 'archivoGrande', canResume: false })
      }
      void startUpload({ id: 'archivo', file, url: undefined, submissionId: crypto.randomUUID(), kind: fileKind })
    },
    resume() {
      if (currentUpload.current) void startUpload(currentUpload.current.file)
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
