// npm run cuentas, loaded by cuentas.ts.
import { text } from 'node:stream/consumers'
import { endWithFault, inOwnWords } from '../../server/end-with-fault.ts'
import { accounts } from './accounts-verbs.ts'

process.exitCode = await accounts(process.argv.slice(2), process.env, {
  read: () => text(process.stdin),
  say: console.log,
  complain: (line) => console.error(inOwnWords(line)),
}).catch(endWithFault)
