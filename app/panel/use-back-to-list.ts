import { useEffect, useState } from 'react'

const LIST_STORAGE_KEY = 'panel.lista'

/** Remembers the list's query (filter, search, page) for this tab. Without sessionStorage the way back is the whole list. */
export function useRememberedList(search: string): void {
  useEffect(() => {
    try {
      sessionStorage.setItem(LIST_STORAGE_KEY, search)
    } catch {}
  }, [search])
}

/** Returns the address of the remembered list; before hydration that of the whole list. */
export function useBackToList(): string {
  const [search, setSearch] = useState('')
  useEffect(() => {
    try {
      setSearch(sessionStorage.getItem(LIST_STORAGE_KEY) ?? '')
    } catch {}
  }, [])
  return `/organizadores${search}`
}
