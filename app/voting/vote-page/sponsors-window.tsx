import { useEffect, useState } from 'react'
import { usePingUrl } from '#app/analytics/use-ping-url.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Dialog } from '#app/ui/components/dialog.tsx'
import styles from './sponsors-window.module.css'

/** The window cannot be closed before this time has passed. @source §9 */
const MIN_SHOWN_MS = 2000
/** Interval at which the sponsors' window tries to open while another window is open. */
const RETRY_MS = 500
/** sessionStorage key that exists once the window has been shown. */
const SEEN_KEY = 'certamen.patrocinadores'

type Sponsor = Edition['popularidad']['patrocinadores'][number]

interface Props {
  sponsors: Sponsor[]
  /** Whether the window may open by itself: the visitor has voted, seen the winner's confetti fall or reached the page's end. */
  isDue: boolean
  /** Whether another window is open, or about to open. */
  isBusy: boolean
  /** Whether the button stands in a row with others instead of on a line of its own. */
  isInRow?: boolean | undefined
}

/** Renders the contest's sponsors, in a window that opens by itself once in the session of a tab (§2.14). */
export function SponsorsWindow({ sponsors, isDue, isBusy, isInRow }: Props) {
  const pingUrlOf = usePingUrl()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    if (!isDue || isBusy) return
    const openOnce = () => {
      if (wasShown()) return true
      // The menu or another dialog may be open.
      if (document.querySelector('dialog[open], :popover-open')) return false
      rememberShown()
      setIsOpen(true)
      return true
    }
    if (openOnce()) return
    const timer = setInterval(() => openOnce() && clearInterval(timer), RETRY_MS)
    return () => clearInterval(timer)
  }, [isDue, isBusy])
  return (
    <>
      <p className={styles.reopen} data-in-row={isInRow}>
        <Button look="quiet" onClick={() => setIsOpen(true)}>
          Ver a los patrocinadores
        </Button>
      </p>
      <Dialog
        title="Gracias a nuestros patrocinadores"
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        lockedMs={MIN_SHOWN_MS}
      >
        <ul className={styles.list}>
          {sponsors.map(({ id, nombre, marca, red }) => (
            <li key={id}>
              <a
                href={red}
                target="_blank"
                rel="noopener noreferrer"
                ping={pingUrlOf('patrocinador', nombre)}
                aria-label={`${nombre} (se abre en otra pestaña)`}
              >
                <img src={marca} alt={nombre} width="240" height="96" loading="lazy" />
              </a>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  )
}

/** Whether the window has been shown in this document, for browsers without sessionStorage. */
let wasShownInDocument = false

function wasShown(): boolean {
  try {
    return wasShownInDocument || sessionStorage.getItem(SEEN_KEY) !== null
  } catch {
    return wasShownInDocument
  }
}

function rememberShown(): void {
  wasShownInDocument = true
  try {
    sessionStorage.setItem(SEEN_KEY, '1')
  } catch {}
}
