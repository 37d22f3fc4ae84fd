import { type ChangeEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { Sheet } from '#app/entries/chosen-files/sheet-icon.tsx'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { ChosenFile } from '#app/entries/form-state/initial-state.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './document-row.module.css'
import type { Taller } from './lazy-tools.ts'

const SIDES = ['Anverso', 'Reverso']
const NOTHING: readonly ChosenFile[] = []

interface DocumentRowProps {
  clase: DocumentKind
  /** Undefined until the form's lazy tools are loaded. */
  taller: Taller | undefined
  pista: string
  elegidos: readonly ChosenFile[]
  /** Names of files that the server already has, from a submission without JavaScript. */
  recibidos: readonly string[]
  error: string | undefined
  /** The document has an error, shown here (`error`) or in the banner below, whose id is this row's «-error». */
  invalid: boolean
  /** Progress from 0 to 1 while the document is being sent. */
  avance: number | undefined
  /** The form is being sent: files cannot be changed under a running upload. */
  fijo: boolean
  /** @returns whether the files are accepted */
  onChoose(files: File[]): boolean
  onRemove(id: string): void
  onSwap(): void
}

/** Row of one kind of document: its request, its chosen files, its progress. The whole row is the file input. */
export function DocumentRow({
  clase,
  taller,
  pista,
  elegidos,
  recibidos,
  error,
  invalid,
  avance,
  fijo,
  ...on
}: DocumentRowProps) {
  const input = useRef<HTMLInputElement>(null)
  const { archivos: asked, accept } = kindOf(clase)
  const double = asked > 1
  const complete = elegidos.length === asked || (elegidos.length === 0 && recibidos.length === asked)

  // Keeps the input's files equal to the shown ones: a refused choice leaves no trace, and a plain form post sends the same.
  // Only when the row changes, and together with it: between a choice and its event the input is ahead of the row.
  const shown = useRef<readonly ChosenFile[]>(NOTHING)
  useLayoutEffect(() => {
    if (shown.current !== elegidos && (shown.current.length > 0 || elegidos.length > 0)) showIn(input.current, elegidos)
    shown.current = elegidos
  }, [elegidos])

  // Files chosen before this script arrived count.
  useEffect(() => {
    const early = [...(input.current?.files ?? [])]
    if (elegidos.length === 0 && early.length > 0 && !on.onChoose(early)) showIn(input.current, [])
  }, [])

  /** Id of the file to be replaced by the next choice; until then the file stays. */
  const retaken = useRef<string>(undefined)
  const forgetRetaken = () => {
    retaken.current = undefined
  }

  function choose(event: ChangeEvent<HTMLInputElement>) {
    const picked = [...(event.currentTarget.files ?? [])]
    const isRetaken = picked.length === 1 && elegidos.some(({ id }) => id === retaken.current)
    const files = isRetaken ? elegidos.map(({ id, file }) => (id === retaken.current ? picked[0]! : file)) : picked
    forgetRetaken()
    if (fijo || !on.onChoose(files)) showIn(event.currentTarget, elegidos)
  }

  const chosen = { clase, elegidos, lados: SIDES, fijo }
  return (
    <div className={joinClasses(styles.row, double && styles.double)} data-error={invalid ? '' : undefined}>
      <div className={styles.tiles} aria-hidden="true">
        {Array.from({ length: Math.max(asked, elegidos.length) }, (_, side) => {
          const chosenFile = elegidos[side]
          return (
            <span
              className={styles.tile}
              data-empty={chosenFile || recibidos[side] ? undefined : ''}
              data-marco={kindOf(clase).esDeIdentidad ? '' : undefined}
              data-retrato={clase === 'fotoRostro' || clase === 'fotoCuerpo' ? clase : undefined}
              key={chosenFile?.id ?? SIDES[side]}
            >
              {chosenFile ? (
                taller && <taller.PhotoPreview file={chosenFile.file} />
              ) : recibidos[side] ? (
                <Sheet rotulo="" />
              ) : (
                <svg className={styles.arrow} viewBox="0 0 24 24" aria-hidden="true">
                  <path d="M12 16V5m0 0L8 9m4-4 4 4M5 15v4h14v-4" />
                </svg>
              )}
              {double && <small className={styles.side}>{SIDES[side] ?? 'Sobra'}</small>}
            </span>
          )
        })}
      </div>

      <div className={styles.text}>
        <label className={styles.label} htmlFor={clase}>
          {kindOf(clase).etiqueta}
        </label>
        <p className={styles.hint} id={`${clase}-pista`}>
          {pista}
        </p>
        <ul className={styles.files} id={`${clase}-archivos`}>
          {taller && (
            <taller.ChosenFiles
              {...chosen}
              onRemove={(id) => {
                on.onRemove(id)
                input.current?.focus()
              }}
            />
          )}
          {elegidos.length === 0 &&
            recibidos.map((name) => (
              <li className={styles.received} key={name}>
                Ya lo recibimos: {name}
              </li>
            ))}
        </ul>
        {taller && <taller.Notes {...chosen} />}
        {error && (
          <p className={styles.error} id={`${clase}-error`}>
            {error}
          </p>
        )}
        {taller && !fijo && <taller.SwapSides {...chosen} onSwap={on.onSwap} />}
        {taller && avance !== undefined && (
          <taller.Progress label={`${kindOf(clase).etiqueta}: subida`} value={avance} />
        )}
      </div>

      {taller && (
        <taller.LegibilityDoubts
          {...chosen}
          onRetake={(id) => {
            retaken.current = id
            input.current?.click()
          }}
        />
      )}

      <span
        className={styles.state}
        data-state={stateOf(elegidos.length, complete, invalid, avance)}
        aria-hidden="true"
      >
        {avance === undefined ? (
          <State complete={complete} invalid={invalid} chosen={elegidos.length} asked={asked} />
        ) : (
          taller?.percent(avance)
        )}
      </span>

      <input
        className={styles.input}
        ref={input}
        id={clase}
        name={clase}
        type="file"
        multiple={double}
        accept={accept}
        required={recibidos.length < asked}
        aria-invalid={invalid || undefined}
        aria-describedby={`${invalid ? `${clase}-error ` : ''}${clase}-pista ${clase}-archivos`}
        onChange={choose}
        onPointerDown={forgetRetaken}
        onKeyDown={forgetRetaken}
        onClick={(event) => (fijo ? event.preventDefault() : taller?.choosingFile(event.currentTarget))}
      />
    </div>
  )
}

function stateOf(chosen: number, complete: boolean, invalid: boolean, progress: number | undefined) {
  if (progress !== undefined && progress < 1) return 'part'
  if (complete) return invalid ? 'bad' : 'done'
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

function showIn(input: HTMLInputElement | null, chosenFiles: readonly ChosenFile[]) {
  if (!input) return
  const shown = [...(input.files ?? [])]
  if (shown.length === chosenFiles.length && chosenFiles.every(({ file }, i) => file === shown[i])) return
  const list = new DataTransfer()
  for (const { file } of chosenFiles) list.items.add(file)
  input.files = list.files
}
