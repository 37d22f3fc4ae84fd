// A process with a mail worker, which a test kills. Arguments: connection of the database (JSON), URL of the mail server, duration
// of a lease in ms.

import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { openSmtp } from '#app/core/mail-transport/smtp.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { startMailWorker } from '#app/mail/worker.server.ts'
import { KEYED } from './decrypted-mail.ts'

const [connection = '', url = '', leaseMs = ''] = process.argv.slice(2)
const db = openDatabase(openPool(JSON.parse(connection)))
const mailer = openSmtp(url, { name: 'Señorita Azahares', address: 'avisos@azahares.example' })
startMailWorker({ db, keyed: KEYED, log: createLog('silent') }, mailer, { pollMs: 20, leaseMs: Number(leaseMs) })
