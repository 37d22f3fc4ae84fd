import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { miles } from '#app/core/text/thousands-separator.ts'
import { Progress } from '#app/ui/forms/progress.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import { cuantos } from '#app/voting/election/tally-rules.ts'
import type { Verificacion } from '#app/voting/record/verification.ts'
import { OTROS } from '#app/voting/tally/schema.ts'
import styles from './verify-here.module.css'

interface Props {
  /** The seal of the act that the page shows. */
  sello: string
  /** Ballots that it counts. */
  papeletas: number
  /** The key by which the site signed it; undefined: it came with the edition, unsigned. */
  publicKey: string | undefined
}

/** What is counted: the site's own file, or one from the visitor's device. */
type Fuente = { nombre: string; archivo?: File }
const DEL_SITIO: Fuente = { nombre: 'acta.json' }

type Estado =
  | { paso: 'nada' }
  | { paso: 'contando'; papeletas: number }
  | { paso: 'no-se-pudo'; falla: string }
  | { paso: 'contada'; fuente: Fuente; verificacion: Verificacion }

const SIN_RED =
  'El acta no llegó completa. Revisa tu conexión y vuelve a intentarlo, o abre una que ya tengas guardada.'
const SIN_CRIPTO =
  'Este navegador no puede calcular los sellos aquí: hace falta uno más reciente, o abrir esta página con https. El programa de abajo sí puede.'

/** Leaves what is fetched later in the browser's memory, so that counting needs no line any more. */
const fetchContar = () => import('./verify-here.client.ts')

/** Counts the act again on the visitor's own device, and compares it with what people kept. */
export function ContarAqui({ sello, papeletas, publicKey }: Props) {
  const [viva, setViva] = useState(false)
  const [estado, setEstado] = useState<Estado>({ paso: 'nada' })
  const [testigos, setTestigos] = useState<File[]>([])
  const fuente = useRef(DEL_SITIO)
  const fetched = useRef<Blob>(undefined)
  const run = useRef(0)
  const outcome = useRef<HTMLDivElement>(null)

  useEffect(() => {
    setViva(true)
    const timer = setTimeout(() => void fetchContar().catch(() => {}), 1_500)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (estado.paso === 'contada' || estado.paso === 'no-se-pudo') outcome.current?.focus()
  }, [estado])

  async function count(what: Fuente, kept: File[]) {
    const mine = ++run.current
    const show = (next: Estado) => mine === run.current && setEstado(next)
    fuente.current = what
    setTestigos(kept)
    show({ paso: 'contando', papeletas: 0 })
    if (!globalThis.crypto?.subtle) return show({ paso: 'no-se-pudo', falla: SIN_CRIPTO })
    try {
      const [{ contar }, acta] = await Promise.all([fetchContar(), what.archivo ?? fetchActa()])
      if (typeof acta === 'string') return show({ paso: 'no-se-pudo', falla: acta })
      const publicKeys = publicKey === undefined ? [] : [publicKey]
      const done = await contar(acta, kept, publicKeys, (counted) => show({ paso: 'contando', papeletas: counted }))
      show(
        done.ok
          ? { paso: 'contada', fuente: what, verificacion: done.verificacion }
          : { paso: 'no-se-pudo', falla: done.falla },
      )
    } catch {
      show({ paso: 'no-se-pudo', falla: SIN_RED })
    }
  }

  /** @returns the site's file; in words why there is none */
  async function fetchActa(): Promise<Blob | string> {
    if (fetched.current) return fetched.current
    const answer = await fetch('/misspopularidad/acta.json')
    if (!answer.ok) return (await answer.text()).slice(0, 300)
    fetched.current = await answer.blob()
    return fetched.current
  }

  const chosen = (event: ChangeEvent<HTMLInputElement>): File[] => {
    const files = [...(event.target.files ?? [])]
    // The same file, changed meanwhile, can be chosen again.
    event.target.value = ''
    return files
  }

  // Everything here is the page's script's.
  if (!viva) return null
  const busy = estado.paso === 'contando'
  return (
    <div className={styles.contar}>
      <div className={styles.botones}>
        <Button look="outline" busy={busy} onClick={() => !busy && count(DEL_SITIO, testigos)}>
          Contar de nuevo aquí
        </Button>
        <label className={unir(buttonLook('outline'), styles.abrir)}>
          Abrir un acta guardada
          <input
            type="file"
            accept=".json,application/json"
            className="solo-lectores"
            onChange={(event) => {
              const [archivo] = chosen(event)
              if (archivo) void count({ nombre: archivo.name, archivo }, testigos)
            }}
          />
        </label>
        <label className={unir(buttonLook('outline'), styles.abrir)}>
          Comparar con lo que guardaste
          <input
            type="file"
            multiple
            accept=".eml,.json,.txt,message/rfc822,application/json"
            aria-describedby="testigo-pista"
            className="solo-lectores"
            onChange={(event) => {
              const kept = chosen(event)
              if (kept.length > 0) void count(fuente.current, kept)
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
            Contando<span aria-hidden="true">: {cuantos(estado.papeletas, 'papeleta')}</span>…
          </p>
          <Progress label="Papeletas contadas" value={Math.min(1, estado.papeletas / Math.max(1, papeletas))} />
        </div>
      )}
      {estado.paso === 'no-se-pudo' && <Banner ref={outcome} tone="bad" role="status" message={estado.falla} />}
      {estado.paso === 'contada' && (
        <Resultado {...estado} ajena={estado.verificacion.portada.sello !== sello} outcome={outcome} />
      )}
    </div>
  )
}

