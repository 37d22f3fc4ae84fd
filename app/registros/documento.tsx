import { type ChangeEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type ClaseDocumento, claseOf } from '#app/inscripciones/clases.ts'
import { Button } from '#app/ui/button.tsx'
import { unir } from '#app/ui/clases.ts'
import { formatSize, Progress, percent } from '#app/ui/progress.tsx'
import { choosingFile } from './borrador.client.ts'
import styles from './documento.module.css'
import { Legible } from './legible.tsx'
import type { Elegido } from './registro-estado.ts'
import { Hoja, VistaPrevia } from './vista-previa.tsx'

const LADOS = ['Anverso', 'Reverso']

interface DocumentoProps {
  clase: ClaseDocumento
  pista: string
  elegidos: readonly Elegido[]
  /** Names of files that the server has already, from a submission without JavaScript. */
  recibidos: readonly string[]
  error: string | undefined
  /** Something is wrong with it, whether said here (`error`) or in the banner below, whose id is this row's «-error». */
  invalid: boolean
  /** 0 to 1 while it is being sent. */
  avance: number | undefined
  /** While sending nothing can be swapped under the uploader's hands. */
  fijo: boolean
  /** @returns whether they are taken */
  onChoose(files: File[]): boolean
  onRemove(id: string): void
  onSwap(): void
}

