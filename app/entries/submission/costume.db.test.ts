import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findOriginal } from '#app/entries/document-viewing/originals.server.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import {
  creationRequest,
  type DocumentFile,
  FORM_VALUES,
  formSubmission,
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
import type { RegistrationResult } from './schema.ts'
import { createRegistrations, type Registrations } from './uploads.early.server.ts'

vi.mock(
  '#app/entries/document-viewing/render-sandbox.server.ts',
  () => import('#tests/support/entries/render-in-process.ts'),
)

const MIB = 1_048_576
const COSTUME = {
  nombre_disenador: 'Rosa Clavel Ñandú',
  email: 'rosa@ejemplo.mx',
  celular: '33 1234 5678',
  ciudad: 'Azahares, Jalisco',
  nombre_traje: '<b>Flor</b> de azahar',
  tematica: '=cmd()',
  descripcion: 'Falda amplia\ncon listones',
  materiales: 'Manta, listón',
  altura: '149.5',
  ha_participado: 'No',
}
const sketches = (): DocumentFile[] => [
  { clase: 'bocetoFrontal', name: 'frente (1).png', body: makeSampleFile('png') },
  { clase: 'bocetoPosterior', name: 'atras.jpg', body: makeSampleFile('jpg') },
  { clase: 'identificacion', name: 'ine.pdf', body: makeSampleFile('pdf') },
]

let site: TestSite
let uploads: Registrations
beforeAll(async () => {
  site = await openTestSite({ limits: { maxCreations: 100_000, maxSubmissions: 100_000 } })
  uploads = createRegistrations(site.intake)
})
afterAll(() => site.close())
beforeEach(async () => {
  await emptyTables(site.database.pool, 'inscripciones', 'entregas', 'correos', 'ajustes')
  for (const path of await stored()) await site.services.storage.remove('registrotrajes', path)
})

const stored = async () =>
  (
    await readdir(join(site.dataDir, 'objects/registrotrajes'), { recursive: true, withFileTypes: true }).catch(
      () => [],
    )
  )
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(site.dataDir, 'objects/registrotrajes').length + 1))
    .sort()

const receive = (request: Request) => receiveRegistration('traje', request, site.intake, makeFacts())

async function send(files = sketches(), change: Record<string, string> = {}): Promise<RegistrationResult> {
  const submissionId = newSubmissionId()
  const ids = await uploadAll(uploads.handle, submissionId, files)
  return receive(submission({ ...COSTUME, entrega: submissionId, documentos: JSON.stringify(ids), ...change }))
}

async function expectNothing() {
  const { db } = site.services
  for (const table of ['inscripciones', 'trajes_tipicos', 'correos', 'entregas'] as const)
    expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
  expect(await stored()).toEqual([])
}

