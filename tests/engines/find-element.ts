/** What a visitor looks for: by what it is and by the name that a screen reader says, or by the text that is read. */
export interface ElementQuery {
  rol: 'button' | 'link' | 'field' | 'heading' | 'dialog' | 'image' | 'status' | 'alert' | 'article' | 'region' | 'text'
  nombre?: string | RegExp
  /** Only in there. */
  en?: ElementQuery
}

/** The same as the page is told it. */
export interface Task {
  rol: ElementQuery['rol']
  nombre?: { source: string; flags: string }
  en?: Task
}

export const task = ({ rol, nombre, en }: ElementQuery): Task => ({
  rol,
  ...(nombre === undefined ? {} : { nombre: patternOf(nombre) }),
  ...(en ? { en: task(en) } : {}),
})

const patternOf = (name: string | RegExp) =>
  typeof name === 'string'
    ? { source: `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, flags: '' }
    : { source: name.source, flags: name.flags }

export interface FoundElement {
  /** The middle of it, in the window. */
  x: number
  y: number
  text: string
  value: string
  /** Names of a field's chosen files. */
  files: string[]
  enabled: boolean
  focused: boolean
  inView: boolean
  /** What a press on its middle would reach instead. */
  covered: string | null
  /** Pixels of a picture that is there. */
  naturalWidth: number
}

/** `scrolled` brings it into view; whatever a press reaches beside what is `guarded` never hears of it. */
export type LookMode = 'facts' | 'scrolled' | 'guarded'

/** What the page keeps of a press. */
interface Toque {
  missed: boolean
  end(): void
}

/** Runs in the page. @returns the first visible one: the element itself, or what is to be known of it */
export function findElement(what: Task, como: 'element' | LookMode): Element | FoundElement | null {
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
    const within: ParentNode[] = one.en ? all(one.en) : [document]
    const pattern = one.nombre && new RegExp(one.nombre.source, one.nombre.flags)
    const fits = (element: Element) =>
      !pattern || pattern.test(one.rol === 'text' ? tidy(element.textContent) : nameOf(element))
    const found = within
      .flatMap((parent) => [...parent.querySelectorAll(SELECTORS[one.rol])])
      .filter((element) => fits(element) && isSeen(element))
    return one.rol === 'text'
      ? found.filter((element) => !found.some((other) => element !== other && element.contains(other)))
      : found
  }
  const element = all(what)[0]
  if (!element || como === 'element') return element ?? null
  // What is around it hears of a press beside it, too; only its own label's is one on itself.
  const isReachedBy = (reached: Element) =>
    element.contains(reached) || (reached.closest('label')?.control ?? null) === element
  if (como === 'scrolled') element.scrollIntoView({ block: 'center', behavior: 'instant' })
  if (como === 'guarded') {
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

/** Runs in the page, after a press. @returns whether it reached what it was meant for; a new page has forgotten it */
export function hit(): boolean {
  const page = window as Window & { toque?: Toque }
  const { toque } = page
  delete page.toque
  toque?.end()
  return !toque?.missed
}
