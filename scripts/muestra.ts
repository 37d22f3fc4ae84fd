// npm run muestra -- votacion fills the sample's own data folder for a moment of the edition, and serves the sample.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/sample-command.ts')
