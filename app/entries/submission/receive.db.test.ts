// Longer than 350 lines: whole or nothing, at every step at which a registration can break off, over one site.
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Selectable } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Tables } from '#app/core/db/tables.ts'
import type { RequestFacts } from '#app/core/http/services.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { MAX_STAGED_MS, submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { findOriginal } from '#app/entries/document-viewing/originals.server.ts'
import { FORM_MESSAGES } from '#tests/support/entries/form-messages.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import {
  type DocumentFile,
  FORM_VALUES,
  formSubmission,
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
import { REGISTRATION_MESSAGES, type RegistrationResult } from './schema.ts'
import type { IntakeContext } from './staging.server.ts'
import { createRegistrations, type Registrations } from './uploads.early.server.ts'

vi.mock(
  '#app/entries/document-viewing/render-sandbox.server.ts',
  () => import('#tests/support/entries/render-in-process.ts'),
)

let site: TestSite
let uploads: Registrations
beforeAll(async () => {
  site = await openTestSite({ limits: { maxCreations: 100_000, maxSubmissions: 100_000 } })
  uploads = createRegistrations(site.intake)
})
afterAll(() => site.close())

const receive = (request: Request, intake: IntakeContext, requestFacts: RequestFacts) =>
  receiveRegistration('candidata', request, intake, requestFacts)

const filesUnder = async (folder: string) =>
  (await readdir(join(site.dataDir, folder), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(site.dataDir, folder).length + 1))
    .sort()

/** Rows with the columns of the form's fields, which the table types do not include. */
const rows = async () =>
  (await site.services.db.selectFrom('registros').selectAll().orderBy('id').execute()) as ({
    nombre: string
    edad: number
    celular: string
  } & Selectable<Tables['registros']>)[]
const journal = () => site.services.db.selectFrom('entregas').selectAll().execute()
const refusalOf = (result: RegistrationResult) => {
  if (result.ok) throw new Error('It was accepted')
  return result
}

beforeEach(async () => {
  await emptyTables(site.database.pool, 'inscripciones', 'entregas')
  for (const path of await filesUnder('objects/registro')) await site.services.storage.remove('registro', path)
})

/** Uploads and sends; `change` alters the sent fields. */
async function send(
  files: readonly DocumentFile[] = makeDocuments(),
  change: Partial<Record<string, string>> = {},
  intake = site.intake,
): Promise<RegistrationResult> {
  const submissionId = newSubmissionId()
  const ids = await uploadAll(uploads.handle, submissionId, files)
  const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids), ...change } as Record<
    string,
    string
  >
  return receive(submission(fields), intake, makeFacts())
}

async function expectWhole(files: readonly DocumentFile[]) {
  const { services } = site
  const [row] = await rows()
  const documents = await services.db.selectFrom('documentos').selectAll().execute()
  const folder = `${row!.id}_Ana_Maria_Colorin`
  const timestamp = row!.created_at.getTime()
  expect(documents).toHaveLength(6)
  expect(await filesUnder('objects/registro')).toEqual(
    [row!.metadata_path, ...documents.map((document) => document.path)].sort(),
  )
  expect(row!.metadata_path).toBe(`${folder}/metadata_${timestamp}.json`)
  for (const { clase, lado, name, body } of files) {
    const stored = documents.find((document) => document.clase === clase && document.lado === (lado ?? null))!
    expect(stored.path).toBe(
      `${folder}/${lado ? `${clase}_${lado}` : clase}/${timestamp}_${name.replace(/[()]/g, '').replaceAll(' ', '_')}`,
    )
    expect(stored.nombre_archivo).toBe(name)
    expect(stored.sha256).toBe(createHash('sha256').update(body).digest('hex'))
    expect(body.equals(await buffer((await services.storage.get('registro', stored.path))!))).toBe(true)
    expect(await services.storage.head('registro', stored.path)).toMatchObject({ cacheControlSeconds: 3600 })
  }
  expect(await journal()).toMatchObject([{ estado: 'guardada', plan: null, inscripcion_id: row!.inscripcion_id }])
}

