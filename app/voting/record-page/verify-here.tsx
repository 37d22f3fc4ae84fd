import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { miles } from '#app/core/text/thousands-separator.ts'
import { Progress } from '#app/ui/forms/progress.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { quantity } from '#app/voting/election/tally-rules.ts'
import type { Verification } from '#app/voting/record/verification.ts'
import { OTHERS } from '#app/voting/tally/schema.ts'
import styles from './verify-here.module.css'

interface Props {
  /** Seal of the record that the page shows. */
  sello: string
  /** Number of ballots in that record. */
  papeletas: number
  /** Public key of the record's signature; undefined: the record came unsigned, with the edition. */
  publicKey: string | undefined
}

/** The file to count: the site's, or one from the visitor's device. */
type Source = { nombre: string; archivo?: File }
const SITE_SOURCE: Source = { nombre: 'acta.json' }

type State =
  | { paso: 'nada' }
  | { paso: 'contando'; papeletas: number }
  | { paso: 'no-se-pudo'; falla: string }
  | { paso: 'contada'; fuente: Source; verificacion: Verification }

const SIN_RED =
  'El acta no llegó completa. Revisa tu conexión y vuelve a intentarlo, o abre una que ya tengas guardada.'
const NO_CRYPTO_MESSAGE =
  'Este navegador no puede calcular los sellos aquí: hace falta uno más reciente, o abrir esta página con https. El programa de abajo sí puede.'

/** Loads the counting code ahead, so that counting needs no connection any more. */
const fetchCounter = () => import('./verify-here.client.ts')

/** Counts the record again on the visitor's device, and compares it with saved witnesses. */
export function VerifyHere({ sello, papeletas, publicKey }: Props) {
  const [viva, setViva] = useState(false)
  const [state, setEstado] = useState<State>({ paso: 'nada' })
  const [witnesses, setTestigos] = useState<File[]>([])
  const source = useRef(SITE_SOURCE)
  const fetched = useRef<Blob>(undefined)
  const run = useRef(0)
  const outcome = useRef<HTMLDivElement>(null)

  useEffect(() => {
    setViva(true)
    const timer = setTimeout(() => void fetchCounter().catch(() => {}), 1_500)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (state.paso === 'contada' || state.paso === 'no-se-pudo') outcome.current?.focus()
  }, [state])

  async function count(what: Source, kept: File[]) {
    const mine = ++run.current
    const show = (next: State) => mine === run.current && setEstado(next)
    source.current = what
    setTestigos(kept)
    show({ paso: 'contando', papeletas: 0 })
    if (!globalThis.crypto?.subtle) return show({ paso: 'no-se-pudo', falla: NO_CRYPTO_MESSAGE })
    try {
      const [{ countRecord }, record] = await Promise.all([fetchCounter(), what.archivo ?? fetchRecord()])
      if (typeof record === 'string') return show({ paso: 'no-se-pudo', falla: record })
      const publicKeys = publicKey === undefined ? [] : [publicKey]
      const done = await countRecord(record, kept, publicKeys, (counted) =>
        show({ paso: 'contando', papeletas: counted }),
      )
      show(
        done.ok
          ? { paso: 'contada', fuente: what, verificacion: done.verificacion }
          : { paso: 'no-se-pudo', falla: done.falla },
      )
    } catch {
      show({ paso: 'no-se-pudo', falla: SIN_RED })
    }
  }

  /** @returns the site's file, or a Spanish explanation for its absence */
  async function fetchRecord(): Promise<Blob | string> {
    if (fetched.current) return fetched.current
    const answer = await fetch('/misspopularidad/acta.json')
    if (!answer.ok) return (await answer.text()).slice(0, 300)
    fetched.current = await answer.blob()
    return fetched.current
  }

  const chosen = (event: ChangeEvent<HTMLInputElement>): File[] => {
    const files = [...(event.target.files ?? [])]
    // The input is emptied, so that the same file can be chosen again after a change.
    event.target.value = ''
    return files
  }

  // All controls here need JavaScript.
  if (!viva) return null
  const busy = state.paso === 'contando'
  return (
    <div className={styles.contar}>
      <div className={styles.botones}>
        <Button look="outline" busy={busy} onClick={() => !busy && count(SITE_SOURCE, witnesses)}>
          Contar de nuevo aquí
        </Button>
        <label className={joinClasses(buttonLook('outline'), styles.abrir)}>
          Abrir un acta guardada
          <input
            type="file"
            accept=".json,application/json"
            className="solo-lectores"
            onChange={(event) => {
              const [file] = chosen(event)
              if (file) void count({ nombre: file.name, archivo: file }, witnesses)
            }}
          />
        </label>
        <label className={joinClasses(buttonLook('outline'), styles.abrir)}>
          Comparar con lo que guardaste
          <input
            type="file"
            multiple
            accept=".eml,.json,.txt,message/rfc822,application/json"
            aria-describedby="testigo-pista"
            className="solo-lectores"
            onChange={(event) => {
              const kept = chosen(event)
              if (kept.length > 0) void count(source.current, kept)
            }}
          />
        </label>
      </div>
      <p className={styles.pista} id="testigo-pista">
        Para comparar sirven el correo con tu recibo, guardado completo (.eml), o un sellos.json de los días de la
        votación. Todo se lee y se cuenta en tu aparato: nada se envía.
      </p>
      {busy && (
        <div className={styles.avance}>
          <p role="status">
            Contando<span aria-hidden="true">: {quantity(state.papeletas, 'papeleta')}</span>…
          </p>
          <Progress label="Papeletas contadas" value={Math.min(1, state.papeletas / Math.max(1, papeletas))} />
        </div>
      )}
      {state.paso === 'no-se-pudo' && <Banner ref={outcome} tone="bad" role="status" message={state.falla} />}
      {state.paso === 'contada' && (
        <Result {...state} ajena={state.verificacion.portada.sello !== sello} outcome={outcome} />
      )}
    </div>
  )
}

