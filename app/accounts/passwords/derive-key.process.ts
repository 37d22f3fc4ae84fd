// Derives the keys of passwords in a thread of its own, for hash.server.ts.
import { scryptSync } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { KeyDerivation } from './hash.server.ts'

try {
  // On Linux every thread has a priority of its own. This one's is low: where the cores do not suffice, pages go before
  // passwords.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // Where the system forbids it, pages and passwords share the cores alike.
}
parentPort?.on('message', ({ password, salt, length, cost }: KeyDerivation) =>
  parentPort?.postMessage(scryptSync(password, salt, length, cost)),
)
