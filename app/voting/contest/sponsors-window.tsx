import { useEffect, useState } from 'react'
import { useAviso } from '#app/analytics/use-ping-address.ts'
import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import { Dialog } from '#app/ui/primitives/dialog.tsx'
import styles from './sponsors-window.module.css'

/** @source §9 */
const MIN_SHOWN_MS = 2000
/** While something else is open over the page, this long passes before they try again. */
const RETRY_MS = 500
/** The session remembers under this name that they have been seen. */
const SEEN_KEY = 'certamen.patrocinadores'

type Sponsor = Edition['popularidad']['patrocinadores'][number]

interface Props {
  patrocinadores: Sponsor[]
  /** It is their turn: what the visitor came for has been seen. */
  toca: boolean
  /** Another window is open, or about to be. */
  ocupada: boolean
  /** The button stands in a row with others instead of on a line of its own. */
  enRenglon?: boolean | undefined
}

/** The sponsors of the contest, in a window that opens by itself once a browser session (§2.14; D7). */
export function Sponsors({ patrocinadores, toca, ocupada, enRenglon }: Props) {
  const avisoDe = useAviso()
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (!toca || ocupada) return
    const openOnce = () => {
      if (wasShown()) return true
      // The menu is a window, too, and another shows itself only in the document.
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

/** For browsers that keep nothing. */
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