describe('a complete registration', () => {
  test.each(['with JavaScript', 'without'])('may have one picture for every document, %s', async (way) => {
    const body = makeSampleFile('png', 67)
    const files = makeDocuments().map((one) => ({ ...one, name: 'imagen.png', body }))
    const sent =
      way === 'without'
        ? receive(formSubmission({ entrega: newSubmissionId(), ...FORM_VALUES }, files), site.intake, makeFacts())
        : send(files)
    expect(await sent).toMatchObject({ ok: true })
    await expectWhole(files)
  })

  test('has documents that open by their address, and by no other', async () => {
    const files = makeDocuments()
    expect(await send(files)).toMatchObject({ ok: true })
    const [row] = await rows()
    const { path, content_type } = await site.services.db
      .selectFrom('documentos')
      .selectAll()
      .where('clase', '=', 'actaNacimiento')
      .executeTakeFirstOrThrow()
    const open = async (path: string, method = 'GET') =>
      (await findOriginal(site.services, path))?.open(new Request('https://feria.example/', { method }))
    const opened = await open(`registro/${path.split('/').map(encodeURIComponent).join('/')}`)
    expect(opened?.headers.get('content-type')).toBe(content_type)
    expect(opened?.headers.get('cache-control')).toBe('private, no-store')
    expect(files[0]!.body.equals(Buffer.from(await opened!.arrayBuffer()))).toBe(true)
    expect(await (await open(`registro/${path}`, 'HEAD'))?.text()).toBe('')
    expect(await (await open(`registro/${row!.metadata_path}`))?.json()).toMatchObject({ id: row!.id })
    for (const none of [
      `registrotrajes/${path}`,
      path,
      `registro/${path}x`,
      `registro/../registro/${path}`,
      'registro/',
    ])
      expect(await open(none), none).toBeUndefined()
  })

  test('is a row, six objects under the paths of §7 and a metadata file with the keys of §3 exactly', async () => {
    const files = makeDocuments()
    expect(await send(files, { estatura: '1,70', publicarRostro: 'Sí' })).toMatchObject({ ok: true })
    await expectWhole(files)
    const [row] = await rows()
    expect(row).toMatchObject({
      nombre: 'Ana María Colorín',
      edad: 21,
      estatura: 1.7,
      gradoEstudio: 'Estudiante',
      celular: '33 0000 0000',
      publicarRostro: 'Sí',
    })
    const entry = await site.services.db.selectFrom('inscripciones').selectAll().executeTakeFirstOrThrow()
    expect(entry).toMatchObject({
      id: row!.inscripcion_id,
      tipo: 'candidata',
      edicion: 2025,
      titular: 'Ana María Colorín',
      detalle: null,
      edad: 21,
      correo: FORM_VALUES.correo,
      celular: '33 0000 0000',
      estado: 'recibida',
      version: 1,
      created_at: row!.created_at,
    })
    expect(entry.folio).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/)
    const metadata = JSON.parse(String(await readFile(join(site.dataDir, 'objects/registro', row!.metadata_path))))
    const { nombre, edad, celular } = row!
    // Other fields follow those of the specification.
    const {
      nombre: _n,
      edad: _e,
      estatura: _h,
      gradoEstudio: _g,
      celular: _c,
      publicarRostro: _p,
      ...beyond
    } = FORM_VALUES
    const { correo: _m, avisosWhatsApp: _w, ...added } = beyond
    const folder = `https://feria.example/archivos/registro/${row!.carpeta}`
    const at = row!.created_at.getTime()
    expect(metadata).toStrictEqual({
      id: row!.id,
      nombre,
      edad,
      estatura: 1.7,
      gradoEstudio: 'Estudiante',
      celular,
      ...added,
      documentos: {
        actaNacimiento: [`${folder}/actaNacimiento/${at}_acta_1.pdf`],
        credencialElector: [
          `${folder}/credencialElector_anverso/${at}_frente.jpg`,
          `${folder}/credencialElector_reverso/${at}_vuelta.jpg`,
        ],
        constanciaEstudios: [`${folder}/constanciaEstudios/${at}_constancia.png`],
        fotoRostro: [`${folder}/fotoRostro/${at}_IMG_0001.HEIC`],
        fotoCuerpo: [`${folder}/fotoCuerpo/${at}_cuerpo_entero.jpg`],
      },
    })
    expect(new Date(at).toISOString()).toMatch(/^2025-08-01T18:/)
    expect(await filesUnder('objects/subidas')).toEqual([])
    expect(await filesUnder('temporales')).toEqual([])
  })

  test('the order of the list tells front from back, not the side named by the upload', async () => {
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const ids = await uploadAll(uploads.handle, submissionId, files)
    ids.credencialElector!.reverse()
    const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
    expect(await receive(submission(fields), site.intake, makeFacts())).toMatchObject({ ok: true })
    const front = await site.services.db
      .selectFrom('documentos')
      .select('nombre_archivo')
      .where('lado', '=', 'anverso')
      .executeTakeFirstOrThrow()
    expect(front.nombre_archivo).toBe('vuelta.jpg')
  })

  test('sent by a form without JavaScript, files and all', async () => {
    const files = makeDocuments(300_000)
    // The back is staged before the larger front, which stays the front.
    files.find(({ lado }) => lado === 'anverso')!.body = makeSampleFile('jpg', 9_000_000)
    files.find(({ lado }) => lado === 'reverso')!.body = makeSampleFile('jpg', 1_000)
    const submissionId = newSubmissionId()
    const result = await receive(
      formSubmission({ ...FORM_VALUES, entrega: submissionId }, files),
      site.intake,
      makeFacts(),
    )
    expect(result).toMatchObject({ ok: true })
    await expectWhole(files)
  })
})

test('removing a file leaves the folder of the other files in place', async () => {
  const key = submissionKeyOf(newSubmissionId())
  const staging = site.intake.staging
  const newOne = { clase: 'fotoRostro' as const, lado: null, filename: 'rostro.jpg', size: 10 }
  for (let round = 0; round < 40; round++) {
    const made = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => {
        if (at % 2) return staging.remove(key, newSubmissionId())
        const { id } = await staging.create(key, newOne, `red-${round}-${at}`)
        return staging.remove(key, id)
      }),
    )
    expect(made).toHaveLength(6)
  }
})

