import { type MouseEvent, useId, useRef, useState } from 'react'
import { buttonLook } from '#app/ui/components/button.tsx'
import { FacebookIcon, Icon, NextIcon, WhatsAppIcon } from '#app/ui/components/icons.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './share-button.module.css'
import { shareUrlsOf } from './share-urls.ts'

const ShareIcon = () => (
  <Icon>
    <path d="M12 14.5V3.5m-4 4 4-4 4 4M7.5 11H5.5v9.5h13V11h-2" />
  </Icon>
)
const LinkIcon = () => (
  <Icon>
    <path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17" />
  </Icon>
)

interface Props {
  /** Text before the link. */
  text: string
  /** Absolute URL of the shared page. */
  url: string
  /** Words for the shared page, such as «la noticia», by which screen readers distinguish several buttons. */
  subject?: string | undefined
  extraLink?: { to: string; label: string } | undefined
  /** URL that gets a POST when the link is shared; by the menu's links only where the browser supports `ping`. */
  pingUrl?: string | undefined
  /** `main` if sharing is the screen's main action. */
  look?: 'main' | 'outline'
  className?: string | undefined
}

/**
 * Renders a button that opens the system's share sheet. Without a share sheet, and until hydration, it opens a popover of plain
 * links.
 */
export function ShareButton({ text, url, subject, extraLink, pingUrl, look = 'outline', className }: Props) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [copyResult, setCopyResult] = useState<'yes' | 'no'>()
  const { whatsapp, facebook } = shareUrlsOf(text, url)

  const pingShare = () => pingUrl && navigator.sendBeacon?.(pingUrl)
  // `ping` takes absolute URLs.
  const ping = pingUrl && new URL(pingUrl, url).href
  const share = async (event: MouseEvent) => {
    setCopyResult(undefined)
    if (!navigator.share) return
    event.preventDefault()
    try {
      await navigator.share({ text, url })
      pingShare()
    } catch (error) {
      // AbortError: the visitor closed the sheet. After any other failure the menu opens.
      if ((error as Error).name !== 'AbortError') menu.current?.showPopover()
    }
  }
  const copy = () =>
    // Without TLS `navigator.clipboard` is undefined.
    (navigator.clipboard?.writeText(url) ?? Promise.reject()).then(
      () => {
        setCopyResult('yes')
        pingShare()
      },
      () => setCopyResult('no'),
    )

  return (
    <>
      <button
        type="button"
        className={joinClasses(buttonLook(look), className)}
        popoverTarget={id}
        onClick={share}
        aria-label={subject && `Compartir ${subject}`}
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
        {extraLink && (
          <a href={extraLink.to}>
            <NextIcon /> {extraLink.label}
          </a>
        )}
        <p role="status">
          {copyResult === 'yes' && 'Enlace copiado.'}
          {copyResult === 'no' && `No se pudo copiar. El enlace es ${url}`}
        </p>
      </div>
    </>
  )
}
