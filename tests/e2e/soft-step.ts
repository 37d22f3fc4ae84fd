import { expect, test } from '@playwright/test'

/**
 * One of several things that are asked of a screen which is loaded once. Where it does not hold, the test fails with its
 * words, and goes on to the next.
 */
export const softStep = (words: string, asked: () => Promise<void>): Promise<void> =>
  test.step(words, async () => {
    const [outcome] = await Promise.allSettled([asked()])
    expect.soft(outcome.status === 'rejected' ? String(outcome.reason?.message) : '', words).toBe('')
  })