test('a file’s name is kept without control and direction marks', async () => {
  const key = submissionKeyOf(newSubmissionId())
  const staging = site.intake.staging
  const newOne = { clase: 'fotoRostro' as const, lado: null, filename: 'cara\u202egpj\u2066.exe\u0007', size: 10 }
  const { id, filename } = await staging.create(key, newOne, 'red')
  expect(filename).toBe('caragpj.exe')
  await staging.remove(key, id)
})

describe('one submission is one registration', () => {
  test('twenty at once, and again later, and again after a restart', async () => {
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const ids = await uploadAll(uploads.handle, submissionId, files)
    const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => receive(submission(fields), site.intake, makeFacts())),
    )
    expect(answers).toMatchObject(Array(20).fill({ ok: true }))
    expect(await receive(submission(fields), site.intake, makeFacts())).toMatchObject({ ok: true })
    expect(await receive(submission(fields), await reopenIntake(site), makeFacts())).toMatchObject({ ok: true })
    await expectWhole(files)
    expect(await rows()).toHaveLength(1)
  })

  test('a double click on the form without JavaScript', async () => {
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const answers = await Promise.all(
      [1, 2].map(() =>
        receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, files), site.intake, makeFacts()),
      ),
    )
    expect(answers).toMatchObject([{ ok: true }, { ok: true }])
    expect(await rows()).toHaveLength(1)
  })

  test('a correction under the same key is not swallowed: it is refused, with a key to send it under', async () => {
    const submissionId = newSubmissionId()
    const ids = await uploadAll(uploads.handle, submissionId, makeDocuments())
    const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
    await receive(submission(fields), site.intake, makeFacts())
    const result = refusalOf(await receive(submission({ ...fields, celular: '3399999999' }), site.intake, makeFacts()))
    expect(result).toMatchObject({ reason: 'yaRecibido', message: REGISTRATION_MESSAGES.yaRecibido })
    expect(result.entrega).not.toBe(submissionId)
    expect(await rows()).toHaveLength(1)
  })

  test('another document under the same key is not swallowed either; the same bytes again are a repetition', async () => {
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const ids = await uploadAll(uploads.handle, submissionId, files)
    const post = (documents: object) =>
      receive(
        submission({ ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(documents) }),
        site.intake,
        makeFacts(),
      )
    const plain = (some: DocumentFile[]) =>
      receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, some), site.intake, makeFacts())
    expect(await post(ids)).toMatchObject({ ok: true })

    expect(await post({ ...ids, ...(await uploadAll(uploads.handle, submissionId, [files[4]!])) })).toMatchObject({
      ok: true,
    })
    expect(await plain(files)).toMatchObject({ ok: true })

    const other = { ...files[4]!, body: makeSampleFile('heic') }
    const answers = [
      await post({ ...ids, ...(await uploadAll(uploads.handle, submissionId, [other])) }),
      await plain([other]),
    ]
    for (const answer of answers) {
      const result = refusalOf(answer)
      expect(result).toMatchObject({
        reason: 'yaRecibido',
        message: REGISTRATION_MESSAGES.yaRecibido,
        valores: FORM_VALUES,
      })
      expect(result.entrega).not.toBe(submissionId)
    }
    expect(await post(ids)).toMatchObject({ ok: true })
    await expectWhole(files)
  })
})

