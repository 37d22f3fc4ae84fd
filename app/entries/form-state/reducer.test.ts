import { expect, test } from 'vitest'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { DocumentKind } from '#app/entries/definitions/document-kinds.ts'
import { REGISTRATION_MESSAGES, type RegistrationResult } from '#app/entries/submission/schema.ts'
import { FORM_MESSAGES } from '#tests/support/entries/form-messages.ts'
import {
  type ChosenFile,
  documentsOf,
  type FormStart,
  initialStateFrom,
  type RegistrationState,
} from './initial-state.ts'
import {
  completesPair,
  countFiles,
  type FileProblem,
  type FormAction,
  filesToSend,
  listDiscarded,
  listReplaced,
  progressOf,
  reduceRegistration,
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
  submissionId: 'una',
  values: {},
  documents: documentsOf(() => []),
  received: {},
  feedback: undefined,
  errors: [],
  mayResumeSending: false,
  wasSent: false,
  isResumed: false,
  ...change,
})

/** State of a form in which these files are chosen. */
const withFiles = (files: Partial<Record<DocumentKind, ChosenFile[]>>, change: Partial<RegistrationState> = {}) => ({
  ...initialStateFrom(start({ documents: documentsOf((kind) => files[kind] ?? []) })),
  ...change,
})

const after = (state: RegistrationState, ...actions: FormAction[]) => actions.reduce(reduceRegistration, state)
const idsOf = (state: RegistrationState, kind: DocumentKind) => state.documents[kind].map(({ id }) => id)

const problem = (id: string, field: DocumentKind, reason: FileProblem['reason'] = 'archivoTipo'): FileProblem => ({
  id,
  campo: field,
  reason,
  message: `No sirve: ${id}`,
})

test('a form starts from the server’s refusal, or from a draft that was being sent', () => {
  const message = { message: 'No.' }
  const errors = [{ campo: 'edad' as const, message: 'Mal.' }]
  expect(initialStateFrom(start({ feedback: message, errors }))).toMatchObject({
    feedback: message,
    errors,
    refusalCount: 0,
    wasSent: false,
  })
  expect(initialStateFrom(start({ wasSent: true })).wasSent).toBe(true)
})

test('a choice replaces the previous one, with its message and its error; other documents stay', () => {
  const before = withFiles(
    { fotoRostro: [face], fotoCuerpo: [chosenFile('cuerpo')] },
    {
      feedback: { message: 'No sirve.', besideKind: 'fotoRostro' },
      errors: [
        { campo: 'fotoRostro', message: 'Mal.' },
        { campo: 'edad', message: 'Mal.' },
      ],
    },
  )
  const now = reduceRegistration(before, { type: 'choose', kind: 'fotoRostro', files: [chosenFile('otro')] })
  expect(idsOf(now, 'fotoRostro')).toEqual(['otro'])
  expect(idsOf(now, 'fotoCuerpo')).toEqual(['cuerpo'])
  expect(now.feedback).toBeUndefined()
  expect(now.errors.map(({ campo }) => campo)).toEqual(['edad'])
  expect(listReplaced('fotoRostro', before.documents.fotoRostro, 1)).toEqual([face])
})

test('one photograph at a time: the second completes the pair, a third begins anew', () => {
  const choose = (...files: ChosenFile[]): FormAction => ({ type: 'choose', kind: 'credencialElector', files })
  const pair = after(withFiles({}), choose(front), choose(wayBack))
  expect(idsOf(pair, 'credencialElector')).toEqual(['frente', 'vuelta'])
  expect(listReplaced('credencialElector', [front], 1)).toEqual([])
  expect(idsOf(reduceRegistration(pair, choose(chosenFile('tercera'))), 'credencialElector')).toEqual(['tercera'])
  expect(listReplaced('credencialElector', [front, wayBack], 1)).toEqual([front, wayBack])
  // Two files at once replace a single one.
  expect(idsOf(after(withFiles({}), choose(face), choose(front, wayBack)), 'credencialElector')).toEqual([
    'frente',
    'vuelta',
  ])
  expect(completesPair('fotoRostro', [face], 1)).toBe(false)
})

