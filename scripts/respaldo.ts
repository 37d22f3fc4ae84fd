// npm run respaldo: copies the site, its words, its documents and its vote, to another place, while it runs or not.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/backup-command.ts', { conVista: false })