/** One kind of document: what is asked for, what was chosen, how far it is. The whole row is the file input. */
export function Documento({ clase, pista, elegidos, recibidos, error, invalid, avance, fijo, ...on }: DocumentoProps) {
  const input = useRef<HTMLInputElement>(null)
  const { archivos: asked, accept } = claseOf(clase)
  const double = asked > 1
  const complete = elegidos.length === asked || (elegidos.length === 0 && recibidos.length === asked)

  // What was chosen before this script arrived counts; `on` is new at every render, the first one serves.
  const first = useRef({ choose: on.onChoose, elegidos })
  useEffect(() => {
    const { choose, elegidos } = first.current
    const early = [...(input.current?.files ?? [])]
    if (early.length === 0) showIn(input.current, elegidos)
    else if (!choose(early)) showIn(input.current, [])
  }, [])

  // The input holds what the row shows: a refused choice leaves no trace, and sending without JavaScript would match.
  // Only when the row changes, and together with it: between a choice and its event the input is ahead.
  const shown = useRef(elegidos)
  useLayoutEffect(() => {
    if (shown.current !== elegidos) showIn(input.current, elegidos)
    shown.current = elegidos
  }, [elegidos])

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
  }, [elegidos])

  /** The one that is taken anew: what comes stands in its place, and until then it stays. */
  const retaken = useRef<string>(undefined)
  const forgetRetaken = () => {
    retaken.current = undefined
  }

  function choose(event: ChangeEvent<HTMLInputElement>) {
    const chosen = [...(event.currentTarget.files ?? [])]
    const isRetaken = chosen.length === 1 && elegidos.some(({ id }) => id === retaken.current)
    const files = isRetaken ? elegidos.map(({ id, file }) => (id === retaken.current ? chosen[0]! : file)) : chosen
    forgetRetaken()
    if (fijo || !on.onChoose(files)) showIn(event.currentTarget, elegidos)
  }

  return (
    <div className={unir(styles.row, double && styles.double)} data-error={invalid ? '' : undefined}>
      <div className={styles.tiles} aria-hidden="true">
        {Array.from({ length: Math.max(asked, elegidos.length) }, (_, side) => {
          const elegido = elegidos[side]
          return (
            <span
              className={styles.tile}
              data-empty={elegido || recibidos[side] ? undefined : ''}
              data-marco={claseOf(clase).esDeIdentidad ? '' : undefined}
              data-retrato={clase === 'fotoRostro' || clase === 'fotoCuerpo' ? clase : undefined}
              key={elegido?.id ?? LADOS[side]}
            >
              {elegido ? (
                <VistaPrevia file={elegido.file} />
              ) : recibidos[side] ? (
                <Hoja rotulo="" />
              ) : (
                <svg className={styles.arrow} viewBox="0 0 24 24" aria-hidden="true">
                  <path d="M12 16V5m0 0L8 9m4-4 4 4M5 15v4h14v-4" />
                </svg>
              )}
              {double && <small className={styles.side}>{LADOS[side] ?? 'Sobra'}</small>}
            </span>
          )
        })}
      </div>

      <div className={styles.text}>
        <label className={styles.label} htmlFor={clase}>
          {claseOf(clase).etiqueta}
        </label>
        <p className={styles.hint} id={`${clase}-pista`}>
          {pista}
        </p>
        <ul className={styles.files} id={`${clase}-archivos`}>
          {elegidos.map(({ id, file }, side) => (
            <li key={id}>
              <span className={styles.name}>
                {double && <span className={styles.which}>{LADOS[side] ?? 'Sobra'}: </span>}
                {file.name}
              </span>
              <span className={styles.size}>{formatSize(file.size)}</span>
              {!fijo && (
                <button
                  className={styles.remove}
                  type="button"
                  aria-label={`Quitar ${file.name}`}
                  onClick={() => {
                    on.onRemove(id)
                    input.current?.focus()
                  }}
                >
                  <svg viewBox="0 0 12 12" aria-hidden="true">
                    <path d="m1.5 1.5 9 9m0-9-9 9" />
                  </svg>
                </button>
              )}
            </li>
          ))}
          {elegidos.length === 0 &&
            recibidos.map((name) => (
              <li className={styles.received} key={name}>
                Ya lo recibimos: {name}
              </li>
            ))}
        </ul>
        {elegidos.some(({ file }) => file.name.includes('*')) && (
          <p className={styles.note}>El nombre lleva un asterisco (*). Lo aceptamos así, pero mejor quítalo.</p>
        )}
        {isTwin && (
          <p className={styles.note}>
            Elegiste lo mismo para los dos lados. Lo aceptamos así; si fue sin querer, quita uno.
          </p>
        )}
        {claseOf(clase).esDeIdentidad && !fijo && (
          <Legible
            elegidos={elegidos}
            nombres={LADOS}
            onRetake={(id) => {
              retaken.current = id
              input.current?.click()
            }}
          />
        )}
        {error && (
          <p className={styles.error} id={`${clase}-error`}>
            {error}
          </p>
        )}
        {double && elegidos.length === asked && !fijo && (
          <Button className={styles.swap} look="outline" onClick={on.onSwap}>
            <svg viewBox="0 0 20 16" width="18" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden="true">
              <path d="M2 5h15m0 0-3.5-3.5M17 5l-3.5 3.5M18 11H3m0 0 3.5-3.5M3 11l3.5 3.5" />
            </svg>
            Intercambiar lados
          </Button>
        )}
        {avance !== undefined && <Progress label={`${claseOf(clase).etiqueta}: subida`} value={avance} />}
      </div>

      <span
        className={styles.state}
        data-state={stateOf(elegidos.length, complete, invalid, avance)}
        aria-hidden="true"
      >
        {avance === undefined ? (
          <Estado complete={complete} invalid={invalid} chosen={elegidos.length} asked={asked} />
        ) : (
          percent(avance)
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
        onClick={(event) => (fijo ? event.preventDefault() : choosingFile(event.currentTarget))}
      />
    </div>
  )
}

function stateOf(chosen: number, complete: boolean, invalid: boolean, avance: number | undefined) {
  if (avance !== undefined && avance < 1) return 'part'
  if (complete) return invalid ? 'bad' : 'done'
  return chosen > 0 ? 'part' : 'empty'
}

/** Before the script arrives the style sheet tells «Elegir» from «Listo» by the input itself. */
const Estado = (is: { complete: boolean; invalid: boolean; chosen: number; asked: number }) => {
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

async function haveSameBytes(one: File, other: File): Promise<boolean> {
  if (one.size !== other.size) return false
  try {
    const [a, b] = await Promise.all([one.arrayBuffer(), other.arrayBuffer()])
    const [left, right] = [new Uint8Array(a), new Uint8Array(b)]
    return left.every((byte, at) => byte === right[at])
  } catch {
    // Unreadable now; sending says so if it stays that way.
    return false
  }
}

function showIn(input: HTMLInputElement | null, elegidos: readonly Elegido[]) {
  if (!input) return
  const shown = [...(input.files ?? [])]
  if (shown.length === elegidos.length && elegidos.every(({ file }, i) => file === shown[i])) return
  const list = new DataTransfer()
  for (const { file } of elegidos) list.items.add(file)
  input.files = list.files
}
