import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** An animation that ends by itself within this many milliseconds is an entrance, and is waited for. */
const ENTRANCE_MS = 5000

interface What {
  /** A selector: only this part of the screen. */
  within?: string
  /** Also that nothing to be pressed is smaller than 24 px. */
  targets?: boolean
}

/** Holds axe against a screen once its entrances are over, since words that fade in have no contrast yet. */
export async function expectAccessible(page: Page, { within, targets = false }: What = {}): Promise<void> {
  await settled(page)
  const rules = { 'target-size': { enabled: targets } }
  const axe = new AxeBuilder({ page }).options({ rules, resultTypes: ['violations'] })
  // All at once in the page finds the same as frame by frame, in a quarter of the time; a frame's own page it may not enter.
  axe.setLegacyMode(page.frames().length === 1)
  if (within) axe.include(within)
  const { violations } = await axe.analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  expect(found).toEqual([])
}

/** Waits until nothing fades or moves in; what turns for ever, or with the scroll, is not waited for. */
async function settled(page: Page): Promise<void> {
  const moving = () =>
    page.evaluate(
      (most) =>
        document
          .getAnimations()
          .filter(
            ({ timeline, playState, effect }) =>
              timeline === document.timeline &&
              playState === 'running' &&
              Number(effect?.getComputedTiming().endTime) < most,
          ).length,
      ENTRANCE_MS,
    )
  await expect.poll(moving).toBe(0)
}
