import { useEffect } from 'react'
import { useRevalidator } from 'react-router'
import type { CorreoVisto, Suerte as De } from '#app/correo/schema.ts'
import { fechaYHora } from '#app/platform/fechas.ts'
import { unir } from '#app/ui/clases.ts'
import styles from './suerte.module.css'

const NOMBRES: Readonly<Record<De, string>> = {
  espera: 'en espera de salir',
  enviado: 'enviado',
  guardado: 'no salió',
  rechazado: 'rechazado',
  rebotado: 'regresó',
}

/** What a message was, by the kinds that an entry's messages have. */
const DE_QUE: Readonly<Record<string, string>> = {
  inscripcion: 'Su folio, al registrarse',
  documento: 'Falta un documento',
  aceptada: 'Fue aceptada',
  rechazada: 'No fue aceptada',
}

/** What became of a message, by word and colour: green only once the mail server took it. */
export const Suerte = ({ suerte }: { suerte: De }) => (
  <span className={unir(styles.suerte, styles[suerte])}>{NOMBRES[suerte]}</span>
)

/** One message: what it was, what became of it, and why. */
export const Correo = ({ correo: { kind, para, at, suerte, suerteAt, motivo } }: { correo: CorreoVisto }) => (
  <>
    <p>
      {DE_QUE[kind] ?? 'Correo'} <Suerte suerte={suerte} />
    </p>
    {motivo && <p className={styles.motivo}>{motivo}</p>}
    <p className={styles.cuando}>
      A {para}, {fechaYHora(suerteAt ?? at)}
    </p>
  </>
)

/** Messages, the newest first. */
export const ListaDeCorreos = ({ correos }: { correos: readonly CorreoVisto[] }) => (
  <ul className={styles.lista}>
    {correos.map((correo) => (
      <li key={correo.id}>
        <Correo correo={correo} />
      </li>
    ))}
  </ul>
)

const LOOK_MS = 2_000
/** Greylisting takes minutes; a server that is away takes hours, and a screen that asks for so long tells nobody anything. */
const LOOKS = 90

/** Looks again while a message waits to go out, so that the screen says what became of it without being asked. */
export function useEspera(correos: readonly CorreoVisto[]): void {
  const { revalidate } = useRevalidator()
  const waits = correos.some(({ suerte }) => suerte === 'espera')
  useEffect(() => {
    if (!waits) return
    let left = LOOKS
    const timer = setInterval(() => {
      if (--left === 0) clearInterval(timer)
      if (document.visibilityState === 'visible') void revalidate()
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [waits, revalidate])
}
