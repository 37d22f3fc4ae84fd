// The worker thread of hash.server.ts, which derives the keys of passwords.
import { scryptSync } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { KeyDerivation } from './hash.server.ts'

try {
  // Linux sets the priority of each thread. A low one lets pages go before passwords where the cores do not suffice.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // Where the system forbids a low priority, pages and passwords share the cores alike.
}
parentPort?.on('message', ({ password, salt, length, cost }: KeyDerivation) =>
  parentPort?.postMessage(scryptSync(password, salt, length, cost)),
)
