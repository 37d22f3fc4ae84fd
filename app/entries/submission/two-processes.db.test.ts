// Longer than 350 lines: one site over two processes, and the effects of each on the work of the other.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { MAX_STAGED_MS, submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import {
  beside,
  bytesOf,
  creationRequest,
  type DocumentFile,
  FORM_VALUES,
  formSubmission,
  type Handle,
  listChunks,
  loseLeases,
  makeDocuments,
  makeFacts,
  makeSampleFile,
  newSubmissionId,
  openTestSite,
  reopenIntake,
  submission,
  type TestSite,
  uploadAll,
  uploadRequest,
} from '#tests/support/site/test-site.ts'
import { receiveRegistration } from './receive.early.server.ts'
import { recoverSubmissions } from './recovery.server.ts'
import type { IntakeContext } from './staging.server.ts'
import { createRegistrations } from './uploads.early.server.ts'

vi.mock(
  '#app/entries/document-viewing/render-sandbox.server.ts',
  () => import('#tests/support/entries/render-in-process.ts'),
)

/** One site on two machines, which share only the database and the storage. */
let site: TestSite
let oneIntake: IntakeContext
let another: IntakeContext
let handles: Handle[]
beforeAll(async () => {
  site = await openTestSite()
  oneIntake = site.intake
  another = await beside(site)
  handles = [oneIntake, another].map((intake) => createRegistrations(intake).handle)
})
afterAll(() => site.close())
beforeEach(async () => {
  await emptyTables(site.database.pool, 'inscripciones', 'entregas', 'turnos', 'llegadas_por_red')
  for (const path of await objects()) await site.services.storage.remove('registro', path)
})

const receive = (fields: Record<string, string>, intake: IntakeContext) =>
  receiveRegistration('candidata', submission(fields), intake, makeFacts())
const registered = async () =>
  (await site.services.db.selectFrom('inscripciones').select('id').execute()).map(({ id }) => id)
const objects = async () => {
  const names = []
  for await (const name of site.services.storage.list('registro', '')) names.push(name)
  return names
}
const photo = (body: Buffer): DocumentFile => ({ clase: 'fotoRostro', name: 'cara.jpg', body })

async function begin(handle: Handle, submission: string, file: DocumentFile, client?: string) {
  const created = await handle(creationRequest(submission, file), makeFacts(client))
  expect(created.status).toBe(201)
  return created.headers.get('location')!
}
const patch = (
  handle: Handle,
  location: string,
  submission: string,
  body: Uint8Array,
  offset: number,
  client?: string,
) =>
  handle(
    uploadRequest('PATCH', location, submission, new Uint8Array(body), { 'upload-offset': String(offset) }),
    makeFacts(client),
  )
const idOf = (location: string) => location.split('/').at(-1)!

async function uploaded(handle = handles[0]!) {
  const submission = newSubmissionId()
  const ids = await uploadAll(handle, submission, makeDocuments())
  return {
    entrega: submission,
    fields: { ...FORM_VALUES, entrega: submission, documentos: JSON.stringify(ids) } as Record<string, string>,
  }
}

/** A storage that hangs for good after some objects of a registration, as if its process were killed there. */
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

