// Longer than 350 lines: everything that the holder of a folio can do, over one site.
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
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
  upload,
} from '#tests/support/site/test-site.ts'
import { consultFolio, receiveReplacement } from './document-replacement.server.ts'
import { receiveRegistration } from './receive.early.server.ts'
import { recoverSubmissions } from './recovery.server.ts'
import { type FolioResult, REGISTRATION_MESSAGES } from './schema.ts'
import type { IntakeContext } from './staging.server.ts'
import { createRegistrations } from './uploads.early.server.ts'

vi.mock(
  '#app/entries/document-viewing/render-sandbox.server.ts',
  () => import('#tests/support/entries/render-in-process.ts'),
)

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  await emptyTables(site.database.pool, 'inscripciones', 'entregas', 'intentos')
})

const staged = async () =>
  new Set((await site.services.db.selectFrom('subidas').select('key').execute()).map(({ key }) => key)).size

async function register(): Promise<{ folio: string; id: number }> {
  const form = formSubmission({ ...FORM_VALUES, entrega: newSubmissionId() }, makeDocuments())
  const result = await receiveRegistration('candidata', form, site.intake, makeFacts())
  if (!result.ok) throw new Error(result.message)
  const { id } = await site.services.db.selectFrom('inscripciones').select('id').executeTakeFirstOrThrow()
  return { folio: result.folio, id }
}

