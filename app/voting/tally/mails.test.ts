import { expect, test } from 'vitest'
import { compose, revisarCartas } from '../../../tests/cartas.ts'
import { KEYED } from '../../../tests/escrito.ts'
import { cartaDeRecibo } from './mails.server.ts'
import { publicKeyOf } from './record-signature.server.ts'

const KEY = publicKeyOf({ keyed: KEYED })
const CAJA = { numero: 12, papeletas: 1_214, sello: '3f'.repeat(32) }
revisarCartas([cartaDeRecibo('7F2K-94QX-M3TR', undefined, KEY), cartaDeRecibo('7F2K-94QX-M3TR', CAJA, KEY)])

test('the mail of a receipt says the newest link of the chain, in text and in HTML', async () => {
  for (const body of Object.values(await compose(cartaDeRecibo('7F2K-94QX-M3TR', CAJA, KEY))).slice(1)) {
    expect(body).toContain('Caja 12, con 1,214 votos. Sello:')
    expect(body).toContain(CAJA.sello)
    expect(body).toContain(KEY)
  }
  expect((await compose(cartaDeRecibo('7F2K-94QX-M3TR', undefined, KEY))).text).not.toContain('Caja')
})
