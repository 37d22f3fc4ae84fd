// Longer than 350 lines: one site over two processes, and what each may do to the work of the other.
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { keyOf, STAGED_LIFE_MS } from '#app/core/uploads/staging-area.server.ts'
import { emptyTables } from '../../../tests/database.ts'
import {
  type Archivo,
  beside,
  bytesOf,
  creationRequest,
  documentos,
  facts,
  formSubmission,
  type Handle,
  listTrozos,
  loseTurns,
  newEntrega,
  openTestSite,
  restarted,
  sample,
  submission,
  type TestSite,
  uploadAll,
  uploadRequest,
  VALORES,
} from '../../../tests/registro.ts'
import { recoverEntregas } from './journal.server.ts'
import { receiveRegistro } from './mutations.server.ts'
import type { Mesa } from './plan.server.ts'
import { createSubidas } from './uploads.server.ts'

vi.mock('#app/entries/documents/render-sandbox.server.ts', () => import('../../../tests/painted-here.ts'))

/** One site on two machines: what they share is the database and the storage. */
let site: TestSite
let una: Mesa
let otra: Mesa
let handles: Handle[]
beforeAll(async () => {
  site = await openTestSite()
  una = site.mesa
  otra = await beside(site)
  handles = [una, otra].map((mesa) => createSubidas(mesa).handle)
})
afterAll(() => site.close())
beforeEach(async () => {
  await emptyTables(site.database.pool, 'inscripciones', 'entregas', 'turnos', 'llegadas_por_red')
  for (const path of await objects()) await site.services.storage.remove('registro', path)
})

const receive = (fields: Record<string, string>, mesa: Mesa) =>
  receiveRegistro('candidata', submission(fields), mesa, facts())
const registered = async () =>
  (await site.services.db.selectFrom('inscripciones').select('id').execute()).map(({ id }) => id)
const objects = async () => {
  const names = []
  for await (const name of site.services.storage.list('registro', '')) names.push(name)
  return names
}
const foto = (body: Buffer): Archivo => ({ clase: 'fotoRostro', name: 'cara.jpg', body })

async function begin(handle: Handle, entrega: string, archivo: Archivo, client?: string) {
  const created = await handle(creationRequest(entrega, archivo), facts(client))
  expect(created.status).toBe(201)
  return created.headers.get('location')!
}
const patch = (handle: Handle, location: string, entrega: string, body: Uint8Array, offset: number, client?: string) =>
  handle(
    uploadRequest('PATCH', location, entrega, new Uint8Array(body), { 'upload-offset': String(offset) }),
    facts(client),
  )
const idOf = (location: string) => location.split('/').at(-1)!

async function uploaded(handle = handles[0]!) {
  const entrega = newEntrega()
  const ids = await uploadAll(handle, entrega, documentos())
  return { entrega, fields: { ...VALORES, entrega, documentos: JSON.stringify(ids) } as Record<string, string> }
}

/** A storage that takes nothing more for good from some object of a registration on: its process was killed there. */
function killedAt(after: number) {
  let calls = 0
  const killed = Promise.withResolvers<void>()
  const { storage } = site.services
  const dying: ObjectStorage = {
    ...storage,
    putFile: (bucket, ...rest) => {
      if (bucket === 'subidas' || ++calls <= after) return storage.putFile(bucket, ...rest)
      killed.resolve()
      return new Promise<never>(() => {})
    },
  }
  return { storage: dying, killed: killed.promise }
}

