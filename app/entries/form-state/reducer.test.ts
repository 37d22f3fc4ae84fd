import { expect, test } from 'vitest'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import { MESSAGES, type RegistrationResult } from '#app/entries/submission/schema.ts'
import { WORDS } from '#tests/support/entries/form-messages.ts'
import { type ChosenFile, documentsOf, type FormStart, type RegistrationState, startFrom } from './initial-state.ts'
import {
  completesPair,
  countFiles,
  type FormAction,
  filesOf,
  givenUp,
  type Problem,
  progressOf,
  reduce,
  replacedBy,
} from './reducer.ts'

const chosenFile = (id: string, url?: string, bytes = 10): ChosenFile => ({
  id,
  file: new File(['x'.repeat(bytes)], `${id}.jpg`),
  url,
})
const front = chosenFile('frente', '/subidas/1')
const wayBack = chosenFile('vuelta', '/subidas/2')
const face = chosenFile('rostro', '/subidas/3')

const start = (change: Partial<FormStart> = {}): FormStart => ({
  entrega: 'una',
  valores: {},
  documentos: documentsOf(() => []),
  recibidos: {},
  mensaje: undefined,
  errores: [],
  seguir: false,
  retomado: false,
  ...change,
})

/** State of a form in which these files are chosen. */
const withFiles = (files: Partial<Record<DocumentKind, ChosenFile[]>>, change: Partial<RegistrationState> = {}) => ({
  ...startFrom(start({ documentos: documentsOf((kind) => files[kind] ?? []) })),
  ...change,
})

const after = (state: RegistrationState, ...actions: FormAction[]) => actions.reduce(reduce, state)
const idsOf = (state: RegistrationState, kind: DocumentKind) => state.documentos[kind].map(({ id }) => id)

const problem = (id: string, field: DocumentKind, reason: Problem['reason'] = 'archivoTipo'): Problem => ({
  id,
  campo: field,
  reason,
  message: `No sirve: ${id}`,
})

test('a form starts from the server’s refusal, or from a draft that was being sent', () => {
  const message = { message: 'No.' }
  const errors = [{ campo: 'edad' as const, message: 'Mal.' }]
  expect(startFrom(start({ mensaje: message, errores: errors }))).toMatchObject({
    mensaje: message,
    errores: errors,
    rechazos: 0,
    enviado: false,
  })
  expect(startFrom(start({ seguir: true })).enviado).toBe(true)
})

test('a choice replaces the previous one, with its message and its error; other documents stay', () => {
  const before = withFiles(
    { fotoRostro: [face], fotoCuerpo: [chosenFile('cuerpo')] },
    {
      mensaje: { message: 'No sirve.', junto: 'fotoRostro' },
      errores: [
        { campo: 'fotoRostro', message: 'Mal.' },
        { campo: 'edad', message: 'Mal.' },
      ],
    },
  )
  const now = reduce(before, { que: 'elige', clase: 'fotoRostro', files: [chosenFile('otro')] })
  expect(idsOf(now, 'fotoRostro')).toEqual(['otro'])
  expect(idsOf(now, 'fotoCuerpo')).toEqual(['cuerpo'])
  expect(now.mensaje).toBeUndefined()
  expect(now.errores.map(({ campo }) => campo)).toEqual(['edad'])
  expect(replacedBy('fotoRostro', before.documentos.fotoRostro, 1)).toEqual([face])
})

test('one photograph at a time: the second completes the pair, a third begins anew', () => {
  const choose = (...files: ChosenFile[]): FormAction => ({ que: 'elige', clase: 'credencialElector', files })
  const pair = after(withFiles({}), choose(front), choose(wayBack))
  expect(idsOf(pair, 'credencialElector')).toEqual(['frente', 'vuelta'])
  expect(replacedBy('credencialElector', [front], 1)).toEqual([])
  expect(idsOf(reduce(pair, choose(chosenFile('tercera'))), 'credencialElector')).toEqual(['tercera'])
  expect(replacedBy('credencialElector', [front, wayBack], 1)).toEqual([front, wayBack])
  // Two files at once replace a single one.
  expect(idsOf(after(withFiles({}), choose(face), choose(front, wayBack)), 'credencialElector')).toEqual([
    'frente',
    'vuelta',
  ])
  expect(completesPair('fotoRostro', [face], 1)).toBe(false)
})

