import type { JudgeLink } from '#app/finals/record/schema.ts'
import { Button } from '#app/ui/components/button.tsx'
import { QrPicture } from '#app/ui/components/qr-picture.tsx'
import styles from './judging-table.module.css'

/** Shows new links, once: each as a QR code to scan and as a URL to send. */
export function NewLinks({ links }: { links: JudgeLink[] }) {
  return (
    <section className={styles.links} aria-labelledby="enlaces">
      <h2 id="enlaces">Enlaces del jurado</h2>
      <p>
        Cada quien escanea el suyo con la cámara de su teléfono, o lo recibe por mensaje. Sirve en un solo teléfono y se
        muestra una sola vez: si se pierde, haz otro.
      </p>
      <ul>
        {links.map(({ judge, name, url, qrCode }) => (
          <li key={url}>
            <h3>{name}</h3>
            <QrPicture qrCode={qrCode} label={`Cuadro para el teléfono de ${name}`} />
            <p className={styles.address}>
              <a href={url} data-judge={judge}>
                {url}
              </a>
            </p>
            <Button look="quiet" onClick={() => void navigator.clipboard?.writeText(url)}>
              Copiar el enlace
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