/** A storage whose process stands still before it puts something of a registration, until it is woken. */
function standingStill(method: 'putFile' | 'putBytes') {
  const [asleep, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { storage } = site.services
  const put = storage[method] as ObjectStorage['putFile']
  const slow: ObjectStorage = {
    ...storage,
    [method]: async (...args: Parameters<typeof put>) => {
      if (args[0] === 'registro') {
        asleep.resolve()
        await awake.promise
      }
      await put(...args)
    },
  }
  return { storage: slow, asleep: asleep.promise, wake: awake.resolve }
}

describe('an upload', () => {
  test('goes on piece by piece, each with another process, and its form lands on either', async () => {
    const entrega = newEntrega()
    const files = documentos(40_000)
    const ids: Record<string, string[]> = {}
    for (const archivo of files) {
      const location = await begin(handles[0]!, entrega, archivo)
      for (let at = 0, turn = 1; at < archivo.body.length; at += 15_000, turn++) {
        const answer = await patch(handles[turn % 2]!, location, entrega, archivo.body.subarray(at, at + 15_000), at)
        expect(answer.status).toBe(204)
        const head = await handles[(turn + 1) % 2]!(uploadRequest('HEAD', location, entrega), facts())
        expect(head.headers.get('upload-offset')).toBe(answer.headers.get('upload-offset'))
      }
      ids[archivo.clase] = [...(ids[archivo.clase] ?? []), idOf(location)]
    }
    const fields = { ...VALORES, entrega, documentos: JSON.stringify(ids) }
    expect(await receive(fields, otra)).toMatchObject({ ok: true })
    expect(await receive(fields, una)).toMatchObject({ ok: true })
    expect(await registered()).toHaveLength(1)
    expect(await listTrozos(site)).toEqual([])
  })

  test('is not held up by a request that hangs elsewhere, whose late bytes change nothing', async () => {
    const entrega = newEntrega()
    const body = sample('jpg', 90_000)
    const location = await begin(handles[0]!, entrega, foto(body))
    const [key, id] = [keyOf(entrega), idOf(location)]
    const hanging = new PassThrough()
    hanging.write(body.subarray(0, 30_000))
    const zombie = una.staging.append(key, id, hanging, 0)
    await expect.poll(async () => (await otra.staging.find(key, id))?.offset, { timeout: 10_000 }).toBe(30_000)
    expect((await patch(handles[1]!, location, entrega, body.subarray(30_000, 60_000), 30_000)).status).toBe(204)
    hanging.end(sample('png', 30_000))
    await expect(zombie).rejects.toMatchObject({ reason: 'subidaDesfasada' })
    expect((await patch(handles[1]!, location, entrega, body.subarray(60_000), 60_000)).status).toBe(204)
    expect(body.equals(await bytesOf(una, entrega, id))).toBe(true)
    expect((await listTrozos(site)).filter((path) => path.includes(id))).toHaveLength(3)
    await handles[0]!(uploadRequest('DELETE', location, entrega), facts())
    expect(await listTrozos(site)).toEqual([])
  })

  test('that is taken back while bytes of it arrive elsewhere leaves nothing behind', async () => {
    const entrega = newEntrega()
    const location = await begin(handles[0]!, entrega, foto(sample('jpg', 50_000)))
    const body = new PassThrough()
    body.write(sample('jpg', 10_000))
    const refused = expect(una.staging.append(keyOf(entrega), idOf(location), body, 0)).rejects.toMatchObject({
      reason: 'subidaAjena',
    })
    await handles[1]!(uploadRequest('DELETE', location, entrega), facts())
    body.end(sample('jpg', 10_000))
    await refused
    expect(await listTrozos(site)).toEqual([])
    expect(await readdir(join(site.dataDir, 'temporales'))).toEqual([])
  })

  test('has its pieces at most a mebibyte large, however it comes', async () => {
    const entrega = newEntrega()
    const body = sample('jpg', 2_500_000)
    const location = await begin(handles[0]!, entrega, foto(body))
    expect((await patch(handles[0]!, location, entrega, body, 0)).status).toBe(204)
    const { rows } = await sql<{ bytes: number }>`
      select bytes from trozos where subida_id = ${idOf(location)} order by desde`.execute(site.services.db)
    expect(rows.map(({ bytes }) => bytes)).toEqual([1_048_576, 1_048_576, 402_848])
    await handles[1]!(uploadRequest('DELETE', location, entrega), facts())
  })
})

describe('a submission', () => {
  test('that both get at once is one entry', async () => {
    const { fields } = await uploaded()
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => receive(fields, at % 2 ? una : otra)))
    expect(answers).toMatchObject(Array(10).fill({ ok: true }))
    expect(await registered()).toHaveLength(1)
    expect(await objects()).toHaveLength(7)
  })

  test('without JavaScript, sent to both at once with its files, is one entry', async () => {
    const entrega = newEntrega()
    const files = documentos()
    const send = (mesa: Mesa) =>
      receiveRegistro('candidata', formSubmission({ ...VALORES, entrega }, files), mesa, facts())
    expect(await Promise.all([send(una), send(otra)])).toMatchObject([{ ok: true }, { ok: true }])
    expect(await registered()).toHaveLength(1)
  })

  test('without JavaScript that one refused is completed at the other, which has its files', async () => {
    const entrega = newEntrega()
    const files = documentos()
    const send = (change: object, some: Archivo[], mesa: Mesa) =>
      receiveRegistro('candidata', formSubmission({ ...VALORES, ...change, entrega }, some), mesa, facts())
    const refused = await send({ edad: 'x' }, files, una)
    expect(refused.ok || Object.keys(refused.recibidos)).toHaveLength(5)
    expect(await send({}, [], otra)).toMatchObject({ ok: true })
  })

  test.each([
    0, 3, 5,
  ])('whose process was killed after %i objects is finished by the other, once its turn ran out', async (after) => {
    const { storage, killed } = killedAt(after)
    const dying = await beside(site, { storage })
    const { fields } = await uploaded()
    void receive(fields, dying)
    await killed
    // It may still be alive: neither a repetition of the form nor a sweep meddles.
    expect((await recoverEntregas(otra)).size).toBe(1)
    const repeated = receive(fields, otra)
    await loseTurns(site)
    expect(await repeated).toMatchObject({ ok: true })
    expect(await registered()).toHaveLength(1)
    expect(await objects()).toHaveLength(7)
    expect(await listTrozos(site)).toEqual([])
  })

  test('whose process was killed, and whose visitor went away, is finished by whoever looks first', async () => {
    const { storage, killed } = killedAt(2)
    const { fields } = await uploaded()
    void receive(fields, await beside(site, { storage }))
    await killed
    await loseTurns(site)
    expect((await recoverEntregas(otra)).size).toBe(0)
    expect(await registered()).toHaveLength(1)
  })

  test('whose process stood still while another finished it, and then went on, is one entry still', async () => {
    const { storage, asleep, wake } = standingStill('putBytes')
    const { fields } = await uploaded()
    const first = receive(fields, await beside(site, { storage }))
    await asleep
    await loseTurns(site)
    expect(await receive(fields, otra)).toMatchObject({ ok: true })
    wake()
    expect(await first).toMatchObject({ ok: true })
    expect(await registered()).toHaveLength(1)
    expect(await objects()).toHaveLength(7)
  })

  test('that was undone and begun anew meanwhile is not confirmed by what an older attempt does late', async () => {
    const { storage, asleep, wake } = standingStill('putFile')
    const { fields } = await uploaded()
    const first = receive(fields, await beside(site, { storage }))
    await asleep
    await loseTurns(site)
    // Its plan was taken back by hand of another, which then began one of its own.
    await site.services.db.deleteFrom('entregas').execute()
    expect(await receive(fields, otra)).toMatchObject({ ok: true })
    wake()
    expect(await first).toMatchObject({ ok: false, reason: 'falla' })
    expect(await registered()).toHaveLength(1)
    expect(await objects()).toHaveLength(7)
  })

  test('that one is storing is not swept by the other, however old its files', async () => {
    const { storage, killed } = killedAt(2)
    const { entrega, fields } = await uploaded()
    void receive(fields, await beside(site, { storage }))
    await killed
    await otra.staging.sweep(new Set(), 2 * STAGED_LIFE_MS)
    expect(await otra.staging.list(keyOf(entrega))).toHaveLength(6)
    await loseTurns(site)
    expect((await recoverEntregas(otra)).size).toBe(0)
    expect(await registered()).toHaveLength(1)
  })
})