test('a file refused when chosen changes nothing, and the reason is shown beside its row', () => {
  const before = withFiles({ fotoRostro: [face] }, { errores: [{ campo: 'edad', message: 'Mal.' }] })
  const files = [new File([], 'ñ.jpg')]
  const now = reduce(before, { que: 'rehusa', clase: 'fotoRostro', message: 'Ñ.', renombrar: files })
  expect(now).toEqual({ ...before, mensaje: { message: 'Ñ.', junto: 'fotoRostro', renombrar: files } })
  expect(reduce(before, { que: 'rehusa', clase: 'fotoRostro', message: 'Grande.' }).mensaje).not.toHaveProperty(
    'renombrar',
  )
})

test('a file with bad content gives its place back to the previous file', () => {
  const bad = chosenFile('malo')
  const now = after(
    withFiles({ fotoRostro: [face] }),
    { que: 'elige', clase: 'fotoRostro', files: [bad] },
    { que: 'devuelve', reparo: problem('malo', 'fotoRostro'), replaced: [face] },
  )
  expect(now.documentos.fotoRostro).toEqual([face])
  expect(now.mensaje).toEqual({ message: 'No sirve: malo', junto: 'fotoRostro' })
  expect(givenUp(problem('malo', 'fotoRostro'), [bad], [face])).toEqual([bad])
})

test('a bad file that completed a pair goes alone', () => {
  const now = after(
    withFiles({ credencialElector: [front] }),
    { que: 'elige', clase: 'credencialElector', files: [wayBack] },
    { que: 'devuelve', reparo: problem('vuelta', 'credencialElector'), replaced: [] },
  )
  expect(now.documentos.credencialElector).toEqual([front])
  expect(givenUp(problem('vuelta', 'credencialElector'), [front, wayBack], [])).toEqual([wayBack])
})

test('a pair with a bad file goes whole, and the pair it replaced comes back', () => {
  const before = [chosenFile('a'), chosenFile('b')]
  const now = after(
    withFiles({ credencialElector: before }),
    { que: 'elige', clase: 'credencialElector', files: [front, wayBack] },
    { que: 'devuelve', reparo: problem('vuelta', 'credencialElector'), replaced: before },
  )
  expect(now.documentos.credencialElector).toEqual(before)
  expect(givenUp(problem('vuelta', 'credencialElector'), [front, wayBack], before)).toEqual([front, wayBack])
})

test('a late content check takes nothing back when the file was replaced or removed meanwhile', () => {
  const anew = withFiles({ fotoRostro: [chosenFile('nuevo')] })
  const giveBack: FormAction = { que: 'devuelve', reparo: problem('malo', 'fotoRostro'), replaced: [face] }
  expect(idsOf(reduce(anew, giveBack), 'fotoRostro')).toEqual(['nuevo'])
  expect(idsOf(reduce(withFiles({}), giveBack), 'fotoRostro')).toEqual([])
})

test('in a form that refuses on sending, a bad file is reported early, in its row and in short', () => {
  const files = [chosenFile('malo')]
  const before = withFiles({ bocetoFrontal: files }, { errores: [{ campo: 'bocetoFrontal', message: 'Antes.' }] })
  const now = reduce(before, { que: 'advierte', reparo: problem('malo', 'bocetoFrontal'), files })
  expect(idsOf(now, 'bocetoFrontal')).toEqual(['malo'])
  expect(now.mensaje).toEqual({ message: 'No sirve: malo', junto: 'bocetoFrontal' })
  expect(now.errores).toEqual([{ campo: 'bocetoFrontal', message: 'Sólo JPG, PNG o PDF.' }])
  // A forbidden name alone can be changed for the entrant.
  const named = problem('malo', 'bocetoFrontal', 'nombreArchivo')
  expect(reduce(before, { que: 'advierte', reparo: named, files }).mensaje?.renombrar).toEqual([files[0]!.file])
  // A file removed meanwhile is not reported any more.
  const gone = withFiles({})
  expect(reduce(gone, { que: 'advierte', reparo: problem('malo', 'bocetoFrontal'), files })).toBe(gone)
})

