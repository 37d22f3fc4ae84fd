import { useEffect, useId, useState } from 'react'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { useSendFile } from './use-send-file.ts'

interface Props {
  /** The list has this label. */
  label: string
  /** Receives the path of each stored photograph. */
  onPhoto(path: string): void
}

/** Sends the photographs that are chosen for a list, one after the other. A refused photograph is named, and the next is sent. */
export function SeveralPhotos({ label, onPhoto }: Props) {
  const [waiting, setWaiting] = useState<readonly File[]>([])
  const [refusals, setRefusals] = useState<readonly string[]>([])
  const sending = useSendFile('foto', {}, ({ ruta }) => onPhoto(ruta))
  const { status, send, abandon } = sending
  const isRefused = status.kind === 'refused' && !status.canResume
  useEffect(() => {
    const [next, ...others] = waiting
    if (!next || (status.kind !== 'idle' && !isRefused)) return
    if (isRefused) setRefusals([...refusals, status.message])
    setWaiting(others)
    send(next)
  })
  return (
    <div className={styles.choose}>
      <FilePicker
        id={useId()}
        sending={sending}
        action="Elegir varias fotografías"
        label={label}
        hint="Se envían una tras otra, y quedan al final de la lista."
        onChoose={(files) => {
          setWaiting([...waiting, ...files])
          if (status.kind !== 'idle' && !isRefused) return
          setRefusals([])
          abandon()
        }}
      />
      <p className={styles.waiting} role="status">
        {waiting.length > 0 &&
          (waiting.length === 1 ? 'Falta una por enviar.' : `Faltan ${waiting.length} por enviar.`)}
      </p>
      {refusals.map((message) => (
        <p key={message} className={styles.bad}>
          {message}
        </p>
      ))}
    </div>
  )
}
