// npm run actualizar: another version takes the place of the one that runs, while visitors come; --volver takes it back.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/update-command.ts', { conVista: false })
