import { useEffect } from 'react'

/** Key in local storage; public screens, which are the same for all visitors, ask for the session only if it exists. */
const SESSION_MARK_KEY = 'certamen.sesion'
const SESSION_EVENT = 'certamen:sesion'

/** Marks this device as signed in, so that the frame asks for the session on every screen. */
export function announceSession(): void {
  writeMark('1')
  window.dispatchEvent(new Event(SESSION_EVENT))
}

/** Sets the mark from a screen that knows that its visitor is signed in. */
export function useSessionMark(isSignedIn: boolean): void {
  useEffect(() => {
    if (isSignedIn) announceSession()
  }, [isSignedIn])
}

export const forgetSession = () => writeMark(null)

const SESSION_END_EVENT = 'certamen:sesion-fin'

/** Tells the open screen that its session has ended. */
export const announceSessionEnd = () => window.dispatchEvent(new Event(SESSION_END_EVENT))

/** Calls a listener when the session of the open screen ends. @returns a function that removes the listener */
export function onSessionEnd(listener: () => void): () => void {
  window.addEventListener(SESSION_END_EVENT, listener)
  return () => window.removeEventListener(SESSION_END_EVENT, listener)
}

/** Calls a listener at once if this device has the mark, and on every sign-in. @returns a function that removes the listener */
export function onSession(listener: () => void): () => void {
  if (readMark()) listener()
  window.addEventListener(SESSION_EVENT, listener)
  return () => window.removeEventListener(SESSION_EVENT, listener)
}

// Without local storage no mark is kept, and a public screen that is loaded later does not ask for the session.
function readMark(): string | null {
  try {
    return localStorage.getItem(SESSION_MARK_KEY)
  } catch {
    return null
  }
}
function writeMark(value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(SESSION_MARK_KEY)
    else localStorage.setItem(SESSION_MARK_KEY, value)
  } catch {}
}
