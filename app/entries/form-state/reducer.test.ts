import { expect, test } from 'vitest'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import type { ClaseDocumento } from '#app/entries/definitions/document-kinds.ts'
import { MENSAJES, type ResultadoRegistro } from '#app/entries/submission/schema.ts'
import { PALABRAS } from '../../../tests/palabras.ts'
import { type Comienzo, documentosOf, type Elegido, type EstadoRegistro, startFrom } from './initial-state.ts'
import {
  avanceOf,
  completesPair,
  countFiles,
  filesOf,
  givenUp,
  type Reparo,
  reduce,
  replacedBy,
  type Suceso,
} from './reducer.ts'

const elegido = (id: string, url?: string, bytes = 10): Elegido => ({
  id,
  file: new File(['x'.repeat(bytes)], `${id}.jpg`),
  url,
})
const frente = elegido('frente', '/subidas/1')
const vuelta = elegido('vuelta', '/subidas/2')
const rostro = elegido('rostro', '/subidas/3')

const comienzo = (change: Partial<Comienzo> = {}): Comienzo => ({
  entrega: 'una',
  valores: {},
  documentos: documentosOf(() => []),
  recibidos: {},
  mensaje: undefined,
  errores: [],
  seguir: false,
  retomado: false,
  ...change,
})

/** A form in which these files stand. */
const withFiles = (files: Partial<Record<ClaseDocumento, Elegido[]>>, change: Partial<EstadoRegistro> = {}) => ({
  ...startFrom(comienzo({ documentos: documentosOf((clase) => files[clase] ?? []) })),
  ...change,
})

const after = (estado: EstadoRegistro, ...sucesos: Suceso[]) => sucesos.reduce(reduce, estado)
const idsOf = (estado: EstadoRegistro, clase: ClaseDocumento) => estado.documentos[clase].map(({ id }) => id)

const reparo = (id: string, campo: ClaseDocumento, reason: Reparo['reason'] = 'archivoTipo'): Reparo => ({
  id,
  campo,
  reason,
  message: `No sirve: ${id}`,
})

test('starts from what the server sent back, or from a draft that was on its way', () => {
  const mensaje = { message: 'No.' }
  const errores = [{ campo: 'edad' as const, message: 'Mal.' }]
  expect(startFrom(comienzo({ mensaje, errores }))).toMatchObject({ mensaje, errores, rechazos: 0, enviado: false })
  expect(startFrom(comienzo({ seguir: true })).enviado).toBe(true)
})

test('a choice takes the place of the one before, with its message and its error; the others stay', () => {
  const before = withFiles(
    { fotoRostro: [rostro], fotoCuerpo: [elegido('cuerpo')] },
    {
      mensaje: { message: 'No sirve.', junto: 'fotoRostro' },
      errores: [
        { campo: 'fotoRostro', message: 'Mal.' },
        { campo: 'edad', message: 'Mal.' },
      ],
    },
  )
  const now = reduce(before, { que: 'elige', clase: 'fotoRostro', files: [elegido('otro')] })
  expect(idsOf(now, 'fotoRostro')).toEqual(['otro'])
  expect(idsOf(now, 'fotoCuerpo')).toEqual(['cuerpo'])
  expect(now.mensaje).toBeUndefined()
  expect(now.errores.map(({ campo }) => campo)).toEqual(['edad'])
  expect(replacedBy('fotoRostro', before.documentos.fotoRostro, 1)).toEqual([rostro])
})

test('one photograph at a time: the second completes the pair, a third begins anew', () => {
  const elige = (...files: Elegido[]): Suceso => ({ que: 'elige', clase: 'credencialElector', files })
  const pair = after(withFiles({}), elige(frente), elige(vuelta))
  expect(idsOf(pair, 'credencialElector')).toEqual(['frente', 'vuelta'])
  expect(replacedBy('credencialElector', [frente], 1)).toEqual([])
  expect(idsOf(reduce(pair, elige(elegido('tercera'))), 'credencialElector')).toEqual(['tercera'])
  expect(replacedBy('credencialElector', [frente, vuelta], 1)).toEqual([frente, vuelta])
  // Two at once replace the one that was alone.
  expect(idsOf(after(withFiles({}), elige(rostro), elige(frente, vuelta)), 'credencialElector')).toEqual([
    'frente',
    'vuelta',
  ])
  expect(completesPair('fotoRostro', [rostro], 1)).toBe(false)
})

