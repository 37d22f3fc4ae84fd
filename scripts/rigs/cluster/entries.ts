import { createHash, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import { textFor } from '#tests/support/entries/field-values.ts'
import { type DocumentFile, documents, FORM_VALUES, newSubmissionId, sample } from '#tests/support/site/test-site.ts'
import { expect, type SmokeTest } from '../smoke-test.ts'
import type { Installation } from './machines.ts'
import { spread, Visitor, words } from './visitor.ts'

const PIECE_BYTES = 2 ** 20
const TUS = { 'tus-resumable': '1.0.0' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const sumOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A filled-in form with a name that no other form has. */
export interface FilledForm {
  type: EntryType
  entrant: string
  values: Record<string, string>
  files: DocumentFile[]
}

let people = 0

/** A name of letters alone: the form takes no digits in it. */
const newName = () => {
  const nth = ++people
  const letters = [nth >> 10, nth >> 5, nth].map((part) => 'abcdefghijklmnopqrstuvwxyzáéíóúñ'[part & 31]).join('')
  return `Ana ${letters} Colorín ${randomUUID()
    .replaceAll(/[^a-f]/g, '')
    .slice(0, 8)}`
}

/** @param bytes of each file */
export function newFilledForm(type: EntryType, bytes: number): FilledForm {
  const entrant = newName()
  if (type === 'candidata')
    return { type, entrant, values: { ...FORM_VALUES, nombre: entrant }, files: documents(bytes) }
  const values = Object.fromEntries(FORMS.traje.fields.map((field) => [field.name, textFor(field)]))
  const [frontal, posterior, identificacion] = FORMS.traje.kinds
  return {
    ...{ type, entrant },
    values: { ...values, nombre_disenador: entrant, email: 'rosa@ejemplo.mx' },
    files: [
      { clase: frontal!, name: 'frente.jpg', body: sample('jpg', bytes) },
      { clase: posterior!, name: 'atras (2).pdf', body: sample('pdf', bytes) },
      // The specification allows this document fewer bytes.
      { clase: identificacion!, name: 'ine.png', body: sample('png', Math.min(bytes, 1_900_000)) },
    ],
  }
}

/** Uploads a file in chunks, resuming after failures, as the page does. @returns its id, and how often it was begun */
export async function upload(
  who: Visitor,
  path: string,
  submission: string,
  file: DocumentFile,
  metadata = kindFieldsOf(file),
) {
  const { name, body } = file
  const common = { ...TUS, 'x-entrega': submission }
  const said = { ...metadata, filename: name }
  const create = async () => {
    const answer = await who.requestUntilAnswered(path, {
      method: 'POST',
      headers: {
        ...common,
        'upload-length': String(body.length),
        'upload-metadata': Object.entries(said)
          .map(([key, value]) => `${key} ${base64(value)}`)
          .join(','),
      },
    })
    expect(answer.status === 201, `crear: ${answer.status} ${answer.text}`)
    return new URL(String(answer.headers.location), 'https://localhost').pathname
  }
  let location = await create()
  let offset = 0
  let begun = 1
  for (const end = Date.now() + 120_000; offset < body.length; ) {
    expect(Date.now() < end, `${name}: se quedó en ${offset} de ${body.length} bytes`)
    const sent = await who
      .request(location, {
        method: 'PATCH',
        headers: { ...common, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
        body: body.subarray(offset, offset + PIECE_BYTES),
      })
      .catch(() => undefined)
    if (sent?.status === 204) {
      offset = Number(sent.headers['upload-offset'])
      continue
    }
    if (sent) await sleep(100)
    const head = await who.requestUntilAnswered(location, { method: 'HEAD', headers: common })
    if (head.status < 300) offset = Number(head.headers['upload-offset'])
    else {
      // No process knows this upload any more, so it begins again at the first byte.
      expect(++begun <= 5, `${name}: se empezó de nuevo ${begun} veces (${head.status})`)
      location = await create()
      offset = 0
    }
  }
  return { id: location.split('/').at(-1)!, begun }
}

const kindFieldsOf = ({ clase, lado }: DocumentFile): Record<string, string> => ({ clase, ...(lado && { lado }) })

export interface Sending {
  folio: string
  /** How many uploads had to be begun again. */
  restarts: number
}

/** Sends a whole registration as the page does: files in chunks, two at a time, then the form. */
export async function submitRegistration(
  who: Visitor,
  filledForm: FilledForm,
  submission = newSubmissionId(),
): Promise<Sending> {
  let repeats = 0
  const sent = new Map<DocumentFile, string>()
  const waiting = [...filledForm.files]
  const worker = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const { id, begun } = await upload(who, '/subidas', submission, file)
      repeats += begun - 1
      sent.set(file, id)
    }
  }
  await Promise.all([worker(), worker()])
  // The ids keep the form's order, which tells the two sides of the voter card apart.
  const ids: Record<string, string[]> = {}
  for (const file of filledForm.files) ids[file.clase] = [...(ids[file.clase] ?? []), sent.get(file)!]
  const body = new URLSearchParams({ ...filledForm.values, entrega: submission, documentos: JSON.stringify(ids) })
  const answer = await who.requestUntilAnswered(`${FORMS[filledForm.type].path}/envio`, { body })
  expect(answer.status === 200, `${answer.status} ${answer.text}`)
  return { folio: answer.json<{ folio: string }>().folio, restarts: repeats }
}

/** The same form in one request, as a browser without JavaScript sends it. */
const singleRequestForm = ({ values, files }: FilledForm, submission: string) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...values, entrega: submission })) form.append(name, value)
  for (const { clase, name, body } of files) form.append(clase, new File([new Uint8Array(body)], name))
  return form
}

