import { useEffect } from 'react'

/** Public screens are the same for all visitors, and ask for the session only where local storage has this key. */
const MARK = 'certamen.sesion'
const SESSION_EVENT = 'certamen:sesion'

/** Marks this device as signed in; from then on the frame asks for the session on every screen. */
export function announceSession(): void {
  write('1')
  window.dispatchEvent(new Event(SESSION_EVENT))
}

/** Sets the mark from a screen that knows the session. */
export function useSessionMark(opened: boolean): void {
  useEffect(() => {
    if (opened) announceSession()
  }, [opened])
}

export const forgetSession = () => write(null)

const SESSION_END_EVENT = 'certamen:sesion-fin'

/** Tells the open screen that its session has ended. */
export const announceSessionEnd = () => window.dispatchEvent(new Event(SESSION_END_EVENT))

/** Calls back when the session of the open screen ends. @returns a function that stops listening */
export function onSessionEnd(listen: () => void): () => void {
  window.addEventListener(SESSION_END_EVENT, listen)
  return () => window.removeEventListener(SESSION_END_EVENT, listen)
}

/** Calls back now, if this device has the mark, and on every sign-in. @returns a function that stops listening */
export function onSession(listen: () => void): () => void {
  if (read()) listen()
  window.addEventListener(SESSION_EVENT, listen)
  return () => window.removeEventListener(SESSION_EVENT, listen)
}

// In a browser without local storage, other screens do not show the session.
function read(): string | null {
  try {
    return localStorage.getItem(MARK)
  } catch {
    return null
  }
}
function write(value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(MARK)
    else localStorage.setItem(MARK, value)
  } catch {}
}
