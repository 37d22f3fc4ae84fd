import { useEffect, useState } from 'react'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'
import { Button } from '#app/ui/components/button.tsx'

/** Whether a host is an IP address, which has no passkeys: they belong to a domain name. */
const isNumber = (host: string) => /^[\d.]+$|^\[/.test(host)

/** Whether this browser supports passkeys; false until the page's script is alive. */
function usePasskeySupport(): boolean {
  const [isSupported, setIsSupported] = useState(false)
  useEffect(() => setIsSupported(window.PublicKeyCredential !== undefined && !isNumber(window.location.hostname)), [])
  return isSupported
}

interface Props {
  purpose: PasskeyPurpose
  children: string
  look?: 'main' | 'outline' | 'quiet'
  busy?: boolean
  /** Takes the device's answer, as JSON text. */
  onAnswer(text: string): void
  /** Only for `alta`: the server asks for the password first. */
  onReauthenticate?(): void
}

/** A button that asks the device for a passkey; nothing where the browser supports none. */
export function PasskeyButton({
  purpose,
  children,
  look = 'outline',
  busy = false,
  onAnswer,
  onReauthenticate,
}: Props) {
  const isSupported = usePasskeySupport()
  const [asking, setAsking] = useState(false)
  const [nothing, setNothing] = useState(false)
  if (!isSupported) return null
  const ask = async () => {
    if (asking || busy) return
    setAsking(true)
    setNothing(false)
    const { makePasskey, provePasskey } = await import('./passkey.client.ts')
    const answer = await (purpose === 'alta' ? makePasskey() : provePasskey(purpose))
    setAsking(false)
    if (answer.ok) onAnswer(answer.text)
    else if (answer.reason === 'confirmar') onReauthenticate?.()
    else setNothing(true)
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
