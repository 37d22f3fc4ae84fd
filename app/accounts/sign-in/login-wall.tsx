import { ConLlave } from '#app/accounts/second-factor/passkey-button.tsx'
import { Salir } from '#app/accounts/sessions/sign-out-button.tsx'
import { Emblema } from '#app/ui/ornaments/emblem.tsx'
import { Ir } from '#app/ui/primitives/go-button.tsx'
import styles from './login-wall.module.css'
import { useEnvioDePuerta } from './login-wall-form.tsx'
import { Acceso, type Rechazado } from './password-form.tsx'
import { type FormasDeSegundo, SegundoPaso } from './second-factor-form.tsx'

/** Why an organisers' screen does not open. */
export type PuertaCerrada =
  /** `vencida`: there is a session, which is too old for this screen. */
  | { estado: 'sin-sesion'; vencida?: boolean }
  | { estado: 'sin-permiso'; correo: string }
  /** The password was right: the second step comes. */
  | ({ estado: 'segundo' } & FormasDeSegundo)
  /** The site asks for a second step, and this organiser has none yet. */
  | { estado: 'sin-segundo' }

/** Sent and not carried out, because the session had ended. */
export interface PorEntrar {
  porEntrar: true
  /** Everything that was sent, in its order. */
  campos: [name: string, value: string][]
  puerta: PuertaCerrada
}

/** Whether a screen's fault is that its session had ended. */
export const isPorEntrar = (value: unknown): value is PorEntrar =>
  typeof value === 'object' && value !== null && 'porEntrar' in value

/** Where a door above a screen is sent to, and asks how it stands. */
export const ENTRAR_AQUI = '/organizadores/entrar'

/** What that address answers; `paso`: something was done, and the door may stand otherwise now. */
export type Aqui = { abierta: true } | { puerta: PuertaCerrada } | { paso: true } | Rechazado

interface Props {
  puerta: PuertaCerrada
  /** Title of the screen behind the door. */
  titulo: string
  /** @source §8 */
  mensaje?: string
  rechazo: Rechazado | undefined
}

const VENCIDA =
  'Los resultados se cierran a los 30 minutos de haber iniciado sesión. Inicia sesión otra vez para seguir viéndolos.'

/** The ways through a door: password, passkey, second step. @param titulo id of the heading that names the form */
export function FormasDePuerta({ puerta, titulo, rechazo }: Pick<Props, 'puerta' | 'titulo' | 'rechazo'>) {
  const { send } = useEnvioDePuerta()
  if (puerta.estado === 'segundo') return <SegundoPaso {...puerta} rechazo={rechazo} />
  return (
    <>
      <Acceso titulo={titulo} boton="Iniciar sesión" className={styles.acceso} rechazo={rechazo} />
      <ConLlave para="entrar" onRespuesta={(llave) => void send({ hacer: 'llave', llave })}>
        Entrar con llave de acceso
      </ConLlave>
      <Ir a="/" look="quiet" className={styles.regreso}>
        Regresar al inicio
      </Ir>
    </>
  )
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
          <p className={styles.mensaje}>{puerta.vencida ? VENCIDA : mensaje}</p>
          <FormasDePuerta puerta={puerta} titulo="puerta" rechazo={rechazo} />
        </>
      ) : puerta.estado === 'segundo' ? (
        <FormasDePuerta puerta={puerta} titulo="puerta" rechazo={rechazo} />
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
