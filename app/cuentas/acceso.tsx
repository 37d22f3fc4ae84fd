import { type ReactNode, useEffect, useRef } from 'react'
import { Form, useNavigation } from 'react-router'
import { Banner } from '#app/ui/banner.tsx'
import { Button } from '#app/ui/button.tsx'
import { TextField } from '#app/ui/field.tsx'

interface Props {
  /** Id of the heading that names the form for those who hear it. */
  titulo: string
  boton: string
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
}

/**
 * Address and password, with which the press (§2.12) and the organisers (§2.15) sign in. The browser checks nothing of
 * what is typed: the server alone judges it.
 * @source §5
 */
export function Acceso({ titulo, boton, className, rechazo, children }: Props) {
  const banner = useRef<HTMLDivElement>(null)
  const busy = useNavigation().state === 'submitting'
  useEffect(() => {
    if (rechazo) banner.current?.focus()
  }, [rechazo])

  return (
    <Form
      method="post"
      className={className}
      noValidate
      aria-labelledby={titulo}
      onSubmit={(event) => busy && event.preventDefault()}
    >
      {children}
      {rechazo && <Banner ref={banner} tone="bad" message={rechazo.mensaje} />}
      {rechazo?.espera !== undefined && <p>Fueron muchos intentos seguidos: espera {enPalabras(rechazo.espera)}.</p>}
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
      <Button type="submit" look="main" busy={busy} name="hacer" value="entrar">
        {boton}
      </Button>
    </Form>
  )
}

const enPalabras = (seconds: number) => (seconds <= 60 ? 'un minuto' : `${Math.ceil(seconds / 60)} minutos`)
