import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** An animation that ends by itself within this time is an entrance, and is waited for. */
const ENTRANCE_MS = 5000

interface What {
  /** Selector of the part of the screen to check. */
  within?: string
  /** Also checks that no target is smaller than 24 px. */
  targets?: boolean
}

/** Runs axe on a screen once its entrances are over, since words that fade in have no contrast yet. */
export async function expectAccessible(page: Page, { within, targets = false }: What = {}): Promise<void> {
  await settled(page)
  const rules = { 'target-size': { enabled: targets } }
  const axe = new AxeBuilder({ page }).options({ rules, resultTypes: ['violations'] })
  // Without frames, legacy mode finds the same violations in a quarter of the time; it cannot enter a frame's page.
  axe.setLegacyMode(page.frames().length === 1)
  if (within) axe.include(within)
  const { violations } = await axe.analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  expect(found).toEqual([])
}

/** Waits until no entrance is running; endless animations and those bound to the scroll are not waited for. */
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
