import { useEffect, useRef } from 'react'
import { LoginInPlace } from '#app/accounts/sign-in/login-in-place.tsx'
import styles from './session-ended-dialog.module.css'

/** The door above a screen whose session has ended: what was typed waits beneath it, unseen. */
export function SessionEndedDialog({ onAbierta }: { onAbierta(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className={styles.encima}
      aria-labelledby="entrar-aqui"
      // Nothing but the door leads back. A browser heeds that for one Escape only, and closes at the next.
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <LoginInPlace
        titulo="Tu sesión terminó"
        mensaje="Lo que llenaste sigue aquí, en esta pantalla. Inicia sesión y sigue justo donde ibas."
        onAbierta={onAbierta}
      />
    </dialog>
  )
}