describe.each(['by the page’s script', 'without JavaScript'])('a costume sent %s', (way) => {
  test('is an entry, its row, three objects under the paths of §7 and a metadata file with the keys of §3', async () => {
    const { db } = site.services
    const files = sketches()
    const result =
      way === 'without JavaScript'
        ? await receive(formSubmission({ ...COSTUME, entrega: newSubmissionId() }, files))
        : await send(files)
    const entry = await db.selectFrom('inscripciones').selectAll().executeTakeFirstOrThrow()
    expect(result).toEqual({ ok: true, folio: entry.folio })
    expect(entry).toMatchObject({
      tipo: 'traje',
      edicion: 2025,
      titular: COSTUME.nombre_disenador,
      detalle: COSTUME.nombre_traje,
      edad: null,
      correo: COSTUME.email,
      celular: COSTUME.celular,
    })
    const row = await db.selectFrom('trajes_tipicos').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ ...COSTUME, altura: 149.5, carpeta: `${row.id}_Rosa_Clavel_Nandu` })
    const at = row.created_at.getTime()
    expect(await stored()).toEqual(
      [
        `${row.carpeta}/bocetoFrontal/${at}_frente_1.png`,
        `${row.carpeta}/bocetoPosterior/${at}_atras.jpg`,
        `${row.carpeta}/identificacion/${at}_ine.pdf`,
        `${row.carpeta}/metadata_${at}.json`,
      ].sort(),
    )
    const bytes = await readFile(join(site.dataDir, 'objects/registrotrajes', row.metadata_path), 'utf8')
    const url = `https://feria.example/archivos/registrotrajes/${row.carpeta}`
    expect(JSON.parse(bytes)).toStrictEqual({
      id: row.id,
      ...COSTUME,
      altura: 149.5,
      documentos: {
        bocetoFrontal: [`${url}/bocetoFrontal/${at}_frente_1.png`],
        bocetoPosterior: [`${url}/bocetoPosterior/${at}_atras.jpg`],
        identificacion: [`${url}/identificacion/${at}_ine.pdf`],
      },
    })
    const path = `registrotrajes/${row.carpeta}/identificacion/${at}_ine.pdf`
    const opened = await (await findOriginal(site.services, path))!.open(new Request('https://feria.example/'))
    const sum = createHash('sha256').update(Buffer.from(await opened!.arrayBuffer()))
    expect(sum.digest('hex')).toBe(createHash('sha256').update(files[2]!.body).digest('hex'))
    expect(await findOriginal(site.services, `registro/${row.metadata_path}`)).toBeUndefined()
  })
})

test('a costume’s folio goes out by mail, once, without any of the typed values', async () => {
  const { db } = site.services
  const submissionId = newSubmissionId()
  const ids = await uploadAll(uploads.handle, submissionId, sketches())
  const post = () => receive(submission({ ...COSTUME, entrega: submissionId, documentos: JSON.stringify(ids) }))
  const answers = await Promise.all([post(), post()])
  const again = await receiveRegistration(
    'traje',
    submission({ ...COSTUME, entrega: submissionId, documentos: JSON.stringify(ids) }),
    await reopenIntake(site),
    makeFacts(),
  )
  expect(new Set([...answers, again].map((answer) => answer.ok && answer.folio)).size).toBe(1)
  const [email, ...more] = await db.selectFrom('correos').selectAll().execute()
  expect(more).toEqual([])
  const { folio } = answers[0] as { folio: string }
  expect(email).toMatchObject({ kind: 'inscripcion', recipient: COSTUME.email, inscripcion_id: expect.any(Number) })
  const { subject, text, html } = decryptMail(email!)
  expect(text).toContain(folio)
  expect(text).toContain(`https://feria.example/folio#${folio}`)
  expect(`${subject} ${text} ${html}`).not.toMatch(/Rosa|azahar\b.*Flor|Flor/)
})

test('one mailbox is sent few folios a day, however its address is written; every entry is taken', async () => {
  const { db } = site.services
  for (const email of [
    'rosa@gmail.com',
    'ro.sa@gmail.com',
    'Rosa+1@gmail.com',
    'r.osa+2@gmail.com',
    'rosa@googlemail.com',
  ])
    expect(await send(sketches(), { email }), email).toMatchObject({ ok: true })
  expect(await send(sketches(), { email: 'otra@gmail.com' })).toMatchObject({ ok: true })
  const sent = await db.selectFrom('correos').select('recipient').orderBy('id').execute()
  expect(sent.map(({ recipient }) => recipient.toLowerCase())).toEqual([
    ...['rosa@gmail.com', 'ro.sa@gmail.com', 'rosa+1@gmail.com'],
    'otra@gmail.com',
  ])
  expect(await db.selectFrom('inscripciones').select('id').execute()).toHaveLength(6)
})