test('what is refused as it is chosen leaves everything as it was, and says why beside its row', () => {
  const before = withFiles({ fotoRostro: [rostro] }, { errores: [{ campo: 'edad', message: 'Mal.' }] })
  const files = [new File([], 'ñ.jpg')]
  const now = reduce(before, { que: 'rehusa', clase: 'fotoRostro', message: 'Ñ.', renombrar: files })
  expect(now).toEqual({ ...before, mensaje: { message: 'Ñ.', junto: 'fotoRostro', renombrar: files } })
  expect(reduce(before, { que: 'rehusa', clase: 'fotoRostro', message: 'Grande.' }).mensaje).not.toHaveProperty(
    'renombrar',
  )
})

test('a file whose content is none gives its place back to the one before', () => {
  const malo = elegido('malo')
  const now = after(
    withFiles({ fotoRostro: [rostro] }),
    { que: 'elige', clase: 'fotoRostro', files: [malo] },
    { que: 'devuelve', reparo: reparo('malo', 'fotoRostro'), replaced: [rostro] },
  )
  expect(now.documentos.fotoRostro).toEqual([rostro])
  expect(now.mensaje).toEqual({ message: 'No sirve: malo', junto: 'fotoRostro' })
  expect(givenUp(reparo('malo', 'fotoRostro'), [malo], [rostro])).toEqual([malo])
})

test('of a pair that it completed, only itself goes', () => {
  const now = after(
    withFiles({ credencialElector: [frente] }),
    { que: 'elige', clase: 'credencialElector', files: [vuelta] },
    { que: 'devuelve', reparo: reparo('vuelta', 'credencialElector'), replaced: [] },
  )
  expect(now.documentos.credencialElector).toEqual([frente])
  expect(givenUp(reparo('vuelta', 'credencialElector'), [frente, vuelta], [])).toEqual([vuelta])
})

test('a pair that took the place of another goes whole, for that one', () => {
  const before = [elegido('a'), elegido('b')]
  const now = after(
    withFiles({ credencialElector: before }),
    { que: 'elige', clase: 'credencialElector', files: [frente, vuelta] },
    { que: 'devuelve', reparo: reparo('vuelta', 'credencialElector'), replaced: before },
  )
  expect(now.documentos.credencialElector).toEqual(before)
  expect(givenUp(reparo('vuelta', 'credencialElector'), [frente, vuelta], before)).toEqual([frente, vuelta])
})

test('nothing is taken back that was chosen anew, or taken out, while it was looked into', () => {
  const anew = withFiles({ fotoRostro: [elegido('nuevo')] })
  const devuelve: Suceso = { que: 'devuelve', reparo: reparo('malo', 'fotoRostro'), replaced: [rostro] }
  expect(idsOf(reduce(anew, devuelve), 'fotoRostro')).toEqual(['nuevo'])
  expect(idsOf(reduce(withFiles({}), devuelve), 'fotoRostro')).toEqual([])
})

test('where a choice stands until it is sent, what is wrong is said early, in the row and in short', () => {
  const files = [elegido('malo')]
  const before = withFiles({ bocetoFrontal: files }, { errores: [{ campo: 'bocetoFrontal', message: 'Antes.' }] })
  const now = reduce(before, { que: 'advierte', reparo: reparo('malo', 'bocetoFrontal'), files })
  expect(idsOf(now, 'bocetoFrontal')).toEqual(['malo'])
  expect(now.mensaje).toEqual({ message: 'No sirve: malo', junto: 'bocetoFrontal' })
  expect(now.errores).toEqual([{ campo: 'bocetoFrontal', message: 'Sólo JPG, PNG o PDF.' }])
  // A name alone can be changed for the person.
  const named = reparo('malo', 'bocetoFrontal', 'nombreArchivo')
  expect(reduce(before, { que: 'advierte', reparo: named, files }).mensaje?.renombrar).toEqual([files[0]!.file])
  // Taken out meanwhile: nothing is said any more.
  const gone = withFiles({})
  expect(reduce(gone, { que: 'advierte', reparo: reparo('malo', 'bocetoFrontal'), files })).toBe(gone)
})

