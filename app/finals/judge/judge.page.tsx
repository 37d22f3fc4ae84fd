import { useEffect, useState } from 'react'
import { pageMeta } from '#app/cms/page-meta.ts'
import { useOffline } from '#app/core/browser-resilience/use-offline.ts'
import { JUDGE_LINK_MESSAGES } from '#app/finals/record/schema.ts'
import { Button } from '#app/ui/components/button.tsx'
import type { Route } from './+types/judge.page'
import styles from './judge.module.css'
import { SheetScreen } from './sheet-screen.tsx'
import { useSheet } from './use-sheet.ts'

// The document is the same for every judge, so a service worker can store it for offline use. A judge's own data is
// fetched afterwards and stays on the device.
export const handle = { prerender: true, noindex: true, prefetch: false }

export const headers: Route.HeadersFunction = () => ({ 'service-worker-allowed': '/jurado' })

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Hoja del jurado' }, args)

/** Shows a judge's telephone the login wall, which the notary's link opens, and then the sheet of the round. */
export default function JudgePage() {
  useOffline('/jurado')
  const controller = useSheet()
  const { phase, message } = controller
  return (
    <div className={styles.jury}>
      {phase === 'opening' && <p className={styles.waiting}>Abriendo tu hoja…</p>}
      {phase === 'signedOut' && <JudgeLoginWall signIn={controller.signIn} message={message} />}
      {phase === 'outside' && (
        <section className={styles.messageScreen}>
          <h1>Hoja cerrada</h1>
          <p role="alert">{message}</p>
        </section>
      )}
      {phase === 'inside' && <SheetScreen controller={controller} />}
      <noscript>
        <p className={styles.waiting}>Esta hoja necesita JavaScript. Actívalo en tu navegador y recarga la página.</p>
      </noscript>
    </div>
  )
}

/** Signs a judge in by the link's key, which is in the URL fragment, since browsers never send a fragment to a server. */
function JudgeLoginWall({ signIn, message }: { signIn(key: string): Promise<boolean>; message: string | null }) {
  const [key, setKey] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    const readKey = () => setKey(location.hash.slice(1))
    readKey()
    addEventListener('hashchange', readKey)
    return () => removeEventListener('hashchange', readKey)
  }, [])
  async function openSheet() {
    if (isBusy) return
    setIsBusy(true)
    // After sign-in the key is removed from the address bar and the history entry.
    if (await signIn(key)) history.replaceState(history.state, '', location.pathname)
    setIsBusy(false)
  }
  return (
    <section className={styles.messageScreen}>
      <p className={styles.label}>Noche de la final</p>
      <h1>Hoja del jurado</h1>
      {key === '' ? (
        <p>{JUDGE_LINK_MESSAGES.falta}</p>
      ) : (
        <>
          <p>Este enlace es tuyo y abre un solo teléfono. Aquí vas a calificar toda la noche.</p>
          <Button onClick={openSheet} isBusy={isBusy} className={styles.width}>
            {isBusy ? 'Entrando…' : 'Entrar en este teléfono'}
          </Button>
        </>
      )}
      {message && (
        <p className={styles.message} role="alert">
          {message}
        </p>
      )}
    </section>
  )
}
