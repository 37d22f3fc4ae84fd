import { expect, test } from 'vitest'
import { mailboxOf } from './canonical-mailbox.ts'

test.each([
  ['analopez@gmail.com', ['ana.lopez+voto@gmail.com', 'a.n.a.l.o.p.e.z@googlemail.com', 'analopez+1@googlemail.com']],
  [
    'primodeana@proton.me',
    ['primodeana@pm.me', 'primo.de.ana@protonmail.com', 'primo_de-ana@proton.me', 'primodeana+3@protonmail.ch'],
  ],
  ['ana.lopez@hotmail.com', ['ana.lopez+voto@hotmail.com']],
  ['ana@outlook.com', ['ana+1@outlook.com']],
  ['ana@yahoo.com.mx', ['ana-voto@yahoo.com.mx', 'ana-otro-mas@yahoo.com.mx', 'ana+1@yahoo.com.mx']],
  ['ana@icloud.com', ['ana@me.com', 'ana+voto@mac.com']],
  ['ana@fastmail.com', ['ana+voto@fastmail.com', 'voto@ana.fastmail.com', 'otro+mas@ana.fastmail.com']],
  ['ana-lopez@yandex.com', ['ana.lopez@ya.ru', 'ana-lopez@yandex.ru', 'ana.lopez+voto@yandex.com']],
  ['ana.lopez@empresa.mx', ['ana.lopez+voto@empresa.mx']],
])('%s is one mailbox, however it is written', (mailbox, written) => {
  expect([mailbox, ...written].map(mailboxOf)).toEqual(Array(written.length + 1).fill(mailbox))
})

test.each([
  ['ana.lopez@hotmail.com', 'analopez@hotmail.com'],
  ['ana@hotmail.com', 'ana@outlook.com'],
  ['ana@yahoo.com', 'ana@ymail.com'],
  ['ana-lopez@empresa.mx', 'analopez@empresa.mx'],
  ['ana@uno.empresa.mx', 'ana@dos.empresa.mx'],
  ['voto@ana.fastmail.com', 'voto@eva.fastmail.com'],
  ['ana-lopez@gmail.com', 'analopez@gmail.com'],
])('%s and %s are two mailboxes', (one, other) => {
  expect(mailboxOf(one)).not.toBe(mailboxOf(other))
})

test.each([
  '+voto@gmail.com',
  '...@gmail.com',
  '-a@yahoo.com',
  '_@proton.me',
])('%s keeps a name, so that such addresses are not all one mailbox', (email) => {
  expect(mailboxOf(email)).toMatch(/^.*@/)
  expect(mailboxOf('ana@gmail.com')).not.toBe(mailboxOf(email))
})
