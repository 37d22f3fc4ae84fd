import { useEffect, useState } from 'react'

const GUARDADA = 'panel.lista'

/** The list as this tab showed it last: its filter, its search, its page. A browser that keeps nothing leads to all of it. */
export function useLista(search: string): void {
  useEffect(() => {
    try {
      sessionStorage.setItem(GUARDADA, search)
    } catch {}
  }, [search])
}

/** @returns where an entry's way back leads; known once the page is alive */
export function useVuelta(): string {
  const [search, setSearch] = useState('')
  useEffect(() => {
    try {
      setSearch(sessionStorage.getItem(GUARDADA) ?? '')
    } catch {}
  }, [])
  return `/organizadores${search}`
}
