import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createRenderTurns } from './render-turns.ts'

test('the busy page has its style within itself, and its policy allows that style alone', async () => {
  const renderInTurn = createRenderTurns()
  const { promise: held, resolve: release } = Promise.withResolvers<Response>()
  const answers = Array.from({ length: 80 }, () =>
    renderInTurn({ client: '203.0.113.7', isRead: true, isUrgent: false }, () => held),
  )
  const busy = await Promise.race(answers)
  release(new Response(''))
  expect(busy.status).toBe(503)
  const [, style] = /<style>(.+)<\/style>/s.exec(await busy.text())!
  const hash = createHash('sha256').update(style!).digest('base64')
  expect(busy.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`,
  )
  await Promise.all(answers)
})
