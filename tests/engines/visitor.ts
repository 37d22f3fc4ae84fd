import { type ElementQuery, type FoundElement, findElement, hit, type LookMode, task } from './find-element.ts'
import type { BrowserWindow } from './window.ts'

const PATIENCE_MS = 20_000
const LOOK_EVERY_MS = 40

/** WebDriver's code points of keys without a character. */
const KEYS = { Control: '\uE009', Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004', ArrowRight: '\uE014' } as const

/**
 * A visitor at a window of any engine. Looks wait for an element; a press waits until the element is in view, stands
 * still, and is reached by the pointer.
 */
export class Visitor {
  readonly browserWindow: BrowserWindow
  readonly #url: string

  /** @param url of the site */
  constructor(browserWindow: BrowserWindow, url: string) {
    this.browserWindow = browserWindow
    this.#url = url
  }

  /** @returns once the page's own script is at work */
  async open(path: string): Promise<void> {
    await this.browserWindow.open(this.#url + path)
    await this.#awake()
  }

  async reload(): Promise<void> {
    await this.browserWindow.reload()
    await this.#awake()
  }

  #awake = () =>
    this.until('its script at work', async () =>
      (await this.browserWindow.ask(() => document.documentElement.hasAttribute('data-hydrated'))) ? true : undefined,
    )

  path = () => this.browserWindow.ask(() => location.pathname + location.search)

  /** Waits until the element is visible. @returns its facts */
  see(what: ElementQuery): Promise<FoundElement> {
    return this.until(said(what), async () => (await this.#look(what)) ?? undefined)
  }

  /** Waits for a text: a string is the whole text, a pattern a part. */
  read = (name: string | RegExp, within?: ElementQuery) =>
    this.see({ role: 'text', name, ...(within ? { within } : {}) })

  /** Waits until the element meets a condition. */
  seeThat(what: ElementQuery, isSo: (found: FoundElement) => boolean): Promise<FoundElement> {
    return this.until(`${said(what)} as wanted (${isSo})`, async () => {
      const found = await this.#look(what)
      return found && isSo(found) ? found : undefined
    })
  }

  async seeNone(what: ElementQuery): Promise<void> {
    await this.until(`no ${said(what)}`, async () => ((await this.#look(what)) ? undefined : true))
  }

  async press(what: ElementQuery): Promise<void> {
    let before: FoundElement | undefined
    await this.until(`${said(what)} that can be pressed`, async () => {
      const found = await this.#look(what, before?.covered === null ? 'facts' : 'scrolled')
      const isStill = found && before && found.x === before.x && found.y === before.y
      before = found ?? undefined
      if (!isStill || !found.enabled || found.covered !== null) return undefined
      // An element that comes in between (a line that pushes the button away) is not pressed instead.
      const now = await this.#look(what, 'guarded')
      if (now) await this.#click(now)
      return ((await this.browserWindow.ask(hit)) && now !== null) || undefined
    })
  }

  async #click({ x, y }: FoundElement): Promise<void> {
    await this.browserWindow.perform([
      {
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [
          { type: 'pointerMove', x, y },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      },
    ])
  }

  async key(...names: (keyof typeof KEYS)[]): Promise<void> {
    await this.#type(names.map((name) => KEYS[name]))
  }

  /** Types into a field, replacing its text. */
  async fill(label: string | RegExp, text: string): Promise<void> {
    const field: ElementQuery = { role: 'field', name: label }
    await this.press(field)
    await this.seeThat(field, ({ focused }) => focused)
    if ((await this.see(field)).value)
      await this.#keys([
        ['keyDown', KEYS.Control],
        ['keyDown', 'a'],
        ['keyUp', 'a'],
        ['keyUp', KEYS.Control],
      ])
    await this.#type([...text])
    await this.seeThat(field, ({ value }) => value === text)
  }

  /** The system draws the open list of a select, so the choice is made by its value and events. */
  async select(label: string, option: string): Promise<void> {
    await this.see({ role: 'field', name: label })
    await this.browserWindow.ask(
      (label: string, wanted: string) => {
        const field = [...document.querySelectorAll('select')].find(({ labels }) =>
          [...labels].some((one) => one.textContent?.trim() === label),
        )!
        field.value = [...field.options].find(({ text }) => text === wanted)!.value
        for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
      },
      label,
      option,
    )
  }

  async choose(label: string, ...paths: string[]): Promise<void> {
    const field: ElementQuery = { role: 'field', name: label }
    await this.see(field)
    await this.browserWindow.choose(findElement, [task(field), 'element'], paths)
  }

  /** Calls `look` until it answers. @throws after PATIENCE_MS */
  async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const until = Date.now() + PATIENCE_MS
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if (Date.now() > until) break
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    const there = await this.browserWindow.ask(() => `${location.href}\n${document.body.innerText.slice(0, 3_000)}`)
    throw new Error(`There was no ${what} on ${there}`)
  }

  #look = async (what: ElementQuery, mode: LookMode = 'facts') =>
    (await this.browserWindow.ask(findElement, task(what), mode)) as FoundElement | null

  #type = (keys: readonly string[]) =>
    this.#keys(
      keys.flatMap((value) => [
        ['keyDown', value],
        ['keyUp', value],
      ]),
    )

  async #keys(actions: ['keyDown' | 'keyUp', string][]): Promise<void> {
    await this.browserWindow.perform([
      { type: 'key', id: 'keyboard', actions: actions.map(([type, value]) => ({ type, value })) },
    ])
  }
}

const said = ({ role, name, within }: ElementQuery): string =>
  `${role} ${name ?? ''}${within ? ` in ${said(within)}` : ''}`
