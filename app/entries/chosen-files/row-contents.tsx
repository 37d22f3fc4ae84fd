import { useEffect, useState } from 'react'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import { formatSize } from '#app/ui/forms/progress.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { Legible } from './legibility-hint.tsx'
import styles from './row-contents.module.css'

/** Parts of a document's row that show its chosen files; they come with the form's lazy tools. */

interface Props {
  clase: DocumentKind
  elegidos: readonly ChosenFile[]
  /** Names of the sides, in their order. */
  lados: readonly string[]
  /** The form is being sent, and nothing can be changed. */
  fijo: boolean
}

/** The chosen files' names, one per line, each with a button that removes the file. */
export function ChosenFiles({ clase, elegidos, lados, fijo, onRemove }: Props & { onRemove(id: string): void }) {
  return elegidos.map(({ id, file }, side) => (
    <li key={id}>
      <span className={styles.name}>
        {kindOf(clase).archivos > 1 && <span className={styles.which}>{lados[side] ?? 'Sobra'}: </span>}
        {file.name}
      </span>
      <span className={styles.size}>{formatSize(file.size)}</span>
      {!fijo && (
        <button className={styles.remove} type="button" aria-label={`Quitar ${file.name}`} onClick={() => onRemove(id)}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <path d="m1 1 10 10m0-10L1 11" />
          </svg>
        </button>
      )}
    </li>
  ))
}

/** Remarks on the chosen files, for which no file is refused. */
export function Notes({ clase, elegidos }: Pick<Props, 'clase' | 'elegidos'>) {
  const { archivos: asked } = kindOf(clase)
  const [isTwin, setIsTwin] = useState(false)
  useEffect(() => {
    let gone = false
    setIsTwin(false)
    const [front, back] = elegidos
    if (front && back && elegidos.length === asked)
      void haveSameBytes(front.file, back.file).then((same) => !gone && setIsTwin(same))
    return () => {
      gone = true
    }
  }, [elegidos, asked])
  return (
    <>
      {elegidos.some(({ file }) => file.name.includes('*')) && (
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

/** Legibility hints for the photographs of an identity document. */
export const LegibilityDoubts = ({ clase, elegidos, lados, fijo, onRetake }: Props & { onRetake(id: string): void }) =>
  kindOf(clase).esDeIdentidad && !fijo && <Legible elegidos={elegidos} nombres={lados} onRetake={onRetake} />

/** Button that swaps the sides of a two-sided document, once both are chosen. */
export function SwapSides({ clase, elegidos, onSwap }: Pick<Props, 'clase' | 'elegidos'> & { onSwap(): void }) {
  const { archivos: asked } = kindOf(clase)
  if (asked === 1 || elegidos.length !== asked) return null
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
