import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * Closes a popover menu after each navigation, and when the screen becomes wide enough to show the menu in its place.
 * @returns the menu's ref
 */
export function usePopoverMenu<Menu extends HTMLElement>() {
  const menu = useRef<Menu>(null)
  const { key } = useLocation()
  // The first key is no navigation, so a menu that was opened before hydration stays open.
  const lastKey = useRef(key)
  useEffect(() => {
    if (lastKey.current === key) return
    lastKey.current = key
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover()
  }, [key])
  useEffect(() => {
    const wideQuery = matchMedia('(min-width: 901px)')
    const close = () => {
      if (wideQuery.matches && menu.current?.matches(':popover-open')) menu.current.hidePopover()
    }
    wideQuery.addEventListener('change', close)
    return () => wideQuery.removeEventListener('change', close)
  }, [])
  return menu
}
