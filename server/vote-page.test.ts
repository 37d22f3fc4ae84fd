import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { type DisplayedEdition, withEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Site } from './services.ts'
import { shareVotePage } from './vote-page.ts'

// The module needs the site's build.
vi.mock('./render.ts', () => ({ renderDynamic: vi.fn() }))

test('a shared link counts one visit, also if it names the candidate’s place of before and is redirected', async () => {
  const countScreen = vi.fn()
  const settings = { publicUrl: 'http://localhost', trustedProxies: 0 }
  const services = { settings, log: { warn() {} }, clock: { now: () => new Date() } }
  const site = { services, accounts: {}, visits: { countScreen } } as unknown as Site
  const displayed = { edition: { candidatas: [{ id: 'eva' }, { id: 'ana' }] } } as DisplayedEdition
  const visit = async (url: string) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url })
    const answerDynamically = vi.fn()
    const share = shareVotePage(site)
    expect(withEdition(displayed, () => share(request, new ServerResponse(request), answerDynamically))).toBe(true)
    await vi.waitFor(() => expect(answerDynamically).toHaveBeenCalled())
  }
  await visit('/misspopularidad?vote=0&candidata=ana')
  expect(countScreen).not.toHaveBeenCalled()
  await visit('/misspopularidad?vote=1&candidata=ana')
  expect(countScreen).toHaveBeenCalledOnce()
})
