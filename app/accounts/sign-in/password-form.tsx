import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { enPalabras } from '#app/accounts/throttling/wait-in-words.ts'
import type { Reto } from '#app/core/http/proof-of-work.ts'
import { TextField } from '#app/ui/forms/field.tsx'
import { Enlace } from '#app/ui/links/link.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { FormaDePuerta, useEnvioDePuerta } from './login-wall-form.tsx'

interface Props {
  /** Id of the heading that names the form for those who hear it. */
  titulo: string
  boton: string
  /** `outline` where the screen has something nearer to do. */
  look?: 'main' | 'outline' | undefined
  className: string | undefined
  /** What was typed and not accepted. */
  rechazo: Rechazado | undefined
  /** The form's heading. */
  children?: ReactNode
}

export interface Rechazado {
  mensaje: string
  correo: string
  /** Seconds until the next attempt is looked at. */
  espera?: number
  /** More people were signing in than could: nothing was tried. */
  saturado?: { reto?: Reto | undefined } | undefined
}

/** How often the form is sent again by itself, each time with work that was done for it. */
const MAX_OTRA_VEZ = 4

/**
 * Address and password, with which the press (§2.12) and the organisers (§2.15) sign in. The browser checks nothing of
 * what is typed: the server alone judges it.
 * @source §5
 */
export function Acceso({ titulo, boton, look = 'main', className, rechazo, children }: Props) {
  const banner = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const { busy: submitting } = useEnvioDePuerta()
  const trabaja = useOtraVez(form, rechazo)
  const busy = submitting || trabaja
  const [isCookieless, setIsCookieless] = useState(false)
  useEffect(() => setIsCookieless(!navigator.cookieEnabled), [])
  useEffect(() => {
    if (rechazo && !trabaja) banner.current?.focus()
  }, [rechazo, trabaja])

  return (
    <FormaDePuerta ref={form} className={className} titulo={titulo}>
      {children}
      {isCookieless && (
        <Banner
          tone="bad"
          message="Este navegador no guarda cookies, y sin ellas nadie puede entrar. Permítelas en sus ajustes, o abre esta página en Chrome o en Safari."
        />
      )}
      {rechazo && !trabaja && <Banner ref={banner} tone="bad" message={rechazo.mensaje} />}
      {trabaja && (
        <p role="status">Está entrando mucha gente a la vez: comprobamos que eres una persona. Toma unos segundos.</p>
      )}
      {rechazo?.saturado && !trabaja && (
        <p>
          Está entrando mucha gente a la vez, y no alcanzamos a revisar tu contraseña. Inténtalo de nuevo en un momento.
        </p>
      )}
      {rechazo?.espera !== undefined && (
        <p>
          Fueron muchos intentos seguidos: espera {enPalabras(rechazo.espera)}. ¿No fuiste tú?{' '}
          <Enlace to="/medios/recuperar#sin-esperar">Pide por correo un enlace para entrar sin esperar</Enlace>.
        </p>
      )}
      <TextField
        id="correo"
        name="correo"
        type="email"
        label="Correo Electrónico"
        placeholder="Ingresa tu correo"
        autoComplete="username"
        defaultValue={rechazo?.correo}
      />
      <TextField
        id="clave"
        name="clave"
        type="password"
        label="Contraseña"
        placeholder="Ingresa tu contraseña"
        autoComplete="current-password"
      />
      <Button type="submit" look={look} busy={busy} name="hacer" value="entrar">
        {boton}
      </Button>
      <p>
        <Enlace to="/medios/recuperar">¿Olvidaste tu contraseña?</Enlace>
      </p>
    </FormaDePuerta>
  )
}

/**
 * Where more people sign in than can be checked, does the work that was given and sends the form again.
 * @returns whether it is at work
 */
function useOtraVez(form: RefObject<HTMLFormElement | null>, rechazo: Rechazado | undefined): boolean {
  const { send } = useEnvioDePuerta()
  const sending = useRef(send)
  sending.current = send
  // Without the page's script nothing works: the refusal is what is shown.
  const [viva, setViva] = useState(false)
  useEffect(() => setViva(true), [])
  const [hecho, setHecho] = useState<Reto>()
  const times = useRef(0)
  const reto = rechazo?.saturado?.reto
  useEffect(() => {
    if (!reto) {
      times.current = 0
      return
    }
    let isWanted = times.current++ < MAX_OTRA_VEZ
    const work = async () => {
      const respuesta = isWanted
        ? await import('#app/core/http/proof-of-work.client.ts')
            .then(({ workOn }) => workOn(reto))
            .catch(() => undefined)
        : undefined
      if (isWanted && respuesta !== undefined && form.current) {
        const fields = new FormData(form.current)
        fields.set('hacer', 'entrar')
        fields.set('reto', JSON.stringify(reto))
        fields.set('respuesta', respuesta)
        await sending.current(fields)
      }
      setHecho(reto)
    }
    void work()
    return () => {
      isWanted = false
    }
  }, [reto, form])
  return viva && reto !== undefined && hecho !== reto
}
