import { useEffect, useState } from 'react'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'
import { Button } from '#app/ui/primitives/button.tsx'

/** Whether a host is an IP address, which has no passkeys: they belong to a domain name. */
const isNumber = (host: string) => /^[\d.]+$|^\[/.test(host)

/** Whether this browser supports passkeys; false until the page's script is alive. */
function usePasskeySupport(): boolean {
  const [isSupported, setPuede] = useState(false)
  useEffect(() => setPuede(window.PublicKeyCredential !== undefined && !isNumber(window.location.hostname)), [])
  return isSupported
}

interface Props {
  para: PasskeyPurpose
  children: string
  look?: 'main' | 'outline' | 'quiet'
  busy?: boolean
  /** Takes the device's answer, as JSON text. */
  onRespuesta(text: string): void
  /** Only for `alta`: the server asks for the password first. */
  onConfirmar?(): void
}

/** A button that asks the device for a passkey; nothing where the browser supports none. */
export function PasskeyButton({ para, children, look = 'outline', busy = false, onRespuesta, onConfirmar }: Props) {
  const isSupported = usePasskeySupport()
  const [asking, setAsking] = useState(false)
  const [nothing, setNada] = useState(false)
  if (!isSupported) return null
  const ask = async () => {
    if (asking || busy) return
    setAsking(true)
    setNada(false)
    const { makePasskey, provePasskey } = await import('./passkey.client.ts')
    const answer = await (para === 'alta' ? makePasskey() : provePasskey(para))
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
      <p role="status" hidden={!nothing}>
        {nothing && 'Tu dispositivo no dio ninguna llave. Inténtalo de nuevo, o usa otra forma.'}
      </p>
    </>
  )
}
