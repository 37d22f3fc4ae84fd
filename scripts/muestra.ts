// The command npm run muestra -- votacion fills the sample's own data folder for a moment of the edition, and serves it.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/sample-command.ts')
