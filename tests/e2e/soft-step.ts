import { expect, test } from '@playwright/test'

/**
 * One of several checks on a screen that is loaded once. If it fails, the test fails with these words after the other
 * checks have run.
 */
export const softStep = (words: string, asked: () => Promise<void>): Promise<void> =>
  test.step(words, async () => {
    const [outcome] = await Promise.allSettled([asked()])
    expect.soft(outcome.status === 'rejected' ? String(outcome.reason?.message) : '', words).toBe('')
  })
