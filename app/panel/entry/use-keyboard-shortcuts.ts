import { useEffect } from 'react'

/** In these elements a key is input, not a shortcut. */
const TYPING_SELECTOR =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], dialog[open]'

/**
 * Lets a key click the first visible link or button that lists the key in `data-shortcut`, separated by spaces; not while the
 * organiser types, nor together with Ctrl, Alt or Meta.
 */
export function useKeyboardShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      if (event.target instanceof Element && event.target.closest(TYPING_SELECTOR)) return
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
      const candidates = document.querySelectorAll<HTMLElement>(`[data-shortcut~="${CSS.escape(key)}"]`)
      const pressable = [...candidates].find((one) => one.getClientRects().length > 0 && one.ariaDisabled !== 'true')
      if (!pressable) return
      event.preventDefault()
      pressable.click()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
