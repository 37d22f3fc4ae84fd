import { useEffect } from 'react'

/** Public screens are the same for all visitors, and ask for the session only on a device with this mark. */
const MARK = 'certamen.sesion'
const AVISO = 'certamen:sesion'

/** Marks this device as signed in; from then on the frame asks for the session on every screen. */
export function announceSession(): void {
  write('1')
  window.dispatchEvent(new Event(AVISO))
}

/** Sets the mark from a screen that knows the session. */
export function useSessionMark(opened: boolean): void {
  useEffect(() => {
    if (opened) announceSession()
  }, [opened])
}

export const forgetSession = () => write(null)

const FIN = 'certamen:sesion-fin'

/** Tells the open screen that its session has ended. */
export const announceFin = () => window.dispatchEvent(new Event(FIN))

/** Calls back when the session of the open screen ends. @returns stops listening */
export function onFin(listen: () => void): () => void {
  window.addEventListener(FIN, listen)
  return () => window.removeEventListener(FIN, listen)
}

/** Calls back now, if this device has the mark, and on every sign-in. @returns stops listening */
export function onSession(listen: () => void): () => void {
  if (read()) listen()
  window.addEventListener(AVISO, listen)
  return () => window.removeEventListener(AVISO, listen)
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
