import { useEffect, useState } from 'react'

const LIST_STORAGE_KEY = 'panel.lista'

/** The list as this tab showed it last: its filter, its search, its page. A browser that keeps nothing leads to all of it. */
export function useRememberedList(search: string): void {
  useEffect(() => {
    try {
      sessionStorage.setItem(LIST_STORAGE_KEY, search)
    } catch {}
  }, [search])
}

/** @returns where an entry's way back leads; known once the page is alive */
export function useBackToList(): string {
  const [search, setSearch] = useState('')
  useEffect(() => {
    try {
      setSearch(sessionStorage.getItem(LIST_STORAGE_KEY) ?? '')
    } catch {}
  }, [])
  return `/organizadores${search}`
}