/** A storage whose process stands still before it puts an object of a registration, until it is woken. */
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
    const submission = newSubmissionId()
    const files = makeDocuments(40_000)
    const ids: Record<string, string[]> = {}
    for (const file of files) {
      const location = await begin(handles[0]!, submission, file)
      for (let at = 0, turn = 1; at < file.body.length; at += 15_000, turn++) {
        const answer = await patch(handles[turn % 2]!, location, submission, file.body.subarray(at, at + 15_000), at)
        expect(answer.status).toBe(204)
        const head = await handles[(turn + 1) % 2]!(uploadRequest('HEAD', location, submission), makeFacts())
        expect(head.headers.get('upload-offset')).toBe(answer.headers.get('upload-offset'))
      }
      ids[file.clase] = [...(ids[file.clase] ?? []), idOf(location)]
    }
    const fields = { ...FORM_VALUES, entrega: submission, documentos: JSON.stringify(ids) }
    expect(await receive(fields, another)).toMatchObject({ ok: true })
    expect(await receive(fields, oneIntake)).toMatchObject({ ok: true })
    expect(await registered()).toHaveLength(1)
    expect(await listChunks(site)).toEqual([])
  })

  test('is not held up by a request that hangs elsewhere, whose late bytes change nothing', async () => {
    const submission = newSubmissionId()
    const body = makeSampleFile('jpg', 90_000)
    const location = await begin(handles[0]!, submission, photo(body))
    const [key, id] = [submissionKeyOf(submission), idOf(location)]
    const hanging = new PassThrough()
    hanging.write(body.subarray(0, 30_000))
    const zombie = oneIntake.staging.append(key, id, hanging, 0)
    await expect.poll(async () => (await another.staging.find(key, id))?.offset, { timeout: 10_000 }).toBe(30_000)
    expect((await patch(handles[1]!, location, submission, body.subarray(30_000, 60_000), 30_000)).status).toBe(204)
    hanging.end(makeSampleFile('png', 30_000))
    await expect(zombie).rejects.toMatchObject({ reason: 'subidaDesfasada' })
    expect((await patch(handles[1]!, location, submission, body.subarray(60_000), 60_000)).status).toBe(204)
    expect(body.equals(await bytesOf(oneIntake, submission, id))).toBe(true)
    expect((await listChunks(site)).filter((path) => path.includes(id))).toHaveLength(3)
    await handles[0]!(uploadRequest('DELETE', location, submission), makeFacts())
    expect(await listChunks(site)).toEqual([])
  })

  test('that is taken back while bytes of it arrive elsewhere leaves nothing behind', async () => {
    const submission = newSubmissionId()
    const location = await begin(handles[0]!, submission, photo(makeSampleFile('jpg', 50_000)))
    const body = new PassThrough()
    body.write(makeSampleFile('jpg', 10_000))
    const refused = expect(
      oneIntake.staging.append(submissionKeyOf(submission), idOf(location), body, 0),
    ).rejects.toMatchObject({
      reason: 'subidaAjena',
    })
    await handles[1]!(uploadRequest('DELETE', location, submission), makeFacts())
    body.end(makeSampleFile('jpg', 10_000))
    await refused
    expect(await listChunks(site)).toEqual([])
    expect(await readdir(join(site.dataDir, 'temporales'))).toEqual([])
  })

  test('is stored in chunks of one mebibyte at most, however it comes', async () => {
    const submission = newSubmissionId()
    const body = makeSampleFile('jpg', 2_500_000)
    const location = await begin(handles[0]!, submission, photo(body))
    expect((await patch(handles[0]!, location, submission, body, 0)).status).toBe(204)
    const { rows } = await sql<{ bytes: number }>`
      select bytes from trozos where subida_id = ${idOf(location)} order by desde`.execute(site.services.db)
    expect(rows.map(({ bytes }) => bytes)).toEqual([1_048_576, 1_048_576, 402_848])
    await handles[1]!(uploadRequest('DELETE', location, submission), makeFacts())
  })
})

describe('a submission', () => {
  test('that both get at once is one entry', async () => {
    const { fields } = await uploaded()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => receive(fields, at % 2 ? oneIntake : another)),
    )
    expect(answers).toMatchObject(Array(10).fill({ ok: true }))
    expect(await registered()).toHaveLength(1)
    expect(await objects()).toHaveLength(7)
  })

  test('without JavaScript, sent to both at once with its files, is one entry', async () => {
    const submission = newSubmissionId()
    const files = makeDocuments()
    const send = (intake: IntakeContext) =>
      receiveRegistration(
        'candidata',
        formSubmission({ ...FORM_VALUES, entrega: submission }, files),
        intake,
        makeFacts(),
      )
    expect(await Promise.all([send(oneIntake), send(another)])).toMatchObject([{ ok: true }, { ok: true }])
    expect(await registered()).toHaveLength(1)
  })

  test('without JavaScript that one refused is completed at the other, which has its files', async () => {
    const submission = newSubmissionId()
    const files = makeDocuments()
    const send = (change: object, some: DocumentFile[], intake: IntakeContext) =>
      receiveRegistration(
        'candidata',
        formSubmission({ ...FORM_VALUES, ...change, entrega: submission }, some),
        intake,
        makeFacts(),
      )
    const refused = await send({ edad: 'x' }, files, oneIntake)
    expect(refused.ok || Object.keys(refused.recibidos)).toHaveLength(5)
    expect(await send({}, [], another)).toMatchObject({ ok: true })
  })

  test.each([
    0, 3, 5,
  ])('whose process was killed after %i objects is finished by the other, once its lease ran out', async (after) => {
    const { storage, killed } = killedAt(after)
    const dying = await beside(site, { storage })
    const { fields } = await uploaded()
    void receive(fields, dying)
    await killed
    // The process may still be alive: neither a repetition of the form nor a sweep interferes.
    expect((await recoverSubmissions(another)).size).toBe(1)
    const repeated = receive(fields, another)
    await loseLeases(site)
    expect(await repeated).toMatchObject({ ok: true })
    expect(await registered()).toHaveLength(1)
    expect(await objects()).toHaveLength(7)
    expect(await listChunks(site)).toEqual([])
  })

  test('whose process was killed, and whose visitor went away, is finished by the first process that looks', async () => {
    const { storage, killed } = killedAt(2)
    const { fields } = await uploaded()
    void receive(fields, await beside(site, { storage }))
    await killed
    await loseLeases(site)
    expect((await recoverSubmissions(another)).size).toBe(0)
    expect(await registered()).toHaveLength(1)
  })

  test('whose process stood still while another finished it, and then went on, is one entry still', async () => {
    const { storage, asleep, wake } = standingStill('putBytes')
    const { fields } = await uploaded()
    const first = receive(fields, await beside(site, { storage }))
    await asleep
    await loseLeases(site)
    expect(await receive(fields, another)).toMatchObject({ ok: true })
    wake()
    expect(await first).toMatchObject({ ok: true })
    expect(await registered()).toHaveLength(1)
    expect(await objects()).toHaveLength(7)
  })

  test('that was undone and begun anew meanwhile is not confirmed by the late writes of an older attempt', async () => {
    const { storage, asleep, wake } = standingStill('putFile')
    const { fields } = await uploaded()
    const first = receive(fields, await beside(site, { storage }))
    await asleep
    await loseLeases(site)
    // Another process undid its plan, and then began a new one.
    await site.services.db.deleteFrom('entregas').execute()
    expect(await receive(fields, another)).toMatchObject({ ok: true })
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
    await another.staging.sweep(new Set(), 2 * MAX_STAGED_MS)
    expect(await another.staging.list(submissionKeyOf(entrega))).toHaveLength(6)
    await loseLeases(site)
    expect((await recoverSubmissions(another)).size).toBe(0)
    expect(await registered()).toHaveLength(1)
  })
})