describe('limits', () => {
  const limited = async (limites: object) =>
    Promise.all([restarted(site, {}, { limites }), beside(site, {}, { limites })]).then((mesas) =>
      mesas.map((mesa) => createSubidas(mesa).handle),
    )

  test('count what both took', async () => {
    const [here, there] = (await limited({ maxCreations: 3 })) as [Handle, Handle]
    const announce = (handle: Handle) => handle(creationRequest(newEntrega(), foto(sample('jpg'))), facts('c-1'))
    for (const handle of [here, there, here]) expect((await announce(handle)).status).toBe(201)
    for (const handle of [here, there]) expect((await announce(handle)).status).toBe(429)
  })

  test('keep nobody waiting for a process that stands still while it reserves', async () => {
    const still = await beside(site)
    const [asleep, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const id = newEntrega()
    const late = still.staging.presupuesto.reserve({ id, client: 'quieta', size: 9 }, async (tx) => {
      asleep.resolve()
      await awake.promise
      await tx.selectFrom('subidas').select('id').execute()
    })
    await asleep.promise
    const created = await handles[0]!(creationRequest(newEntrega(), foto(sample('jpg'))), facts('c-3'))
    expect(created.status).toBe(201)
    awake.resolve()
    await expect(late).rejects.toThrow()
    await una.staging.sweep(new Set(), 2 * STAGED_LIFE_MS)
  })

  test('of what one network has staged and sends in a day', async () => {
    const [here, there] = (await limited({ maxStagedBytesPerClient: 3_000_000, maxDayBytes: 4_000_000 })) as [
      Handle,
      Handle,
    ]
    const send = async (handle: Handle, client: string) => {
      const entrega = newEntrega()
      const body = sample('jpg', 1_500_000)
      const created = await handle(creationRequest(entrega, foto(body)), facts(client))
      if (created.status !== 201) return created
      return patch(handle, created.headers.get('location')!, entrega, body, 0, client)
    }
    expect((await send(here, 'c-2')).status).toBe(204)
    expect((await send(there, 'c-2')).status).toBe(204)
    expect(await (await send(here, 'c-2')).json()).toMatchObject({ reason: 'limite' })
    await una.staging.sweep(new Set(), 2 * STAGED_LIFE_MS)
    expect(await una.staging.presupuesto.stagedBytes()).toBe(0)
    expect(await listTrozos(site)).toEqual([])
    expect(await (await send(there, 'c-2')).json()).toMatchObject({ message: /hoy/ } as object)
  })
})

describe('what the version before left in its folder', () => {
  /** As it wrote them. */
  async function leave(entrega: string, archivo: Archivo, came: number, sealed: object | null = null) {
    const id = newEntrega()
    const folder = join(site.dataDir, 'staging', keyOf(entrega))
    await mkdir(folder, { recursive: true })
    const card = {
      ...{ id, clase: archivo.clase, lado: archivo.lado ?? null, filename: archivo.name, size: archivo.body.length },
      ...{ createdAt: Date.now() - 60_000, siteCreatedAt: site.services.clock.now().getTime(), sealed },
    }
    await writeFile(join(folder, `${id}.bin`), archivo.body.subarray(0, came))
    await writeFile(join(folder, `${id}.json`), JSON.stringify(card))
    return id
  }
  const reopened = () => restarted(site)

  test('goes on where it was, at once for whoever asks for it', async () => {
    const entrega = newEntrega()
    const body = sample('jpg', 1_300_000)
    const id = await leave(entrega, foto(body), 1_200_000)
    const mesa = await reopened()
    const { handle } = createSubidas(mesa)
    const head = await handle(uploadRequest('HEAD', `/subidas/${id}`, entrega), facts())
    expect(head.headers.get('upload-offset')).toBe('1200000')
    expect((await patch(handles[1]!, `/subidas/${id}`, entrega, body.subarray(1_200_000), 1_200_000)).status).toBe(204)
    expect(body.equals(await bytesOf(otra, entrega, id))).toBe(true)
    await mesa.staging.takeOver()
    await expect(stat(join(site.dataDir, 'staging'))).rejects.toThrow('ENOENT')
  })

  test('a form whose files came before is registered', async () => {
    const entrega = newEntrega()
    const ids: Record<string, string[]> = {}
    for (const archivo of documentos()) {
      const id = await leave(entrega, archivo, archivo.body.length)
      ids[archivo.clase] = [...(ids[archivo.clase] ?? []), id]
    }
    const mesa = await reopened()
    expect(await receive({ ...VALORES, entrega, documentos: JSON.stringify(ids) }, mesa)).toMatchObject({ ok: true })
    expect(await registered()).toHaveLength(1)
  })

  test('stays with the version before while that may be writing, and is all taken over after', async () => {
    const [entrega, fresh] = [newEntrega(), newEntrega()]
    const body = sample('jpg', 10_000)
    const id = await leave(entrega, foto(body), 4_000)
    await leave(fresh, foto(body), 4_000)
    const folder = join(site.dataDir, 'staging', keyOf(entrega))
    const earlier = new Date(Date.now() - 10 * 60_000)
    for (const name of await readdir(folder)) await utimes(join(folder, name), earlier, earlier)
    const mesa = await reopened()
    await mesa.staging.takeOver()
    expect(await readdir(join(site.dataDir, 'staging'))).toEqual([keyOf(fresh)])
    expect((await otra.staging.find(keyOf(entrega), id))?.offset).toBe(4_000)
    expect((await bytesOf(otra, entrega, id)).equals(body.subarray(0, 4_000))).toBe(true)
  })

  test('a taking over that was cut goes on', async () => {
    const entrega = newEntrega()
    const body = sample('jpg', 1_500_000)
    const id = await leave(entrega, foto(body), body.length)
    const card = await readFile(join(site.dataDir, 'staging', keyOf(entrega), `${id}.json`))
    const { storage } = site.services
    let puts = 0
    const cut: ObjectStorage = {
      ...storage,
      putFile: (...args) => (++puts > 1 ? Promise.reject(new Error('away')) : storage.putFile(...args)),
    }
    const first = await restarted(site, { storage: cut })
    await expect(first.staging.find(keyOf(entrega), id)).rejects.toThrow('away')
    expect(await readFile(join(site.dataDir, 'staging', keyOf(entrega), `${id}.json`))).toEqual(card)
    const mesa = await reopened()
    expect((await mesa.staging.find(keyOf(entrega), id))?.offset).toBe(body.length)
    expect(body.equals(await bytesOf(mesa, entrega, id))).toBe(true)
  })
})
