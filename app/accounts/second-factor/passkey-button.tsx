import { useEffect, useState } from 'react'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'
import { Button } from '#app/ui/components/button.tsx'

/** Returns whether a host is an IP address, which can have no passkeys: a passkey belongs to a domain name. */
const isIpAddress = (host: string) => /^[\d.]+$|^\[/.test(host)

/** Returns whether this browser supports passkeys, and the site's host can have them; false before hydration. */
function usePasskeySupport(): boolean {
  const [isSupported, setIsSupported] = useState(false)
  useEffect(
    () => setIsSupported(window.PublicKeyCredential !== undefined && !isIpAddress(window.location.hostname)),
    [],
  )
  return isSupported
}

interface Props {
  purpose: PasskeyPurpose
  children: string
  look?: 'main' | 'outline' | 'quiet'
  isBusy?: boolean
  /** Called with the device's answer as JSON text. */
  onAnswer(text: string): void
  /** Called for `alta` if the server asks for the password first. */
  onReauthenticate?(): void
}

/** Shows a button that asks the device for a passkey; nothing where `usePasskeySupport` is false. */
export function PasskeyButton({
  purpose,
  children,
  look = 'outline',
  isBusy = false,
  onAnswer,
  onReauthenticate,
}: Props) {
  const isSupported = usePasskeySupport()
  const [isAsking, setIsAsking] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)
  if (!isSupported) return null
  const askDevice = async () => {
    if (isAsking || isBusy) return
    setIsAsking(true)
    setHasFailed(false)
    const { createPasskey, provePasskey } = await import('./passkey.client.ts')
    const deviceAnswer = await (purpose === 'alta' ? createPasskey() : provePasskey(purpose))
    setIsAsking(false)
    if (deviceAnswer.ok) onAnswer(deviceAnswer.text)
    else if (deviceAnswer.reason === 'reauthenticate') onReauthenticate?.()
    else setHasFailed(true)
  }
  return (
    <>
      <Button look={look} isBusy={isAsking || isBusy} onClick={() => void askDevice()}>
        {children}
      </Button>
      <p role="status" hidden={!hasFailed}>
        {hasFailed && 'Tu dispositivo no dio ninguna llave. Inténtalo de nuevo, o usa otra forma.'}
      </p>
    </>
  )
}