test('removing a file ends the message and the error beside it, and nothing else', () => {
  const beside = withFiles(
    { credencialElector: [front, wayBack] },
    {
      mensaje: { message: 'No sirve.', junto: 'credencialElector' },
      errores: [{ campo: 'credencialElector', message: 'Mal.' }],
    },
  )
  const remove: FormAction = { que: 'quita', clase: 'credencialElector', id: 'frente' }
  const now = reduce(beside, remove)
  expect(now.documentos.credencialElector).toEqual([wayBack])
  expect([now.mensaje, now.errores]).toEqual([undefined, []])
  const elsewhere = { message: 'Falta algo.' }
  expect(reduce({ ...beside, mensaje: elsewhere }, remove).mensaje).toBe(elsewhere)
})

test('sides are swapped with their uploads', () => {
  const now = reduce(withFiles({ credencialElector: [front, wayBack] }), {
    que: 'intercambia',
    clase: 'credencialElector',
  })
  expect(now.documentos.credencialElector).toEqual([wayBack, front])
})

test('touching a field ends its own error; the message stays', () => {
  const message = { message: 'Falta.' }
  const errors = [
    { campo: 'edad' as const, message: 'Mal.' },
    { campo: 'celular' as const, message: 'Mal.' },
  ]
  const now = reduce(withFiles({}, { mensaje: message, errores: errors }), { que: 'corrige', campo: 'edad' })
  expect(now).toMatchObject({ mensaje: message, errores: [errors[1]] })
})

test('sending clears message and errors, and is remembered', () => {
  const before = withFiles({}, { mensaje: { message: 'No.' }, errores: [{ campo: 'edad', message: 'Mal.' }] })
  expect(reduce(before, { que: 'sale' })).toMatchObject({ mensaje: undefined, errores: [], enviado: true })
})

test('an upload’s URL is kept with its file, until the upload has to begin anew', () => {
  const before = withFiles({ fotoRostro: [chosenFile('rostro')], fotoCuerpo: [chosenFile('cuerpo')] })
  const begun = reduce(before, { que: 'sube', id: 'rostro', url: '/subidas/9' })
  expect(begun.documentos.fotoRostro[0]!.url).toBe('/subidas/9')
  expect(begun.documentos.fotoCuerpo[0]!.url).toBeUndefined()
  expect(reduce(begun, { que: 'sube', id: 'rostro', url: undefined }).documentos.fotoRostro[0]!.url).toBeUndefined()
})

test('each refusal counts, so that the same one twice takes the focus twice', () => {
  const fields = [{ campo: 'edad' as const, message: 'Escribe tu edad.' }]
  const fail: FormAction = { que: 'reprueba', message: WORDS.incompleto, campos: fields }
  const twice = after(withFiles({}), fail, fail)
  expect(twice).toMatchObject({ mensaje: { message: WORDS.incompleto }, errores: fields, rechazos: 2 })
})

test('a file refused during its upload is reported in its row; the other uploads stay', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] })
  const now = reduce(before, { que: 'fracasa', archivo: 'rostro', reason: 'archivoVacio', message: 'Vacío.' })
  expect(now.mensaje).toEqual({ message: 'Vacío.' })
  expect(now.errores).toEqual([{ campo: 'fotoRostro', message: 'Elige otro archivo: éste no trae nada.' }])
  expect(now.documentos).toEqual(before.documentos)
})

