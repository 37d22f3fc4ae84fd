/**
 * When a translator, an extension or a content blocker changes the document before hydration, React renders the whole document
 * anew. For each `<script>` it sets this text, then blank text, by `innerHTML` (ReactFiberConfigDOM.js, `createInstance`). The
 * content security policy (server/security-headers.ts) requires Trusted Types, so every other text is refused.
 */
const SCRIPT_OF_REACT = '<script></script>'

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const fieldsOf = (root: ParentNode) => [...root.querySelectorAll<Field>('input, select, textarea')]

/** Copies a person's input from a field to its twin in another copy of the document. @returns whether the twin changed */
function carry(from: Field, to: Field): boolean {
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
 * Keeps the document as the server sent it, and a person's input, while React hydrates. To be called before React sees the
 * document.
 */
export function createServedDocument() {
  ;(window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('default', {
    createHTML: (text) => (text === SCRIPT_OF_REACT || text.trim() === '' ? text : null),
  })
  const served = document.documentElement.cloneNode(true) as HTMLElement
  const fields = fieldsOf(document)
  const twins = fieldsOf(served)
  const address = () => location.pathname + location.search
  const asked = address()
  let focused: EventTarget | null = document.activeElement
  addEventListener('focusin', ({ target }) => {
    focused = target
  })

  return {
    /** After React has rendered the document anew: copies input from the removed fields to the new fields. */
    carryOver() {
      for (const field of fields) {
        if (field.isConnected) continue
        const twin = document.getElementById(field.id) as Field | null
        if (!twin) continue
        if (carry(field, twin))
          for (const type of ['input', 'change']) twin.dispatchEvent(new Event(type, { bubbles: true }))
        if (field === focused) twin.focus({ preventScroll: true })
      }
    },

    /**
     * After React has given up: puts back the server's document, which works without JavaScript. If the address has changed
     * since, loads that screen from the server.
     */
    restore() {
      if (address() !== asked) return location.reload()
      fields.forEach((field, at) => {
        carry(field, twins[at]!)
      })
      served.removeAttribute('data-solo-primera')
      // Lets the document's inline script (app/core/http/defer-scripts.server.ts) repeat the click that it held back.
      for (const root of [served, document.documentElement]) root.dataset.despierta = ''
      document.documentElement.replaceWith(served)
    },
  }
}