function Resultado({
  fuente,
  verificacion,
  ajena,
  outcome,
}: {
  fuente: Fuente
  verificacion: Verificacion
  /** It is another act than the page's. */
  ajena: boolean
  outcome: React.Ref<HTMLDivElement>
}) {
  const { portada, cajas, papeletas, validas, totales, testigos } = verificacion
  const { acta } = portada
  const fallas = [
    ...verificacion.fallas,
    ...(ajena ? ['Su sello es otro que el del acta de esta página: no es la misma acta.'] : []),
    ...testigos.flatMap(({ nombre, fallas }) => fallas.map((falla) => `${nombre}: ${falla}`)),
  ]
  const named = acta.candidatas.map(({ nombre }) => nombre)
  const counted = named.map((nombre) => totales.get(nombre) ?? 0)
  return (
    <div className={styles.resultado}>
      <Banner
        ref={outcome}
        tone={fallas.length === 0 ? 'good' : 'bad'}
        role="status"
        message={
          fallas.length === 0
            ? `Todo coincide: ${cuantos(papeletas, 'papeleta')} de ${fuente.nombre}, contadas en tu aparato.`
            : `No coincide: ${cuantos(fallas.length, 'falla')} en ${fuente.nombre}.`
        }
      >
        {fallas.length > 0 && (
          <ul className={styles.fallas}>
            {fallas.map((falla) => (
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
          {named.map((nombre, at) => (
            <tr key={nombre}>
              <th scope="row">{nombre}</th>
              <td>{miles(counted[at]!)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{OTROS}</th>
            <td>{miles(validas - counted.reduce((sum, votos) => sum + votos, 0))}</td>
          </tr>
        </tbody>
      </table>
      {fallas.length === 0 && (
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
              : `${cuantos(acta.anulados, 'papeleta anulada es la', 'papeletas anuladas son las')} que ella nombra.`}
          </li>
          <li>Es la misma acta que muestra esta página.</li>
          {testigos.flatMap(({ nombre, dichos }) =>
            dichos.map((dicho) => (
              <li key={nombre + dicho}>
                <strong>{nombre}</strong>: {dicho}
              </li>
            )),
          )}
        </ul>
      )}
      {acta.fallas.length > 0 && <p className={styles.pista}>El acta misma declara: {acta.fallas.join(' ')}</p>}
    </div>
  )
}
