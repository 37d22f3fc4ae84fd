import { useEffect } from 'react'

/** Elements in which a key is input, not a shortcut. */
const TYPING_SELECTOR =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], dialog[open]'

/**
 * Makes a key click the first visible link or button that is not `aria-disabled` and whose `data-shortcut`, a list separated by
 * spaces, has the key. Ignores held keys, keys together with Ctrl, Alt or Meta, keys in an element of TYPING_SELECTOR, and Enter on a
 * link, a button or a summary.
 */
export function useKeyboardShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      if (event.target instanceof Element && event.target.closest(TYPING_SELECTOR)) return
      // Enter activates the link, button or summary that has the focus.
      if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('a, button, summary')) return
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
      const elements = document.querySelectorAll<HTMLElement>(`[data-shortcut~="${CSS.escape(key)}"]`)
      const target = [...elements].find(
        (element) => element.getClientRects().length > 0 && element.ariaDisabled !== 'true',
      )
      if (!target) return
      event.preventDefault()
      target.click()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