describe('refused, and nothing stored', () => {
  // No refusal removes files: the uploads of one submission stay valid for all these tests.
  const submissionId = newSubmissionId()
  const files = makeDocuments()
  let ids: Record<string, string[]>
  beforeAll(async () => {
    ids = await uploadAll(uploads.handle, submissionId, files)
  })
  const post = (change: Partial<Record<string, string>> = {}) =>
    receive(
      submission({ ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids), ...change } as Record<
        string,
        string
      >),
      site.intake,
      makeFacts(),
    )
  const takeBack = async (gone: string[]) => {
    for (const id of gone) await uploads.handle(uploadRequest('DELETE', `/subidas/${id}`, submissionId), makeFacts())
  }
  const expectNothing = async () => {
    expect(await rows()).toEqual([])
    expect(await journal()).toEqual([])
    expect(await filesUnder('objects/registro')).toEqual([])
  }

  test.each(FORMS.candidata.kinds)('without %s', async (kind) => {
    const { [kind]: gone = [], ...rest } = ids
    await takeBack(gone)
    const result = refusalOf(await post({ documentos: JSON.stringify(rest) }))
    expect(result).toMatchObject({ reason: 'incompleto', message: FORM_MESSAGES.incompleto, campos: [{ campo: kind }] })
    await expectNothing()
    const again = files.filter((file) => file.clase === kind)
    ids = { ...rest, ...(await uploadAll(uploads.handle, submissionId, again)) }
  })
  test('without any file', async () => {
    expect(refusalOf(await send([]))).toMatchObject({ message: FORM_MESSAGES.incompleto })
  })
  test('one side of the credential, or three', async () => {
    const [front, back] = ids.credencialElector!
    const third = await uploadAll(uploads.handle, submissionId, [{ ...files[1]!, body: makeSampleFile('jpg') }])
    for (const voterCard of [[front], [front, back, ...third.credencialElector!]])
      expect(
        refusalOf(await post({ documentos: JSON.stringify({ ...ids, credencialElector: voterCard }) })),
      ).toMatchObject({
        message: FORM_MESSAGES.incompleto,
        campos: [{ campo: 'credencialElector' }],
      })
    await takeBack(third.credencialElector!)
    await expectNothing()
  })
  test('one upload named as both sides', async () => {
    const [front] = ids.credencialElector!
    const twice = JSON.stringify({ ...ids, credencialElector: [front, front] })
    expect(refusalOf(await post({ documentos: twice }))).toMatchObject({
      message: FORM_MESSAGES.incompleto,
      campos: [{ campo: 'credencialElector' }],
    })
    await expectNothing()
  })
  test.each([
    [{ estatura: '-1' }, FORM_MESSAGES.estatura],
    [{ estatura: '1e309' }, FORM_MESSAGES.estatura],
    [{ estatura: '166' }, FORM_MESSAGES.estatura],
    [{ edad: '20.5' }, FORM_MESSAGES.edad],
    [{ nombre: 'a'.repeat(10_000) }, FORM_MESSAGES.nombreLargo],
    [{ nombre: 'Ana\0' }, FORM_MESSAGES.textoIlegible],
    [{ celular: '3'.repeat(31) }, FORM_MESSAGES.celularLargo],
    [{ gradoEstudio: 'Doctora' }, FORM_MESSAGES.gradoEstudio],
    [{ celular: ' ' }, FORM_MESSAGES.incompleto],
    [{ rol: 'admin' }, REGISTRATION_MESSAGES.camposDesconocidos],
    [{ id: '1' }, REGISTRATION_MESSAGES.camposDesconocidos],
    [{ entrega: 'no-es-uuid' }, REGISTRATION_MESSAGES.peticion],
    [{ documentos: '[' }, REGISTRATION_MESSAGES.peticion],
    [{ documentos: '[]' }, REGISTRATION_MESSAGES.peticion],
    [{ documentos: '{"actaNacimiento":"x"}' }, REGISTRATION_MESSAGES.peticion],
    [{ documentos: '{"actaNacimiento":["../../x"]}' }, REGISTRATION_MESSAGES.peticion],
    [{ documentos: '{"fotoPerfil":[]}' }, REGISTRATION_MESSAGES.camposDesconocidos],
  ])('%o', async (change, message) => {
    const result = refusalOf(await post(change))
    expect(result.message).toBe(message)
    await expectNothing()
  })

  test('a refusal gives back the typed values and the names of the received files', async () => {
    const result = refusalOf(await post({ estatura: '166' }))
    expect(result.valores).toEqual({ ...FORM_VALUES, estatura: '166' })
    expect(result.recibidos).toEqual({
      actaNacimiento: ['acta (1).pdf'],
      credencialElector: ['frente.jpg', 'vuelta.jpg'],
      constanciaEstudios: ['constancia.png'],
      fotoRostro: ['IMG_0001.HEIC'],
      fotoCuerpo: ['cuerpo entero.jpg'],
    })
  })

  test('an upload of another submission, or of another kind', async () => {
    expect(refusalOf(await post({ entrega: newSubmissionId() }))).toMatchObject({
      reason: 'documentoInvalido',
      message: REGISTRATION_MESSAGES.archivoPerdido,
    })
    const swapped = JSON.stringify({ ...ids, fotoRostro: ids.fotoCuerpo, fotoCuerpo: ids.fotoRostro })
    expect(refusalOf(await post({ documentos: swapped }))).toMatchObject({ reason: 'peticion' })
    await expectNothing()
  })

  test('the same files are accepted once the form is right', async () => {
    expect(await post()).toMatchObject({ ok: true })
    await expectWhole(files)
  })

  test('fields given twice, and a body that is no form', async () => {
    const twice = new Request('https://feria.example/registro', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'nombre=Ana&nombre=Eva',
    })
    expect(refusalOf(await receive(twice, site.intake, makeFacts()))).toMatchObject({ reason: 'peticion' })
    for (const type of ['application/json', 'multipart/form-data', 'text/plain']) {
      const request = new Request('https://feria.example/registro', {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{}',
      })
      expect(refusalOf(await receive(request, site.intake, makeFacts()))).toMatchObject({ reason: 'peticion' })
    }
    const huge = submission({ ...FORM_VALUES, celular: '3'.repeat(300_000) })
    expect(refusalOf(await receive(huge, site.intake, makeFacts()))).toMatchObject({ reason: 'archivoGrande' })
  })

  test('too many from one address, with the time to wait', async () => {
    const intake = await reopenIntake(site, {}, { limits: { maxSubmissions: 2 } })
    const post = (client: string) => receive(submission(FORM_VALUES), intake, makeFacts(client))
    await post('a')
    await post('a')
    const result = refusalOf(await post('a'))
    expect(result).toMatchObject({ reason: 'limite', message: REGISTRATION_MESSAGES.limite })
    expect(result.retryAfterSeconds).toBeGreaterThan(500)
    expect(refusalOf(await post('b')).reason).toBe('entrega')
  })
})

