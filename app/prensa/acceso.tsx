import { useEffect, useRef } from 'react'
import { Form, useNavigation } from 'react-router'
import { Banner } from '#app/ui/banner.tsx'
import { Button } from '#app/ui/button.tsx'
import { TextField } from '#app/ui/field.tsx'
import styles from './medios.module.css'

interface Props {
  /** What was typed and not accepted. */
  rechazo: { mensaje: string; correo: string } | undefined
}

/** Where accredited press signs in (§2.12). */
export function Acceso({ rechazo }: Props) {
  const banner = useRef<HTMLDivElement>(null)
  const busy = useNavigation().state === 'submitting'
  useEffect(() => {
    if (rechazo) banner.current?.focus()
  }, [rechazo])

  return (
    <Form
      method="post"
      className={styles.acceso}
      aria-labelledby="acceso"
      onSubmit={(event) => busy && event.preventDefault()}
    >
      <h2 id="acceso">Iniciar Sesión</h2>
      {rechazo && <Banner ref={banner} tone="bad" message={rechazo.mensaje} />}
      <TextField
        id="correo"
        name="correo"
        type="email"
        label="Correo Electrónico"
        placeholder="Ingresa tu correo"
        autoComplete="username"
        defaultValue={rechazo?.correo}
        required
      />
      <TextField
        id="clave"
        name="clave"
        type="password"
        label="Contraseña"
        placeholder="Ingresa tu contraseña"
        autoComplete="current-password"
        required
      />
      <Button type="submit" look="main" busy={busy} name="hacer" value="entrar">
        Entrar
      </Button>
    </Form>
  )
}
