// npm run configurar: asks for the settings of a real site, tries each, and prints the new settings file.
import { openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { ReadStream } from 'node:tty'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { openDatabase } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { backupPassphrase, saveKeyNoted } from '#app/ops/backup/own-key.server.ts'
import type { Undo } from '../server/undo.ts'
import { configure } from './commands/configure.ts'
import { openCommandSite, readSecret } from './commands/open-site.ts'
import { runCommand } from './commands/run-command.ts'

/** Opens the terminal itself, since standard input is the settings file. @throws StartError without a terminal */
function openTerminal() {
  try {
    return createInterface({ input: new ReadStream(openSync('/dev/tty', 'r')), terminal: false })
  } catch {
    throw new StartError('No hay terminal donde preguntar: entra al servidor y repite ahí la orden.')
  }
}

async function readKey(settings: Settings, undo: Undo) {
  const { backupKey } = settings
  if (backupKey !== undefined) return { passphrase: backupKey, markNoted: async () => {} }
  const db = openDatabase((await openCommandSite(settings, undo)).pool)
  const secret = await readSecret(settings)
  const passphrase = await backupPassphrase(db, settings, secret ? createKeyDeriver(secret) : undefined)
  return passphrase === undefined ? undefined : { passphrase, markNoted: () => saveKeyNoted(db, TERMINAL) }
}

await runCommand({ isJson: false }, async (say, undo) => {
  const lines = openTerminal()[Symbol.asyncIterator]()
  const settingsBefore = process.stdin.isTTY ? '' : await text(process.stdin)
  let key: ReturnType<typeof readKey> | undefined
  const settingsAfter = await configure(settingsBefore, process.env, {
    async ask(question) {
      process.stderr.write(question)
      const { value, done } = await lines.next()
      if (done) throw new StartError('Se acabaron las respuestas: no se cambió nada.')
      return value.trim()
    },
    say,
    // Reading the key starts the database of a stopped site, so the key is read once.
    readKey: (settings) => (key ??= readKey(settings, undo)),
  })
  return { ok: true, line: settingsAfter.trimEnd() }
})
