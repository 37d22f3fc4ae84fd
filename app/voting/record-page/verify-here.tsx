import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Progress } from '#app/ui/forms/progress.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { Verification } from '#app/voting/record/verification.ts'
import { OTHERS } from '#app/voting/sealing/schema.ts'
import styles from './verify-here.module.css'

interface Props {
  fileUrl: string
  /** Seal of the record that the page shows. */
  seal: string
  /** Number of ballots in the record that the page shows. */
  ballotCount: number
  /** Public key of the record's signature; undefined if the database has no opening record that states one. */
  publicKey: string | undefined
}

/** A record to verify: the site's, or a `file` of the visitor's device. */
type RecordSource = { fileName: string; file?: File }
const SITE_RECORD: RecordSource = { fileName: 'acta.json' }

type State =
  | { name: 'idle' }
  | { name: 'verifying'; ballotCount: number }
  | { name: 'failed'; fault: string }
  | { name: 'verified'; source: RecordSource; verification: Verification }

const DOWNLOAD_FAILED_MESSAGE =
  'El acta no llegó completa. Revisa tu conexión y vuelve a intentarlo, o abre una que ya tengas guardada.'
const NO_CRYPTO_MESSAGE =
  'Este navegador no puede calcular los sellos aquí: hace falta uno más reciente, o abrir esta página con https. El programa de abajo sí puede.'

/** Loads the code of the verification. The page does so early, so that a visitor can verify a saved record without a connection. */
const loadVerifier = () => import('./verify-here.client.ts')

/** Renders the buttons that verify the record on the visitor's device and compare it with saved witnesses, and the result. */
export function VerifyHere({ fileUrl, seal, ballotCount, publicKey }: Props) {
  const [isHydrated, setIsHydrated] = useState(false)
  const [state, setState] = useState<State>({ name: 'idle' })
  const [witnesses, setWitnesses] = useState<File[]>([])
  const source = useRef(SITE_RECORD)
  const recordBlob = useRef<Blob>(undefined)
  const latestRun = useRef(0)
  const resultBanner = useRef<HTMLDivElement>(null)

  useEffect(() => {
    setIsHydrated(true)
    const timer = setTimeout(() => void loadVerifier().catch(() => {}), 1_500)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (state.name === 'verified' || state.name === 'failed') resultBanner.current?.focus()
  }, [state])

  async function verify(chosenSource: RecordSource, witnessFiles: File[]) {
    const run = ++latestRun.current
    const show = (nextState: State) => run === latestRun.current && setState(nextState)
    source.current = chosenSource
    setWitnesses(witnessFiles)
    show({ name: 'verifying', ballotCount: 0 })
    if (!globalThis.crypto?.subtle) return show({ name: 'failed', fault: NO_CRYPTO_MESSAGE })
    try {
      const [{ verifyHere }, record] = await Promise.all([loadVerifier(), chosenSource.file ?? fetchRecord()])
      if (typeof record === 'string') return show({ name: 'failed', fault: record })
      const publicKeys = publicKey === undefined ? [] : [publicKey]
      const outcome = await verifyHere(record, witnessFiles, publicKeys, (countedBallots) =>
        show({ name: 'verifying', ballotCount: countedBallots }),
      )
      show(
        outcome.ok
          ? { name: 'verified', source: chosenSource, verification: outcome.verification }
          : { name: 'failed', fault: outcome.fault },
      )
    } catch {
      show({ name: 'failed', fault: DOWNLOAD_FAILED_MESSAGE })
    }
  }

  /** Fetches the site's file, once per page. @returns the file, or the server's Spanish explanation why there is none */
  async function fetchRecord(): Promise<Blob | string> {
    if (recordBlob.current) return recordBlob.current
    const answer = await fetch(fileUrl)
    if (!answer.ok) return (await answer.text()).slice(0, 300)
    recordBlob.current = await answer.blob()
    return recordBlob.current
  }

  const takeFiles = (event: ChangeEvent<HTMLInputElement>): File[] => {
    const files = [...(event.target.files ?? [])]
    // An emptied input lets the visitor choose the same file again after changing it.
    event.target.value = ''
    return files
  }

  // None of the buttons works without JavaScript.
  if (!isHydrated) return null
  const isBusy = state.name === 'verifying'
  return (
    <div className={styles.verifier}>
      <div className={styles.buttons}>
        <Button look="outline" isBusy={isBusy} onClick={() => !isBusy && verify(SITE_RECORD, witnesses)}>
          Contar de nuevo aquí
        </Button>
        <label className={joinClasses(buttonLook('outline'), styles.openButton)}>
          Abrir un acta guardada
          <input
            type="file"
            accept=".json,application/json"
            className="visually-hidden"
            onChange={(event) => {
              const [file] = takeFiles(event)
              if (file) void verify({ fileName: file.name, file }, witnesses)
            }}
          />
        </label>
        <label className={joinClasses(buttonLook('outline'), styles.openButton)}>
          Comparar con lo que guardaste
          <input
            type="file"
            multiple
            accept=".eml,.json,.txt,message/rfc822,application/json"
            aria-describedby="testigo-pista"
            className="visually-hidden"
            onChange={(event) => {
              const witnessFiles = takeFiles(event)
              if (witnessFiles.length > 0) void verify(source.current, witnessFiles)
            }}
          />
        </label>
      </div>
      <p className={styles.hint} id="testigo-pista">
        Para comparar sirven el correo con tu recibo, guardado completo (.eml), o un sellos.json de los días de la
        votación. Todo se lee y se cuenta en tu aparato: nada se envía.
      </p>
      {isBusy && (
        <div className={styles.progress}>
          <p role="status">
            Contando<span aria-hidden="true">: {quantity(state.ballotCount, 'papeleta')}</span>…
          </p>
          <Progress label="Papeletas contadas" value={Math.min(1, state.ballotCount / Math.max(1, ballotCount))} />
        </div>
      )}
      {state.name === 'failed' && <Banner ref={resultBanner} tone="bad" role="status" message={state.fault} />}
      {state.name === 'verified' && (
        <Result {...state} isAnotherRecord={state.verification.cover.sello !== seal} banner={resultBanner} />
      )}
    </div>
  )
}

