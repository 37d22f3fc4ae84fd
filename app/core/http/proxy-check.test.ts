import { expect, test } from 'vitest'
import { proxyWarning } from './proxy-check.ts'

test.each([
  ['https://feria.example', 0, false, /PUBLIC_URL es de https/],
  ['https://feria.example', 0, true, /llegan a través de un servidor intermedio/],
  ['http://127.0.0.1:3000', 0, true, /Pon en TRUSTED_PROXIES cuántos/],
])('%s, %i proxies, forwarded: %s: there is a warning', (publicUrl, trustedProxies, isForwarded, words) => {
  expect(proxyWarning({ publicUrl, trustedProxies }, isForwarded)).toMatch(words)
})

test.each([
  ['https://feria.example', 1, false],
  ['http://127.0.0.1:3000', 0, false],
])('%s, %i proxies: there is no warning', (publicUrl, trustedProxies, isForwarded) => {
  expect(proxyWarning({ publicUrl, trustedProxies }, isForwarded)).toBeUndefined()
})
