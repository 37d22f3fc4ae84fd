import { testLetters } from '#tests/support/mail/letters.ts'
import { digestLetter } from './mails.server.ts'

const nothing = { candidates: 0, costumes: 0, withNewDocument: 0, received: 0, underReview: 0, undelivered: 0 }
testLetters([
  digestLetter({ ...nothing, candidates: 3, costumes: 1, withNewDocument: 2, received: 7, undelivered: 1 }, 'diario'),
  digestLetter({ ...nothing, undelivered: 4 }, 'al-momento'),
])