describe('refused, and nothing stored', () => {
  const refusal = async (files: DocumentFile[], change: Record<string, string> = {}) => {
    const results = [
      await send(files, change),
      await receive(formSubmission({ ...COSTUME, entrega: newSubmissionId(), ...change }, files)),
    ]
    await expectNothing()
    return results.map((result) => (result.ok ? 'bien' : result.message))
  }
  const both = (message: string) => [message, message]
  const INCOMPLETE = 'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.'
  const withFront = (name: string, body: Buffer): DocumentFile[] => [
    { ...sketches()[0]!, name, body },
    ...sketches().slice(1),
  ]

  test.each([
    [{ email: 'rosa' }, INCOMPLETE],
    [{ ciudad: ' ' }, INCOMPLETE],
    [{ ha_participado: 'Sí' }, 'El traje no es elegible si ya participó en otros concursos.'],
    [{ materiales: 'x'.repeat(101) }, 'Temática y materiales no deben exceder 100 caracteres.'],
    [{ descripcion: 'x'.repeat(251) }, 'La descripción no debe exceder 250 caracteres.'],
    [{ altura: '150.0001' }, 'La altura máxima permitida es 150 cm.'],
    [{ rol: 'admin' }, 'El formulario trae datos que no conocemos. Recarga la página e inténtalo de nuevo.'],
  ])('%o', async (change, message) => {
    expect(await refusal(sketches(), change as unknown as Record<string, string>)).toEqual(both(message))
  })

  test('a file missing, or one too many of a kind', async () => {
    expect(await refusal(sketches().slice(1))).toEqual(both(INCOMPLETE))
    expect(await refusal([...sketches(), { ...sketches()[0]!, body: makeSampleFile('png') }])).toEqual([
      'Este documento lleva un solo archivo.',
      'Este documento lleva un solo archivo.',
    ])
  })

  test('the content decides, not the name: an SVG with script, an archive, a page; a picture named .pdf is a picture', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(500)])
    for (const [name, body] of [
      ['boceto.svg', svg],
      ['boceto.png', zip],
      ['boceto.pdf', Buffer.from('<!doctype html>')],
    ] as const) {
      const [byScript, plain] = await refusal(withFront(name, body))
      // The upload itself was refused: the page's script shows that message, and never gets to send the rest.
      expect(byScript).toBe('Uno de los archivos ya no está en el servidor. Elígelo y súbelo de nuevo.')
      expect(plain).toBe(`El archivo "${name}" debe ser JPG, PNG o PDF.`)
    }
    expect(await send(withFront('boceto.pdf', makeSampleFile('png')))).toMatchObject({ ok: true })
    const [frontal] = await site.services.db
      .selectFrom('documentos')
      .select('content_type')
      .where('clase', '=', 'bocetoFrontal')
      .execute()
    expect(frontal).toEqual({ content_type: 'image/png' })
  })

  test('a byte too many, before the file is sent; a file of exactly the limit is stored', async () => {
    const submissionId = newSubmissionId()
    for (const [kind, max] of [
      ['bocetoPosterior', 5],
      ['identificacion', 2],
    ] as const) {
      const file = { clase: kind, name: 'grande.png', body: makeSampleFile('png', max * MIB + 1) }
      const answer = await uploads.handle(creationRequest(submissionId, file), makeFacts())
      expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
        413,
        `El archivo "grande.png" excede el tamaño máximo de ${max}MB.`,
      ])
      const files = sketches().map((one) => (one.clase === kind ? file : one))
      const plain = await receive(formSubmission({ ...COSTUME, entrega: newSubmissionId() }, files))
      expect(plain).toMatchObject({ message: `El archivo "grande.png" excede el tamaño máximo de ${max}MB.` })
    }
    await expectNothing()
    const full = sketches().map((one) => ({
      ...one,
      body: makeSampleFile('png', (one.clase === 'identificacion' ? 2 : 5) * MIB),
    }))
    expect(await send(full)).toMatchObject({ ok: true })
  })

  test('the first check of §5 gives the message, though several files are wrong', async () => {
    const files: DocumentFile[] = [
      { clase: 'bocetoFrontal', name: 'a.gif', body: Buffer.from('GIF89a') },
      { clase: 'bocetoPosterior', name: 'b.png', body: makeSampleFile('png', 5 * MIB + 1) },
      { clase: 'identificacion', name: 'credenci´al.png', body: makeSampleFile('png') },
    ]
    const said = async (change: Record<string, string>) => {
      const result = await receive(formSubmission({ ...COSTUME, entrega: newSubmissionId(), ...change }, files))
      return result.ok ? 'bien' : result.message
    }
    expect(await said({ altura: '151' })).toBe('La altura máxima permitida es 150 cm.')
    expect(await said({})).toBe('El archivo "credenci´al.png" contiene caracteres no permitidos.')
    files[2]!.name = 'credencial.png'
    expect(await said({})).toBe('El archivo "b.png" excede el tamaño máximo de 5MB.')
    files[1]!.body = makeSampleFile('png')
    expect(await said({})).toBe('El archivo "a.gif" debe ser JPG, PNG o PDF.')
  })

  test('uploads of the other form do not count', async () => {
    const submissionId = newSubmissionId()
    await uploadAll(uploads.handle, submissionId, makeDocuments())
    const ids = JSON.stringify(await uploadAll(uploads.handle, submissionId, sketches()))
    const mixed = receiveRegistration(
      'candidata',
      submission({ ...FORM_VALUES, entrega: submissionId, documentos: ids }),
      site.intake,
      makeFacts(),
    )
    expect(await mixed).toMatchObject({ ok: false, reason: 'camposDesconocidos' })
  })
})

