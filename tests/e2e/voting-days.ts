import type { Page } from '@playwright/test'
import { test } from './site.ts'

/** Tests whose addresses are those of the site in the days of the vote. */
export const testDuringVoting = test.extend({ baseURL: ({ votingSite }, use) => use(votingSite.url) })

/** The window of a vote, not the sponsors' window. */
export const vote = (page: Page) => page.getByRole('dialog').filter({ hasNotText: 'patrocinadores' })