describe('limits', () => {
  const limited = async (limits: object) =>
    Promise.all([reopenIntake(site, {}, { limits }), beside(site, {}, { limits })]).then((intakes) =>
      intakes.map((intake) => createRegistrations(intake).handle),
    )

  test('count the uploads of both processes', async () => {
    const [here, there] = (await limited({ maxCreations: 3 })) as [Handle, Handle]
    const announce = (handle: Handle) =>
      handle(creationRequest(newSubmissionId(), photo(makeSampleFile('jpg'))), makeFacts('c-1'))
    for (const handle of [here, there, here]) expect((await announce(handle)).status).toBe(201)
    for (const handle of [here, there]) expect((await announce(handle)).status).toBe(429)
  })

  test('keep no client waiting for a process that stands still while it reserves', async () => {
    const still = await beside(site)
    const [asleep, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const id = newSubmissionId()
    const late = still.staging.quota.reserve({ id, client: 'quieta', maxBytes: 9 }, async (tx) => {
      asleep.resolve()
      await awake.promise
      await tx.selectFrom('subidas').select('id').execute()
    })
    await asleep.promise
    const created = await handles[0]!(
      creationRequest(newSubmissionId(), photo(makeSampleFile('jpg'))),
      makeFacts('c-3'),
    )
    expect(created.status).toBe(201)
    awake.resolve()
    await expect(late).rejects.toThrow()
    await oneIntake.staging.sweep(new Set(), 2 * MAX_STAGED_MS)
  })

  test('hold for the bytes that one network has staged, and sends in a day', async () => {
    const [here, there] = (await limited({ maxStagedBytesPerClient: 3_000_000, maxDayBytes: 4_000_000 })) as [
      Handle,
      Handle,
    ]
    const send = async (handle: Handle, client: string) => {
      const submission = newSubmissionId()
      const body = makeSampleFile('jpg', 1_500_000)
      const created = await handle(creationRequest(submission, photo(body)), makeFacts(client))
      if (created.status !== 201) return created
      return patch(handle, created.headers.get('location')!, submission, body, 0, client)
    }
    expect((await send(here, 'c-2')).status).toBe(204)
    expect((await send(there, 'c-2')).status).toBe(204)
    expect(await (await send(here, 'c-2')).json()).toMatchObject({ reason: 'limite' })
    await oneIntake.staging.sweep(new Set(), 2 * MAX_STAGED_MS)
    expect(await oneIntake.staging.quota.stagedBytes()).toBe(0)
    expect(await listChunks(site)).toEqual([])
    expect(await (await send(there, 'c-2')).json()).toMatchObject({ message: /hoy/ } as object)
  })
})
