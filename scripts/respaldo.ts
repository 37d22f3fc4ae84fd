// npm run respaldo backs up the site's texts, documents and votes, whether the site runs or not.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/backup-command.ts', { rendersMail: false })
