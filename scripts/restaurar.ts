// npm run restaurar restores a backup into an empty place, or restores a single entry.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/restore-command.ts')