test('a file refused when chosen changes nothing, and the reason is shown beside its row', () => {
  const before = withFiles({ fotoRostro: [face] }, { errors: [{ campo: 'edad', message: 'Mal.' }] })
  const files = [new File([], 'ñ.jpg')]
  const now = reduceRegistration(before, { type: 'refuse', kind: 'fotoRostro', message: 'Ñ.', filesToRename: files })
  expect(now).toEqual({ ...before, feedback: { message: 'Ñ.', besideKind: 'fotoRostro', filesToRename: files } })
  expect(
    reduceRegistration(before, { type: 'refuse', kind: 'fotoRostro', message: 'Grande.' }).feedback,
  ).not.toHaveProperty('filesToRename')
})

test('a file with bad content gives its place back to the previous file', () => {
  const bad = chosenFile('malo')
  const now = after(
    withFiles({ fotoRostro: [face] }),
    { type: 'choose', kind: 'fotoRostro', files: [bad] },
    { type: 'restore', problem: problem('malo', 'fotoRostro'), replaced: [face] },
  )
  expect(now.documents.fotoRostro).toEqual([face])
  expect(now.feedback).toEqual({ message: 'No sirve: malo', besideKind: 'fotoRostro' })
  expect(listDiscarded(problem('malo', 'fotoRostro'), [bad], [face])).toEqual([bad])
})

test('a bad file that completed a pair goes alone', () => {
  const now = after(
    withFiles({ credencialElector: [front] }),
    { type: 'choose', kind: 'credencialElector', files: [wayBack] },
    { type: 'restore', problem: problem('vuelta', 'credencialElector'), replaced: [] },
  )
  expect(now.documents.credencialElector).toEqual([front])
  expect(listDiscarded(problem('vuelta', 'credencialElector'), [front, wayBack], [])).toEqual([wayBack])
})

test('a pair with a bad file goes whole, and the pair it replaced comes back', () => {
  const before = [chosenFile('a'), chosenFile('b')]
  const now = after(
    withFiles({ credencialElector: before }),
    { type: 'choose', kind: 'credencialElector', files: [front, wayBack] },
    { type: 'restore', problem: problem('vuelta', 'credencialElector'), replaced: before },
  )
  expect(now.documents.credencialElector).toEqual(before)
  expect(listDiscarded(problem('vuelta', 'credencialElector'), [front, wayBack], before)).toEqual([front, wayBack])
})

test('a late content check takes nothing back when the file was replaced or removed meanwhile', () => {
  const anew = withFiles({ fotoRostro: [chosenFile('nuevo')] })
  const giveBack: FormAction = { type: 'restore', problem: problem('malo', 'fotoRostro'), replaced: [face] }
  expect(idsOf(reduceRegistration(anew, giveBack), 'fotoRostro')).toEqual(['nuevo'])
  expect(idsOf(reduceRegistration(withFiles({}), giveBack), 'fotoRostro')).toEqual([])
})

test('in a form that refuses on sending, a bad file is reported early, in its row and in short', () => {
  const files = [chosenFile('malo')]
  const before = withFiles({ bocetoFrontal: files }, { errors: [{ campo: 'bocetoFrontal', message: 'Antes.' }] })
  const now = reduceRegistration(before, { type: 'warn', problem: problem('malo', 'bocetoFrontal'), files })
  expect(idsOf(now, 'bocetoFrontal')).toEqual(['malo'])
  expect(now.feedback).toEqual({ message: 'No sirve: malo', besideKind: 'bocetoFrontal' })
  expect(now.errors).toEqual([{ campo: 'bocetoFrontal', message: 'Sólo JPG, PNG o PDF.' }])
  // A forbidden name alone can be changed for the entrant.
  const named = problem('malo', 'bocetoFrontal', 'nombreArchivo')
  expect(reduceRegistration(before, { type: 'warn', problem: named, files }).feedback?.filesToRename).toEqual([
    files[0]!.file,
  ])
  // A file removed meanwhile is not reported any more.
  const gone = withFiles({})
  expect(reduceRegistration(gone, { type: 'warn', problem: problem('malo', 'bocetoFrontal'), files })).toBe(gone)
})

