import { useEffect, useState } from 'react'
import { usePingAddress } from '#app/analytics/use-ping-address.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Dialog } from '#app/ui/components/dialog.tsx'
import styles from './sponsors-window.module.css'

/** The sponsors' window stays open for at least this many milliseconds (§9). */
const MIN_SHOWN_MS = 2000
/** While another window is open, an attempt to open is repeated after this many milliseconds. */
const RETRY_MS = 500
/** Under this key, session storage remembers that the sponsors' window has been shown. */
const SEEN_KEY = 'certamen.patrocinadores'

type Sponsor = Edition['popularidad']['patrocinadores'][number]

interface Props {
  sponsors: Sponsor[]
  /** `isDue` tells that the window may open by itself: the visitor has voted, seen the winner or reached the end of the page. */
  isDue: boolean
  /** `isBusy` tells that another window is open, or about to be. */
  isBusy: boolean
  /** `isInRow` tells that the button stands in a row with others instead of on a separate line. */
  isInRow?: boolean | undefined
}

/** Renders the contest's sponsors, in a window that opens by itself once per browser session (§2.14; D7). */
export function SponsorsWindow({ sponsors, isDue, isBusy, isInRow }: Props) {
  const pingAddressOf = usePingAddress()
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (!isDue || isBusy) return
    const openOnce = () => {
      if (wasShown()) return true
      // Other windows, such as the menu, are known only from the document.
      if (document.querySelector('dialog[open], :popover-open')) return false
      rememberShown()
      setOpen(true)
      return true
    }
    if (openOnce()) return
    const timer = setInterval(() => openOnce() && clearInterval(timer), RETRY_MS)
    return () => clearInterval(timer)
  }, [isDue, isBusy])
  return (
    <>
      <p className={styles.again} data-in-row={isInRow}>
        <Button look="quiet" onClick={() => setOpen(true)}>
          Ver a los patrocinadores
        </Button>
      </p>
      <Dialog
        title="Gracias a nuestros patrocinadores"
        isOpen={open}
        onClose={() => setOpen(false)}
        lockedMs={MIN_SHOWN_MS}
      >
        <ul className={styles.list}>
          {sponsors.map(({ id, nombre, marca, red }) => (
            <li key={id}>
              <a
                href={red}
                target="_blank"
                rel="noopener noreferrer"
                ping={pingAddressOf('patrocinador', nombre)}
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

/** In browsers without session storage, this variable remembers for one document that the window has been shown. */
let shownHere = false

function wasShown(): boolean {
  try {
    return shownHere || sessionStorage.getItem(SEEN_KEY) !== null
  } catch {
    return shownHere
  }
}

function rememberShown(): void {
  shownHere = true
  try {
    sessionStorage.setItem(SEEN_KEY, '1')
  } catch {}
}