/** Opens a document request, as the organisers' panel does. */
async function ask(entry: number, kind: 'credencialElector' | 'fotoRostro', side: 'reverso' | null) {
  const { db } = site.services
  await db.updateTable('inscripciones').set({ estado: 'falta-documento' }).where('id', '=', entry).execute()
  const { id } = await db
    .insertInto('solicitudes')
    .values({ inscripcion_id: entry, clase: kind, lado: side, nota: 'No se lee la vigencia.' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const send = (
  fields: { folio: string; solicitud: number; entrega?: string },
  files: readonly DocumentFile[],
  intake: IntakeContext = site.intake,
): Promise<FolioResult> => {
  const { folio, solicitud, entrega = newSubmissionId() } = fields
  return receiveReplacement(
    formSubmission({ entrega, folio, solicitud: String(solicitud) }, files),
    intake,
    makeFacts(),
    ['red'],
  )
}

/** Sends a document to a process that dies after it stored the file, and before it stores the metadata. */
async function sendDying(fields: { folio: string; solicitud: number }): Promise<void> {
  const intake = await reopenIntake(site)
  return new Promise((reached) => {
    const dying: ObjectStorage = {
      ...site.services.storage,
      putBytes: () => {
        reached()
        return new Promise<never>(() => {})
      },
    }
    void send(fields, [backSide()], { ...intake, services: { ...site.services, storage: dying } })
  })
}

const backSide = (body = makeSampleFile('jpg')): DocumentFile => ({
  clase: 'credencialElector',
  name: 'vuelta nitida.jpg',
  body,
})

describe('a folio', () => {
  test('shows whose entry it is, the received documents and the state, and none of the other typed values', async () => {
    const { folio, id } = await register()
    await ask(id, 'credencialElector', 'reverso')
    const result = await consultFolio(site.services, ['red'], folio.toLowerCase())
    expect(result).toMatchObject({
      ok: true,
      vista: {
        folio,
        tipo: 'candidata',
        titular: FORM_VALUES.nombre,
        detalle: null,
        estado: 'falta-documento',
        solicitudes: [{ clase: 'credencialElector', lado: 'reverso', nota: 'No se lee la vigencia.' }],
      },
    })
    const said = JSON.stringify(result)
    for (const name of ['acta (1).pdf', 'frente.jpg', 'vuelta.jpg', 'IMG_0001.HEIC']) expect(said).toContain(name)
    // Her height as a whole number: the fraction of a second may hold its digits.
    for (const secret of [/0000 0000/, /archivos/, /\b1\.66\b/]) expect(said).not.toMatch(secret)
  })

  test('that is wrong always gets the same answer; after twenty attempts a network waits, even with a right one', async () => {
    const { folio } = await register()
    const wrong = ['7K3M-Q9XT-04WB', "' or 1=1 --", '\0', 'x'.repeat(100)]
    for (let at = 0; at < 19; at++) {
      const typed = wrong[at % wrong.length]!
      expect(await consultFolio(site.services, ['red'], typed)).toEqual({
        ok: false,
        reason: 'folioDesconocido',
        message: REGISTRATION_MESSAGES.folioDesconocido,
        folio: typed,
      })
      // The lookup of a right folio is not counted.
      expect((await consultFolio(site.services, ['red'], folio)).ok).toBe(true)
    }
    await consultFolio(site.services, ['red'], 'x')
    const held = await consultFolio(site.services, ['red'], folio)
    expect(held).toMatchObject({ ok: false, reason: 'limite' })
    expect(held.ok || held.retryAfterSeconds).toBeGreaterThan(0)
    expect((await consultFolio(site.services, ['otra red'], folio)).ok).toBe(true)
  })

  test('makes a network wait by its own limit, also where the wider network around it has room', async () => {
    const { folio } = await register()
    for (let at = 0; at < 20; at++) await consultFolio(site.services, ['casa', 'barrio'], 'x')
    expect(await consultFolio(site.services, ['casa', 'barrio'], folio)).toMatchObject({ ok: false, reason: 'limite' })
    expect((await consultFolio(site.services, ['otra casa', 'barrio'], folio)).ok).toBe(true)
  })

  test('that is empty is neither looked up nor counted', async () => {
    for (let at = 0; at < 25; at++)
      expect(await consultFolio(site.services, ['red sin folio'], ' ')).toMatchObject({
        ok: false,
        reason: 'datosInvalidos',
        message: REGISTRATION_MESSAGES.folioVacio,
      })
  })

  test('has one limit for all the networks of one tenant', async () => {
    const { folio } = await register()
    for (let at = 0; at < 80; at++) {
      const tried = await consultFolio(site.services, [`de-un-inquilino-${at}`, 'inquilino'], 'x')
      expect(tried).toMatchObject({ ok: false, reason: 'folioDesconocido' })
    }
    // A neighbour who is refused meanwhile uses up none of her own attempts.
    for (let at = 0; at < 25; at++)
      expect(await consultFolio(site.services, ['otra-suya', 'inquilino'], folio)).toMatchObject({ reason: 'limite' })
    expect((await consultFolio(site.services, ['otra-suya', 'barrio nuevo'], folio)).ok).toBe(true)
    expect((await consultFolio(site.services, ['de-otro', 'otro inquilino'], folio)).ok).toBe(true)
  })
})

test('the organisers’ note is shown where it is meant for the person', async () => {
  const { db } = site.services
  const { folio, id } = await register()
  const noted = async (para_persona: boolean) => {
    const change = { inscripcion_id: id, de: 'recibida', a: 'rechazada', nota: 'No cumple las bases.' } as const
    await db
      .insertInto('cambios')
      .values({ ...change, para_persona })
      .execute()
    const result = await consultFolio(site.services, ['red'], folio)
    return result.ok && result.vista.nota
  }
  expect(await noted(true)).toBe('No cumple las bases.')
  expect(await noted(false)).toBeNull()
})

describe('a document that is asked for again', () => {
  test('replaces the old one, which stays in the history; entry, metadata and request are updated', async () => {
    const { db, storage } = site.services
    const { folio, id } = await register()
    const documentRequest = await ask(id, 'credencialElector', 'reverso')
    const before = await db.selectFrom('registros').selectAll().executeTakeFirstOrThrow()
    const file = backSide()
    const submissionId = newSubmissionId()
    const result = await send({ folio, solicitud: documentRequest, entrega: submissionId }, [file])
    expect(result).toMatchObject({
      ok: true,
      mensaje: REGISTRATION_MESSAGES.documentoRecibido,
      vista: { estado: 'en-revision', solicitudes: [] },
    })

    const backs = await db.selectFrom('documentos').selectAll().where('lado', '=', 'reverso').orderBy('id').execute()
    expect(backs.map(({ reemplazado_at }) => reemplazado_at !== null)).toEqual([true, false])
    expect(backs[1]!.path).toMatch(new RegExp(`^${before.carpeta}/credencialElector_reverso/\\d+_vuelta_nitida\\.jpg$`))
    expect(file.body.equals(await buffer((await storage.get('registro', backs[1]!.path))!))).toBe(true)
    expect(await storage.head('registro', backs[0]!.path)).toBeDefined()

    const after = await db.selectFrom('registros').selectAll().executeTakeFirstOrThrow()
    expect(after.metadata_path).not.toBe(before.metadata_path)
    const read = async (path: string) => JSON.parse(String(await buffer((await storage.get('registro', path))!)))
    const [old, now] = [await read(before.metadata_path), await read(after.metadata_path)]
    expect(Object.keys(now)).toEqual(Object.keys(old))
    const [front] = old.documentos.credencialElector
    const url = `https://feria.example/archivos/registro/${backs[1]!.path}`
    expect(now).toEqual({ ...old, documentos: { ...old.documentos, credencialElector: [front, url] } })

    expect(await db.selectFrom('inscripciones').select(['estado', 'version']).execute()).toEqual([
      { estado: 'en-revision', version: 2 },
    ])
    expect(await db.selectFrom('cambios').select(['de', 'a', 'quien']).execute()).toEqual([
      { de: 'falta-documento', a: 'en-revision', quien: null },
    ])
    const log = db.selectFrom('bitacora').select(['que', 'quien', 'desde']).where('inscripcion', '=', id)
    expect(await log.execute()).toEqual([{ que: 'inscripcion.en-revision', quien: null, desde: 'folio' }])
    expect((await db.selectFrom('solicitudes').selectAll().execute())[0]!.cumplida_at).not.toBeNull()

    // Sent again (a double click, a reload), the same document is stored once; a different one is refused.
    expect(
      (await send({ folio, solicitud: documentRequest, entrega: submissionId }, [file], await reopenIntake(site))).ok,
    ).toBe(true)
    expect(await send({ folio, solicitud: documentRequest, entrega: submissionId }, [backSide()])).toMatchObject({
      ok: false,
      reason: 'yaRecibido',
    })
    expect(await send({ folio, solicitud: documentRequest }, [backSide()])).toMatchObject({
      ok: false,
      reason: 'solicitudCerrada',
    })
    expect(await db.selectFrom('documentos').select('id').execute()).toHaveLength(7)
    expect(await staged()).toBe(0)
  })

  test('of several, the last one ends the wait; two at once are two documents', async () => {
    const { folio, id } = await register()
    const back = await ask(id, 'credencialElector', 'reverso')
    const face = await ask(id, 'fotoRostro', null)
    const photo: DocumentFile = { clase: 'fotoRostro', name: 'cara.jpg', body: makeSampleFile('jpg') }
    const answers = await Promise.all([
      send({ folio, solicitud: back }, [backSide()]),
      send({ folio, solicitud: face }, [photo]),
    ])
    // Either answer may be the later one.
    expect(answers).toMatchObject([{ ok: true }, { ok: true }])
    expect(await consultFolio(site.services, ['red'], folio)).toMatchObject({
      vista: { estado: 'en-revision', solicitudes: [] },
    })
    const { db, storage } = site.services
    const { metadata_path } = await db.selectFrom('registros').select('metadata_path').executeTakeFirstOrThrow()
    const metadata = String(await buffer((await storage.get('registro', metadata_path))!))
    expect(metadata).toContain('_cara.jpg')
    expect(metadata).toContain('_vuelta_nitida.jpg')
    expect(await db.selectFrom('cambios').select('id').execute()).toHaveLength(1)
    const log = await db.selectFrom('bitacora').select('que').where('inscripcion', '=', id).orderBy('id').execute()
    expect(log.map(({ que }) => que)).toEqual(['inscripcion.documento', 'inscripcion.en-revision'])
  })

  test('is refused for a bad file, and can be sent again', async () => {
    const { folio, id } = await register()
    const documentRequest = await ask(id, 'credencialElector', 'reverso')
    const text = { ...backSide(), body: Buffer.from('hola') }
    for (const [files, message] of [
      [[], FORM_MESSAGES.faltaDocumento],
      [[backSide(), backSide()], FORM_MESSAGES.sobraDocumento],
      [[text], FORM_MESSAGES.archivoTipo(text.name)],
      [[{ ...backSide(), name: 'reverso_ñ.jpg' }], FORM_MESSAGES.caracteres('reverso_ñ.jpg')],
      // A document of another kind is ignored.
      [[{ ...backSide(), clase: 'fotoCuerpo' }], FORM_MESSAGES.faltaDocumento],
    ] as const)
      expect(await send({ folio, solicitud: documentRequest }, files as readonly DocumentFile[])).toMatchObject({
        ok: false,
        message,
        solicitud: documentRequest,
        vista: { estado: 'falta-documento' },
      })
    expect(await send({ folio: '7K3M-Q9XT-04WB', solicitud: documentRequest }, [backSide()])).toMatchObject({
      reason: 'folioDesconocido',
    })
    expect(await staged()).toBe(0)
    expect((await send({ folio, solicitud: documentRequest }, [backSide()])).ok).toBe(true)
  })

  test('is taken in chunks, too, also once its form is closed; no other upload then is', async () => {
    const { db } = site.services
    const { folio, id } = await register()
    const documentRequest = await ask(id, 'credencialElector', 'reverso')
    const uploads = createRegistrations(site.intake)
    await db
      .insertInto('ajustes')
      .values({
        edicion: 2025,
        nombre: 'registro.candidatas',
        valor: JSON.stringify({ abre: '2025-07-01T00:00:00-06:00', cierra: '2025-07-02T00:00:00-06:00' }),
      })
      .execute()
    try {
      const file: DocumentFile = { ...backSide(), lado: 'reverso' }
      const others: DocumentFile[] = [file, { ...file, folio: '7K3M-Q9XT-04WB' }, { ...file, folio, lado: 'anverso' }]
      for (const other of others)
        expect((await upload(uploads.handle, newSubmissionId(), other)).creation.status).toBe(403)
      const submissionId = newSubmissionId()
      const sent = await upload(uploads.handle, submissionId, { ...file, folio })
      expect([sent.creation.status, sent.patch?.status]).toEqual([201, 204])
      const fields = {
        entrega: submissionId,
        folio,
        solicitud: String(documentRequest),
        documentos: JSON.stringify({ [file.clase]: [sent.id] }),
      }
      const post = () => receiveReplacement(submission(fields), site.intake, makeFacts(), ['red'])
      expect(await post()).toMatchObject({ ok: true, mensaje: REGISTRATION_MESSAGES.documentoRecibido })
      // If the answer was lost, posting the same again gives the same answer.
      expect(await post()).toMatchObject({ ok: true, vista: { estado: 'en-revision', solicitudes: [] } })
    } finally {
      await db.deleteFrom('ajustes').execute()
    }
  })

  test('of another entry cannot be replaced by one’s own folio', async () => {
    const theirs = await register()
    const documentRequest = await ask(theirs.id, 'credencialElector', 'reverso')
    const own = await receiveRegistration(
      'candidata',
      formSubmission({ ...FORM_VALUES, entrega: newSubmissionId() }, makeDocuments()),
      site.intake,
      makeFacts(),
    )
    expect(await send({ folio: own.ok ? own.folio : '', solicitud: documentRequest }, [backSide()])).toMatchObject({
      reason: 'solicitudCerrada',
    })
  })

  test('whose storing fails leaves everything as it was; one that was interrupted is finished by the next start', async () => {
    const { db, storage } = site.services
    const { folio, id } = await register()
    const documentRequest = await ask(id, 'credencialElector', 'reverso')
    const before = await db.selectFrom('documentos').selectAll().orderBy('id').execute()
    const paths = async () => {
      const found: string[] = []
      for await (const path of storage.list('registro', '')) found.push(path)
      return found
    }
    const objects = await paths()
    const broken: ObjectStorage = { ...storage, putBytes: () => Promise.reject(new Error('EIO')) }
    expect(
      await send({ folio, solicitud: documentRequest }, [backSide()], await reopenIntake(site, { storage: broken })),
    ).toMatchObject({
      ok: false,
      reason: 'falla',
    })
    expect(await db.selectFrom('documentos').selectAll().orderBy('id').execute()).toEqual(before)
    expect(await paths()).toEqual(objects)

    await sendDying({ folio, solicitud: documentRequest })
    await loseLeases(site)
    expect((await recoverSubmissions(await reopenIntake(site))).size).toBe(0)
    expect(await db.selectFrom('documentos').select('id').execute()).toHaveLength(7)
    expect((await consultFolio(site.services, ['red'], folio)).ok).toBe(true)
    expect(await db.selectFrom('inscripciones').select('estado').execute()).toEqual([{ estado: 'en-revision' }])
  })

  test('that can neither be stored nor taken back, since the database went away, is finished once it is back', async () => {
    const { db } = site.services
    const { folio, id } = await register()
    const documentRequest = await ask(id, 'credencialElector', 'reverso')
    const gone = new Proxy(db, {
      get: (target, name) => {
        if (name === 'transaction') return () => ({ execute: () => Promise.reject(new Error('ECONNREFUSED')) })
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    expect(
      await send({ folio, solicitud: documentRequest }, [backSide()], {
        ...(await reopenIntake(site)),
        services: { ...site.services, db: gone },
      }),
    ).toMatchObject({
      ok: false,
      reason: 'falla',
    })
    expect(await staged()).toBe(1)
    expect((await recoverSubmissions(await reopenIntake(site))).size).toBe(0)
    expect(await staged()).toBe(0)
    expect(await db.selectFrom('documentos').select('id').execute()).toHaveLength(7)
    expect(await db.selectFrom('solicitudes').select('id').where('cumplida_at', 'is', null).execute()).toEqual([])
  })

  test('whose staged file is gone since its object was put is finished all the same', async () => {
    const { db } = site.services
    const { folio, id } = await register()
    const documentRequest = await ask(id, 'credencialElector', 'reverso')
    await sendDying({ folio, solicitud: documentRequest })
    await loseLeases(site)
    await site.services.db.deleteFrom('subidas').execute()
    expect((await recoverSubmissions(await reopenIntake(site))).size).toBe(0)
    expect(await db.selectFrom('documentos').select('id').execute()).toHaveLength(7)
  })

  test('that was withdrawn while a crash kept it waiting is given up by the next start', async () => {
    const { db } = site.services
    const { folio, id } = await register()
    const documentRequest = await ask(id, 'credencialElector', 'reverso')
    await sendDying({ folio, solicitud: documentRequest })
    await loseLeases(site)
    await db.updateTable('solicitudes').set({ retirada_at: new Date() }).where('id', '=', documentRequest).execute()
    expect((await recoverSubmissions(await reopenIntake(site))).size).toBe(0)
    expect(await db.selectFrom('documentos').select('id').execute()).toHaveLength(6)
    expect(await db.selectFrom('entregas').select('estado').execute()).toEqual([{ estado: 'guardada' }])
  })
})
