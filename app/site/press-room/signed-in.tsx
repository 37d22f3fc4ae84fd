import { useEffect, useRef } from 'react'
import { Form } from 'react-router'
import { SignOutButton } from '#app/accounts/sessions/sign-out-button.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { EmailAddress } from '#app/ui/components/email-address.tsx'
import { GoButton } from '#app/ui/components/go-button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './press-room.module.css'

/** Shows a journalist, right after sign-in, the ways to the press material, and focuses the heading. */
export function PressWelcome({ thanks, hasCandidates }: { thanks: string; hasCandidates: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className={styles.room}>
      <div className={styles.before}>
        <p className={styles.greeting}>{thanks}</p>
      </div>
      <div className={styles.welcome}>
        <h2 ref={heading} tabIndex={-1}>
          Bienvenido
        </h2>
        <GoButton to="/convocatoriaoficial" look="main">
          Convocatoria Oficial
        </GoButton>
        <p className={styles.contents}>El boletín de prensa y las fotografías de la edición, sueltas o en un ZIP.</p>
        <GoButton to="/galeria-candidatas" look="outline">
          Galeria de candidatas
        </GoButton>
        <p className={styles.contents}>
          {hasCandidates
            ? 'Los retratos de cada candidata, en alta resolución.'
            : 'Sus retratos estarán aquí cuando el comité las presente.'}
        </p>
        <SignOutButton />
      </div>
    </div>
  )
}

/** Renders links to the press material, for an edition that opens it to all visitors. */
export const PublicPressMaterial = () => (
  <p className={styles.opened}>
    El material de prensa está abierto para todos: <Link to="/convocatoriaoficial">Convocatoria Oficial</Link> y{' '}
    <Link to="/galeria-candidatas">Galería de candidatas</Link>.
  </p>
)

interface SessionProps {
  email: string
  /** Whether the account may open the press pages, and so continue without a new sign-in. */
  mayContinue: boolean
}

/** Renders the buttons for a visitor who is still signed in: to continue, if the account may, and to sign out. */
export function SignedIn({ email, mayContinue }: SessionProps) {
  return (
    <div className={styles.line}>
      <p>
        Sigues con la sesión de{' '}
        <strong>
          <EmailAddress email={email} />
        </strong>
      </p>
      {mayContinue && (
        <Form method="post">
          <Button type="submit" look="main" name="hacer" value="seguir">
            Continuar
          </Button>
        </Form>
      )}
      <SignOutButton />
    </div>
  )
}
