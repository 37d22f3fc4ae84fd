import { testLetters } from '#tests/support/mail/letters.ts'
import { digestLetter } from './mails.server.ts'

const nothing = { candidatas: 0, trajes: 0, repuestas: 0, recibidas: 0, enRevision: 0, noLlegaron: 0 }
testLetters([
  digestLetter({ ...nothing, candidatas: 3, trajes: 1, repuestas: 2, recibidas: 7, noLlegaron: 1 }, 'diario'),
  digestLetter({ ...nothing, noLlegaron: 4 }, 'al-momento'),
])
