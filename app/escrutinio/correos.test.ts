import { expect, test } from 'vitest'
import { compose, revisarCartas } from '../../tests/cartas.ts'
import { cartaDeRecibo } from './correos.server.ts'

const CAJA = { numero: 12, papeletas: 1_214, sello: '3f'.repeat(32) }
revisarCartas([cartaDeRecibo('7F2K-94QX-M3TR', undefined), cartaDeRecibo('7F2K-94QX-M3TR', CAJA)])

test('the mail of a receipt says the newest link of the chain, in text and in HTML', async () => {
  for (const body of Object.values(await compose(cartaDeRecibo('7F2K-94QX-M3TR', CAJA))).slice(1)) {
    expect(body).toContain('Caja 12, con 1,214 votos. Sello:')
    expect(body).toContain(CAJA.sello)
  }
  expect((await compose(cartaDeRecibo('7F2K-94QX-M3TR', undefined))).text).not.toContain('Caja')
})
