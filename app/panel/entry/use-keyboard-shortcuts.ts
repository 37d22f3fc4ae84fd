import { useEffect } from 'react'

/** Whoever types, or chooses in a list, means the letter. */
const ESCRIBE = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], dialog[open]'

/**
 * Keys of a desk: a link or button that says `data-tecla` is pressed by that key; several keys stand apart by a space.
 * Never while somebody types, nor together with Ctrl, Alt or the like.
 */
export function useKeyboardShortcuts(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      if (event.target instanceof Element && event.target.closest(ESCRIBE)) return
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
      const all = document.querySelectorAll<HTMLElement>(`[data-tecla~="${CSS.escape(key)}"]`)
      const pressable = [...all].find((one) => one.getClientRects().length > 0 && one.ariaDisabled !== 'true')
      if (!pressable) return
      event.preventDefault()
      pressable.click()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [])
}
