import { useEffect, useRef } from 'react'
import type { JudgeLink } from '#app/finals/record/schema.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { QrPicture } from '#app/ui/components/qr-picture.tsx'
import { shareUrlsOf } from '#app/ui/sharing/share-urls.ts'
import styles from './judging-table.module.css'

interface Props {
  link: JudgeLink
  /** The first new link takes the focus, so that the screen shows where the new links are. */
  takesFocus: boolean
}

/** Shows a judge's new link, once: as a QR code to scan, as a WhatsApp message and as a URL. */
export function NewLink({ link: { judge, name, url, qrCode }, takesFocus }: Props) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (takesFocus) section.current?.focus()
  }, [takesFocus])
  const { whatsapp } = shareUrlsOf(`${name}: con este enlace calificas en la final. Ábrelo en tu teléfono:`, url)
  return (
    <section className={styles.link} aria-labelledby={`enlace-${judge}`} ref={section} tabIndex={-1}>
      <h3 id={`enlace-${judge}`}>Enlace para {name}</h3>
      <p>
        Lo escanea con la cámara de su teléfono, o lo recibe por mensaje. Sirve en un solo teléfono y se muestra una
        sola vez: si se pierde, haz otro.
      </p>
      <QrPicture qrCode={qrCode} label={`Cuadro para el teléfono de ${name}`} />
      <p className={styles.buttons}>
        <a href={whatsapp} className={buttonLook('outline')} target="_blank" rel="noopener noreferrer">
          Mandar por WhatsApp
        </a>
        <Button look="quiet" onClick={() => void navigator.clipboard?.writeText(url)}>
          Copiar el enlace
        </Button>
      </p>
      <p className={styles.address}>
        <a href={url} data-judge={judge}>
          {url}
        </a>
      </p>
    </section>
  )
}
