import { useSubmit } from 'react-router'
import { Emblema } from '#app/ui/emblema.tsx'
import { Ir } from '#app/ui/ir.tsx'
import { Acceso, type Rechazado } from './acceso.tsx'
import { ConLlave } from './con-llave.tsx'
import styles from './puerta.module.css'
import { Salir } from './salir.tsx'
import { type FormasDeSegundo, SegundoPaso } from './segundo-paso.tsx'

/** Why an organisers' screen does not open. */
export type PuertaCerrada =
  | { estado: 'sin-sesion' }
  | { estado: 'sin-permiso'; correo: string }
  /** The password was right: the second step comes. */
  | ({ estado: 'segundo' } & FormasDeSegundo)
  /** The site asks for a second step, and this organiser has none yet. */
  | { estado: 'sin-segundo' }

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
  const submit = useSubmit()
  return (
    <section className={styles.puerta}>
      <Emblema alFondo />
      {puerta.estado === 'sin-sesion' ? (
        <>
          <h1 id="puerta">{titulo}</h1>
          <p className={styles.mensaje}>{mensaje}</p>
          <Acceso titulo="puerta" boton="Iniciar sesión" className={styles.acceso} rechazo={rechazo} />
          <ConLlave para="entrar" onRespuesta={(llave) => void submit({ hacer: 'llave', llave }, { method: 'post' })}>
            Entrar con llave de acceso
          </ConLlave>
          <Ir a="/" look="quiet" className={styles.regreso}>
            Regresar al inicio
          </Ir>
        </>
      ) : puerta.estado === 'segundo' ? (
        <SegundoPaso {...puerta} rechazo={rechazo} />
      ) : puerta.estado === 'sin-segundo' ? (
        <>
          <h1>Falta tu segundo paso</h1>
          <p className={styles.mensaje}>
            Este sitio pide a la organización entrar con contraseña y un segundo paso. Se pone una vez, en unos dos
            minutos, con tu teléfono.
          </p>
          <div className={styles.salidas}>
            <Ir a="/organizadores/cuenta" look="main">
              Poner mi segundo paso
            </Ir>
            <Salir />
          </div>
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
