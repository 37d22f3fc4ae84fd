/** An element to look for: by its role and its name for a screen reader, or by its visible text. */
export interface ElementQuery {
  role:
    | 'button'
    | 'link'
    | 'field'
    | 'heading'
    | 'dialog'
    | 'image'
    | 'status'
    | 'alert'
    | 'article'
    | 'region'
    | 'text'
  name?: string | RegExp
  /** Looks only inside this element. */
  within?: ElementQuery
}

/** The query in the form that the page gets. */
export interface Task {
  role: ElementQuery['role']
  name?: { source: string; flags: string }
  within?: Task
}

export const task = ({ role, name, within }: ElementQuery): Task => ({
  role,
  ...(name === undefined ? {} : { name: patternOf(name) }),
  ...(within ? { within: task(within) } : {}),
})

const patternOf = (name: string | RegExp) =>
  typeof name === 'string'
    ? { source: `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, flags: '' }
    : { source: name.source, flags: name.flags }

export interface FoundElement {
  /** Centre of the element, in the window. */
  x: number
  y: number
  text: string
  value: string
  /** Names of the files chosen in a field. */
  files: string[]
  enabled: boolean
  focused: boolean
  inView: boolean
  /** HTML of the element that a press on the centre would hit instead, or null. */
  covered: string | null
  /** Width of a loaded picture in pixels, otherwise 0. */
  naturalWidth: number
}

/** `scrolled` brings the element into view; `guarded` stops the events of a press that misses it. */
export type LookMode = 'facts' | 'scrolled' | 'guarded'

/** State of a guarded press, kept in the page. */
interface Toque {
  missed: boolean
  end(): void
}

/** Runs in the page. @returns the first visible match: the element itself, or its facts */
export function findElement(what: Task, mode: 'element' | LookMode): Element | FoundElement | null {
  const SELECTORS = {
    button: 'button, [role=button], summary, input[type=submit]',
    link: 'a[href]',
    field: 'input, select, textarea',
    heading: 'h1, h2, h3',
    dialog: 'dialog[open], [role=dialog]',
    image: 'img',
    status: '[role=status], output',
    alert: '[role=alert]',
    article: 'article, li',
    region: 'section',
    text: 'body *:not(script):not(style)',
  }
  const tidy = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  const nameOf = (element: Element): string => {
    const by = element.getAttribute('aria-labelledby')?.split(' ') ?? []
    const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : []
    const named = by.map((id) => tidy(document.getElementById(id)?.textContent)).join(' ')
    const own = named || element.getAttribute('aria-label') || labels.map((one) => tidy(one.textContent)).join(' ')
    if (own) return tidy(own)
    if (element instanceof HTMLImageElement) return element.alt
    return tidy(element.textContent) || (element.querySelector('img')?.alt ?? '')
  }
  const isSeen = (element: Element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false
    const { width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0
  }
  const all = (one: typeof what): Element[] => {
    const within: ParentNode[] = one.within ? all(one.within) : [document]
    const pattern = one.name && new RegExp(one.name.source, one.name.flags)
    const fits = (element: Element) =>
      !pattern || pattern.test(one.role === 'text' ? tidy(element.textContent) : nameOf(element))
    const found = within
      .flatMap((parent) => [...parent.querySelectorAll(SELECTORS[one.role])])
      .filter((element) => fits(element) && isSeen(element))
    return one.role === 'text'
      ? found.filter((element) => !found.some((other) => element !== other && element.contains(other)))
      : found
  }
  const element = all(what)[0]
  if (!element || mode === 'element') return element ?? null
  // A press reaches the element through its content and its label, not through the elements around it.
  const isReachedBy = (reached: Element) =>
    element.contains(reached) || (reached.closest('label')?.control ?? null) === element
  if (mode === 'scrolled') element.scrollIntoView({ block: 'center', behavior: 'instant' })
  if (mode === 'guarded') {
    const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']
    const guard = (event: Event) => {
      if (isReachedBy(event.target as Element)) return
      toque.missed = true
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    const toque = { missed: false, end: () => types.map((type) => removeEventListener(type, guard, true)) }
    Object.assign(window, { toque })
    for (const type of types) addEventListener(type, guard, true)
  }
  const { left, top, right, bottom } = element.getBoundingClientRect()
  const x = Math.round((left + right) / 2)
  const y = Math.round((top + bottom) / 2)
  const reached = document.elementFromPoint(x, y)
  const input = element as HTMLInputElement
  return {
    x,
    y,
    text: tidy(element.textContent),
    value: input.value ?? '',
    files: [...(input.files ?? [])].map(({ name }) => name),
    enabled: !input.disabled && element.getAttribute('aria-disabled') !== 'true',
    focused: document.activeElement === element,
    inView: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
    covered: reached && isReachedBy(reached) ? null : (reached?.outerHTML.slice(0, 120) ?? 'nothing'),
    naturalWidth: (element as HTMLImageElement).naturalWidth ?? 0,
  }
}

/** Runs in the page after a press. @returns whether the press reached its element, as far as this page knows */
export function hit(): boolean {
  const page = window as Window & { toque?: Toque }
  const { toque } = page
  delete page.toque
  toque?.end()
  return !toque?.missed
}
