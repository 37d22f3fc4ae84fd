import { Emblema } from '#app/ui/emblema.tsx'
import { Ir } from '#app/ui/ir.tsx'
import { Acceso, type Rechazado } from './acceso.tsx'
import styles from './puerta.module.css'
import { Salir } from './salir.tsx'

/** Why an organisers' screen does not open: nobody is signed in, or an account without the right is. */
export type PuertaCerrada = { estado: 'sin-sesion' } | { estado: 'sin-permiso'; correo: string }

interface Props {
  puerta: PuertaCerrada
  /** Title of the screen behind the door. */
  titulo: string
  /** @source §8 */
  mensaje?: string
  rechazo: Rechazado | undefined
}

/** What a visitor who is no organiser sees of an organisers' screen (§2.15). */
export function Puerta({
  puerta,
  titulo,
  mensaje = 'Debes iniciar sesión como administrador para ver los resultados.',
  rechazo,
}: Props) {
  return (
    <section className={styles.puerta}>
      <Emblema alFondo />
      {puerta.estado === 'sin-sesion' ? (
        <>
          <h1 id="puerta">{titulo}</h1>
          <p className={styles.mensaje}>{mensaje}</p>
          <Acceso titulo="puerta" boton="Iniciar sesión" className={styles.acceso} rechazo={rechazo} />
          <Ir a="/" look="quiet" className={styles.regreso}>
            Regresar al inicio
          </Ir>
        </>
      ) : (
        <>
          <h1>Acceso restringido</h1>
          <p className={styles.mensaje}>
            Tu cuenta no tiene permisos de administrador. Contacta al organizador para acceso.
          </p>
          <p className={styles.quien}>Estás con la sesión de {puerta.correo}.</p>
          <div className={styles.salidas}>
            <Ir a="/" look="outline">
              Regresar al inicio
            </Ir>
            <Salir />
          </div>
        </>
      )}
    </section>
  )
}
