import { flushSync } from 'react-dom'

/**
 * Renders a field's new text, then focuses the field and selects a part of that text. All of it happens before the next
 * key press is handled, so that a letter typed right after a button was pressed lands where the button left the caret.
 */
export function selectInField(
  field: HTMLInputElement | HTMLTextAreaElement,
  renderText: () => void,
  { start, end }: { start: number; end: number },
) {
  flushSync(renderText)
  field.focus()
  field.setSelectionRange(start, end)
}
