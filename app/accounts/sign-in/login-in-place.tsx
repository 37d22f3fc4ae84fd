import { useEffect, useMemo, useRef, useState } from 'react'
import { Emblema } from '#app/ui/ornaments/emblem.tsx'
import styles from './login-in-place.module.css'
import { type Aqui, ENTRAR_AQUI, FormasDePuerta, type PuertaCerrada } from './login-wall.tsx'
import { EnvioDePuerta } from './login-wall-form.tsx'
import type { Rechazado } from './password-form.tsx'
import { RECHAZO_DE_ORGANIZACION } from './refusal.ts'

interface Props {
  titulo: string
  mensaje: string
  /** How the door stands; undefined: nobody has asked yet. */
  puerta?: PuertaCerrada | undefined
  onAbierta(): void
}

/** The organisers' door where a screen, or what was sent from it, has to wait for it. */
export function EntrarAqui({ titulo, mensaje, puerta: given = { estado: 'sin-sesion' }, onAbierta }: Props) {
  const [puerta, setPuerta] = useState(given)
  const [rechazo, setRechazo] = useState<Rechazado>()
  const [busy, setBusy] = useState(false)
  const opened = useRef(onAbierta)
  opened.current = onAbierta
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])

  const envio = useMemo(() => {
    const ask = async (init?: RequestInit): Promise<Aqui> => {
      const answer = await fetch(ENTRAR_AQUI, { cache: 'no-store', ...init })
      return (await answer.json()) as Aqui
    }
    const go = async (fields: FormData) => {
      setBusy(true)
      setRechazo(undefined)
      const correo = String(fields.get('correo') ?? '')
      const body = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]))
      try {
        let said = await ask({ method: 'POST', body })
        if ('paso' in said) said = await ask()
        if ('abierta' in said) return opened.current()
        if ('puerta' in said) setPuerta(said.puerta)
        else if ('mensaje' in said) setRechazo(said)
      } catch {
        setRechazo({ mensaje: RECHAZO_DE_ORGANIZACION, correo })
      } finally {
        setBusy(false)
      }
    }
    return { send: go }
  }, [])

  return (
    <EnvioDePuerta value={{ ...envio, busy }}>
      <section className={styles.aqui} aria-labelledby="entrar-aqui">
        <Emblema alFondo />
        <h1 id="entrar-aqui" ref={title} tabIndex={-1}>
          {titulo}
        </h1>
        <p className={styles.mensaje}>{mensaje}</p>
        <FormasDePuerta puerta={puerta} titulo="entrar-aqui" rechazo={rechazo} />
      </section>
    </EnvioDePuerta>
  )
}
