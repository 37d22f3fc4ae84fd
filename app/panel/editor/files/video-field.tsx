import { useRef, useState } from 'react'
import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import { Button } from '#app/ui/components/button.tsx'
import { CurrentFile } from './current-file.tsx'
import type { FileFieldProps } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { fileUrlByPath, type ReceivedFile } from './upload-protocol.ts'
import { useFileSender } from './use-file-sender.ts'

interface Props extends FileFieldProps<string> {
  /** Receives a stored frame of the video as its poster; without it the field offers no poster. */
  onPoster?(photo: ReceivedFile): void
}

const OLD_POSTER_MESSAGE =
  'El video ya es el nuevo. La imagen fija sigue siendo la de antes: pausa el video donde quieras y toca «Usar esta imagen como imagen fija».'

/** Edits a video, and can make its poster from one of its frames. */
export function VideoField({ id, value, onChange, descriptor, describedBy, isInvalid, onPoster }: Props) {
  const { label, types } = descriptor
  const takesWebm = types?.includes('video/webm') ?? true
  const video = useRef<HTMLVideoElement>(null)
  const [message, setMessage] = useState('')
  const [sentFile, setSentFile] = useState<{ path: string; name: string }>()
  const videoSender = useFileSender('video', descriptor, ({ ruta }, name) => {
    setSentFile({ path: ruta, name })
    setMessage(value === '' || !onPoster ? '' : OLD_POSTER_MESSAGE)
    onChange(ruta)
  })
  const posterSender = useFileSender('foto', {}, (file) => {
    setMessage('Listo: ya es la imagen fija. Abajo, en su «Texto alternativo», di qué se ve ahora.')
    onPoster?.(file)
  })
  const isBusy = posterSender.status.kind === 'sending' || posterSender.status.kind === 'opening'
  async function capturePoster() {
    if (isBusy || !video.current) return
    const file = await captureFrame(video.current)
    if (file) posterSender.send(file)
    else setMessage('Todavía no se ve el video. Ponlo a andar, páusalo donde quieras y toca otra vez.')
  }
  return (
    <div className={styles.field}>
      {value !== '' && (
        <div className={styles.video}>
          <video
            key={value}
            ref={video}
            src={fileUrlByPath(value)}
            controls
            muted
            playsInline
            preload="metadata"
            aria-label={`Video que está puesto: ${label}`}
          />
          <CurrentFile path={value} fileName={sentFile?.path === value ? sentFile.name : undefined} label={label} />
          {onPoster && (
            <p className={styles.buttons}>
              <Button look="outline" isBusy={isBusy} onClick={capturePoster}>
                Usar esta imagen como imagen fija
              </Button>
            </p>
          )}
          <p className={styles.waiting} role="status">
            {isBusy ? 'Guardando la imagen fija…' : message}
          </p>
          {posterSender.status.kind === 'refused' && (
            <p className={styles.error} role="alert">
              {posterSender.status.message}
            </p>
          )}
        </div>
      )}
      <FilePicker
        id={id}
        sender={videoSender}
        action={value === '' ? 'Elegir video' : 'Cambiar video'}
        label={label}
        hint={takesWebm ? FILE_KINDS.video.hint : FILE_KINDS.video.hint.replace(' o WebM', '')}
        describedBy={describedBy}
        isInvalid={isInvalid}
        required={!descriptor.isOptional && value === ''}
      />
    </div>
  )
}

/** Time after which a frame is captured even if the browser has not reported the end of the seek. */
const MAX_SEEK_MS = 2_000

/** Returns the video's current frame as a JPEG; undefined if no frame is decoded yet, or the browser cannot encode it. */
async function captureFrame(video: HTMLVideoElement): Promise<File | undefined> {
  const { videoWidth: width, videoHeight: height } = video
  if (width === 0 || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return undefined
  // Some browsers draw a video that was neither played nor moved as black; a seek makes them decode its frame.
  if (video.played.length === 0) {
    const seekEnd = new Promise((resolve) => {
      video.addEventListener('seeked', resolve, { once: true })
      setTimeout(resolve, MAX_SEEK_MS)
    })
    video.currentTime += 0.05
    await seekEnd
  }
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', 0.92)
  })
  return blob ? new File([blob], 'cartel.jpg', { type: 'image/jpeg' }) : undefined
}