test('a fault of the site blames no field, and keeps every file and its upload', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] }, { enviado: true })
  const message = MESSAGES.falla('abcd-efgh')
  const now = reduce(before, { que: 'fracasa', archivo: undefined, reason: 'falla', message })
  expect(now).toEqual({ ...before, mensaje: { message }, errores: [], rechazos: 1 })
})

const negative = (change: object) =>
  ({
    ok: false,
    reason: 'datosInvalidos',
    message: WORDS.yaParticipo,
    campos: [],
    valores: {},
    recibidos: {},
    entrega: 'una',
    ...change,
  }) as Extract<RegistrationResult, { ok: false }>

test('the server’s refusal is shown, and only the files it refused or lost are sent again', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] })
  const fields = [{ campo: 'fotoRostro', message: MESSAGES.archivoPerdido }]
  const now = reduce(before, {
    que: 'niega',
    resultado: negative({ message: MESSAGES.archivoPerdido, campos: fields }),
  })
  expect(now).toMatchObject({ mensaje: { message: MESSAGES.archivoPerdido }, errores: fields, rechazos: 1 })
  expect(now.entrega).toBe('una')
  expect(now.documentos.fotoRostro).toEqual([{ ...face, url: undefined }])
  expect(now.documentos.credencialElector).toEqual([front, wayBack])
})

test('after a closed submission the same data goes on under the next one, from the first byte', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] })
  const now = reduce(before, { que: 'niega', resultado: negative({ reason: 'yaRecibido', entrega: 'otra' }) })
  expect(now.entrega).toBe('otra')
  expect(filesOf(FORMS.candidata, now.documentos).map(({ id, url }) => [id, url])).toEqual([
    ['frente', undefined],
    ['vuelta', undefined],
    ['rostro', undefined],
  ])
})

test('a draft that another tab holds is reported, and takes no focus', () => {
  expect(reduce(withFiles({}), { que: 'dice', message: 'En otra pestaña.' })).toMatchObject({
    mensaje: { message: 'En otra pestaña.' },
    rechazos: 0,
  })
})

test('files are counted by document: chosen here, else received before', () => {
  const { documentos } = withFiles({ bocetoFrontal: [chosenFile('a'), chosenFile('b')] })
  const received = { bocetoFrontal: ['viejo.jpg'], identificacion: ['ine.jpg'] }
  expect(countFiles(FORMS.traje, documentos, received)).toEqual({
    bocetoFrontal: 2,
    bocetoPosterior: 0,
    identificacion: 1,
  })
})

test('files go in the order of the form, a pair with its sides and a third one with none', () => {
  const { documentos } = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack, chosenFile('sobra')] })
  expect(filesOf(FORMS.candidata, documentos).map(({ id, clase, lado }) => [id, clase, lado])).toEqual([
    ['frente', 'credencialElector', 'anverso'],
    ['vuelta', 'credencialElector', 'reverso'],
    ['sobra', 'credencialElector', undefined],
    ['rostro', 'fotoRostro', undefined],
  ])
})

test('progress never exceeds the files’ sizes, and is complete when there is nothing to send', () => {
  const files = [chosenFile('a', undefined, 100), chosenFile('b', undefined, 300)]
  expect(progressOf(files, { a: 120, b: 100 })).toEqual({ sent: 200, total: 400, part: 0.5 })
  expect(progressOf(files, {})).toEqual({ sent: 0, total: 400, part: 0 })
  expect(progressOf([], { a: 5 })).toEqual({ sent: 0, total: 0, part: 1 })
})

test('no action changes the state before it', () => {
  const before = Object.freeze(withFiles({ fotoRostro: [face] }))
  for (const value of Object.values(before)) Object.freeze(value)
  after(
    before,
    { que: 'elige', clase: 'fotoRostro', files: [front] },
    { que: 'sube', id: 'frente', url: '/x' },
    { que: 'sale' },
    { que: 'niega', resultado: negative({ entrega: 'otra', message: WORDS.alturaMaxima }) },
  )
  expect(before.documentos.fotoRostro).toEqual([face])
})