test('taking a file out ends what was said beside it, and nothing else', () => {
  const beside = withFiles(
    { credencialElector: [frente, vuelta] },
    {
      mensaje: { message: 'No sirve.', junto: 'credencialElector' },
      errores: [{ campo: 'credencialElector', message: 'Mal.' }],
    },
  )
  const quita: Suceso = { que: 'quita', clase: 'credencialElector', id: 'frente' }
  const now = reduce(beside, quita)
  expect(now.documentos.credencialElector).toEqual([vuelta])
  expect([now.mensaje, now.errores]).toEqual([undefined, []])
  const elsewhere = { message: 'Falta algo.' }
  expect(reduce({ ...beside, mensaje: elsewhere }, quita).mensaje).toBe(elsewhere)
})

test('sides are swapped with their uploads', () => {
  const now = reduce(withFiles({ credencialElector: [frente, vuelta] }), {
    que: 'intercambia',
    clase: 'credencialElector',
  })
  expect(now.documentos.credencialElector).toEqual([vuelta, frente])
})

test('touching a field ends its own error; the message stays', () => {
  const mensaje = { message: 'Falta.' }
  const errores = [
    { campo: 'edad' as const, message: 'Mal.' },
    { campo: 'celular' as const, message: 'Mal.' },
  ]
  const now = reduce(withFiles({}, { mensaje, errores }), { que: 'corrige', campo: 'edad' })
  expect(now).toMatchObject({ mensaje, errores: [errores[1]] })
})

test('sending ends what was said, and is remembered', () => {
  const before = withFiles({}, { mensaje: { message: 'No.' }, errores: [{ campo: 'edad', message: 'Mal.' }] })
  expect(reduce(before, { que: 'sale' })).toMatchObject({ mensaje: undefined, errores: [], enviado: true })
})

test('an upload’s address stands by its file, until it has to begin anew', () => {
  const before = withFiles({ fotoRostro: [elegido('rostro')], fotoCuerpo: [elegido('cuerpo')] })
  const begun = reduce(before, { que: 'sube', id: 'rostro', url: '/subidas/9' })
  expect(begun.documentos.fotoRostro[0]!.url).toBe('/subidas/9')
  expect(begun.documentos.fotoCuerpo[0]!.url).toBeUndefined()
  expect(reduce(begun, { que: 'sube', id: 'rostro', url: undefined }).documentos.fotoRostro[0]!.url).toBeUndefined()
})

test('each refusal counts, so that the same one twice takes the focus twice', () => {
  const campos = [{ campo: 'edad' as const, message: 'Escribe tu edad.' }]
  const reprueba: Suceso = { que: 'reprueba', message: PALABRAS.incompleto, campos }
  const twice = after(withFiles({}), reprueba, reprueba)
  expect(twice).toMatchObject({ mensaje: { message: PALABRAS.incompleto }, errores: campos, rechazos: 2 })
})

test('a file that was refused on its way up has its row say so; what the others sent stays', () => {
  const before = withFiles({ fotoRostro: [rostro], credencialElector: [frente, vuelta] })
  const now = reduce(before, { que: 'fracasa', archivo: 'rostro', reason: 'archivoVacio', message: 'Vacío.' })
  expect(now.mensaje).toEqual({ message: 'Vacío.' })
  expect(now.errores).toEqual([{ campo: 'fotoRostro', message: 'Elige otro archivo: éste no trae nada.' }])
  expect(now.documentos).toEqual(before.documentos)
})

test('a fault of ours blames no field, and keeps every file and how far it is', () => {
  const before = withFiles({ fotoRostro: [rostro], credencialElector: [frente, vuelta] }, { enviado: true })
  const message = MENSAJES.falla('abcd-efgh')
  const now = reduce(before, { que: 'fracasa', archivo: undefined, reason: 'falla', message })
  expect(now).toEqual({ ...before, mensaje: { message }, errores: [], rechazos: 1 })
})

