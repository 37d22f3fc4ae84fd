import { useEffect } from 'react'

/** Public screens are the same for everybody, and ask who is signed in only where somebody has signed in before. */
const MARCA = 'certamen.sesion'
const AVISO = 'certamen:sesion'

/** Leaves a mark on this device that somebody is signed in; the frame then asks, here and on every screen. */
export function announceSesion(): void {
  write('1')
  window.dispatchEvent(new Event(AVISO))
}

/** For a screen that knows whether somebody is signed in. */
export function useSesionAbierta(abierta: boolean): void {
  useEffect(() => {
    if (abierta) announceSesion()
  }, [abierta])
}

export const forgetSesion = () => write(null)

/** Calls back now, if somebody has signed in on this device, and whenever somebody does. @returns ends it */
export function onSesion(listen: () => void): () => void {
  if (read()) listen()
  window.addEventListener(AVISO, listen)
  return () => window.removeEventListener(AVISO, listen)
}

// A browser that keeps nothing shows the line on no other screen.
function read(): string | null {
  try {
    return localStorage.getItem(MARCA)
  } catch {
    return null
  }
}
function write(value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(MARCA)
    else localStorage.setItem(MARCA, value)
  } catch {}
}
