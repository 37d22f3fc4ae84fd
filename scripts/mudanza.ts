// npm run mudanza moves the site to another database or another storage, or back.
import { loadCommand } from './commands/load-command.ts'

await loadCommand('scripts/commands/move-command.ts', { rendersMail: false })
