// A process that carries mail until it is killed. Arguments: the database's connection, the mail server, the lease in
// ms.
import { startCartero } from '../app/correo/cartero.server.ts'
import { openDatabase, openPool } from '../app/platform/database.server.ts'
import { createLog } from '../app/platform/log.server.ts'
import { openSmtp } from '../app/platform/mail-smtp.server.ts'
import { KEYED } from './escrito.ts'

const [connection = '', url = '', leaseMs = ''] = process.argv.slice(2)
const db = openDatabase(openPool(JSON.parse(connection)))
const mailer = openSmtp(url, { name: 'Señorita Azahares', address: 'avisos@azahares.example' })
startCartero({ db, keyed: KEYED, log: createLog('silent') }, mailer, { pollMs: 20, leaseMs: Number(leaseMs) })
