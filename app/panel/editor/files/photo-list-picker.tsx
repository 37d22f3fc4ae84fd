import { useEffect, useId, useState } from 'react'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { useFileSender } from './use-file-sender.ts'

interface Props {
  label: string
  onPhotoStored(path: string): void
}

/** Uploads the photographs that are chosen for a list, one after the other, and reports refused photographs. */
export function PhotoListPicker({ label, onPhotoStored }: Props) {
  const [queue, setQueue] = useState<readonly File[]>([])
  /** Number of photographs chosen since the last queue was done. */
  const [chosenCount, setChosenCount] = useState(0)
  const [refusals, setRefusals] = useState<readonly string[]>([])
  const sender = useFileSender('foto', {}, ({ ruta }) => onPhotoStored(ruta))
  const { status, send, abandon } = sender
  const isRefusedForGood = status.kind === 'refused' && !status.canResume
  // After every render the next file is sent, if the sender is idle or has refused a file for good.
  useEffect(() => {
    const [next, ...rest] = queue
    if (!next || (status.kind !== 'idle' && !isRefusedForGood)) return
    if (isRefusedForGood) setRefusals([...refusals, status.message])
    setQueue(rest)
    send(next)
  })
  return (
    <div className={styles.picker}>
      <FilePicker
        id={useId()}
        sender={sender}
        action="Elegir varias fotografías"
        label={label}
        hint="Se envían una tras otra, y quedan al final de la lista."
        onChoose={(files) => {
          const isUnderWay = queue.length > 0 || (status.kind !== 'idle' && !isRefusedForGood)
          setChosenCount(files.length + (isUnderWay ? chosenCount : 0))
          setQueue([...queue, ...files])
          if (status.kind !== 'idle' && !isRefusedForGood) return
          setRefusals([])
          abandon()
        }}
      />
      <p className={styles.status} role="status">
        {chosenCount > 1 &&
          (queue.length > 0 || (status.kind !== 'idle' && !isRefusedForGood)) &&
          `Va la ${Math.max(1, chosenCount - queue.length)} de ${chosenCount}.`}
      </p>
      {refusals.map((message) => (
        <p key={message} className={styles.error}>
          {message}
        </p>
      ))}
    </div>
  )
}