describe('a form refused before its values are checked', () => {
  const raw = (type: string, body: Uint8Array<ArrayBuffer> | string) =>
    new Request('https://feria.example/registro', { method: 'POST', headers: { 'content-type': type }, body })
  const rawForm = async (fields: Record<string, string>, files: readonly DocumentFile[]) => {
    const whole = Buffer.from(await formSubmission(fields, files).arrayBuffer())
    return { whole, type: `multipart/form-data; boundary=${whole.subarray(2, whole.indexOf('\r\n')).toString()}` }
  }

  test('for the rate limit: values and files need not be sent again', async () => {
    const intake = await reopenIntake(site, {}, { limits: { maxSubmissions: 1 } })
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const post = (fields: object, some: DocumentFile[], at = intake) =>
      receive(formSubmission({ ...FORM_VALUES, entrega: submissionId, ...fields }, some), at, makeFacts())
    refusalOf(await post({ edad: 'x' }, files))
    const front = { ...files[1]!, name: 'mejor.jpg', body: makeSampleFile('jpg') }
    const result = refusalOf(await post({}, [front]))
    expect(result).toMatchObject({ reason: 'limite', valores: FORM_VALUES, entrega: submissionId })
    expect(result.recibidos).toMatchObject({ actaNacimiento: ['acta (1).pdf'], credencialElector: ['mejor.jpg'] })
    expect(await post({}, [files[2]!], site.intake)).toMatchObject({ ok: true })
    await expectWhole(files.map((file) => (file.lado === 'anverso' ? front : file)))
  })

  test('for a field that came twice, in either encoding', async () => {
    const submissionId = newSubmissionId()
    const fields = { entrega: submissionId, ...FORM_VALUES }
    const { whole, type } = await rawForm(fields, makeDocuments())
    const boundary = whole.subarray(0, whole.indexOf('\r\n')).toString()
    const again = `${boundary}\r\nContent-Disposition: form-data; name="edad"\r\n\r\n33\r\n`
    const twice = [
      raw('application/x-www-form-urlencoded', `edad=21&edad=33&${new URLSearchParams(fields)}`),
      raw(type, new Uint8Array(Buffer.concat([Buffer.from(again), Buffer.from(again), whole]))),
    ]
    for (const [at, request] of twice.entries()) {
      const result = refusalOf(await receive(request, site.intake, makeFacts()))
      expect(result).toMatchObject({
        reason: 'peticion',
        entrega: submissionId,
        valores: { ...FORM_VALUES, edad: at ? '33' : '21' },
      })
      expect(Object.keys(result.recibidos)).toHaveLength(at ? 5 : 0)
    }
  })

  test('for breaking off, or for a NUL in the name of a file', async () => {
    const submissionId = newSubmissionId()
    const { whole, type } = await rawForm({ ...FORM_VALUES, entrega: submissionId }, makeDocuments())
    const nul = Buffer.from(whole.toString('latin1').replace('cuerpo entero.jpg', 'cuerpo\0entero.jpg'), 'latin1')
    for (const body of [whole.subarray(0, whole.length - 100), nul]) {
      const request = raw(type, new Uint8Array(body))
      const result = refusalOf(await receive(request, site.intake, makeFacts()))
      expect(result).toMatchObject({ reason: 'peticion', valores: FORM_VALUES, entrega: submissionId })
      expect(result.recibidos).toMatchObject({ actaNacimiento: ['acta (1).pdf'] })
    }
  })
})

