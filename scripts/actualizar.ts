// The command npm run actualizar replaces the running version without downtime; --volver returns to the version before.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/update-command.ts', { conVista: false })
