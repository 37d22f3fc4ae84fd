import { useEffect, useState } from 'react'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { DownloadIcon, WhatsAppIcon } from '#app/ui/components/icons.tsx'
import { shareUrlsOf } from '#app/ui/sharing/share-urls.ts'
import styles from './keep-folio.module.css'

/** Shows buttons that copy, save or share a folio. Nothing is shown without JavaScript. */
export function KeepFolio({ folio }: { folio: string }) {
  const [origin, setOrigin] = useState<string>()
  /** The clipboard exists only in a secure context (HTTPS). */
  const [hasClipboard, setHasClipboard] = useState(false)
  const [isCopied, setIsCopied] = useState(false)
  /** The `blob:` URL of the drawn picture, or the state of the drawing; undefined before the first press. */
  const [picture, setPicture] = useState<string | 'drawing' | 'failed'>()
  useEffect(() => {
    setOrigin(window.location.origin)
    setHasClipboard(navigator.clipboard !== undefined)
  }, [])
  if (!origin) return null
  const copy = () =>
    void navigator.clipboard.writeText(folio).then(
      () => setIsCopied(true),
      // If the browser refuses, the button disappears; the folio above can still be copied by hand.
      () => setHasClipboard(false),
    )
  const draw = async () => {
    if (picture === 'drawing') return
    setPicture('drawing')
    try {
      const { saveFolio } = await import('./folio-picture.client.ts')
      setPicture(await saveFolio(folio, new URL(origin).host))
    } catch {
      setPicture('failed')
    }
  }
  return (
    <>
      <div className={styles.actions}>
        {hasClipboard && (
          <Button look="outline" onClick={copy}>
            {isCopied ? 'Folio copiado' : 'Copiar folio'}
          </Button>
        )}
        <Button look="outline" isBusy={picture === 'drawing'} onClick={() => void draw()}>
          <DownloadIcon /> Guardar imagen
        </Button>
        <a
          className={buttonLook('outline')}
          href={shareUrlsOf(`Mi folio es ${folio}. Aquí veo cómo va mi registro:`, `${origin}/folio#${folio}`).whatsapp}
          target="_blank"
          rel="noopener noreferrer"
        >
          <WhatsAppIcon /> Enviarme por WhatsApp
        </a>
      </div>
      {picture === 'failed' && <p>No se pudo dibujar la imagen. Copia o escribe el folio de arriba.</p>}
      {picture?.startsWith('blob:') && (
        <div className={styles.drawing}>
          <img src={picture} width="1080" height="1080" alt={`Tu folio ${folio} para guardar`} />
          <p>Si no se guardó sola, mantén el dedo sobre la imagen y elige guardarla.</p>
        </div>
      )}
    </>
  )
}
