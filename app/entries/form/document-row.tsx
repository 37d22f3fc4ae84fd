import { type ChangeEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { SheetIcon } from '#app/entries/chosen-files/sheet-icon.tsx'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './document-row.module.css'

const SIDE_NAMES = ['Anverso', 'Reverso']
const NO_FILES: readonly ChosenFile[] = []

interface DocumentRowProps {
  kind: DocumentKind
  /** The form's code (FORM_TOOLS); undefined until it is loaded. */
  tools: typeof import('./registration-controller.client.tsx') | undefined
  hint: string
  chosenFiles: readonly ChosenFile[]
  /** Names of files that the server has already, from a submission without JavaScript. */
  receivedNames: readonly string[]
  error: string | undefined
  /** Whether the document has an error, which the row (`error`) or the banner below shows in the element `<kind>-error`. */
  isInvalid: boolean
  /** Sent share of the document, from 0 to 1; undefined while it is not being sent. */
  progress: number | undefined
  /** Whether the form is being sent, so that files cannot be changed. */
  isLocked: boolean
  /** Receives the whole new choice. @returns whether the files are accepted; if not, the row shows the previous choice again */
  onChoose(files: File[]): boolean
  onRemove(id: string): void
  onSwap(): void
}

/** Shows one kind of document: its label, its chosen files, its progress. The whole row is the file input. */
export function DocumentRow({
  kind,
  tools,
  hint,
  chosenFiles,
  receivedNames,
  error,
  isInvalid,
  progress,
  isLocked,
  ...listeners
}: DocumentRowProps) {
  const input = useRef<HTMLInputElement>(null)
  const { fileCount: expectedCount, accept } = kindOf(kind)
  const isTwoSided = expectedCount > 1
  const isComplete =
    chosenFiles.length === expectedCount || (chosenFiles.length === 0 && receivedNames.length === expectedCount)

  // The input gets the files that the row shows, so that a refused choice leaves no trace and a plain form post sends the same
  // files. This happens only when the row changes, since a new choice is in the input before the row knows of it.
  const shownFiles = useRef<readonly ChosenFile[]>(NO_FILES)
  useLayoutEffect(() => {
    if (shownFiles.current !== chosenFiles && (shownFiles.current.length > 0 || chosenFiles.length > 0))
      setInputFiles(input.current, chosenFiles)
    shownFiles.current = chosenFiles
  }, [chosenFiles])

  // Files that were chosen before this script arrived count as a choice.
  useEffect(() => {
    const earlyFiles = [...(input.current?.files ?? [])]
    if (chosenFiles.length === 0 && earlyFiles.length > 0 && !listeners.onChoose(earlyFiles))
      setInputFiles(input.current, [])
  }, [])

  /** Id of the file whose «Tomarla de nuevo» was pressed; the next choice replaces it. */
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
    if (isLocked || !listeners.onChoose(files)) setInputFiles(event.currentTarget, chosenFiles)
  }

  const partProps = { kind, chosenFiles, sideNames: SIDE_NAMES, isLocked }
  return (
    <div className={joinClasses(styles.row, isTwoSided && styles.double)} data-error={isInvalid ? '' : undefined}>
      <div className={styles.tiles} aria-hidden="true">
        {Array.from({ length: Math.max(expectedCount, chosenFiles.length) }, (_, side) => {
          const chosenFile = chosenFiles[side]
          return (
            <span
              className={styles.tile}
              data-empty={chosenFile || receivedNames[side] ? undefined : ''}
              data-frame={kindOf(kind).isIdentity ? '' : undefined}
              data-portrait={kind === 'fotoRostro' || kind === 'fotoCuerpo' ? kind : undefined}
              key={chosenFile?.id ?? SIDE_NAMES[side]}
            >
              {chosenFile ? (
                tools && <tools.PhotoPreview file={chosenFile.file} />
              ) : receivedNames[side] ? (
                <SheetIcon label="" />
              ) : (
                <svg className={styles.arrow} viewBox="0 0 24 24" aria-hidden="true">
                  <path d="M12 16V5m0 0L8 9m4-4 4 4M5 15v4h14v-4" />
                </svg>
              )}
              {isTwoSided && <small className={styles.side}>{SIDE_NAMES[side] ?? 'Sobra'}</small>}
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
              {...partProps}
              onRemove={(id) => {
                listeners.onRemove(id)
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
        {tools && <tools.FileWarnings {...partProps} />}
        {error && (
          <p className={styles.error} id={`${kind}-error`}>
            {error}
          </p>
        )}
        {tools && !isLocked && <tools.SwapSides {...partProps} onSwap={listeners.onSwap} />}
        {tools && progress !== undefined && <tools.Progress label={`${kindOf(kind).label}: subida`} value={progress} />}
      </div>

      {tools && (
        <tools.IdentityLegibilityWarning
          {...partProps}
          onRetake={(id) => {
            retakenId.current = id
            input.current?.click()
          }}
        />
      )}

      <span
        className={styles.state}
        data-state={stateOf(chosenFiles.length, isComplete, isInvalid, progress)}
        aria-hidden="true"
      >
        {progress === undefined ? (
          <StateText
            isComplete={isComplete}
            isInvalid={isInvalid}
            chosenCount={chosenFiles.length}
            expectedCount={expectedCount}
          />
        ) : (
          tools?.formatPercent(progress)
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
        aria-invalid={isInvalid || undefined}
        aria-describedby={`${isInvalid ? `${kind}-error ` : ''}${kind}-pista ${kind}-archivos`}
        onChange={choose}
        onPointerDown={forgetRetaken}
        onKeyDown={forgetRetaken}
        onClick={(event) => (isLocked ? event.preventDefault() : tools?.markChoosingFile(event.currentTarget))}
      />
    </div>
  )
}

function stateOf(chosenCount: number, isComplete: boolean, isInvalid: boolean, progress: number | undefined) {
  if (progress !== undefined && progress < 1) return 'part'
  if (isComplete) return isInvalid ? 'bad' : 'done'
  return chosenCount > 0 ? 'part' : 'empty'
}

interface StateTextProps {
  isComplete: boolean
  isInvalid: boolean
  chosenCount: number
  expectedCount: number
}

const StateText = ({ isComplete, isInvalid, chosenCount, expectedCount }: StateTextProps) => {
  if (isComplete) return isInvalid ? 'Revisar' : 'Listo'
  if (chosenCount > expectedCount) return 'Sobra uno'
  if (chosenCount > 0) return 'Falta un lado'
  // Before the script arrives, the style sheet shows one of the two by the input's validity.
  return (
    <>
      <span className={styles.choose}>Elegir</span>
      <span className={styles.chosen}>Listo</span>
    </>
  )
}

function setInputFiles(input: HTMLInputElement | null, chosenFiles: readonly ChosenFile[]) {
  if (!input) return
  const inputFiles = [...(input.files ?? [])]
  if (inputFiles.length === chosenFiles.length && chosenFiles.every(({ file }, index) => file === inputFiles[index]))
    return
  const transfer = new DataTransfer()
  for (const { file } of chosenFiles) transfer.items.add(file)
  input.files = transfer.files
}