test('removing a file ends the message and the error beside it, and nothing else', () => {
  const beside = withFiles(
    { credencialElector: [front, wayBack] },
    {
      feedback: { message: 'No sirve.', besideKind: 'credencialElector' },
      errors: [{ campo: 'credencialElector', message: 'Mal.' }],
    },
  )
  const remove: FormAction = { type: 'remove', kind: 'credencialElector', id: 'frente' }
  const now = reduceRegistration(beside, remove)
  expect(now.documents.credencialElector).toEqual([wayBack])
  expect([now.feedback, now.errors]).toEqual([undefined, []])
  const elsewhere = { message: 'Falta algo.' }
  expect(reduceRegistration({ ...beside, feedback: elsewhere }, remove).feedback).toBe(elsewhere)
})

test('sides are swapped with their uploads', () => {
  const now = reduceRegistration(withFiles({ credencialElector: [front, wayBack] }), {
    type: 'swap',
    kind: 'credencialElector',
  })
  expect(now.documents.credencialElector).toEqual([wayBack, front])
})

test('touching a field ends its own error; the message stays', () => {
  const message = { message: 'Falta.' }
  const errors = [
    { campo: 'edad' as const, message: 'Mal.' },
    { campo: 'celular' as const, message: 'Mal.' },
  ]
  const now = reduceRegistration(withFiles({}, { feedback: message, errors }), { type: 'correct', field: 'edad' })
  expect(now).toMatchObject({ feedback: message, errors: [errors[1]] })
})

test('sending clears message and errors, and is remembered', () => {
  const before = withFiles({}, { feedback: { message: 'No.' }, errors: [{ campo: 'edad', message: 'Mal.' }] })
  expect(reduceRegistration(before, { type: 'startSending' })).toMatchObject({
    feedback: undefined,
    errors: [],
    wasSent: true,
  })
})

test('an upload’s URL is kept with its file, until the upload has to begin anew', () => {
  const before = withFiles({ fotoRostro: [chosenFile('rostro')], fotoCuerpo: [chosenFile('cuerpo')] })
  const begun = reduceRegistration(before, { type: 'setUploadUrl', id: 'rostro', url: '/subidas/9' })
  expect(begun.documents.fotoRostro[0]!.url).toBe('/subidas/9')
  expect(begun.documents.fotoCuerpo[0]!.url).toBeUndefined()
  expect(
    reduceRegistration(begun, { type: 'setUploadUrl', id: 'rostro', url: undefined }).documents.fotoRostro[0]!.url,
  ).toBeUndefined()
})

test('each refusal counts, so that the same one twice takes the focus twice', () => {
  const fields = [{ campo: 'edad' as const, message: 'Escribe tu edad.' }]
  const fail: FormAction = { type: 'failCheck', message: FORM_MESSAGES.incompleto, errors: fields }
  const twice = after(withFiles({}), fail, fail)
  expect(twice).toMatchObject({ feedback: { message: FORM_MESSAGES.incompleto }, errors: fields, refusalCount: 2 })
})

test('a file refused during its upload is reported in its row; the other uploads stay', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] })
  const now = reduceRegistration(before, {
    type: 'failSending',
    fileId: 'rostro',
    reason: 'archivoVacio',
    message: 'Vacío.',
  })
  expect(now.feedback).toEqual({ message: 'Vacío.' })
  expect(now.errors).toEqual([{ campo: 'fotoRostro', message: 'Elige otro archivo: éste no trae nada.' }])
  expect(now.documents).toEqual(before.documents)
})

test('a fault of the site blames no field, and keeps every file and its upload', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] }, { wasSent: true })
  const message = REGISTRATION_MESSAGES.falla('abcd-efgh')
  const now = reduceRegistration(before, { type: 'failSending', fileId: undefined, reason: 'falla', message })
  expect(now).toEqual({ ...before, feedback: { message }, errors: [], refusalCount: 1 })
})

