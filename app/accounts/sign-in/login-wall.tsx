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
  /** `isTooOld`: a session is open, but too old for the screen. */
  | { state: 'signed-out'; isTooOld?: boolean }
  /** A session is open, but its role does not open the screen. */
  | { state: 'forbidden'; email: string }
  /** The password was right, and the second factor is missing. */
  | ({ state: 'second-factor' } & SecondFactorMethods)
  /** The site requires a second factor, and this organiser has none yet. */
  | { state: 'no-second-factor' }

/** A submission that the browser holds until the next sign-in, since the session had ended or was too old. */
export interface AwaitingSignIn {
  isAwaitingSignIn: true
  fields: [name: string, value: string][]
  loginWall: LoginWallState
}

export const isAwaitingSignIn = (value: unknown): value is AwaitingSignIn =>
  typeof value === 'object' && value !== null && 'isAwaitingSignIn' in value

/** Path from which a login above an open screen gets its state, and to which it posts its forms. */
export const LOGIN_IN_PLACE_PATH = '/organizadores/entrar'

export type LoginInPlaceResponse =
  | { isOpen: true }
  | { loginWall: LoginWallState }
  /** The browser must ask for the state again. */
  | { hasStepSucceeded: true }
  | RefusedSignIn

interface Props {
  loginWall: LoginWallState
  title: string
  /** Text above the form; by default the sentence of §8 for the results. */
  message?: string
  refusal: RefusedSignIn | undefined
}

const SESSION_TOO_OLD_MESSAGE =
  'Los resultados se cierran a los 30 minutos de haber iniciado sesión. Inicia sesión otra vez para seguir viéndolos.'

/** Shows the ways to sign in: password and passkey, or the second factor. */
export function SignInMethods({
  loginWall,
  headingId,
  refusal,
}: Pick<Props, 'loginWall' | 'refusal'> & { headingId: string }) {
  const { send } = useLoginWallSubmit()
  if (loginWall.state === 'second-factor') return <SecondFactorForm {...loginWall} refusal={refusal} />
  return (
    <>
      <PasswordForm headingId={headingId} submitLabel="Iniciar sesión" className={styles.access} refusal={refusal} />
      <PasskeyButton purpose="entrar" onAnswer={(text) => void send({ hacer: 'llave', llave: text })}>
        Entrar con llave de acceso
      </PasskeyButton>
      <GoButton to="/" look="quiet" className={styles.wayBack}>
        Regresar al inicio
      </GoButton>
    </>
  )
}

/** Replaces an organisers' screen for a visitor who may not see it (§2.15). */
export function LoginWall({
  loginWall,
  title,
  message = 'Debes iniciar sesión como administrador para ver los resultados.',
  refusal,
}: Props) {
  return (
    <section className={styles.wall}>
      <Emblem isBackground />
      {loginWall.state === 'signed-out' ? (
        <>
          <h1 id="puerta">{title}</h1>
          <p className={styles.message}>{loginWall.isTooOld ? SESSION_TOO_OLD_MESSAGE : message}</p>
          <SignInMethods loginWall={loginWall} headingId="puerta" refusal={refusal} />
        </>
      ) : loginWall.state === 'second-factor' ? (
        <SignInMethods loginWall={loginWall} headingId="puerta" refusal={refusal} />
      ) : loginWall.state === 'no-second-factor' ? (
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
          <p className={styles.who}>Estás con la sesión de {loginWall.email}.</p>
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
