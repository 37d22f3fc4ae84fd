import { useEffect, useRef } from 'react'
import { Salir } from '#app/cuentas/salir.tsx'
import { Button } from '#app/ui/button.tsx'
import { Ir } from '#app/ui/ir.tsx'
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
        <Ir a="/convocatoriaoficial" look="main">
          Convocatoria Oficial
        </Ir>
        <Ir a="/galeria-candidatas" look="main">
          Galeria de candidatas
        </Ir>
        <Salir />
      </div>
    </div>
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
      <Salir />
    </div>
  )
}
