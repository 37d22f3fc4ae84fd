import { type ChangeEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { Sheet } from '#app/entries/chosen-files/sheet-icon.tsx'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './document-row.module.css'

const SIDES = ['Anverso', 'Reverso']
const NOTHING: readonly ChosenFile[] = []

interface DocumentRowProps {
  kind: DocumentKind
  /** The form's lazy tools are undefined until they are loaded. */
  tools: typeof import('./registration-controller.client.tsx') | undefined
  hint: string
  chosenFiles: readonly ChosenFile[]
  /** The server has these files already, from a submission without JavaScript. */
  receivedNames: readonly string[]
  error: string | undefined
  /** The document has an error, which the row (`error`) or the banner below shows; the element's id is `<kind>-error`. */
  invalid: boolean
  /** The progress goes from 0 to 1 while the document is being sent; it is undefined otherwise. */
  progress: number | undefined
  /** While the form is being sent, files cannot be changed under a running upload. */
  isLocked: boolean
  /** Receives the whole new choice. @returns whether the files are accepted; if not, the row shows the previous choice again */
  onChoose(files: File[]): boolean
  onRemove(id: string): void
  onSwap(): void
}

/** Shows one kind of document: its request, its chosen files, its progress. The whole row is the file input. */
export function DocumentRow({
  kind,
  tools,
  hint,
  chosenFiles,
  receivedNames,
  error,
  invalid,
  progress,
  isLocked,
  ...on
}: DocumentRowProps) {
  const input = useRef<HTMLInputElement>(null)
  const { fileCount: expectedCount, accept } = kindOf(kind)
  const isTwoSided = expectedCount > 1
  const isComplete =
    chosenFiles.length === expectedCount || (chosenFiles.length === 0 && receivedNames.length === expectedCount)

  // The input's files are set to the shown files, so that a refused choice leaves no trace and a plain form post sends the same.
  // This is done only when the row changes, since between a choice and its event the input is ahead of the row.
  const shown = useRef<readonly ChosenFile[]>(NOTHING)
  useLayoutEffect(() => {
    if (shown.current !== chosenFiles && (shown.current.length > 0 || chosenFiles.length > 0))
      setInputFiles(input.current, chosenFiles)
    shown.current = chosenFiles
  }, [chosenFiles])

  // Files that were chosen before this script arrived count as a choice.
  useEffect(() => {
    const earlyFiles = [...(input.current?.files ?? [])]
    if (chosenFiles.length === 0 && earlyFiles.length > 0 && !on.onChoose(earlyFiles)) setInputFiles(input.current, [])
  }, [])

  /** The next choice replaces the file with this id, if one was pressed to be retaken. */
  const retakenId = useRef<string>(undefined)
  const forgetRetaken = () => {
    retakenId.current = undefined
  }

  function choose(event: ChangeEvent<HTMLInputElement>) {
    const pickedFiles = [...(event.currentTarget.files ?? [])]
    const isRetaken = pickedFiles.length === 1 && chosenFiles.some(({ id }) => id === retakenId.current)
    const files = isRetaken
      ? chosenFiles.map(({ id, file }) => (id === retakenId.current ? pickedFiles[0]! : file))
      : pickedFiles
    forgetRetaken()
    if (isLocked || !on.onChoose(files)) setInputFiles(event.currentTarget, chosenFiles)
  }

  const chosen = { kind, chosenFiles, sideNames: SIDES, isLocked }
  return (
    <div className={joinClasses(styles.row, isTwoSided && styles.double)} data-error={invalid ? '' : undefined}>
      <div className={styles.tiles} aria-hidden="true">
        {Array.from({ length: Math.max(expectedCount, chosenFiles.length) }, (_, side) => {
          const chosenFile = chosenFiles[side]
          return (
            <span
              className={styles.tile}
              data-empty={chosenFile || receivedNames[side] ? undefined : ''}
              data-frame={kindOf(kind).isIdentity ? '' : undefined}
              data-portrait={kind === 'fotoRostro' || kind === 'fotoCuerpo' ? kind : undefined}
              key={chosenFile?.id ?? SIDES[side]}
            >
              {chosenFile ? (
                tools && <tools.PhotoPreview file={chosenFile.file} />
              ) : receivedNames[side] ? (
                <Sheet label="" />
              ) : (
                <svg className={styles.arrow} viewBox="0 0 24 24" aria-hidden="true">
                  <path d="M12 16V5m0 0L8 9m4-4 4 4M5 15v4h14v-4" />
                </svg>
              )}
              {isTwoSided && <small className={styles.side}>{SIDES[side] ?? 'Sobra'}</small>}
            </span>
          )
        })}
      </div>

      <div className={styles.text}>
        <label className={styles.label} htmlFor={kind}>
          {kindOf(kind).label}
        </label>
        <p className={styles.hint} id={`${kind}-pista`}>
          {hint}
        </p>
        <ul className={styles.files} id={`${kind}-archivos`}>
          {tools && (
            <tools.ChosenFiles
              {...chosen}
              onRemove={(id) => {
                on.onRemove(id)
                input.current?.focus()
              }}
            />
          )}
          {chosenFiles.length === 0 &&
            receivedNames.map((name) => (
              <li className={styles.received} key={name}>
                Ya lo recibimos: {name}
              </li>
            ))}
        </ul>
        {tools && <tools.Notes {...chosen} />}
        {error && (
          <p className={styles.error} id={`${kind}-error`}>
            {error}
          </p>
        )}
        {tools && !isLocked && <tools.SwapSides {...chosen} onSwap={on.onSwap} />}
        {tools && progress !== undefined && <tools.Progress label={`${kindOf(kind).label}: subida`} value={progress} />}
      </div>

      {tools && (
        <tools.LegibilityDoubts
          {...chosen}
          onRetake={(id) => {
            retakenId.current = id
            input.current?.click()
          }}
        />
      )}

      <span
        className={styles.state}
        data-state={stateOf(chosenFiles.length, isComplete, invalid, progress)}
        aria-hidden="true"
      >
        {progress === undefined ? (
          <State complete={isComplete} invalid={invalid} chosen={chosenFiles.length} asked={expectedCount} />
        ) : (
          tools?.percent(progress)
        )}
      </span>

      <input
        className={styles.input}
        ref={input}
        id={kind}
        name={kind}
        type="file"
        multiple={isTwoSided}
        accept={accept}
        required={receivedNames.length < expectedCount}
        aria-invalid={invalid || undefined}
        aria-describedby={`${invalid ? `${kind}-error ` : ''}${kind}-pista ${kind}-archivos`}
        onChange={choose}
        onPointerDown={forgetRetaken}
        onKeyDown={forgetRetaken}
        onClick={(event) => (isLocked ? event.preventDefault() : tools?.choosingFile(event.currentTarget))}
      />
    </div>
  )
}

function stateOf(chosen: number, isComplete: boolean, invalid: boolean, progress: number | undefined) {
  if (progress !== undefined && progress < 1) return 'part'
  if (isComplete) return invalid ? 'bad' : 'done'
  return chosen > 0 ? 'part' : 'empty'
}

/** Before the script arrives, the style sheet tells «Elegir» from «Listo» by the input's validity. */
const State = (is: { complete: boolean; invalid: boolean; chosen: number; asked: number }) => {
  if (is.complete) return is.invalid ? 'Revisar' : 'Listo'
  if (is.chosen > is.asked) return 'Sobra uno'
  if (is.chosen > 0) return 'Falta un lado'
  return (
    <>
      <span className={styles.choose}>Elegir</span>
      <span className={styles.chosen}>Listo</span>
    </>
  )
}

function setInputFiles(input: HTMLInputElement | null, chosenFiles: readonly ChosenFile[]) {
  if (!input) return
  const shown = [...(input.files ?? [])]
  if (shown.length === chosenFiles.length && chosenFiles.every(({ file }, i) => file === shown[i])) return
  const list = new DataTransfer()
  for (const { file } of chosenFiles) list.items.add(file)
  input.files = list.files
}
