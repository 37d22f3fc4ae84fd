import { useEffect, useState } from 'react'
import { enFecha } from '#app/core/time/mexico-dates.ts'
import type { CorreoVisto, Suerte as De } from '#app/mail/schema.ts'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './delivery-status.module.css'

const NOMBRES: Readonly<Record<De, string>> = {
  espera: 'en espera de salir',
  enviado: 'enviado',
  guardado: 'no salió',
  rechazado: 'correo rechazado',
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
      A {para}, {enFecha(suerteAt ?? at)}
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
/** Greylisting takes minutes; a server that is away takes hours, and whoever waits so long loads the screen again. */
const LOOKS = 150

/**
 * The same messages, looked at again while one of them waits to go out: a screen says what became of it without being
 * asked, and keeps everything else as it is.
 */
export function useEspera<De extends CorreoVisto>(correos: readonly De[]): De[] {
  const [news, setNews] = useState<ReadonlyMap<number, Novedad>>(new Map())
  const now = correos.map((correo) => ({ ...correo, ...(correo.suerte === 'espera' && news.get(correo.id)) }))
  const waiting = now.filter(({ suerte }) => suerte === 'espera').map(({ id }) => id)
  const ids = waiting.map((id) => `id=${id}`).join('&')
  useEffect(() => {
    if (ids === '') return
    let left = LOOKS
    const look = async () => {
      if (--left === 0) clearInterval(timer)
      if (document.visibilityState === 'visible') {
        const answer = await ask(ids)
        setNews((was) => new Map([...was, ...answer]))
      }
    }
    // What cannot be asked now is asked the next time.
    const timer = setInterval(() => void look().catch(() => {}), LOOK_MS)
    return () => clearInterval(timer)
  }, [ids])
  return now
}

type Novedad = Pick<CorreoVisto, 'suerte' | 'suerteAt' | 'motivo'>

async function ask(ids: string): Promise<ReadonlyMap<number, Novedad>> {
  const answer = await fetch(`/organizadores/mensajes/suertes?${ids}`)
  if (!answer.ok) return new Map()
  const said = (await answer.json()) as { id: number; suerte: De; suerteAt?: string; motivo?: string }[]
  return new Map(
    said.map(({ id, suerte, suerteAt, motivo }) => [
      id,
      { suerte, suerteAt: suerteAt === undefined ? undefined : new Date(suerteAt), motivo },
    ]),
  )
}