describe('outside its dates a form takes nothing', () => {
  const setPeriod = (name: string, opens: string, closes: string) =>
    site.services.db
      .insertInto('ajustes')
      .values({ edicion: 2025, nombre: name, valor: JSON.stringify({ abre: opens, cierra: closes }) })
      .execute()

  test('neither data nor uploads, and says when it closed; an earlier submission is still confirmed', async () => {
    const before = newSubmissionId()
    const files = sketches()
    const ids = await uploadAll(uploads.handle, before, files)
    const sent = { ...COSTUME, entrega: before, documentos: JSON.stringify(ids) }
    const first = await receive(submission(sent))
    const submissionId = newSubmissionId()
    const begun = await uploads.handle(creationRequest(submissionId, files[0]!), makeFacts())
    await setPeriod('registro.trajes', '2025-07-01T00:00:00-06:00', '2025-08-01T11:30:00-06:00')

    const message =
      /^El registro de trajes típicos cerró el 1 de agosto de 2025 a las 11:30\sa\.\s?m\., hora del centro/
    const upload = await uploads.handle(creationRequest(submissionId, files[0]!), makeFacts())
    const rest = await uploads.handle(
      uploadRequest('PATCH', begun.headers.get('location')!, submissionId, new Uint8Array(files[0]!.body)),
      makeFacts(),
    )
    for (const answer of [upload, rest]) {
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ reason: 'cerrado', message: expect.stringMatching(message) })
    }
    const plain = await receive(formSubmission({ ...COSTUME, entrega: newSubmissionId() }, files))
    expect(plain).toMatchObject({
      ok: false,
      reason: 'cerrado',
      message: expect.stringMatching(message),
      valores: COSTUME,
      recibidos: {},
    })
    expect(await site.services.db.selectFrom('inscripciones').select('id').execute()).toHaveLength(1)

    expect(await receive(submission(sent))).toEqual(first)
    expect(await receive(formSubmission({ ...COSTUME, entrega: before }, files))).toEqual(first)
    const candidate = await uploads.handle(creationRequest(newSubmissionId(), makeDocuments()[0]!), makeFacts())
    expect(candidate.status).toBe(201)
  })

  test('and says when it will open', async () => {
    await setPeriod('registro.trajes', '2025-09-01T09:00:00-06:00', '2025-09-02T00:00:00-06:00')
    expect(await receive(submission({ ...COSTUME, entrega: newSubmissionId() }))).toMatchObject({
      reason: 'cerrado',
      message: expect.stringMatching(/^El registro de trajes típicos abre el 1 de septiembre de 2025 a las 9:00/),
    })
  })
})
