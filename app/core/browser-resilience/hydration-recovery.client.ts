/**
 * The HTML that React sets by `innerHTML`, followed by blank text, for each `<script>` of a document that it renders anew
 * (ReactFiberConfigDOM.js, `createInstance`). React does so if a translator, an extension or a content blocker has changed the
 * document before hydration. The content security policy (server/security-headers.ts) requires Trusted Types, and this file's
 * policy refuses all other HTML.
 */
const REACT_SCRIPT_HTML = '<script></script>'

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const fieldsOf = (root: ParentNode) => [...root.querySelectorAll<Field>('input, select, textarea')]

/** Copies a person's input from a field to the same field in another copy of the document. @returns whether that field changed */
function copyInput(from: Field, to: Field): boolean {
  if (to.type !== from.type || from.type === 'hidden') return false
  if (from instanceof HTMLInputElement && to instanceof HTMLInputElement) {
    if (from.files?.length) {
      to.files = from.files
      return true
    }
    if (from.checked !== to.checked) {
      to.checked = from.checked
      return true
    }
  }
  if (from.value === to.value || from.type === 'file') return false
  // React notices a new value only if the element's own setter set it.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(to), 'value')?.set?.call(to, from.value)
  return true
}

/**
 * Keeps a copy of the document as the server sent it, and a person's input, while React hydrates. Also creates the page's default
 * Trusted Types policy (REACT_SCRIPT_HTML). Must be called before React sees the document.
 */
export function createServedDocument() {
  ;(window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('default', {
    createHTML: (text) => (text === REACT_SCRIPT_HTML || text.trim() === '' ? text : null),
  })
  const servedRoot = document.documentElement.cloneNode(true) as HTMLElement
  const fields = fieldsOf(document)
  const twins = fieldsOf(servedRoot)
  const currentUrl = () => location.pathname + location.search
  const servedUrl = currentUrl()
  let focusedTarget: EventTarget | null = document.activeElement
  addEventListener('focusin', ({ target }) => {
    focusedTarget = target
  })

  return {
    /** Moves input and focus from removed fields to new ones with the same id, once React has rendered the document anew. */
    carryOver() {
      for (const field of fields) {
        if (field.isConnected) continue
        const twin = document.getElementById(field.id) as Field | null
        if (!twin) continue
        if (copyInput(field, twin))
          for (const type of ['input', 'change']) twin.dispatchEvent(new Event(type, { bubbles: true }))
        if (field === focusedTarget) twin.focus({ preventScroll: true })
      }
    },

    /**
     * Puts back the server's document, which works without JavaScript, with the person's input, once React has given up. If the
     * URL has changed in the meantime, the screen at the new URL is loaded from the server instead.
     */
    restore() {
      if (currentUrl() !== servedUrl) return location.reload()
      fields.forEach((field, index) => {
        copyInput(field, twins[index]!)
      })
      servedRoot.removeAttribute('data-first-picture-only')
      // Lets the document's inline script (app/core/http/prioritize-first-picture.server.ts) replay the click that it held back.
      for (const root of [servedRoot, document.documentElement]) root.dataset.hydrated = ''
      document.documentElement.replaceWith(servedRoot)
    },
  }
}
