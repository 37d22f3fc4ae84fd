import { testLetters } from '#tests/support/mail/letters.ts'
import { digestLetter } from './digest-letter.server.ts'

const nothing = {
  candidateCount: 0,
  costumeCount: 0,
  newDocumentCount: 0,
  receivedCount: 0,
  underReviewCount: 0,
  undeliveredCount: 0,
}
testLetters([
  digestLetter(
    { ...nothing, candidateCount: 3, costumeCount: 1, newDocumentCount: 2, receivedCount: 7, undeliveredCount: 1 },
    'diario',
  ),
  digestLetter({ ...nothing, undeliveredCount: 4 }, 'al-momento'),
])
