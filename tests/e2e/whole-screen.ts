import { expect, type Page } from '@playwright/test'

/** A screen is read in these windows: on the smallest phone, and with letters of twice the size on a phone and a desktop. */
const VIEWS = [
  { width: 320, height: 640, letters: '100%' },
  { width: 390, height: 844, letters: '200%' },
  { width: 1280, height: 800, letters: '200%' },
]

/**
 * Checks that a visitor with a small phone or large letters can read a screen whole.
 * @param mayBreakWords a narrow column of the panel may break a word that it cannot hold
 */
export async function expectReadable(page: Page, { mayBreakWords = false } = {}): Promise<void> {
  for (const { width, height, letters } of VIEWS) {
    await page.setViewportSize({ width, height })
    await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), letters)
    const faults = async () => (await findUnreadable(page)).filter((one) => !(mayBreakWords && one.includes('broken')))
    await expect.poll(faults, `${width} px, letters of ${letters}`).toEqual([])
  }
}

/**
 * Finds text that leaves the page, text that its box cuts, a word that is broken without a hyphen, and a text over another one.
 * Text that scrolls into view can be read.
 * @returns each fault in words
 */
const findUnreadable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const SLACK_PX = 2
    const faults = new Set<string>()
    const pageWidth = document.documentElement.clientWidth
    const sideways = document.documentElement.scrollWidth - innerWidth
    if (sideways > 0) faults.add(`the page scrolls sideways by ${sideways} px`)

    /** Returns the part of the page where an element can be seen, and whether its own scroller moves it there. */
    const reach = (element: Element) => {
      const box = { left: 0, right: pageWidth, top: -scrollY, bottom: Number.POSITIVE_INFINITY }
      const scrolls = { x: false, y: false }
      let isFixed = false
      let isSticky = false
      for (let one: Element | null = element; one && one !== document.body && !isFixed; one = one.parentElement) {
        const { overflowX, overflowY, position, clipPath } = getComputedStyle(one)
        if (clipPath === 'inset(50%)') return undefined
        const rect = one.getBoundingClientRect()
        scrolls.x ||= /auto|scroll/.test(overflowX)
        scrolls.y ||= /auto|scroll/.test(overflowY)
        if (/hidden|clip/.test(overflowX)) {
          box.left = Math.max(box.left, rect.left)
          box.right = Math.min(box.right, rect.right)
        }
        if (/hidden|clip/.test(overflowY)) {
          box.top = Math.max(box.top, rect.top)
          box.bottom = Math.min(box.bottom, rect.bottom)
        }
        isFixed = position === 'fixed'
        isSticky ||= position === 'sticky'
      }
      if (isFixed) Object.assign(box, { top: Math.max(box.top, 0), bottom: Math.min(box.bottom, innerHeight) })
      // What lies under a bar now is seen after some scrolling.
      return { box, scrolls, isBar: isFixed || isSticky }
    }
    const blockOf = (element: Element): Element =>
      element.parentElement && /^(inline|contents)$/.test(getComputedStyle(element).display)
        ? blockOf(element.parentElement)
        : element

    const shown: { words: string; rect: DOMRect; block: Element; isBar: boolean }[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const node = texts.currentNode as Text
      const parent = node.parentElement!
      const isShown = parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      if (!node.data.trim() || !isShown || parent.closest('[aria-hidden="true"], [inert], .skip-link, option')) continue
      const seen = reach(parent)
      if (!seen) continue
      const { box, scrolls, isBar } = seen
      const block = blockOf(parent)
      const range = document.createRange()
      for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top))
        if (lines.size > 1 && /^[¿¡«(]*(\p{L}+|\d{1,4})[.,;:!?»)]*$/u.test(word)) faults.add(`«${word}» is broken`)
      }
      range.selectNodeContents(node)
      const words = node.data.trim().slice(0, 40)
      for (const rect of range.getClientRects()) {
        if (rect.width === 0) continue
        const middle = (rect.top + rect.bottom) / 2
        const isCut = rect.left < box.left - SLACK_PX || rect.right > box.right + SLACK_PX
        if (isCut && !scrolls.x) faults.add(`«${words}» is cut at the side`)
        if ((middle < box.top || middle > box.bottom) && !scrolls.y) faults.add(`«${words}» is out of reach`)
        shown.push({ words, rect, block, isBar })
      }
    }

    /** Letters fill about the middle half of their line's height. */
    const isOver = (one: DOMRect, other: DOMRect) => {
      const [bottom, top] = [
        Math.min(one.bottom - one.height / 4, other.bottom - other.height / 4),
        Math.max(one.top + one.height / 4, other.top + other.height / 4),
      ]
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      return bottom - top > SLACK_PX && across > SLACK_PX
    }
    shown.sort((one, other) => one.rect.top - other.rect.top)
    for (const [at, one] of shown.entries())
      for (const other of shown.slice(at + 1)) {
        if (other.rect.top > one.rect.bottom) break
        if (other.isBar !== one.isBar || other.block === one.block) continue
        if (isOver(one.rect, other.rect)) faults.add(`«${one.words}» lies over «${other.words}»`)
      }
    return [...faults]
  })
