import { expect, test } from 'vitest'
import { isSameOriginForm } from './same-origin.server.ts'

const from = (origin: string | undefined, host: string, publicUrl: string) =>
  isSameOriginForm(new Request(publicUrl, { headers: { host, ...(origin !== undefined && { origin }) } }), publicUrl)

test.each([
  ['https://feria.example', 'feria.example', 'https://feria.example', true],
  ['http://feria.example', 'feria.example', 'https://feria.example', false],
  ['https://feria.example:8443', 'feria.example', 'https://feria.example', false],
  ['https://feria.example.evil.mx', 'feria.example', 'https://feria.example', false],
  ['https://www.feria.example', 'www.feria.example', 'https://feria.example', true],
  ['http://localhost:3000', 'localhost:3000', 'http://127.0.0.1:3000', true],
  ['https://localhost:3000', 'localhost:3000', 'http://127.0.0.1:3000', false],
  ['http://127.0.0.1:3000', '127.0.0.1:3000', 'https://feria.example', true],
  ['http://www.feria.example', 'www.feria.example', 'https://feria.example', false],
  ['http://localhost.evil.mx', 'localhost.evil.mx', 'https://feria.example', false],
  ['null', 'feria.example', 'https://feria.example', false],
  ['', 'feria.example', 'https://feria.example', false],
  [undefined, 'feria.example', 'https://feria.example', true],
])('a form of %s, sent to %s of %s: %s', (origin, host, publicUrl, isOwn) => {
  expect(from(origin, host, publicUrl)).toBe(isOwn)
})
