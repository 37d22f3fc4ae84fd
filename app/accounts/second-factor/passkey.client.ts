import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'

/**
 * A device's answer as JSON text. The reason is `reauthenticate` if a new passkey needs a reauthentication first, and `none` if the
 * person cancelled, or the request or the device failed.
 */
export type DeviceAnswer = { ok: true; text: string } | { ok: false; reason: 'reauthenticate' | 'none' }

async function fetchOptions(purpose: PasskeyPurpose) {
  const response = await fetch(`/cuentas/llave?para=${purpose}`, { cache: 'no-store' })
  if (response.status === 401) return 'reauthenticate'
  return response.ok ? response.json() : undefined
}

export async function provePasskey(purpose: PasskeyPurpose): Promise<DeviceAnswer> {
  try {
    const optionsJSON = await fetchOptions(purpose)
    if (!optionsJSON || optionsJSON === 'reauthenticate') return { ok: false, reason: 'none' }
    return { ok: true, text: JSON.stringify(await startAuthentication({ optionsJSON })) }
  } catch {
    return { ok: false, reason: 'none' }
  }
}

export async function createPasskey(): Promise<DeviceAnswer> {
  try {
    const optionsJSON = await fetchOptions('alta')
    if (optionsJSON === 'reauthenticate') return { ok: false, reason: 'reauthenticate' }
    if (!optionsJSON) return { ok: false, reason: 'none' }
    return { ok: true, text: JSON.stringify(await startRegistration({ optionsJSON })) }
  } catch {
    return { ok: false, reason: 'none' }
  }
}
