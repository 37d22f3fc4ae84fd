// The command npm run restaurar puts a backup into an empty place, or brings back one entry.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/restore-command.ts')
