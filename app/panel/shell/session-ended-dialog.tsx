import { useEffect, useRef } from 'react'
import { LoginInPlace } from '#app/accounts/sign-in/login-in-place.tsx'
import styles from './session-ended-dialog.module.css'

/** Shows the login wall over a screen whose session has ended; the screen beneath is hidden and keeps its unsent forms. */
export function SessionEndedDialog({ onSignedIn }: { onSignedIn(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className={styles.above}
      aria-labelledby="entrar-aqui"
      // Only signing in closes the dialog. A browser lets a page prevent only the first Escape, so onClose opens it again.
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <LoginInPlace
        title="Tu sesión terminó"
        message="Lo que llenaste sigue aquí, en esta pantalla. Inicia sesión y sigue justo donde ibas."
        onSignedIn={onSignedIn}
      />
    </dialog>
  )
}
