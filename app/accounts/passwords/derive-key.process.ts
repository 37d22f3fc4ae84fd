// Worker thread of hash.server.ts, which derives the keys of passwords.
import { scryptSync } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { KeyDerivation } from './hash.server.ts'

try {
  // Linux has a priority for each thread. With a low priority, pages go before passwords if the cores do not suffice.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // The system forbids a low priority, so pages and passwords share the cores equally.
}
parentPort?.on('message', ({ password, salt, length, cost }: KeyDerivation) =>
  parentPort?.postMessage(scryptSync(password, salt, length, cost)),
)
