import type { Page } from '@playwright/test'
import { type Site, siteWith, test } from './site.ts'

/** Beside the usual site, one in the days of the vote. */
export const votando = test.extend<object, { votacion: Site }>({
  votacion: siteWith({ SITE_CLOCK: '2025-09-20T12:00-06:00' }),
})

/** The same, with addresses that are of that one. */
export const enLaVotacion = votando.extend({ baseURL: ({ votacion }, use) => use(votacion.url) })

/** The window of a vote; the sponsors have one, too. */
export const vote = (page: Page) => page.getByRole('dialog').filter({ hasNotText: 'patrocinadores' })
