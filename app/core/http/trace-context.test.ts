import { expect, test } from 'vitest'
import { readTraceContext } from './trace-context.server.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const from = (headers: Record<string, string>) => (name: string) => headers[name]

test('id and trace are taken over from a trusted proxy only', () => {
  const said = from({ 'x-request-id': 'a1b2c3d4e5f6', traceparent: `00-${TRACE}-b7ad6b7169203331-01` })
  expect(readTraceContext(said, 1)).toEqual({ id: 'a1b2c3d4e5f6', trace: TRACE })
  expect(readTraceContext(said, 0)).toEqual({ id: undefined, trace: undefined })
})

test.each<Record<string, string>>([
  { 'x-request-id': 'corto' },
  { 'x-request-id': 'una línea\nmás' },
  { 'x-request-id': 'x'.repeat(65) },
  { traceparent: `ff-${TRACE}-b7ad6b7169203331-01` },
  { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
])('a header that cannot be an id or a trace is left out: %o', (headers) => {
  expect(readTraceContext(from(headers), 1)).toEqual({ id: undefined, trace: undefined })
})
