import { useRef, useState } from 'react'
import { CLASES_DE_ARCHIVO } from '#app/cms/media/file-rules.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import type { PropsDeArchivo } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { ElegirArchivo } from './file-picker.tsx'
import { type ArchivoRecibido, direccionDeRuta } from './upload-protocol.ts'
import { useEnvioDeArchivo } from './use-send-file.ts'

interface Props extends PropsDeArchivo<string> {
  /** Takes the frame that is shown as the video's poster; without it no poster is offered. */
  onCartel?(foto: ArchivoRecibido): void
}

/** A video, and its poster from one of its frames. */
export function CampoVideo({ id, valor, onCambio, descriptor, describedBy, invalid, onCartel }: Props) {
  const { etiqueta } = descriptor
  const video = useRef<HTMLVideoElement>(null)
  const [dicho, setDicho] = useState('')
  const envio = useEnvioDeArchivo('video', descriptor, ({ ruta }) => {
    setDicho('')
    onCambio(ruta)
  })
  const cartel = useEnvioDeArchivo('foto', {}, (archivo) => {
    setDicho('Listo: el cartel es este cuadro.')
    onCartel?.(archivo)
  })
  const isBusy = cartel.estado.que === 'enviando' || cartel.estado.que === 'abriendo'
  async function tomarCartel() {
    if (isBusy || !video.current) return
    const file = await cuadroDe(video.current)
    if (file) cartel.enviar(file)
    else setDicho('Todavía no se ve el video. Ponlo a andar, páusalo donde quieras y toca otra vez.')
  }
  return (
    <div className={styles.campo}>
      {valor !== '' && (
        <div className={styles.video}>
          <video
            key={valor}
            ref={video}
            src={direccionDeRuta(valor)}
            controls
            muted
            playsInline
            preload="metadata"
            aria-label={`Video que está puesto: ${etiqueta}`}
          />
          {onCartel && (
            <p className={styles.botones}>
              <Button look="outline" busy={isBusy} onClick={tomarCartel}>
                Usar este cuadro como cartel
              </Button>
            </p>
          )}
          <p className={styles.espera} role="status">
            {isBusy ? 'Guardando el cartel…' : dicho}
          </p>
          {cartel.estado.que === 'rechazado' && (
            <p className={styles.mal} role="alert">
              {cartel.estado.message}
            </p>
          )}
        </div>
      )}
      <ElegirArchivo
        id={id}
        envio={envio}
        accion={valor === '' ? 'Elegir video' : 'Cambiar video'}
        etiqueta={etiqueta}
        pista={CLASES_DE_ARCHIVO.video.pista}
        describedBy={describedBy}
        invalid={invalid}
      />
    </div>
  )
}

/** The frame that a video shows, as a picture; undefined while it shows none. */
async function cuadroDe(video: HTMLVideoElement): Promise<File | undefined> {
  const { videoWidth: width, videoHeight: height } = video
  if (width === 0 || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return undefined
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', 0.92)
  })
  return blob ? new File([blob], 'cartel.jpg', { type: 'image/jpeg' }) : undefined
}
