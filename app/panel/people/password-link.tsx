import { useState } from 'react'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { shareUrlsOf } from '#app/ui/sharing/share-urls.ts'
import styles from './account-list.module.css'

/** Shows, once, the link with which a person sets the password, so that an organiser can send it without mail. */
export function PasswordLink({ url, email }: { url: string; email: string }) {
  const [copyResult, setCopyResult] = useState('')
  const copy = () =>
    // Without TLS `navigator.clipboard` is undefined.
    (navigator.clipboard?.writeText(url) ?? Promise.reject()).then(
      () => setCopyResult('Enlace copiado.'),
      () => setCopyResult('No se pudo copiar: mantén el dedo sobre el enlace y cópialo.'),
    )
  const { whatsapp } = shareUrlsOf(`Con este enlace eliges la contraseña de ${email} en nuestro sitio:`, url)
  return (
    <section className={styles.link} aria-labelledby="enlace">
      <h2 id="enlace">Enlace para {email}</h2>
      <p>
        Mándalo sólo a esa persona: quien lo abra elige su contraseña. Sirve una vez, y aquí no se vuelve a mostrar.
      </p>
      <p className={styles.address}>{url}</p>
      <p className={styles.buttons}>
        <a href={whatsapp} className={buttonLook('outline')} target="_blank" rel="noopener noreferrer">
          Mandarlo por WhatsApp
        </a>
        <Button look="quiet" onClick={() => void copy()}>
          Copiar el enlace
        </Button>
      </p>
      <p role="status">{copyResult}</p>
    </section>
  )
}
