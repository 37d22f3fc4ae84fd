import { useEffect } from 'react'

/** Public screens are the same for everybody, and ask who is signed in only where somebody has signed in before. */
const MARK = 'certamen.sesion'
const AVISO = 'certamen:sesion'

/** Leaves a mark on this device that somebody is signed in; from then on the frame asks who, on every screen. */
export function announceSession(): void {
  write('1')
  window.dispatchEvent(new Event(AVISO))
}

/** Sets the mark from a screen that knows whether somebody is signed in. */
export function useSessionMark(opened: boolean): void {
  useEffect(() => {
    if (opened) announceSession()
  }, [opened])
}

export const forgetSession = () => write(null)

const FIN = 'certamen:sesion-fin'

/** Tells the screen that is open that its session has ended. */
export const announceFin = () => window.dispatchEvent(new Event(FIN))

/** Calls back when the session of the screen that is open ends. @returns a function that ends it */
export function onFin(listen: () => void): () => void {
  window.addEventListener(FIN, listen)
  return () => window.removeEventListener(FIN, listen)
}

/**
 * Calls back now, if somebody has signed in on this device, and whenever somebody does.
 * @returns a function that ends it
 */
export function onSession(listen: () => void): () => void {
  if (read()) listen()
  window.addEventListener(AVISO, listen)
  return () => window.removeEventListener(AVISO, listen)
}

// In a browser that keeps nothing, other screens do not show the line of the session.
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
