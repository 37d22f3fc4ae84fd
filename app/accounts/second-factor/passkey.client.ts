import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'

/** The device answers with JSON text. `reauthenticate`: the password is needed first; `none`: the person stopped or it failed. */
export type DeviceAnswer = { ok: true; text: string } | { ok: false; reason: 'reauthenticate' | 'none' }

async function optionsFor(purpose: PasskeyPurpose) {
  const answer = await fetch(`/cuentas/llave?para=${purpose}`, { cache: 'no-store' })
  if (answer.status === 401) return 'reauthenticate'
  return answer.ok ? answer.json() : undefined
}

/** Asks the device to prove a passkey of this site. */
export async function provePasskey(purpose: PasskeyPurpose): Promise<DeviceAnswer> {
  try {
    const optionsJSON = await optionsFor(purpose)
    if (!optionsJSON || optionsJSON === 'reauthenticate') return { ok: false, reason: 'none' }
    return { ok: true, text: JSON.stringify(await startAuthentication({ optionsJSON })) }
  } catch {
    return { ok: false, reason: 'none' }
  }
}

/** Asks the device to make a passkey. */
export async function makePasskey(): Promise<DeviceAnswer> {
  try {
    const optionsJSON = await optionsFor('alta')
    if (optionsJSON === 'reauthenticate') return { ok: false, reason: 'reauthenticate' }
    if (!optionsJSON) return { ok: false, reason: 'none' }
    return { ok: true, text: JSON.stringify(await startRegistration({ optionsJSON })) }
  } catch {
    return { ok: false, reason: 'none' }
  }
}
