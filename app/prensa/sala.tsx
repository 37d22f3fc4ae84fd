import { useEffect, useRef } from 'react'
import { Form, useNavigate } from 'react-router'
import { Button } from '#app/ui/button.tsx'
import styles from './medios.module.css'

/** What accredited press finds behind the door. */
export function Bienvenida({ gracias }: { gracias: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className={styles.sala}>
      <p className={styles.saludo}>{gracias}</p>
      <div className={styles.bienvenida}>
        <h2 ref={heading} tabIndex={-1}>
          Bienvenido
        </h2>
        <Puerta a="/convocatoriaoficial">Convocatoria Oficial</Puerta>
        <Puerta a="/galeria-candidatas">Galeria de candidatas</Puerta>
        <CerrarSesion />
      </div>
    </div>
  )
}

/** A button that goes somewhere (§2.12); a form for those without JavaScript. */
function Puerta({ a, children }: { a: string; children: string }) {
  const navigate = useNavigate()
  return (
    <form
      action={a}
      onSubmit={(event) => {
        event.preventDefault()
        navigate(a, { preventScrollReset: true })
      }}
    >
      <Button type="submit" look="main">
        {children}
      </Button>
    </form>
  )
}

interface SesionProps {
  correo: string
  /** Goes on without signing in again; undefined where the account is no press account. */
  onSeguir: (() => void) | undefined
}

/** A quiet line for whoever is still signed in. */
export function SesionAbierta({ correo, onSeguir }: SesionProps) {
  return (
    <div className={styles.linea}>
      <span>Sigues con la sesión de {correo}.</span>
      {onSeguir && (
        <Button look="quiet" onClick={onSeguir}>
          Continuar
        </Button>
      )}
      <CerrarSesion />
    </div>
  )
}

const CerrarSesion = () => (
  <Form method="post">
    <Button type="submit" look="quiet" name="hacer" value="salir">
      Cerrar sesión
    </Button>
  </Form>
)
