// npm run actualizar replaces the running version without downtime; --volver goes back to the version before.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/update-command.ts', { rendersMail: false })
