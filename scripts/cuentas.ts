// The command npm run cuentas manages the organisers' and journalists' accounts, while the site runs or not.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/accounts-command.ts')
