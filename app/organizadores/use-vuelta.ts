import { useEffect, useState } from 'react'

const GUARDADA = 'panel.lista'

/** The list as this tab showed it last: its filter, its search, its page. */
export function useLista(search: string): void {
  useEffect(() => sessionStorage.setItem(GUARDADA, search), [search])
}

/** @returns where an entry's way back leads; known once the page is alive */
export function useVuelta(): string {
  const [search, setSearch] = useState('')
  useEffect(() => setSearch(sessionStorage.getItem(GUARDADA) ?? ''), [])
  return `/organizadores${search}`
}