const negative = (change: object) =>
  ({
    ok: false,
    reason: 'datosInvalidos',
    message: PALABRAS.yaParticipo,
    campos: [],
    valores: {},
    recibidos: {},
    entrega: 'una',
    ...change,
  }) as Extract<ResultadoRegistro, { ok: false }>

test('the server’s refusal is shown, and only what it refused or lost is sent again', () => {
  const before = withFiles({ fotoRostro: [rostro], credencialElector: [frente, vuelta] })
  const campos = [{ campo: 'fotoRostro', message: MENSAJES.archivoPerdido }]
  const now = reduce(before, { que: 'niega', resultado: negative({ message: MENSAJES.archivoPerdido, campos }) })
  expect(now).toMatchObject({ mensaje: { message: MENSAJES.archivoPerdido }, errores: campos, rechazos: 1 })
  expect(now.entrega).toBe('una')
  expect(now.documentos.fotoRostro).toEqual([{ ...rostro, url: undefined }])
  expect(now.documentos.credencialElector).toEqual([frente, vuelta])
})

test('an entrega that is closed: the same data goes on under the next one, from the first byte', () => {
  const before = withFiles({ fotoRostro: [rostro], credencialElector: [frente, vuelta] })
  const now = reduce(before, { que: 'niega', resultado: negative({ reason: 'yaRecibido', entrega: 'otra' }) })
  expect(now.entrega).toBe('otra')
  expect(filesOf(FORMAS.candidata, now.documentos).map(({ id, url }) => [id, url])).toEqual([
    ['frente', undefined],
    ['vuelta', undefined],
    ['rostro', undefined],
  ])
})

test('a draft that another tab has says so, and takes no focus', () => {
  expect(reduce(withFiles({}), { que: 'dice', message: 'En otra pestaña.' })).toMatchObject({
    mensaje: { message: 'En otra pestaña.' },
    rechazos: 0,
  })
})

test('files are counted by document: chosen here, else received before', () => {
  const { documentos } = withFiles({ bocetoFrontal: [elegido('a'), elegido('b')] })
  const recibidos = { bocetoFrontal: ['viejo.jpg'], identificacion: ['ine.jpg'] }
  expect(countFiles(FORMAS.traje, documentos, recibidos)).toEqual({
    bocetoFrontal: 2,
    bocetoPosterior: 0,
    identificacion: 1,
  })
})

test('files go in the order of the form, a pair with its sides and a third one with none', () => {
  const { documentos } = withFiles({ fotoRostro: [rostro], credencialElector: [frente, vuelta, elegido('sobra')] })
  expect(filesOf(FORMAS.candidata, documentos).map(({ id, clase, lado }) => [id, clase, lado])).toEqual([
    ['frente', 'credencialElector', 'anverso'],
    ['vuelta', 'credencialElector', 'reverso'],
    ['sobra', 'credencialElector', undefined],
    ['rostro', 'fotoRostro', undefined],
  ])
})

test('how far files are, never beyond their size; nothing to send is all sent', () => {
  const files = [elegido('a', undefined, 100), elegido('b', undefined, 300)]
  expect(avanceOf(files, { a: 120, b: 100 })).toEqual({ sent: 200, total: 400, part: 0.5 })
  expect(avanceOf(files, {})).toEqual({ sent: 0, total: 400, part: 0 })
  expect(avanceOf([], { a: 5 })).toEqual({ sent: 0, total: 0, part: 1 })
})

test('what each thing that happens does leaves the state before it untouched', () => {
  const before = Object.freeze(withFiles({ fotoRostro: [rostro] }))
  for (const value of Object.values(before)) Object.freeze(value)
  after(
    before,
    { que: 'elige', clase: 'fotoRostro', files: [frente] },
    { que: 'sube', id: 'frente', url: '/x' },
    { que: 'sale' },
    { que: 'niega', resultado: negative({ entrega: 'otra', message: PALABRAS.alturaMaxima }) },
  )
  expect(before.documentos.fotoRostro).toEqual([rostro])
})
