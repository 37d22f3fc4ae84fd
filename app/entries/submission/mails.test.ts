import { testLetters } from '#tests/support/mail/letters.ts'
import { entryReceivedLetter } from './mails.server.ts'

const folio = '7K3M-Q9XT-04WB'
testLetters([entryReceivedLetter('candidata', folio), entryReceivedLetter('traje', folio)])
