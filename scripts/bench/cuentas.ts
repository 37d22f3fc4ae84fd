import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { Agent, request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { keptSecret, keysOf } from '#app/core/process/session-secret.server.ts'
import { decryptMail } from '../../tests/escrito.ts'
import { knownWork } from '../../tests/navegador.ts'
import { residentBytes } from '../../tests/procesos.ts'
import { type RunningSite, startSite } from '../../tests/running-site.ts'
import { root } from '../prepare.mjs'
import { type Figure, median } from './figure.ts'
import { missingPrograms, requestsPerSecond } from './throughput.ts'

const CLIENTS = 16
const REQUESTS = 3_000
const SESSIONS = 5_200
const ATTEMPTS = 200
const SESSION_ROUNDS = 9
const ROUNDS = 3
const ZIP_BYTES = 2 ** 30

/** Cost of a session check for each request, of a rush of sign-ins for the pages, and of a large ZIP in memory. */
export async function accountFigures(): Promise<Figure[]> {
  const site = await startSite({ TRUSTED_PROXIES: '1' })
  try {
    const cookies = await openSessions(site)
    const without: number[] = []
    const looked: number[] = []
    let next = 0
    // Each round has its own baseline, since a machine's speed drifts over minutes.
    for (let round = 0; round < SESSION_ROUNDS; round++) {
      const base = await medianMs(site, () => undefined)
      without.push(base)
      looked.push((await medianMs(site, () => cookies[next++ % cookies.length])) - base)
    }
    const base = median(without)
    const alone: number[] = []
    const beside: number[] = []
    const missing = missingPrograms('wrk')
    if (missing.length > 0) console.log('Falta wrk para medir las páginas (en Debian: apt-get install wrk).')
    for (let round = 0; round < ROUNDS && missing.length === 0; round++) {
      alone.push(await requestsPerSecond(`${site.url}/`, CLIENTS))
      const rush = signInRush(site, round)
      beside.push(await requestsPerSecond(`${site.url}/`, CLIENTS))
      await rush.stop()
    }
    const zip = await zipMemory()
    return [
      {
        name: `petición con sesión, ${CLIENTS} a la vez: mediana de más`,
        value: median(looked),
        unit: 'ms',
        target: { atMost: 1 },
        baseline: { name: 'sin sesión', value: base },
      },
      ...(missing.length > 0
        ? []
        : [
            {
              name: `páginas por segundo con ${ATTEMPTS} entradas a la vez`,
              value: median(beside),
              unit: '/s',
              baseline: { name: 'sin ellas', value: median(alone) },
            },
            {
              name: 'las mismas, en proporción',
              value: median(beside.map((pages, round) => pages / alone[round]!)),
              unit: '×',
              target: { atLeast: 0.67 },
            },
          ]),
      { name: 'ZIP de 1 GB: memoria de más', value: zip / 2 ** 20, unit: 'MB', target: { atMost: 60 } },
    ]
  } finally {
    await site.stop()
  }
}

/** Opens voters' sessions through the sign-in form. @returns their cookies */
async function openSessions({ url, dataDir }: RunningSite): Promise<string[]> {
  const host = join(dataDir, 'postgres.sockets')
  const pool = new pg.Pool({ host, port: 5432, user: 'certamen', database: 'certamen', max: 8 })
  const keyed = keysOf(await keptSecret(dataDir))
  const browserIdOf = (n: number) => `medida-${String(n).padStart(15, '0')}`
  const send = (fields: Record<string, string>, n: number) =>
    fetch(`${url}/entrar`, {
      method: 'POST',
      headers: {
        origin: url,
        'x-forwarded-for': `10.9.${n >> 8}.${n & 255}`,
        cookie: `certamen.navegador=${browserIdOf(n)}`,
      },
      body: new URLSearchParams(fields),
    })
  try {
    const cookies: string[] = []
    const enter = async (n: number) => {
      const email = `medida${n}@correo.example`
      // With the site's key, the answer of a proof of work is known without a search.
      const proofOfWork = await knownWork(keyed('codigos.trabajo'), browserIdOf(n), 1_000_000)
      await send({ hacer: 'pedir', correo: email, ...proofOfWork }, n)
      const { rows } = await pool.query<Parameters<typeof decryptMail>[0]>(
        'select idempotency_key, recipient, cifrado from correos where recipient = $1',
        [email],
      )
      const code = decryptMail(rows[0]!, keyed).subject.slice(0, 6)
      const answer = await send({ hacer: 'codigo', correo: email, codigo: code }, n)
      if (!answer.ok) throw new Error(await answer.text())
      cookies.push(answer.headers.getSetCookie()[0]!.split(';')[0]!)
    }
    let next = 0
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (next < SESSIONS) await enter(next++)
      }),
    )
    return cookies
  } finally {
    await pool.end()
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })

/** @returns milliseconds until the response is complete */
function timed(url: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    ask(url, { agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(performance.now() - began))
      response.on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}

async function medianMs({ url }: RunningSite, cookie: () => string | undefined): Promise<number> {
  const times: number[] = []
  let left = REQUESTS
  const client = async () => {
    while (left-- > 0) {
      const mine = cookie()
      times.push(await timed(`${url}/sesion`, mine ? { cookie: mine } : {}))
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return median(times)
}

/** Keeps ATTEMPTS sign-ins under way, each with another account from another network, so that no rate limit applies. */
function signInRush({ url }: RunningSite, round: number): { stop(): Promise<void> } {
  let running = true
  let n = 0
  const client = async () => {
    while (running) {
      const mine = ++n
      const answer = await fetch(`${url}/medios`, {
        method: 'POST',
        headers: { origin: url, 'x-forwarded-for': `10.${round}.${mine >> 8}.${mine & 255}` },
        body: new URLSearchParams({
          hacer: 'entrar',
          correo: `nadie${round}-${mine}@medio.example`,
          clave: 'no es ninguna',
        }),
      })
      await answer.arrayBuffer()
      // After 429 the client waits before its next attempt.
      if (answer.status === 429 && running) await sleep(1_000)
    }
  }
  const all = Promise.all(Array.from({ length: ATTEMPTS }, client))
  return {
    async stop() {
      running = false
      await all
    },
  }
}

/** Streams a ZIP of one gigabyte, like those of the press section. @returns the server's highest rise of memory, in bytes */
async function zipMemory(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-zip-'))
  try {
    const file = join(folder, 'foto.png')
    const handle = await open(file, 'w')
    await handle.truncate(ZIP_BYTES / 4)
    await handle.close()
    const child = fork(join(root, 'scripts/bench/zip-server.ts'), [file, '4'], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const [port] = (await once(child, 'message')) as [number]
    // Memory that the first answer needs is not counted.
    await (await fetch(`http://127.0.0.1:${port}/uno`)).arrayBuffer()
    const before = await residentBytes(child.pid!)
    let highest = before
    let received = 0
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    for await (const chunk of answer.body!) {
      received += (chunk as Uint8Array).byteLength
      if (received % (8 * 2 ** 20) < (chunk as Uint8Array).byteLength)
        highest = Math.max(highest, await residentBytes(child.pid!))
    }
    child.kill()
    if (received < ZIP_BYTES) throw new Error(`only ${received} bytes of the ZIP came`)
    return highest - before
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
