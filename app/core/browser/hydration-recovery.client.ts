/**
 * React draws a document that something changed before it woke once more from nothing: a translator, an extension, a
 * telephone's number finder, a content blocker. For each `<script>` it then sets this text by `innerHTML`
 * (ReactFiberConfigDOM.js, `createInstance`), and into it nothing, since the scripts of a document have run. The policy
 * of the document (server/security-headers.ts) lets nothing else through.
 */
const SCRIPT_OF_REACT = '<script></script>'

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const fieldsOf = (root: ParentNode) => [...root.querySelectorAll<Field>('input, select, textarea')]

/** Puts into a field what a person entered into its twin, which is no longer in the document. */
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
  // React notices a value only where the element's own setter has set it.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(to), 'value')?.set?.call(to, from.value)
  return true
}

/**
 * Keeps the document as the server sent it, and what a person enters into it, for the time in which React wakes it.
 * To be made before React sees the document.
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
    /** After React has drawn the document once more: the new fields get what was entered into those that are gone. */
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
     * After React has given up: the document is again as the server sent it, which works without JavaScript. A screen that
     * was reached since is asked of the server.
     */
    restore() {
      if (address() !== asked) return location.reload()
      fields.forEach((field, at) => {
        carry(field, twins[at]!)
      })
      served.removeAttribute('data-solo-primera')
      // Tells the document's own script (app/core/http/defer-scripts.server.ts) to let a press that it held back go on.
      for (const root of [served, document.documentElement]) root.dataset.despierta = ''
      document.documentElement.replaceWith(served)
    },
  }
}