/** Checks that the entry is stored once, with every file's exact bytes. @returns its folio */
export async function verify({ pool, storage }: Installation, { type, entrant, files }: FilledForm): Promise<string> {
  const { rows } = await pool.query<{ id: number; folio: string }>(
    'select id, folio from inscripciones where titular = $1',
    [entrant],
  )
  expect(rows.length === 1, `${rows.length} inscripciones de ${entrant}`)
  const { rows: kept } = await pool.query<{ clase: string; lado: string | null; path: string }>(
    'select clase, lado, path from documentos where inscripcion_id = $1',
    [rows[0]!.id],
  )
  expect(kept.length === files.length, `${kept.length} documentos de ${files.length}`)
  for (const { clase, lado, body } of files) {
    const one = kept.find((row) => row.clase === clase && row.lado === (lado ?? null))
    const stored = one && (await storage.get(FORMS[type].bucket, one.path))
    expect(stored !== undefined && sumOf(await buffer(stored)) === sumOf(body), `${clase}: otros bytes`)
  }
  return rows[0]!.folio
}

/** Opens both registrations, by the setting that organisers change in their panel. */
export async function setRegistrationsOpen({ pool }: Installation): Promise<void> {
  const period = JSON.stringify({ abre: '2020-06-01T00:00:00-06:00', cierra: '2099-09-10T23:59:00-06:00' })
  for (const { periodSetting: name } of Object.values(FORMS))
    await pool.query('insert into ajustes (edicion, nombre, valor) values (2025, $1, $2)', [name, period])
}

export async function tryEntries({ holds }: SmokeTest, place: Installation): Promise<void> {
  console.log('Inscripciones, cada petición en el proceso que toque:')
  for (const type of ['candidata', 'traje'] as const) {
    await holds(`tres de ${type}, sus archivos en trozos de 1 MB: cada una entra, una vez, con sus bytes`, () =>
      Promise.all(
        [1, 2, 3].map(async () => {
          const who = new Visitor(place)
          const filledForm = newFilledForm(type, 2.4 * 2 ** 20)
          const { folio, restarts } = await submitRegistration(who, filledForm)
          expect((await verify(place, filledForm)) === folio, 'otro folio')
          expect(restarts === 0, `${restarts} archivos se enviaron otra vez`)
          spread(who)
        }),
      ),
    )
    await holds(`la de ${type} sin JavaScript, en una petición con sus archivos`, async () => {
      for (const { name } of place.processes) {
        const filledForm = newFilledForm(type, 300_000)
        const answer = await new Visitor(place).request(FORMS[type].path, {
          body: singleRequestForm(filledForm, newSubmissionId()),
          processName: name,
        })
        expect(answer.status === 200 && answer.text.includes('Registro exitoso.'), `${answer.status} ${words(answer)}`)
        await verify(place, filledForm)
      }
    })
    await holds(
      `la de ${type} rechazada una vez y enviada de nuevo en otro proceso, sin elegir los archivos otra vez`,
      async () => {
        const [one, two] = place.processes
        const who = new Visitor(place)
        const filledForm = newFilledForm(type, 300_000)
        const submission = newSubmissionId()
        const first = await who.request(FORMS[type].path, {
          body: singleRequestForm({ ...filledForm, values: { ...filledForm.values, celular: '' } }, submission),
          processName: one!.name,
        })
        expect(first.status === 422 && first.text.includes('Ya lo recibimos'), `${first.status} ${words(first)}`)
        const again = await who.request(FORMS[type].path, {
          body: singleRequestForm({ ...filledForm, files: [] }, submission),
          processName: two!.name,
        })
        expect(again.status === 200 && again.text.includes('Registro exitoso.'), `${again.status} ${words(again)}`)
        await verify(place, filledForm)
      },
    )
  }
  await holds('la misma, enviada a los tres a la vez: una inscripción, un folio', async () => {
    const filledForm = newFilledForm('candidata', 100_000)
    const submission = newSubmissionId()
    const answers = await Promise.all(
      place.processes.map(({ name }) =>
        new Visitor(place).request('/registro', { body: singleRequestForm(filledForm, submission), processName: name }),
      ),
    )
    const folio = await verify(place, filledForm)
    const said = answers.filter(({ status, text }) => status === 200 && text.includes(folio))
    expect(said.length === answers.length, answers.map((one) => `${one.status} ${words(one)}`).join('; '))
  })
  await holds('el folio se consulta en cualquiera, y sus intentos se cuentan juntos', async () => {
    const filledForm = newFilledForm('candidata', 50_000)
    const { folio } = await submitRegistration(new Visitor(place), filledForm)
    const who = new Visitor(place)
    for (const { name } of place.processes) {
      const answer = await who.request('/folio', { body: new URLSearchParams({ folio }), processName: name })
      expect(answer.status === 200 && answer.text.includes(folio), `${answer.status} ${words(answer)}`)
    }
    let refused = 0
    for (let at = 0; at < 30; at++) {
      const body = new URLSearchParams({ folio: '7K3M-Q9XT-04WB' })
      if ((await who.request('/folio', { body, processName: place.processes[at % 3]!.name })).status === 429) refused++
    }
    expect(refused >= 8 && refused <= 11, `${refused} de 30 rechazados: se permiten 20`)
  })
}
