import { useEffect, useState } from 'react'

const CLAVE = 'panel.lista'

/** The list as this tab showed it last: its filter, its search, its page. */
export function useLista(search: string): void {
  useEffect(() => sessionStorage.setItem(CLAVE, search), [search])
}

/** @returns where an entry's way back leads; known once the page is alive */
export function useVuelta(): string {
  const [search, setSearch] = useState('')
  useEffect(() => setSearch(sessionStorage.getItem(CLAVE) ?? ''), [])
  return `/organizadores${search}`
}
