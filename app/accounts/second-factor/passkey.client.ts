import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'

/** The device answers with JSON text; `confirmar`: the password is needed first; `nada`: the person stopped, or it failed. */
export type DeviceAnswer = { ok: true; text: string } | { ok: false; reason: 'confirmar' | 'nada' }

async function optionsFor(purpose: PasskeyPurpose) {
  const answer = await fetch(`/cuentas/llave?para=${purpose}`, { cache: 'no-store' })
  if (answer.status === 401) return 'confirmar'
  return answer.ok ? answer.json() : undefined
}

/** Asks the device to prove a passkey of this site. */
export async function provePasskey(purpose: PasskeyPurpose): Promise<DeviceAnswer> {
  try {
    const optionsJSON = await optionsFor(purpose)
    if (!optionsJSON || optionsJSON === 'confirmar') return { ok: false, reason: 'nada' }
    return { ok: true, text: JSON.stringify(await startAuthentication({ optionsJSON })) }
  } catch {
    return { ok: false, reason: 'nada' }
  }
}

/** Asks the device to make a passkey. */
export async function makePasskey(): Promise<DeviceAnswer> {
  try {
    const optionsJSON = await optionsFor('alta')
    if (optionsJSON === 'confirmar') return { ok: false, reason: 'confirmar' }
    if (!optionsJSON) return { ok: false, reason: 'nada' }
    return { ok: true, text: JSON.stringify(await startRegistration({ optionsJSON })) }
  } catch {
    return { ok: false, reason: 'nada' }
  }
}
