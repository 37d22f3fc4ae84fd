import { expect, test } from 'vitest'
import { visitOf } from './vote-request.server.ts'

const SITE = 'https://azahares.example'

test.each<[boolean, Record<string, string>, string]>([
  [true, { 'sec-fetch-site': 'cross-site' }, 'another site, and the browser says so'],
  [false, { 'sec-fetch-site': 'none', referer: 'https://otro.example/' }, 'what the browser says goes first'],
  [true, { referer: 'https://otro.example/' }, 'a browser that says only which page it was'],
  [true, { referer: 'https://otro.example/', host: '10.0.0.7:3000' }, 'another page, on a network without TLS'],
  [false, { referer: `${SITE}/candidatas` }, 'a page of this site'],
  [false, { referer: 'http://10.0.0.7:3000/', host: '10.0.0.7:3000' }, 'this site by another of its names'],
  [false, { referer: 'nada' }, 'nothing that can be read'],
  [false, {}, 'an address that was typed'],
])('foreign: %s with %o: %s', (isForeign, headers) => {
  const request = new Request(`${SITE}/misspopularidad?vote=1`, { headers })
  const edition = { fechas: { cierreVotacion: '2025-09-25T23:59-06:00' }, candidatas: Array(5).fill({}) }
  expect(visitOf(request, { client: '10.0.0.1' }, edition, new Date('2025-09-20T12:00-06:00')).isCrossSite).toBe(
    isForeign,
  )
})
