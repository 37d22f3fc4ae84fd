import { useEffect, useState } from 'react'
import type { ParaLlave } from '#app/accounts/schema.ts'
import { Button } from '#app/ui/primitives/button.tsx'

/** A passkey belongs to a domain's name: at a bare address there is none. */
const isNumber = (host: string) => /^[\d.]+$|^\[/.test(host)

/** Whether this browser knows passkeys; not before the page's script is alive. */
function usePuede(): boolean {
  const [puede, setPuede] = useState(false)
  useEffect(() => setPuede(window.PublicKeyCredential !== undefined && !isNumber(window.location.hostname)), [])
  return puede
}

interface Props {
  para: ParaLlave
  children: string
  look?: 'main' | 'outline' | 'quiet'
  busy?: boolean
  /** Sends the device's answer. */
  onRespuesta(texto: string): void
  /** Only for `alta`: the password has to be said first. */
  onConfirmar?(): void
}

/** A button that asks the device for a passkey; there is none where the browser knows none. */
export function ConLlave({ para, children, look = 'outline', busy = false, onRespuesta, onConfirmar }: Props) {
  const puede = usePuede()
  const [asking, setAsking] = useState(false)
  const [nada, setNada] = useState(false)
  if (!puede) return null
  const ask = async () => {
    if (asking || busy) return
    setAsking(true)
    setNada(false)
    const { makeLlave, proveLlave } = await import('./passkey.client.ts')
    const answer = await (para === 'alta' ? makeLlave() : proveLlave(para))
    setAsking(false)
    if (answer.ok) onRespuesta(answer.texto)
    else if (answer.reason === 'confirmar') onConfirmar?.()
    else setNada(true)
  }
  return (
    <>
      <Button look={look} busy={asking || busy} onClick={() => void ask()}>
        {children}
      </Button>
      <p role="status" hidden={!nada}>
        {nada && 'Tu dispositivo no dio ninguna llave. Inténtalo de nuevo, o usa otra forma.'}
      </p>
    </>
  )
}
