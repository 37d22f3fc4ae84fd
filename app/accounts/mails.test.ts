import { expect, test } from 'vitest'
import { compose, SITE, testLetters, textsOf } from '#tests/support/mail/letters.ts'
import {
  accreditationChangeLetter,
  accreditationLetter,
  codeLetter,
  invitationLetter,
  passwordChangedLetter,
  passwordSignInLetter,
} from './mails.server.ts'

const LINK = `${SITE}/medios/clave?llave=aB3-_x&medio=El%20Eco`
const OUTLET = 'El Eco <b>& Hijos</b>'
const EXPIRES_AT = new Date('2025-09-01T06:30:00Z')

testLetters([
  codeLetter('482913', 10),
  passwordSignInLetter(),
  accreditationLetter(OUTLET, LINK, EXPIRES_AT),
  accreditationChangeLetter(OUTLET, new Date('2025-10-06T05:59:59.999Z')),
  accreditationChangeLetter(OUTLET, undefined),
  invitationLetter(LINK, EXPIRES_AT),
  passwordChangedLetter(new Date('2025-09-01T18:30:00Z'), '/medios'),
])

test('the code stands in the subject, in the preview text and in the message', async () => {
  const { subject, html, text } = await compose(codeLetter('482913', 10))
  expect(subject).toBe('482913 es tu código de Señorita Azahares')
  const pieces = textsOf(html)
  expect(pieces.find(({ isHidden, text: piece }) => isHidden && piece.startsWith('482913:'))).toBeDefined()
  expect(pieces.find(({ isHidden, text: piece }) => !isHidden && piece === '482913')).toBeDefined()
  expect(text).toContain('482913')
  expect(text).toContain('Vence en 10 minutos')
})

test('an outlet’s name is escaped, and shown as it is', async () => {
  const { html, text } = await compose(accreditationLetter(OUTLET, LINK, EXPIRES_AT))
  expect(html).toContain('El Eco &lt;b&gt;&amp; Hijos&lt;/b&gt;')
  expect(html).toContain(`href="${LINK.replace('&', '&amp;')}"`)
  expect(text).toContain(`Elegir mi contraseña:\n${LINK}\n`)
})

test('times are those of Mexico, in every time zone of the machine', async () => {
  expect((await compose(accreditationLetter(OUTLET, LINK, EXPIRES_AT))).text).toMatch(
    /hasta el 1 de septiembre de 2025 a las 12:30\sa\.\s?m\., hora/,
  )
  expect((await compose(passwordChangedLetter(new Date('2025-09-01T18:30:00Z'), '/medios'))).text).toMatch(
    /Cambió el 1 de septiembre de 2025 a las 12:30\sp\.\s?m\., hora/,
  )
})
