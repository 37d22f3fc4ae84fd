// This module runs in a worker thread of threads.server.ts, and recounts or writes a segment of the chain.
import { createWriteStream } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { pipeline } from 'node:stream/promises'
import { parentPort } from 'node:worker_threads'
import { openPool } from '#app/core/db/database.server.ts'
import { GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { ballotsOf } from './batch-reader.server.ts'
import { copiedBallots, copiedBatches } from './copy-reader.server.ts'
import { fillBlocks, lineOf } from './published-blocks.server.ts'
import { recountSegment } from './segment-recount.server.ts'
import type { Answer, Task } from './threads.server.ts'

try {
  // Where cores are scarce, page requests come before the recount.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // Without permission for a lower priority, the thread competes with page requests.
}

async function work(task: Task): Promise<Answer> {
  const { conexion, edicion, behind, upTo, cajas } = task
  // The pool has one connection; a pool is used since it gives up a connection that has gone silent.
  const pool = openPool(conexion, 1)
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query('set local idle_in_transaction_session_timeout = 0')
    // The settings force an index scan in the order of the batches: for a tenth of the votes the planner would read and sort all
    // of them, ten times over.
    await client.query('set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off')
    if (task.que === 'contar') {
      const before = await client.query<{ sello: string }>(
        'select sello from lotes where edicion = $1 and numero = $2',
        [edicion, behind],
      )
      const previous = { number: behind, seal: behind === 0 ? GENESIS_SEAL : before.rows[0]?.sello }
      const keyed = (purpose: string) => task.keys[purpose]!
      const sealedBatches = copiedBatches(client, edicion, behind, upTo)
      return {
        segment: await recountSegment(sealedBatches, {
          edition: edicion,
          keyed,
          previous,
          blocks: cajas,
          thresholds: task.umbrales,
        }),
      }
    }
    await client.query(`set transaction snapshot ${client.escapeLiteral(task.moment)}`)
    let isAsSealed = true
    await pipeline(lines, createWriteStream(task.file, { flags: 'wx', mode: 0o600 }))
    return { matchesSeals: isAsSealed }

    async function* lines() {
      const { nombres: names, separator, mayDiffer } = task as Extract<Task, { que: 'escribir' }>
      const places = new Map(names.map((name, place) => [name, place]))
      let before = separator
      for await (const { block, ballots, seal } of fillBlocks(
        cajas,
        ballotsOf(copiedBallots(client, edicion, behind, upTo)),
      )) {
        if (!mayDiffer && seal !== block.sello) isAsSealed = false
        yield `${before}${lineOf(block, ballots, places)}`
        before = ',\n'
      }
    }
  } finally {
    client.release(true)
    await pool.end()
  }
}

parentPort!.once('message', (task: Task) => {
  // A failure ends the thread, which rejects `runInThreads`.
  void work(task).then((answer) => parentPort!.postMessage(answer))
})
