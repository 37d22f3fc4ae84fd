import { useEffect, useState } from 'react'
import { useAviso } from '#app/analytics/use-ping-address.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { Dialog } from '#app/ui/primitives/dialog.tsx'
import styles from './sponsors-window.module.css'

/** @source §9 */
const MIN_SHOWN_MS = 2000
/** Milliseconds between attempts to open while another window is open. */
const RETRY_MS = 500
/** Session storage key: the sponsors' window has been shown. */
const SEEN_KEY = 'certamen.patrocinadores'

type Sponsor = Edition['popularidad']['patrocinadores'][number]

interface Props {
  patrocinadores: Sponsor[]
  /** Whether the window may open by itself: the visitor has voted, seen the winner or reached the end of the page. */
  toca: boolean
  /** Whether another window is open, or about to be. */
  ocupada: boolean
  /** Whether the button stands in a row with others instead of on a separate line. */
  enRenglon?: boolean | undefined
}

/** The contest's sponsors, in a window that opens by itself once per browser session (§2.14; D7). */
export function Sponsors({ patrocinadores, toca, ocupada, enRenglon }: Props) {
  const avisoDe = useAviso()
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (!toca || ocupada) return
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
  }, [toca, ocupada])
  return (
    <>
      <p className={styles.otraVez} data-renglon={enRenglon}>
        <Button look="quiet" onClick={() => setOpen(true)}>
          Ver a los patrocinadores
        </Button>
      </p>
      <Dialog
        titulo="Gracias a nuestros patrocinadores"
        abierta={open}
        onCerrar={() => setOpen(false)}
        esperaMs={MIN_SHOWN_MS}
      >
        <ul className={styles.lista}>
          {patrocinadores.map(({ id, nombre, marca, red }) => (
            <li key={id}>
              <a
                href={red}
                target="_blank"
                rel="noopener noreferrer"
                ping={avisoDe('patrocinador', nombre)}
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

/** Fallback for browsers without session storage. */
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
