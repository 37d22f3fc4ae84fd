import { type MouseEvent, useId, useRef, useState } from 'react'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { FacebookIcon, LinkIcon, NextIcon, ShareIcon, WhatsAppIcon } from '#app/ui/primitives/icons.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './share-button.module.css'
import { shareUrlsOf } from './share-urls.ts'

interface Props {
  /** Text of the message before the link. */
  texto: string
  /** Absolute address. */
  url: string
  /** Name of the shared thing, which tells several buttons apart for screen readers. */
  que?: string | undefined
  /** A further link in the menu, beside those that share: its address and text. */
  enlace?: { a: string; dice: string } | undefined
  /** Address that gets a POST whenever the link is shared. */
  aviso?: string | undefined
  /** `main` where sharing is the screen's main action. */
  look?: 'main' | 'outline'
  className?: string | undefined
}

/**
 * A button that opens the system's share sheet. Without a share sheet, and until hydration, it opens a native popover
 * of plain links.
 */
export function ShareButton({ texto, url, que, enlace, aviso, look = 'outline', className }: Props) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [copied, setCopied] = useState<'yes' | 'no'>()
  const { whatsapp, facebook } = shareUrlsOf(texto, url)

  const tell = () => aviso && navigator.sendBeacon?.(aviso)
  // `ping` takes absolute http(s) addresses.
  const ping = aviso && new URL(aviso, url).href
  const share = async (event: MouseEvent) => {
    setCopied(undefined)
    if (!navigator.share) return
    event.preventDefault()
    try {
      await navigator.share({ text: texto, url })
      tell()
    } catch (error) {
      // AbortError means that the visitor closed the sheet; after any other refusal the menu opens.
      if ((error as Error).name !== 'AbortError') menu.current?.showPopover()
    }
  }
  const copy = () =>
    // Without TLS `navigator.clipboard` is undefined.
    (navigator.clipboard?.writeText(url) ?? Promise.reject()).then(
      () => {
        setCopied('yes')
        tell()
      },
      () => setCopied('no'),
    )

  return (
    <>
      <button
        type="button"
        className={joinClasses(buttonLook(look), className)}
        popoverTarget={id}
        onClick={share}
        aria-label={que && `Compartir ${que}`}
      >
        <ShareIcon /> Compartir
      </button>
      <div ref={menu} id={id} popover="auto" className={styles.menu}>
        <a href={whatsapp} ping={ping} target="_blank" rel="noopener noreferrer">
          <WhatsAppIcon /> WhatsApp
        </a>
        <a href={facebook} ping={ping} target="_blank" rel="noopener noreferrer">
          <FacebookIcon /> Facebook
        </a>
        <button type="button" onClick={copy}>
          <LinkIcon /> Copiar enlace
        </button>
        {enlace && (
          <a href={enlace.a}>
            <NextIcon /> {enlace.dice}
          </a>
        )}
        <p role="status">
          {copied === 'yes' && 'Enlace copiado.'}
          {copied === 'no' && `No se pudo copiar. El enlace es ${url}`}
        </p>
      </div>
    </>
  )
}
