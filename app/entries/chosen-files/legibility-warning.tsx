import { useEffect, useRef, useState } from 'react'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './legibility-warning.module.css'
import { decodeInTurn } from './photo-preview.tsx'
import type { LegibilityProblem } from './sharpness-and-glare.ts'

const PROBLEM_MESSAGES: Record<LegibilityProblem, string> = {
  small: 'es muy pequeña y quizá no se lea. Manda la foto original, no una captura.',
  blurred: 'parece borrosa o movida. Apoya el teléfono, espera a que enfoque y tómala de nuevo.',
  glare: 'parece tener un reflejo que tapa una parte. Tómala sin flash, de lado a la luz.',
}

interface Props {
  chosenFiles: readonly ChosenFile[]
  sideNames: readonly string[]
  /** Asks for another photograph in place of the file with this id. */
  onRetake(id: string): void
}

/**
 * Warns before sending that a document's photograph may be unreadable; nothing is refused. The code that examines the
 * photograph is fetched on demand; if it cannot be loaded, nothing is shown.
 */
export function LegibilityWarning({ chosenFiles, sideNames, onRetake }: Props) {
  const [problemByFile, setProblemByFile] = useState<ReadonlyMap<File, LegibilityProblem>>(new Map())
  const examinedFiles = useRef(new WeakSet<File>())
  const [acceptedFiles, setAcceptedFiles] = useState<readonly File[]>([])
  useEffect(() => {
    for (const { file } of chosenFiles) {
      if (examinedFiles.current.has(file) || file.type === 'application/pdf') continue
      examinedFiles.current.add(file)
      decodeInTurn(async () => (await import('./legibility.client.ts')).examinePhoto(file)).then(
        ([problem]) => problem && setProblemByFile((previous) => new Map(previous).set(file, problem)),
        () => {},
      )
    }
  }, [chosenFiles])
  const illegibleFiles = chosenFiles.filter(({ file }) => problemByFile.has(file) && !acceptedFiles.includes(file))
  return (
    <div className={styles.warnings} aria-live="polite">
      {illegibleFiles.map(({ id, file }) => (
        <div className={styles.warning} data-legibility-warning key={id}>
          <FramedPhoto file={file} />
          <div>
            <p>
              {chosenFiles.length > 1
                ? `${sideNames[chosenFiles.findIndex((chosenFile) => chosenFile.id === id)]}: la foto`
                : 'La foto'}{' '}
              {PROBLEM_MESSAGES[problemByFile.get(file)!]} Que se vean las cuatro esquinas dentro del marco. Si se lee
              bien, déjala así.
            </p>
            <p className={styles.buttons}>
              <Button look="outline" onClick={() => onRetake(id)}>
                Tomarla de nuevo
              </Button>
              <Button look="quiet" onClick={() => setAcceptedFiles([...acceptedFiles, file])}>
                Se lee bien
              </Button>
            </p>
          </div>
        </div>
      ))}
    </div>
  )
}

/** Shows the photograph within a frame, so that the entrant can judge it. A new `file` needs a new component (key). */
function FramedPhoto({ file }: { file: File }) {
  const img = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const url = URL.createObjectURL(file)
    // The URL is revoked only after loading, even if the component unmounts, since a load from a revoked URL logs an error.
    const photo = img.current!
    for (const eventName of ['load', 'error'])
      photo.addEventListener(eventName, () => URL.revokeObjectURL(url), { once: true })
    photo.addEventListener('load', () =>
      photo.toggleAttribute('data-landscape', photo.naturalWidth > photo.naturalHeight),
    )
    photo.setAttribute('src', url)
  }, [])
  return (
    <span className={styles.frame} aria-hidden="true">
      <img ref={img} alt="" decoding="async" />
    </span>
  )
}
