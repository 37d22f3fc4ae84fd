import { describe, expect, test } from 'vitest'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { findFileRefusal, sortByCheckOrder } from '#app/entries/document-viewing/file-rules.ts'
import { FORM_MESSAGES } from '#tests/support/entries/form-messages.ts'
import { checkForm } from './rules.ts'

const typed = {
  nombre_disenador: 'Rosa Clavel Ibarra',
  email: 'rosa@ejemplo.mx',
  celular: '33 1234 5678',
  ciudad: 'Azahares, Jalisco',
  nombre_traje: 'Flor de azahar',
  tematica: 'El azahar y la feria',
  descripcion: 'Falda amplia\ncon listones',
  materiales: 'Manta, listón, lentejuela',
  altura: '120',
  ha_participado: 'No',
}
const all = { bocetoFrontal: 1, bocetoPosterior: 1, identificacion: 1 }

const INCOMPLETE = 'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.'
const messageOf = (change: Record<string, string | undefined>, files: object = all) => {
  const result = checkForm(FORMS.traje, { ...typed, ...change }, files)
  return result.ok ? 'bien' : result.message
}

test('a whole form comes back under the names of §3, its height as a number', () => {
  expect(checkForm(FORMS.traje, { ...typed, altura: '120,5' }, all)).toEqual({
    ok: true,
    values: { ...typed, altura: 120.5, avisosWhatsApp: 'No' },
  })
})

test('a tab, pasted with a copied table, counts as a space', () => {
  expect(checkForm(FORMS.traje, { ...typed, descripcion: '\tFalda\tamplia' }, all)).toMatchObject({
    ok: true,
    values: { descripcion: 'Falda amplia' },
  })
})

describe('the limit itself passes, one more does not', () => {
  test.each([
    ['tematica', 100, 'Temática y materiales no deben exceder 100 caracteres.'],
    ['materiales', 100, 'Temática y materiales no deben exceder 100 caracteres.'],
    ['descripcion', 250, 'La descripción no debe exceder 250 caracteres.'],
  ])('%s: %i characters, however many bytes each takes', (field, max, message) => {
    for (const letter of ['a', 'ñ', '👑']) {
      expect(messageOf({ [field]: letter.repeat(max) })).toBe('bien')
      expect(messageOf({ [field]: letter.repeat(max + 1) })).toBe(message)
    }
  })
  test.each(['150', '150.0', '149.99', '0.5', '1e2', '+90'])('%s cm', (height) => {
    expect(messageOf({ altura: height })).toBe('bien')
  })
  test.each(['151', '150.0001', '150,01', '1e3', '1e999', '9'.repeat(400)])('not %s cm', (height) => {
    expect(messageOf({ altura: height })).toBe('La altura máxima permitida es 150 cm.')
  })
  test.each(['0', '-5', 'alta', '0x10', '1.2.3', 'NaN', 'Infinity'])('%s is no height', (height) => {
    expect(messageOf({ altura: height })).toBe(FORM_MESSAGES.altura)
  })
})

test('the first check that fails gives the message, in the order of §5', () => {
  const broken: Record<string, string> = {
    email: 'rosa@',
    ha_participado: 'Sí',
    tematica: 'a'.repeat(101),
    descripcion: 'a'.repeat(251),
    altura: '151',
  }
  const said: string[] = []
  for (const field of Object.keys(broken)) {
    said.push(messageOf(broken))
    broken[field] = typed[field as keyof typeof typed]
  }
  expect(said).toEqual([
    INCOMPLETE,
    'El traje no es elegible si ya participó en otros concursos.',
    'Temática y materiales no deben exceder 100 caracteres.',
    'La descripción no debe exceder 250 caracteres.',
    'La altura máxima permitida es 150 cm.',
  ])
  expect(messageOf(broken)).toBe('bien')
})

test('a costume that was in other contests: the field says the specification’s own sentence, as the banner does', () => {
  expect(checkForm(FORMS.traje, { ...typed, ha_participado: 'Sí' }, all)).toMatchObject({
    message: 'El traje no es elegible si ya participó en otros concursos.',
    campos: [{ campo: 'ha_participado', message: 'El traje no es elegible si ya participó en otros concursos.' }],
  })
})

test.each(Object.keys(typed))('without %s', (field) => {
  for (const empty of [undefined, '', ' \u200b']) expect(messageOf({ [field]: empty })).toBe(INCOMPLETE)
})
test.each(Object.keys(all))('without %s', (kind) => {
  expect(messageOf({}, { ...all, [kind]: 0 })).toBe(INCOMPLETE)
})
test.each([
  'rosa',
  'rosa@',
  '@ejemplo.mx',
  'rosa@ejemplo',
  'rosa @ejemplo.mx',
  'a@b.mx, c@d.mx',
  'rosa@ejemplo.mx\nBcc: x@y.mx',
])('«%s» is no address', (email) => {
  expect(messageOf({ email })).toBe(INCOMPLETE)
})

describe('the files of a costume', () => {
  const MB = 1_048_576
  test('5 and 2 MB pass, a byte more does not', () => {
    for (const [kind, max] of [
      ['bocetoFrontal', 5],
      ['bocetoPosterior', 5],
      ['identificacion', 2],
    ] as const) {
      const file = { name: 'b.png', contentType: 'image/png' as const }
      expect(findFileRefusal(kind, { ...file, size: max * MB })).toBeUndefined()
      expect(findFileRefusal(kind, { ...file, size: max * MB + 1 })?.message).toBe(
        `El archivo "b.png" excede el tamaño máximo de ${max}MB.`,
      )
    }
  })
  test('are JPG, PNG or PDF, by content', () => {
    const of = (contentType: Parameters<typeof findFileRefusal>[1]['contentType']) =>
      findFileRefusal('bocetoFrontal', { name: 'b.pdf', size: 9, contentType })?.message
    for (const good of ['image/jpeg', 'image/png', 'application/pdf'] as const) expect(of(good)).toBeUndefined()
    for (const bad of ['image/webp', 'image/heic', null] as const)
      expect(of(bad)).toBe('El archivo "b.pdf" debe ser JPG, PNG o PDF.')
  })
  test('all names are checked before all sizes, and those before all types', () => {
    const refused = [
      { clase: 'bocetoFrontal', name: 'a.gif', size: 9, contentType: null },
      { clase: 'bocetoPosterior', name: 'b.png', size: 9 * MB, contentType: 'image/png' },
      { clase: 'identificacion', name: 'ñ.png', size: 9 * MB, contentType: null },
    ] as const
    expect(
      sortByCheckOrder(refused.map(({ clase, ...file }) => findFileRefusal(clase, file)!)).map(({ reason }) => reason),
    ).toEqual(['nombreArchivo', 'archivoGrande', 'archivoTipo'])
  })
})