function Result({
  fuente,
  verificacion,
  ajena,
  outcome,
}: {
  fuente: Source
  verificacion: Verification
  /** Whether the counted record is another one than the page's. */
  ajena: boolean
  outcome: React.Ref<HTMLDivElement>
}) {
  const { portada, cajas, papeletas, validas, totales, testigos } = verificacion
  const { acta } = portada
  const faults = [
    ...verificacion.fallas,
    ...(ajena ? ['Su sello es otro que el del acta de esta página: no es la misma acta.'] : []),
    ...testigos.flatMap(({ nombre, fallas }) => fallas.map((falla) => `${nombre}: ${falla}`)),
  ]
  const named = acta.candidatas.map(({ nombre }) => nombre)
  const counted = named.map((name) => totales.get(name) ?? 0)
  return (
    <div className={styles.resultado}>
      <Banner
        ref={outcome}
        tone={faults.length === 0 ? 'good' : 'bad'}
        role="status"
        message={
          faults.length === 0
            ? `Todo coincide: ${quantity(papeletas, 'papeleta')} de ${fuente.nombre}, contadas en tu aparato.`
            : `No coincide: ${quantity(faults.length, 'falla')} en ${fuente.nombre}.`
        }
      >
        {faults.length > 0 && (
          <ul className={styles.fallas}>
            {faults.map((falla) => (
              <li key={falla}>{falla}</li>
            ))}
          </ul>
        )}
      </Banner>
      <table className={styles.tabla}>
        <caption>Contado en tu aparato</caption>
        <thead>
          <tr>
            <th scope="col">Candidata</th>
            <th scope="col">Votos</th>
          </tr>
        </thead>
        <tbody>
          {named.map((name, at) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{miles(counted[at]!)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{OTHERS}</th>
            <td>{miles(validas - counted.reduce((sum, votes) => sum + votes, 0))}</td>
          </tr>
        </tbody>
      </table>
      {faults.length === 0 && (
        <ul className={styles.comprobado}>
          <li>
            {cajas === 1 ? 'El sello de la caja sale' : `Los sellos de las ${miles(cajas)} cajas salen`} de sus
            papeletas, y cada uno cubre el anterior.
          </li>
          <li>Ningún recibo está dos veces, y ninguna caja menos la última tiene menos de {acta.minimo ?? 200}.</li>
          <li>
            Los totales son los que el acta dice, y{' '}
            {acta.anulados === 0
              ? 'ninguna papeleta fue anulada.'
              : `${quantity(acta.anulados, 'papeleta anulada es la', 'papeletas anuladas son las')} que ella nombra.`}
          </li>
          <li>Es la misma acta que muestra esta página.</li>
          {testigos.flatMap(({ nombre, dichos }) =>
            dichos.map((statement) => (
              <li key={nombre + statement}>
                <strong>{nombre}</strong>: {statement}
              </li>
            )),
          )}
        </ul>
      )}
      {acta.fallas.length > 0 && <p className={styles.pista}>El acta misma declara: {acta.fallas.join(' ')}</p>}
    </div>
  )
}
