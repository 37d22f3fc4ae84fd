import { PasskeyButton } from '#app/accounts/second-factor/passkey-button.tsx'
import { SignOutButton } from '#app/accounts/sessions/sign-out-button.tsx'
import { GoButton } from '#app/ui/components/go-button.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import styles from './login-wall.module.css'
import { useLoginWallSubmit } from './login-wall-form.tsx'
import { PasswordForm, type RefusedSignIn } from './password-form.tsx'
import { SecondFactorForm, type SecondFactorMethods } from './second-factor-form.tsx'

/** Why an organisers' screen does not open. */
export type LoginWallState =
  /** `vencida`: the session is too old for this screen. */
  | { estado: 'sin-sesion'; vencida?: boolean }
  | { estado: 'sin-permiso'; correo: string }
  /** The password was right, and the second factor is missing. */
  | ({ estado: 'segundo' } & SecondFactorMethods)
  /** The site requires a second factor, and this organiser has none yet. */
  | { estado: 'sin-segundo' }

/** A submission on hold, because the session had ended. */
export interface AwaitingSignIn {
  porEntrar: true
  /** All submitted fields but passwords and files, in their order. */
  campos: [name: string, value: string][]
  puerta: LoginWallState
}

/** Whether an error response holds a submission until the next sign-in. */
export const isAwaitingSignIn = (value: unknown): value is AwaitingSignIn =>
  typeof value === 'object' && value !== null && 'porEntrar' in value

/** Address of a login above an open screen: GET for its state, POST for its forms. */
export const LOGIN_IN_PLACE_PATH = '/organizadores/entrar'

/** The answer of LOGIN_IN_PLACE_PATH; `paso`: a step succeeded, and the state has to be asked for again. */
export type LoginInPlaceResponse = { abierta: true } | { puerta: LoginWallState } | { paso: true } | RefusedSignIn

interface Props {
  loginWall: LoginWallState
  /** Title of the screen behind the login wall. */
  title: string
  /** @source §8 */
  message?: string
  refusal: RefusedSignIn | undefined
}

const SESSION_TOO_OLD_MESSAGE =
  'Los resultados se cierran a los 30 minutos de haber iniciado sesión. Inicia sesión otra vez para seguir viéndolos.'

/** The ways to sign in: password, passkey, second factor. The title is the id of the heading that names the form. */
export function SignInMethods({ loginWall, title, refusal }: Pick<Props, 'loginWall' | 'title' | 'refusal'>) {
  const { send } = useLoginWallSubmit()
  if (loginWall.estado === 'segundo') return <SecondFactorForm {...loginWall} refusal={refusal} />
  return (
    <>
      <PasswordForm headingId={title} submitLabel="Iniciar sesión" className={styles.access} refusal={refusal} />
      <PasskeyButton purpose="entrar" onAnswer={(key) => void send({ hacer: 'llave', llave: key })}>
        Entrar con llave de acceso
      </PasskeyButton>
      <GoButton to="/" look="quiet" className={styles.wayBack}>
        Regresar al inicio
      </GoButton>
    </>
  )
}

/** Stands in the place of an organisers' screen for a visitor who may not see the screen (§2.15). */
export function LoginWall({
  loginWall,
  title,
  message = 'Debes iniciar sesión como administrador para ver los resultados.',
  refusal,
}: Props) {
  return (
    <section className={styles.door}>
      <Emblem isBackground />
      {loginWall.estado === 'sin-sesion' ? (
        <>
          <h1 id="puerta">{title}</h1>
          <p className={styles.message}>{loginWall.vencida ? SESSION_TOO_OLD_MESSAGE : message}</p>
          <SignInMethods loginWall={loginWall} title="puerta" refusal={refusal} />
        </>
      ) : loginWall.estado === 'segundo' ? (
        <SignInMethods loginWall={loginWall} title="puerta" refusal={refusal} />
      ) : loginWall.estado === 'sin-segundo' ? (
        <>
          <h1>Falta tu segundo paso</h1>
          <p className={styles.message}>
            Este sitio pide a la organización entrar con contraseña y un segundo paso. Se pone una vez, en unos dos
            minutos, con tu teléfono.
          </p>
          <div className={styles.exits}>
            <GoButton to="/organizadores/cuenta" look="main">
              Poner mi segundo paso
            </GoButton>
            <SignOutButton />
          </div>
        </>
      ) : (
        <>
          <h1>Acceso restringido</h1>
          <p className={styles.message}>
            Tu cuenta no tiene permisos de administrador. Contacta al organizador para acceso.
          </p>
          <p className={styles.who}>Estás con la sesión de {loginWall.correo}.</p>
          <div className={styles.exits}>
            <GoButton to="/" look="outline">
              Regresar al inicio
            </GoButton>
            <SignOutButton />
          </div>
        </>
      )}
    </section>
  )
}
