import { expect, test } from 'vitest'
import { contestFactsOf, pathOfNamedCandidate } from './vote-request.server.ts'

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
  expect(contestFactsOf(request, { client: '10.0.0.1' }, edition, new Date('2025-09-20T12:00-06:00')).isCrossSite).toBe(
    isForeign,
  )
})

test.each([
  ['2025-09-15T09:59:59-06:00', false, true],
  ['2025-09-15T10:00:00-06:00', true, false],
  ['2025-09-25T23:59:00-06:00', true, false],
  ['2025-09-25T23:59:01-06:00', false, false],
])('at %s the vote is open: %o, ahead: %o', (now, isVoteOpen, isOpeningAhead) => {
  const fechas = { aperturaVotacion: '2025-09-15T10:00:00-06:00', cierreVotacion: '2025-09-25T23:59:00-06:00' }
  const at = (candidatas: object[]) =>
    contestFactsOf(
      new Request(`${SITE}/misspopularidad`),
      { client: '10.0.0.1' },
      { fechas, candidatas },
      new Date(now),
    )
  expect(at(Array(5).fill({}))).toMatchObject({ isVoteOpen, isOpeningAhead })
  expect(at([])).toMatchObject({ isVoteOpen: false, isOpeningAhead: false })
})

test.each<[string, string | undefined, string]>([
  ['vote=1', undefined, 'an address of the specification, which stays as it is'],
  ['vote=0&candidata=renata', undefined, 'her own place'],
  ['vote=2&candidata=renata&fbclid=x', '/misspopularidad?vote=0&candidata=renata', 'she has been moved since'],
  ['candidata=ximena', '/misspopularidad?vote=2&candidata=ximena', 'her name alone'],
  [
    'vote=0&candidata=valeria',
    '/misspopularidad?vote=1&candidata=valeria',
    'she has been withdrawn, and her place is empty',
  ],
  ['vote=0&candidata=de-otro-anio', '/misspopularidad?vote=', 'a candidate whom this edition does not have'],
])('the link %s leads to %s: %s', (query, path) => {
  const edition = { candidatas: [{ id: 'renata' }, { id: 'ximena' }], retiradas: [{ id: 'valeria', lugar: 1 }] }
  expect(pathOfNamedCandidate(new URLSearchParams(query), edition)).toBe(path)
})