function Result({
  source,
  verification,
  isAnotherRecord,
  banner,
}: {
  source: RecordSource
  verification: Verification
  /** Whether the verified record differs from the page's record. */
  isAnotherRecord: boolean
  banner: React.Ref<HTMLDivElement>
}) {
  const { cover, blockCount, ballotCount, validBallotCount, totals, checkedWitnesses } = verification
  const { acta } = cover
  const faults = [
    ...verification.faults,
    ...(isAnotherRecord ? ['Su sello es otro que el del acta de esta página: no es la misma acta.'] : []),
    ...checkedWitnesses.flatMap(({ fileName, faults }) => faults.map((fault) => `${fileName}: ${fault}`)),
  ]
  const candidateNames = acta.candidatas.map(({ nombre }) => nombre)
  const countedVotes = candidateNames.map((name) => totals.get(name) ?? 0)
  return (
    <div className={styles.result}>
      <Banner
        ref={banner}
        tone={faults.length === 0 ? 'good' : 'bad'}
        role="status"
        message={
          faults.length === 0
            ? `Todo coincide: ${quantity(ballotCount, 'papeleta')} de ${source.fileName}, contadas en tu aparato.`
            : `No coincide: ${quantity(faults.length, 'falla')} en ${source.fileName}.`
        }
      >
        {faults.length > 0 && (
          <ul className={styles.faults}>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        )}
      </Banner>
      <table className={styles.table}>
        <caption>Contado en tu aparato</caption>
        <thead>
          <tr>
            <th scope="col">Candidata</th>
            <th scope="col">Votos</th>
          </tr>
        </thead>
        <tbody>
          {candidateNames.map((name, index) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{formatThousands(countedVotes[index]!)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{OTHERS}</th>
            <td>{formatThousands(validBallotCount - countedVotes.reduce((sum, votes) => sum + votes, 0))}</td>
          </tr>
        </tbody>
      </table>
      {faults.length === 0 && (
        <ul className={styles.checked}>
          <li>
            {blockCount === 1
              ? 'El sello de la caja sale'
              : `Los sellos de las ${formatThousands(blockCount)} cajas salen`}{' '}
            de sus papeletas, y cada uno cubre el anterior.
          </li>
          <li>Ningún recibo está dos veces, y ninguna caja menos la última tiene menos de {acta.minimo ?? 200}.</li>
          <li>
            Los totales son los que el acta dice, y{' '}
            {acta.anulados === 0
              ? 'ninguna papeleta fue anulada.'
              : `${quantity(acta.anulados, 'papeleta anulada es la', 'papeletas anuladas son las')} que ella nombra.`}
          </li>
          <li>Es la misma acta que muestra esta página.</li>
          {checkedWitnesses.flatMap(({ fileName, confirmations }) =>
            confirmations.map((statement) => (
              <li key={fileName + statement}>
                <strong>{fileName}</strong>: {statement}
              </li>
            )),
          )}
        </ul>
      )}
      {acta.fallas.length > 0 && <p className={styles.hint}>El acta misma declara: {acta.fallas.join(' ')}</p>}
    </div>
  )
}
