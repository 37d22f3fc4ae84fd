// npm run cuentas, loaded by cuentas.ts.
import { text } from 'node:stream/consumers'
import { cuentas } from './cuentas-ordenes.ts'
import { endWith } from './fault.ts'

process.exitCode = await cuentas(process.argv.slice(2), process.env, {
  read: () => text(process.stdin),
  say: console.log,
  complain: console.error,
}).catch(endWith)
