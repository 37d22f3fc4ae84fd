import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EXCHANGE, GMAIL, POSTFIX } from '#tests/support/mail/bounces.ts'
import { parseBounce } from './delivery-report.server.ts'

const ID = randomUUID()
const read = (text: string) => parseBounce(Buffer.from(text))

test.each([
  ['Postfix', POSTFIX(ID), '5.1.1'],
  ['Exchange', EXCHANGE(ID), '5.2.2'],
  ['Gmail', GMAIL(ID), '5.1.2'],
  ['Postfix, with line ends as on the wire', POSTFIX(ID).replaceAll('\n', '\r\n'), '5.1.1'],
  ['one cut off within what it returns', EXCHANGE(ID).slice(0, EXCHANGE(ID).indexOf('Hola, Ana')), '5.2.2'],
  ['a status that is none', POSTFIX(ID).replace('Status: 5.1.1', 'Status: <b>x</b>'), '5.0.0'],
])('a report of %s says which message came back, and why', async (_who, text, status) => {
  expect(await read(text)).toEqual({ messageId: ID, status })
})

test.each([
  ['a delay', POSTFIX(ID).replace('Action: failed', 'Action: delayed')],
  ['a success', POSTFIX(ID).replace('Action: failed', 'Action: relayed')],
  [
    'an answer of a person that quotes one',
    POSTFIX(ID).replace('multipart/report; report-type=delivery-status', 'multipart/mixed'),
  ],
  [
    'one that names the message in its words alone',
    POSTFIX(ID)
      .replace(/^Message-ID: .*$/m, '')
      .replace('User unknown', `Message-ID: <${ID}@azahares.example>`),
  ],
  ['one whose message has no name of ours', POSTFIX('20261122.hola')],
  ['no mail at all', '\0\0\0'],
  ['nothing', ''],
])('%s is no message that came back', async (_what, text) => {
  expect(await read(text)).toBeUndefined()
})
