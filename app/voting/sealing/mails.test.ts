import { expect, test } from 'vitest'
import { KEYED } from '#tests/support/mail/decrypted-mail.ts'
import { compose, testLetters } from '#tests/support/mail/letters.ts'
import { receiptLetter } from './mails.server.ts'
import { publicKeyOf } from './record-signature.server.ts'

const KEY = publicKeyOf({ keyed: KEYED })
const BLOCK = { numero: 12, papeletas: 1_214, sello: '3f'.repeat(32) }
testLetters([receiptLetter('7F2K-94QX-M3TR', undefined, KEY), receiptLetter('7F2K-94QX-M3TR', BLOCK, KEY)])

test('the mail of a receipt says the newest link of the chain, in text and in HTML', async () => {
  for (const body of Object.values(await compose(receiptLetter('7F2K-94QX-M3TR', BLOCK, KEY))).slice(1)) {
    expect(body).toContain('Caja 12, con 1,214 votos. Sello:')
    expect(body).toContain(BLOCK.sello)
    expect(body).toContain(KEY)
  }
  const { html } = await compose(receiptLetter('7F2K-94QX-M3TR', BLOCK, KEY))
  expect(html).toMatch(new RegExp(`<code style="[^"]*max-width:32.5ch[^"]*monospace[^"]*">${BLOCK.sello}</code>`))
  expect(html).toMatch(new RegExp(`<code [^>]*>${KEY}</code>`))
  expect((await compose(receiptLetter('7F2K-94QX-M3TR', undefined, KEY))).text).not.toContain('Caja')
})
