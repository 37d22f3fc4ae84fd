import { type ComponentProps, Suspense, use, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Dialog } from '#app/ui/components/dialog.tsx'
import { lazyVoteWindow } from './load-vote-window.ts'
import type { VoteStep, VoteWindowStep } from './schema.ts'
import styles from './vote-window.module.css'
import type { VoteWindow } from './vote-window.tsx'

type Props = Omit<ComponentProps<typeof VoteWindow>, 'step' | 'isOverlay'> & {
  step: VoteStep
  /** The step rendered in the document itself, for visitors without JavaScript. */
  staticStep: VoteWindowStep | undefined
  isHydrated: boolean
}

/**
 * Renders the step of a vote under way in the vote window. While the window's code loads, renders a loading window, and if the
 * code cannot be loaded, a window that says so. Before hydration, keeps the step that the server rendered.
 */
export function LazyVoteWindow({ step, staticStep, isHydrated, ...props }: Props) {
  const LoadedWindow = lazyVoteWindow.loaded()?.VoteWindow
  // Until hydration the suspended boundary keeps the server's markup, so that nothing waits for the window's code.
  if (!isHydrated) return <Suspense>{staticStep && <StaticVoteWindow {...props} step={staticStep} />}</Suspense>
  if (step.name === 'opening') return <OpeningWindow onClose={props.onClose} />
  if (step.name === 'window-missing') return <WindowUnavailable onClose={props.onClose} />
  return step.name !== 'idle' && LoadedWindow && <LoadedWindow {...props} step={step} isOverlay />
}

const NEVER = new Promise<never>(() => {})

/** Renders the step on the server, where the loader has loaded the code. In the browser it suspends forever. */
function StaticVoteWindow(props: Omit<ComponentProps<typeof VoteWindow>, 'isOverlay'>) {
  const LoadedWindow = lazyVoteWindow.loaded()?.VoteWindow
  if (!import.meta.env.SSR) use(NEVER)
  return LoadedWindow && <LoadedWindow {...props} isOverlay={false} />
}

/** The loading window appears after this time, so that a quick load shows none. */
const LOADING_WINDOW_DELAY_MS = 400

function OpeningWindow({ onClose }: Pick<Props, 'onClose'>) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), LOADING_WINDOW_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    isSlow && (
      <Dialog title="Un momento…" isOpen closesAtOnce onClose={onClose}>
        <div className={styles.sending} role="status">
          <progress aria-label="Abriendo tu voto" />
          <p>Abriendo tu voto…</p>
        </div>
      </Dialog>
    )
  )
}

/** Offers a retry in a new document at the same address, since browsers cache a failed import (whatwg/html#6768). */
function WindowUnavailable({ onClose }: Pick<Props, 'onClose'>) {
  const { search } = useLocation()
  return (
    <Dialog title="No pudimos abrir tu voto" isOpen onClose={onClose}>
      <div className={styles.message}>
        <p>
          Una parte de esta página no llegó. Revisa tu conexión e inténtalo de nuevo. Si sigue igual, abre el enlace con
          otro navegador.
        </p>
        <a className={buttonLook('main')} href={`/misspopularidad${search}`}>
          Reintentar
        </a>
      </div>
    </Dialog>
  )
}
