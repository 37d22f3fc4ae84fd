// npm run cuentas manages the accounts of organisers and journalists, whether the site runs or not.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/accounts-command.ts')
