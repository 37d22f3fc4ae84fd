import { useEffect, useState } from 'react'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import { Button } from '#app/ui/components/button.tsx'
import { formatSize } from '#app/ui/forms/progress.tsx'
import { LegibilityHint } from './legibility-hint.tsx'
import styles from './row-contents.module.css'

/** These parts of a document's row show its chosen files, and come with the form's lazy tools. */

interface Props {
  kind: DocumentKind
  chosenFiles: readonly ChosenFile[]
  /** The names of the sides stand in the order of the files. */
  sideNames: readonly string[]
  isLocked: boolean
}

/** Lists the chosen files, each with a button that removes the file; a file too many is marked «Sobra». */
export function ChosenFiles({
  kind,
  chosenFiles,
  sideNames,
  isLocked,
  onRemove,
}: Props & { onRemove(id: string): void }) {
  return chosenFiles.map(({ id, file }, side) => (
    <li key={id}>
      <span className={styles.name}>
        {kindOf(kind).fileCount > 1 && <span className={styles.which}>{sideNames[side] ?? 'Sobra'}: </span>}
        {file.name}
      </span>
      <span className={styles.size}>{formatSize(file.size)}</span>
      {!isLocked && (
        <button className={styles.remove} type="button" aria-label={`Quitar ${file.name}`} onClick={() => onRemove(id)}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <path d="m1 1 10 10m0-10L1 11" />
          </svg>
        </button>
      )}
    </li>
  ))
}

/** Shows remarks on the chosen files, for which no file is refused. */
export function Notes({ kind, chosenFiles }: Pick<Props, 'kind' | 'chosenFiles'>) {
  const { fileCount: expectedCount } = kindOf(kind)
  const [isTwin, setIsTwin] = useState(false)
  useEffect(() => {
    let isUnmounted = false
    setIsTwin(false)
    const [front, back] = chosenFiles
    if (front && back && chosenFiles.length === expectedCount)
      void haveSameBytes(front.file, back.file).then((isSame) => !isUnmounted && setIsTwin(isSame))
    return () => {
      isUnmounted = true
    }
  }, [chosenFiles, expectedCount])
  return (
    <>
      {chosenFiles.some(({ file }) => file.name.includes('*')) && (
        <p className={styles.note}>El nombre lleva un asterisco (*). Lo aceptamos así, pero mejor quítalo.</p>
      )}
      {isTwin && (
        <p className={styles.note}>
          Elegiste lo mismo para los dos lados. Lo aceptamos así; si fue sin querer, quita uno.
        </p>
      )}
    </>
  )
}

export const LegibilityDoubts = ({
  kind,
  chosenFiles,
  sideNames,
  isLocked,
  onRetake,
}: Props & { onRetake(id: string): void }) =>
  kindOf(kind).isIdentity &&
  !isLocked && <LegibilityHint chosenFiles={chosenFiles} sideNames={sideNames} onRetake={onRetake} />

/** Shows a button that swaps the two files of a voter card, once both are chosen. */
export function SwapSides({ kind, chosenFiles, onSwap }: Pick<Props, 'kind' | 'chosenFiles'> & { onSwap(): void }) {
  const { fileCount: expectedCount } = kindOf(kind)
  if (expectedCount === 1 || chosenFiles.length !== expectedCount) return null
  return (
    <Button className={styles.swap} look="outline" onClick={onSwap}>
      <svg viewBox="0 0 20 16" width="18" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden="true">
        <path d="M2 5h15m0 0-3.5-3.5M17 5l-3.5 3.5M18 11H3m0 0 3.5-3.5M3 11l3.5 3.5" />
      </svg>
      Intercambiar lados
    </Button>
  )
}

async function haveSameBytes(one: File, other: File): Promise<boolean> {
  if (one.size !== other.size) return false
  try {
    const [a, b] = await Promise.all([one.arrayBuffer(), other.arrayBuffer()])
    const [left, right] = [new Uint8Array(a), new Uint8Array(b)]
    return left.every((byte, at) => byte === right[at])
  } catch {
    // A file that stays unreadable is reported when it is sent.
    return false
  }
}
