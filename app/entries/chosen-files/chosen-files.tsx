/** Parts of a document's row that appear once a file is chosen; they are loaded with registration-controller.client.tsx. */

import { useEffect, useState } from 'react'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import { Button } from '#app/ui/components/button.tsx'
import { formatSize } from '#app/ui/forms/progress.tsx'
import styles from './chosen-files.module.css'
import { LegibilityWarning } from './legibility-warning.tsx'

interface Props {
  kind: DocumentKind
  chosenFiles: readonly ChosenFile[]
  /** Names of a two-sided document's sides, in the order of the files. */
  sideNames: readonly string[]
  /** Whether the form is being sent. */
  isLocked: boolean
}

/** Lists the chosen files, each with a button that removes it; a surplus file of a voter card is marked «Sobra». */
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
        {kindOf(kind).fileCount > 1 && <span className={styles.side}>{sideNames[side] ?? 'Sobra'}: </span>}
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

/** Warns about an asterisk in a file name and about the same file for both sides; the files are accepted all the same. */
export function FileWarnings({ kind, chosenFiles }: Pick<Props, 'kind' | 'chosenFiles'>) {
  const { fileCount: expectedCount } = kindOf(kind)
  const [isSameFileTwice, setIsSameFileTwice] = useState(false)
  useEffect(() => {
    let isUnmounted = false
    setIsSameFileTwice(false)
    const [front, back] = chosenFiles
    if (front && back && chosenFiles.length === expectedCount)
      void haveSameBytes(front.file, back.file).then((isSame) => !isUnmounted && setIsSameFileTwice(isSame))
    return () => {
      isUnmounted = true
    }
  }, [chosenFiles, expectedCount])
  return (
    <>
      {chosenFiles.some(({ file }) => file.name.includes('*')) && (
        <p className={styles.warning}>El nombre lleva un asterisco (*). Lo aceptamos así, pero mejor quítalo.</p>
      )}
      {isSameFileTwice && (
        <p className={styles.warning}>
          Elegiste lo mismo para los dos lados. Lo aceptamos así; si fue sin querer, quita uno.
        </p>
      )}
    </>
  )
}

/** Shows a `LegibilityWarning` for an identity document, but not while the form is being sent. */
export const IdentityLegibilityWarning = ({
  kind,
  chosenFiles,
  sideNames,
  isLocked,
  onRetake,
}: Props & { onRetake(id: string): void }) =>
  kindOf(kind).isIdentity &&
  !isLocked && <LegibilityWarning chosenFiles={chosenFiles} sideNames={sideNames} onRetake={onRetake} />

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

async function haveSameBytes(front: File, back: File): Promise<boolean> {
  if (front.size !== back.size) return false
  try {
    const buffers = await Promise.all([front.arrayBuffer(), back.arrayBuffer()])
    const [frontBytes, backBytes] = [new Uint8Array(buffers[0]), new Uint8Array(buffers[1])]
    return frontBytes.every((byte, index) => byte === backBytes[index])
  } catch {
    // A file that stays unreadable is reported when it is sent.
    return false
  }
}