describe('a refused form without JavaScript keeps its files', () => {
  test('an error keeps the received files; the second form brings only the faulty one', async () => {
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const bad = files.map((file) => (file.clase === 'fotoRostro' ? { ...file, name: 'mi niña.jpg' } : file))
    const first = refusalOf(
      await receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, bad), site.intake, makeFacts()),
    )
    expect(first).toMatchObject({
      reason: 'nombreArchivo',
      message: 'El archivo "mi niña.jpg" contiene caracteres no permitidos.',
      campos: [{ campo: 'fotoRostro' }],
      entrega: submissionId,
    })
    expect(Object.keys(first.recibidos).sort()).toEqual(
      ['actaNacimiento', 'constanciaEstudios', 'credencialElector', 'fotoCuerpo'].sort(),
    )
    const empty = { clase: 'actaNacimiento' as const, name: '', body: Buffer.alloc(0) }
    const mended = files.filter((file) => file.clase === 'fotoRostro')
    expect(
      await receive(
        formSubmission({ ...FORM_VALUES, entrega: submissionId }, [empty, ...mended]),
        site.intake,
        makeFacts(),
      ),
    ).toMatchObject({ ok: true })
    await expectWhole(files)
  })

  test('the front stays the front, also when the back is counted first and the form comes a second time', async () => {
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const intake = await reopenIntake(site)
    const { quota } = intake.staging
    const { countCreation } = quota
    let asked = 0
    // Each upload waits for less time than the one before.
    quota.countCreation = async (client) => {
      for (let left = 40 - 5 * asked++; left > 0; left--) await new Promise(setImmediate)
      await countCreation(client)
    }
    const bad = files.map((file) => (file.clase === 'fotoRostro' ? { ...file, name: 'mi niña.jpg' } : file))
    const first = refusalOf(
      await receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, bad), intake, makeFacts()),
    )
    expect(first.recibidos).toMatchObject({ credencialElector: ['frente.jpg', 'vuelta.jpg'] })
    const mended = files.filter((file) => file.clase === 'fotoRostro')
    expect(
      await receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, mended), intake, makeFacts()),
    ).toMatchObject({
      ok: true,
    })
    await expectWhole(files)
  })

  test('the sides of the credential may come one by one; three are asked for again', async () => {
    const submissionId = newSubmissionId()
    const all = makeDocuments()
    const sides = all.filter((file) => file.clase === 'credencialElector')
    const rest = all.filter((file) => file.clase !== 'credencialElector')
    const post = (files: DocumentFile[]) =>
      receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, files), site.intake, makeFacts())
    const three = refusalOf(await post([...rest, ...sides, { ...sides[0]!, body: makeSampleFile('png') }]))
    expect(three).toMatchObject({ message: FORM_MESSAGES.incompleto })
    expect(three.recibidos.credencialElector).toBeUndefined()
    expect(refusalOf(await post([sides[0]!])).recibidos.credencialElector).toEqual(['frente.jpg'])
    expect(await post([sides[1]!])).toMatchObject({ ok: true })
    await expectWhole(all)
  })

  test('a file chosen again takes the place of the earlier one', async () => {
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const post = (fields: object, some: DocumentFile[]) =>
      receive(formSubmission({ ...FORM_VALUES, entrega: submissionId, ...fields }, some), site.intake, makeFacts())
    refusalOf(await post({ edad: 'x' }, files))
    const better = { ...files[4]!, name: 'mejor.jpg', body: makeSampleFile('jpg') }
    expect(await post({}, [better])).toMatchObject({ ok: true })
    await expectWhole(files.map((file) => (file.clase === 'fotoRostro' ? better : file)))
  })

  test.each([
    ['vacio.jpg', Buffer.alloc(0), 'archivoVacio', FORM_MESSAGES.archivoVacio('vacio.jpg'), 'Elige otro'],
    [
      'texto.jpg',
      Buffer.from('hola, soy un texto'),
      'archivoTipo',
      FORM_MESSAGES.archivoTipo('texto.jpg'),
      'Sólo fotos',
    ],
    [
      'grande.jpg',
      makeSampleFile('jpg', 15 * 1_048_576 + 1),
      'archivoGrande',
      FORM_MESSAGES.archivoGrande('grande.jpg'),
      'Máximo 15 MB.',
    ],
  ])('%s', async (name, body, reason, message, line) => {
    const files = makeDocuments().map((file) => (file.clase === 'fotoCuerpo' ? { ...file, name, body } : file))
    const submissionId = newSubmissionId()
    const result = refusalOf(
      await receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, files), site.intake, makeFacts()),
    )
    expect(result).toMatchObject({ reason, message })
    // The banner's sentence stands once in the page: the document's row has a shorter one.
    expect(result.campos).toEqual([{ campo: 'fotoCuerpo', message: expect.stringContaining(line) }])
    expect(Object.keys(result.recibidos)).toHaveLength(4)
  })

  test('a file of exactly 15 MB is not too large', async () => {
    const files = makeDocuments().map((file) =>
      file.clase === 'fotoCuerpo' ? { ...file, body: makeSampleFile('jpg', 15 * 1_048_576) } : file,
    )
    const submissionId = newSubmissionId()
    expect(
      await receive(formSubmission({ ...FORM_VALUES, entrega: submissionId }, files), site.intake, makeFacts()),
    ).toMatchObject({
      ok: true,
    })
  })

  test('names with folders, a control character, an emoji, 255 characters: stored, and inside their folder', async () => {
    const names = ['../../../fuera.pdf', 'a\x01b.jpg', '👑.jpg', `${'x'.repeat(251)}.png`, '..', 'C:\\yo.jpg']
    const submissionId = newSubmissionId()
    const files = makeDocuments().map((file, at) => ({ ...file, name: names[at]! }))
    const ids = await uploadAll(uploads.handle, submissionId, files)
    const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
    expect(await receive(submission(fields), site.intake, makeFacts())).toMatchObject({ ok: true })
    const [row] = await rows()
    const stored = await filesUnder('objects/registro')
    expect(stored).toHaveLength(7)
    for (const path of stored) expect(path.startsWith(`${row!.carpeta}/`)).toBe(true)
    expect(stored.some((path) => path.endsWith('_fuera.pdf'))).toBe(true)
  })

  test('a form that breaks off leaves no half file behind', async () => {
    const submissionId = newSubmissionId()
    const whole = Buffer.from(
      await formSubmission({ ...FORM_VALUES, entrega: submissionId }, makeDocuments(200_000)).arrayBuffer(),
    )
    const type = `multipart/form-data; boundary=${whole.subarray(2, whole.indexOf('\r\n')).toString()}`
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      const part = new Uint8Array(whole.subarray(0, Math.floor(whole.length * share)))
      for (const breaks of [false, true]) {
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(part)
            if (breaks) controller.error(new Error('aborted'))
            else controller.close()
          },
        })
        const request = new Request('https://feria.example/registro', {
          method: 'POST',
          headers: { 'content-type': type },
          body,
          duplex: 'half',
        } as RequestInit)
        expect(refusalOf(await receive(request, site.intake, makeFacts()))).toMatchObject({ reason: 'peticion' })
      }
    }
    for (const { sealed } of await site.intake.staging.list(submissionKeyOf(submissionId)))
      expect(sealed).not.toBeNull()
    expect(await filesUnder('temporales')).toEqual([])
  })
})

