// npm run cuentas: the organisers' and journalists' accounts, while the site runs or not.
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { root } from './prepare.mjs'

// The project's own files are found from here, wherever the command was called.
process.chdir(root)
// Messages are laid out as components, which Node alone does not read.
await runnerImport(join(root, 'scripts/cuentas-ordenes.ts'), { root, logLevel: 'error' })
