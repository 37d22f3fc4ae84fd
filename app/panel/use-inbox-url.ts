import { useEffect, useState } from 'react'

const INBOX_QUERY_KEY = 'panel.lista'

/** Remembers the inbox's query string (filter, search, page) in this tab; without sessionStorage it is forgotten. */
export function useRememberInboxQuery(search: string): void {
  useEffect(() => {
    try {
      sessionStorage.setItem(INBOX_QUERY_KEY, search)
    } catch {}
  }, [search])
}

/** Returns the inbox's URL with the remembered query string; before hydration without it. */
export function useInboxUrl(): string {
  const [query, setQuery] = useState('')
  useEffect(() => {
    try {
      setQuery(sessionStorage.getItem(INBOX_QUERY_KEY) ?? '')
    } catch {}
  }, [])
  return `/organizadores${query}`
}