test('a connection that the site loses while it stages files is answered as a fault of the site', async () => {
  for (const lost of ['Connection terminated unexpectedly', 'read ECONNRESET', 'aborted']) {
    const { staging } = site.intake
    const intake = { ...site.intake, staging: { ...staging, append: () => Promise.reject(new Error(lost)) } }
    const request = await formSubmission({ ...FORM_VALUES, entrega: newSubmissionId() }, makeDocuments())
    expect(refusalOf(await receive(request, intake, makeFacts())), lost).toMatchObject({ reason: 'falla' })
  }
})

describe('never half a registration', () => {
  /** A storage whose n-th call of a method fails, before or after it took effect. */
  function failing(method: 'putFile' | 'putBytes', after: number, effect: boolean): ObjectStorage {
    let calls = 0
    const { storage } = site.services
    return {
      ...storage,
      [method]: async (...args: Parameters<ObjectStorage['putFile']>) => {
        const fails = args[0] !== 'subidas' && ++calls > after
        if (!fails || effect) await (storage[method] as ObjectStorage['putFile'])(...args)
        if (fails) throw Object.assign(new Error('EIO: i/o error, 7_Ana_Colorin'), { code: 'EIO' })
      },
    }
  }

  test.each([
    ['putFile', 0, false],
    ['putFile', 3, false],
    ['putFile', 5, true],
    ['putBytes', 0, false],
    ['putBytes', 0, true],
  ] as const)('the storage fails (%s after %i, done all the same: %s): undone, and the files need not be sent again', async (method, after, effect) => {
    const intake = await reopenIntake(site, { storage: failing(method, after, effect) })
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const handle = createRegistrations(intake).handle
    const ids = await uploadAll(handle, submissionId, files)
    const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
    const request = makeFacts()
    const result = refusalOf(await receive(submission(fields), intake, request))
    expect(result).toMatchObject({
      reason: 'falla',
      errorId: request.id,
      message: REGISTRATION_MESSAGES.falla(request.id),
    })
    expect(Object.keys(result.recibidos)).toHaveLength(5)
    expect(await rows()).toEqual([])
    expect(await filesUnder('objects/registro')).toEqual([])

    expect(await receive(submission(fields), await reopenIntake(site), makeFacts())).toMatchObject({ ok: true })
    await expectWhole(files)
  })

  test('a full disk has its own message', async () => {
    const { storage } = site.services
    const full: ObjectStorage = {
      ...storage,
      putFile: (bucket, ...rest) =>
        bucket === 'subidas'
          ? storage.putFile(bucket, ...rest)
          : Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })),
    }
    const intake = await reopenIntake(site, { storage: full })
    const submissionId = newSubmissionId()
    const ids = await uploadAll(createRegistrations(intake).handle, submissionId, makeDocuments())
    const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
    expect(refusalOf(await receive(submission(fields), intake, makeFacts()))).toMatchObject({
      reason: 'sinEspacio',
      message: REGISTRATION_MESSAGES.sinEspacio,
    })
  })

  /** Kills a process at some point of the storing: from then on nothing it does takes effect, not even an undo. */
  async function killedAt(point: 'putFile' | 'putBytes' | 'commit', after: number) {
    let calls = 0
    let dead = false
    let storing = false
    const never = new Promise<never>(() => {})
    const { storage, db } = site.services
    const gate = <T>(name: string, work: () => Promise<T>): Promise<T> => {
      if (dead) return never
      if (storing && name === point && ++calls > after) {
        dead = true
        return never
      }
      return work()
    }
    const dying: ObjectStorage = {
      ...storage,
      putFile: (...args) => gate('putFile', () => storage.putFile(...args)),
      putBytes: (...args) => gate('putBytes', () => storage.putBytes(...args)),
    }
    const dyingDb = new Proxy(db, {
      get: (target, name) => {
        if (name === 'transaction' && point === 'commit' && storing)
          return () => ({ execute: () => gate('commit', async () => undefined) })
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const intake = await reopenIntake(site, { storage: dying, db: dyingDb })
    const submissionId = newSubmissionId()
    const files = makeDocuments()
    const ids = await uploadAll(createRegistrations(intake).handle, submissionId, files)
    const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
    storing = true
    receive(submission(fields), intake, makeFacts()).catch(() => {})
    while (!dead) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await loseLeases(site)
    return { fields, files }
  }

  test.each([
    ['putFile', 0],
    ['putFile', 3],
    ['putBytes', 0],
    ['commit', 0],
  ] as const)('killed at %s after %i: the next start finishes it', async (point, after) => {
    const { fields, files } = await killedAt(point, after)
    expect(await rows()).toEqual([])
    const intake = await reopenIntake(site)
    expect((await recoverSubmissions(intake)).size).toBe(0)
    await expectWhole(files)
    expect(await receive(submission(fields), intake, makeFacts())).toMatchObject({ ok: true })
    expect(await rows()).toHaveLength(1)
  })

  test('killed, and a staged file is gone or damaged: the next start undoes it', async () => {
    for (const damage of ['gone', 'shorter', 'other bytes'] as const) {
      const { fields } = await killedAt('putFile', 0)
      const ids = JSON.parse(fields.documentos) as Record<string, string[]>
      const storedChunk = (await filesUnder('objects/subidas')).find((path) => path.includes(ids.fotoCuerpo![0]!))!
      const file = join(site.dataDir, 'objects/subidas', storedChunk)
      const { rm, truncate, writeFile } = await import('node:fs/promises')
      if (damage === 'gone') await rm(file)
      else if (damage === 'shorter') await truncate(file, 100)
      else await writeFile(file, makeSampleFile('jpg', (await stat(file)).size))
      await recoverSubmissions(await reopenIntake(site))
      expect(await rows()).toEqual([])
      expect(await journal()).toEqual([])
      expect(await filesUnder('objects/registro')).toEqual([])
    }
  })

  test('the sweep leaves the files of an unsettled submission alone, however old', async () => {
    const { fields, files } = await killedAt('putFile', 0)
    const fail = () => Promise.reject(new Error('the storage does not answer'))
    const down = { ...site.services.storage, head: fail, putFile: fail }
    const intake = await reopenIntake(site, { storage: down })
    const unsettled = await recoverSubmissions(intake)
    expect(unsettled.size).toBe(1)
    await intake.staging.sweep(unsettled, 2 * MAX_STAGED_MS)
    expect((await recoverSubmissions(await reopenIntake(site))).size).toBe(0)
    await expectWhole(files)
    expect(await receive(submission(fields), site.intake, makeFacts())).toMatchObject({ ok: true })
  })

  test('the answer to the commit is lost: it is a registration, and the answer says so', async () => {
    const { db } = site.services
    let lost = false
    const lossy = new Proxy(db, {
      get: (target, name) => {
        if (name === 'transaction' && !lost)
          return () => ({
            execute: async (work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) => {
              lost = true
              await target.transaction().execute(work)
              throw new Error('Connection terminated unexpectedly')
            },
          })
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const files = makeDocuments()
    expect(await send(files, {}, await reopenIntake(site, { db: lossy }))).toMatchObject({ ok: true })
    await expectWhole(files)
  })

  test('the database itself refuses an entry without its six documents, or with an invalid value', async () => {
    const { db } = site.services
    const created_at = new Date()
    const insert = (bad: object = {}) =>
      db.transaction().execute(async (transaction) => {
        const { id } = await transaction
          .insertInto('inscripciones')
          .values({
            tipo: 'candidata',
            edicion: 2025,
            folio: 'ABCD-EFGH-JKMN',
            titular: 'Ana',
            edad: 21,
            celular: '33',
            created_at,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        const row = {
          inscripcion_id: id,
          nombre: 'Ana',
          edad: 21,
          estatura: 1.66,
          gradoEstudio: 'Estudiante' as const,
          celular: '33',
          carpeta: '1_Ana',
          metadata_path: 'x',
          created_at,
        }
        await transaction
          .insertInto('registros')
          .values({ ...row, ...bad })
          .execute()
      })
    await expect(insert()).rejects.toThrow('is not whole')
    for (const bad of [{ edad: 0 }, { estatura: 3 }, { nombre: '' }, { celular: 'x'.repeat(31) }])
      await expect(insert(bad)).rejects.toThrow('check constraint')
    expect(await db.selectFrom('inscripciones').select('id').execute()).toEqual([])
  })
})

test('the log of a fault has its id and no name of a person or a file', async () => {
  const lines: string[] = []
  const { storage } = site.services
  const noisy = createLog('trace', { write: (line) => lines.push(line) })
  const broken: ObjectStorage = {
    ...storage,
    putFile: (bucket, path, ...rest) =>
      bucket === 'subidas'
        ? storage.putFile(bucket, path, ...rest)
        : Promise.reject(new Error(`EACCES: permission denied, link '/s/a.bin' -> '/o/${bucket}/${path}'`)),
  }
  const intake = await reopenIntake(site, { storage: broken, log: noisy })
  const submissionId = newSubmissionId()
  const ids = await uploadAll(createRegistrations(intake).handle, submissionId, makeDocuments())
  const request = makeFacts()
  const fields = { ...FORM_VALUES, entrega: submissionId, documentos: JSON.stringify(ids) }
  await receive(submission(fields), intake, request)
  const written = lines.join('')
  expect(written).toContain(request.id)
  expect(written).toContain('EACCES: permission denied')
  for (const secret of ['Ana', 'Color', 'frente', 'acta', '0000', submissionId]) expect(written).not.toContain(secret)
})