const negative = (change: object) =>
  ({
    ok: false,
    reason: 'datosInvalidos',
    message: FORM_MESSAGES.yaParticipo,
    campos: [],
    valores: {},
    recibidos: {},
    entrega: 'una',
    ...change,
  }) as Extract<RegistrationResult, { ok: false }>

test('the server’s refusal is shown, and only the files it refused or lost are sent again', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] })
  const fields = [{ campo: 'fotoRostro', message: REGISTRATION_MESSAGES.archivoPerdido }]
  const now = reduceRegistration(before, {
    type: 'rejectSubmission',
    result: negative({ message: REGISTRATION_MESSAGES.archivoPerdido, campos: fields }),
  })
  expect(now).toMatchObject({
    feedback: { message: REGISTRATION_MESSAGES.archivoPerdido },
    errors: fields,
    refusalCount: 1,
  })
  expect(now.submissionId).toBe('una')
  expect(now.documents.fotoRostro).toEqual([{ ...face, url: undefined }])
  expect(now.documents.credencialElector).toEqual([front, wayBack])
})

test('after a closed submission the same data goes on under the next one, from the first byte', () => {
  const before = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack] })
  const now = reduceRegistration(before, {
    type: 'rejectSubmission',
    result: negative({ reason: 'yaRecibido', entrega: 'otra' }),
  })
  expect(now.submissionId).toBe('otra')
  expect(filesToSend(FORMS.candidata, now.documents).map(({ id, url }) => [id, url])).toEqual([
    ['frente', undefined],
    ['vuelta', undefined],
    ['rostro', undefined],
  ])
})

test('a draft that another tab holds is reported, and takes no focus', () => {
  expect(reduceRegistration(withFiles({}), { type: 'showMessage', message: 'En otra pestaña.' })).toMatchObject({
    feedback: { message: 'En otra pestaña.' },
    refusalCount: 0,
  })
})

test('files are counted by document: chosen here, else received before', () => {
  const { documents } = withFiles({ bocetoFrontal: [chosenFile('a'), chosenFile('b')] })
  const received = { bocetoFrontal: ['viejo.jpg'], identificacion: ['ine.jpg'] }
  expect(countFiles(FORMS.traje, documents, received)).toEqual({
    bocetoFrontal: 2,
    bocetoPosterior: 0,
    identificacion: 1,
  })
})

test('files go in the order of the form, a pair with its sides and a third one with none', () => {
  const { documents } = withFiles({ fotoRostro: [face], credencialElector: [front, wayBack, chosenFile('sobra')] })
  expect(filesToSend(FORMS.candidata, documents).map(({ id, kind, side }) => [id, kind, side])).toEqual([
    ['frente', 'credencialElector', 'anverso'],
    ['vuelta', 'credencialElector', 'reverso'],
    ['sobra', 'credencialElector', undefined],
    ['rostro', 'fotoRostro', undefined],
  ])
})

test('progress never exceeds the files’ sizes, and is complete when there is nothing to send', () => {
  const files = [chosenFile('a', undefined, 100), chosenFile('b', undefined, 300)]
  expect(progressOf(files, { a: 120, b: 100 })).toEqual({ sentBytes: 200, totalBytes: 400, share: 0.5 })
  expect(progressOf(files, {})).toEqual({ sentBytes: 0, totalBytes: 400, share: 0 })
  expect(progressOf([], { a: 5 })).toEqual({ sentBytes: 0, totalBytes: 0, share: 1 })
})

test('no action changes the state before it', () => {
  const before = Object.freeze(withFiles({ fotoRostro: [face] }))
  for (const value of Object.values(before)) Object.freeze(value)
  after(
    before,
    { type: 'choose', kind: 'fotoRostro', files: [front] },
    { type: 'setUploadUrl', id: 'frente', url: '/x' },
    { type: 'startSending' },
    { type: 'rejectSubmission', result: negative({ entrega: 'otra', message: FORM_MESSAGES.alturaMaxima }) },
  )
  expect(before.documents.fotoRostro).toEqual([face])
})
