import { PasskeyButton } from '#app/accounts/second-factor/passkey-button.tsx'
import { SignOutButton } from '#app/accounts/sessions/sign-out-button.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { Ir } from '#app/ui/primitives/go-button.tsx'
import styles from './login-wall.module.css'
import { useLoginWallSubmit } from './login-wall-form.tsx'
import { PasswordForm, type RefusedSignIn } from './password-form.tsx'
import { SecondFactorForm, type SecondFactorMethods } from './second-factor-form.tsx'

/** Why an organisers' screen does not open. */
export type LoginWallState =
  /** `vencida`: there is a session, which is too old for this screen. */
  | { estado: 'sin-sesion'; vencida?: boolean }
  | { estado: 'sin-permiso'; correo: string }
  /** The password was right: the second step comes. */
  | ({ estado: 'segundo' } & SecondFactorMethods)
  /** The site asks for a second step, and this organiser has none yet. */
  | { estado: 'sin-segundo' }

/** Sent and not carried out, because the session had ended. */
export interface AwaitingSignIn {
  porEntrar: true
  /** Everything that was sent, in its order. */
  campos: [name: string, value: string][]
  puerta: LoginWallState
}

/** Whether a screen's fault is that its session had ended. */
export const isAwaitingSignIn = (value: unknown): value is AwaitingSignIn =>
  typeof value === 'object' && value !== null && 'porEntrar' in value

/** Where a door above a screen is sent to, and asks how it stands. */
export const LOGIN_IN_PLACE_PATH = '/organizadores/entrar'

/** What that address answers; `paso`: something was done, and the door may stand otherwise now. */
export type LoginInPlaceResponse = { abierta: true } | { puerta: LoginWallState } | { paso: true } | RefusedSignIn

interface Props {
  puerta: LoginWallState
  /** Title of the screen behind the door. */
  titulo: string
  /** @source §8 */
  mensaje?: string
  rechazo: RefusedSignIn | undefined
}

const SESSION_TOO_OLD_MESSAGE =
  'Los resultados se cierran a los 30 minutos de haber iniciado sesión. Inicia sesión otra vez para seguir viéndolos.'

/** The ways through a door: password, passkey, second step. @param title id of the heading that names the form */
export function SignInMethods({ puerta, titulo, rechazo }: Pick<Props, 'puerta' | 'titulo' | 'rechazo'>) {
  const { send } = useLoginWallSubmit()
  if (puerta.estado === 'segundo') return <SecondFactorForm {...puerta} rechazo={rechazo} />
  return (
    <>
      <PasswordForm titulo={titulo} boton="Iniciar sesión" className={styles.acceso} rechazo={rechazo} />
      <PasskeyButton para="entrar" onRespuesta={(key) => void send({ hacer: 'llave', llave: key })}>
        Entrar con llave de acceso
      </PasskeyButton>
      <Ir a="/" look="quiet" className={styles.regreso}>
        Regresar al inicio
      </Ir>
    </>
  )
}

/** What a visitor who is no organiser sees of an organisers' screen (§2.15). */
export function LoginWall({
  puerta,
  titulo,
  mensaje = 'Debes iniciar sesión como administrador para ver los resultados.',
  rechazo,
}: Props) {
  return (
    <section className={styles.puerta}>
      <Emblem alFondo />
      {puerta.estado === 'sin-sesion' ? (
        <>
          <h1 id="puerta">{titulo}</h1>
          <p className={styles.mensaje}>{puerta.vencida ? SESSION_TOO_OLD_MESSAGE : mensaje}</p>
          <SignInMethods puerta={puerta} titulo="puerta" rechazo={rechazo} />
        </>
      ) : puerta.estado === 'segundo' ? (
        <SignInMethods puerta={puerta} titulo="puerta" rechazo={rechazo} />
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
            <SignOutButton />
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
            <SignOutButton />
          </div>
        </>
      )}
    </section>
  )
}
