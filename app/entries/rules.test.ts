import { describe, expect, test } from 'vitest'
import { SNIFF_BYTES } from '#app/core/uploads/sniff-file-type.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import {
  cleanFileName,
  documentPath,
  folderName,
  hasForbiddenCharacter,
  metadataPath,
  objectUrl,
  sanitizeFileName,
  sniffContentType,
} from '#app/entries/document-viewing/file-rules.ts'
import { textFor, valueFor } from '#tests/support/entries/field-values.ts'
import { FORM_MESSAGES } from '#tests/support/entries/form-messages.ts'
import { parseFolio } from './folio.ts'
import { checkForm } from './rules.ts'

const FORBIDDEN = ['ñ', 'Ñ', 'á', 'é', 'í', 'ó', 'ú', 'Á', 'É', 'Í', 'Ó', 'Ú', '´']

describe('file names that the form refuses', () => {
  test.each(FORBIDDEN)('%s, as one character or decomposed', (character) => {
    expect(hasForbiddenCharacter(`mi ${character} foto.jpg`)).toBe(true)
    expect(hasForbiddenCharacter(`mi ${character.normalize('NFD')} foto.jpg`)).toBe(true)
  })
  test.each(['foto*.jpg', 'pingüino.png', 'foto (1).jpg', 'ça.pdf', '👑.jpg', "l'acta.pdf"])('not %s', (name) => {
    expect(hasForbiddenCharacter(name)).toBe(false)
  })
  test('the mended name passes and keeps its extension', () => {
    expect(cleanFileName('Acta de Nuñez José´.PDF')).toBe('Acta de Nunez Jose.PDF')
    expect(cleanFileName('´.jpg')).toBe('archivo.jpg')
    for (const character of FORBIDDEN)
      expect(hasForbiddenCharacter(cleanFileName(`a${character.normalize('NFD')}.jpg`))).toBe(false)
  })
})

describe('stored file names', () => {
  test.each([
    ['mi foto (1).jpg', 'mi_foto_1.jpg'],
    ['a\t b\u00a0c.png', 'a_b_c.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\fotos\\cara.jpg', 'cara.jpg'],
    ['cara\0.jpg', 'cara.jpg'],
    ['cara\u202egpj.exe', 'caragpj.exe'],
    ['..', 'archivo'],
    ['()', 'archivo'],
    ['', 'archivo'],
    ['foto/', 'archivo'],
    ['👑 reina.heic', '👑_reina.heic'],
  ])('%j becomes %j', (name, stored) => {
    expect(sanitizeFileName(name)).toBe(stored)
  })
  test('255 characters fit in 180 bytes and keep the extension, whole characters only', () => {
    for (const letter of ['x', 'ü', '👑']) {
      const stored = sanitizeFileName(`${letter.repeat(251)}.jpg`)
      expect(new TextEncoder().encode(stored).length).toBeLessThanOrEqual(180)
      expect(stored.endsWith(`${letter}.jpg`)).toBe(true)
      expect(stored.isWellFormed()).toBe(true)
    }
  })
  test('half a surrogate pair does not break the path', () => {
    expect(sanitizeFileName('foto\ud83d.jpg').isWellFormed()).toBe(true)
  })
})

describe('paths of §7', () => {
  test('folder from id and name, in ASCII', () => {
    expect(folderName(12, 'Ana María Núñez  Colorín')).toBe('12_Ana_Maria_Nunez_Colorin')
    expect(folderName(3, '../../Zoë Strauß')).toBe('3_Zoe_Strauss')
    expect(folderName(4, '王芳')).toBe('4_sin_nombre')
  })
  test('a document, a side of the credential, the metadata', () => {
    const base = { folder: '7_Ana', timestamp: 1_755_000_000_000, fileName: 'mi cara (2).jpg' }
    expect(documentPath({ ...base, kind: 'fotoRostro', side: null })).toBe(
      '7_Ana/fotoRostro/1755000000000_mi_cara_2.jpg',
    )
    expect(documentPath({ ...base, kind: 'credencialElector', side: 'anverso' })).toBe(
      '7_Ana/credencialElector_anverso/1755000000000_mi_cara_2.jpg',
    )
    expect(metadataPath('7_Ana', 5)).toBe('7_Ana/metadata_5.json')
  })
  test('an address survives any name', () => {
    const url = objectUrl('https://feria.mx', 'registro', '7_Ana/fotoRostro/5_100%_#1?.jpg')
    expect(decodeURIComponent(new URL(url).pathname)).toBe('/archivos/registro/7_Ana/fotoRostro/5_100%_#1?.jpg')
  })
})

describe('type by content', () => {
  const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
  const box = (brand: string, ...compatible: string[]) =>
    bytes(`\0\0\0${String.fromCharCode(16 + compatible.length * 4)}ftyp${brand}\0\0\0\0${compatible.join('')}`)
  test.each([
    ['image/jpeg', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
    ['image/png', bytes('\x89PNG\r\n\x1a\n')],
    ['image/webp', bytes('RIFF\x10\0\0\0WEBPVP8 ')],
    ['image/heic', box('heic', 'mif1')],
    ['image/heic', box('mif1', 'heic')],
    ['application/pdf', bytes('%PDF-1.7\n')],
    ['application/pdf', bytes('\xef\xbb\xbf%PDF-1.7\n')],
    ['application/pdf', bytes(`${'<br />Warning: algo '.repeat(60).slice(0, SNIFF_BYTES - 5)}%PDF-1.7\n`)],
    [undefined, box('avif', 'mif1')],
    [undefined, box('mif1', 'miaf', 'avif')],
    [undefined, box('isom', 'mp41')],
    [undefined, bytes('hola, soy un texto')],
    [undefined, bytes('<svg xmlns="http://www.w3.org/2000/svg">')],
    [undefined, bytes('GIF89a')],
    [undefined, new Uint8Array()],
    [undefined, bytes('\0\0\0')],
  ])('%s', (type, head) => {
    expect(sniffContentType(head)).toBe(type)
  })
  test('a view into the middle of a larger buffer', () => {
    const whole = new Uint8Array(SNIFF_BYTES * 2)
    whole.set(box('heic', 'mif1'), 10)
    expect(sniffContentType(whole.subarray(10, 40))).toBe('image/heic')
  })
})

describe('a registration as typed', () => {
  /** The required fields that no test below names: each is filled in with any valid value. */
  const others = FORMS.candidata.fields.filter(
    ({ name, isOptional }) => !isOptional && !['nombre', 'edad', 'estatura', 'gradoEstudio', 'celular'].includes(name),
  )
  const typed = {
    ...Object.fromEntries(others.map((field) => [field.name, textFor(field)])),
    nombre: ' Ana Colorín ',
    edad: '21',
    estatura: '1.66',
    gradoEstudio: 'Egresada',
    celular: '3300000000',
  }
  const all = { actaNacimiento: 1, credencialElector: 2, constanciaEstudios: 1, fotoRostro: 1, fotoCuerpo: 1 }

  test('right', () => {
    expect(checkForm(FORMS.candidata, typed, all)).toEqual({
      ok: true,
      values: {
        ...Object.fromEntries(others.map((field) => [field.name, valueFor(field)])),
        nombre: 'Ana Colorín',
        edad: 21,
        estatura: 1.66,
        gradoEstudio: 'Egresada',
        celular: '3300000000',
        correo: null,
        publicarRostro: 'No',
        avisosWhatsApp: 'No',
      },
    })
  })
  test('an email is optional; a given one has to be valid, and has its own message', () => {
    const withAddress = (email: string) => checkForm(FORMS.candidata, { ...typed, correo: email }, all)
    expect(withAddress(' ')).toMatchObject({ ok: true, values: { correo: null } })
    expect(withAddress('ana@ejemplo.mx')).toMatchObject({ ok: true, values: { correo: 'ana@ejemplo.mx' } })
    expect(withAddress('ana@ejemplo')).toMatchObject({
      ok: false,
      reason: 'datosInvalidos',
      message: 'Escribe el correo completo, como nombre@ejemplo.mx.',
    })
  })
  test('a permission is granted only by its ticked box', () => {
    const withBox = (publishFace: string) => checkForm(FORMS.candidata, { ...typed, publicarRostro: publishFace }, all)
    expect(withBox('Sí')).toMatchObject({ ok: true, values: { publicarRostro: 'Sí' } })
    expect(withBox('')).toMatchObject({ ok: true, values: { publicarRostro: 'No' } })
    expect(withBox('on')).toMatchObject({ ok: false, campos: [{ campo: 'publicarRostro' }] })
  })

  test('hints are not rules: an age beyond them and a short phone pass; the degree has a default', () => {
    const result = checkForm(FORMS.candidata, { ...typed, edad: '45', celular: '12', gradoEstudio: undefined }, all)
    expect(result).toMatchObject({ ok: true, values: { edad: 45, celular: '12', gradoEstudio: 'Estudiante' } })
  })
  test.each([
    ['1,70', 1.7],
    ['2', 2],
    ['0.5', 0.5],
    ['2.50', 2.5],
  ])('height %s', (stature, metres) => {
    expect(checkForm(FORMS.candidata, { ...typed, estatura: stature }, all)).toMatchObject({
      ok: true,
      values: { estatura: metres },
    })
  })
  test.each([
    '-1',
    '1e309',
    '166',
    '1.665',
    '0.49',
    '2.51',
    'uno',
    'NaN',
    '1.7.0',
    '0x1',
  ])('not height %s', (stature) => {
    expect(checkForm(FORMS.candidata, { ...typed, estatura: stature }, all)).toEqual({
      ok: false,
      reason: 'datosInvalidos',
      message: FORM_MESSAGES.estatura,
      campos: [{ campo: 'estatura', message: FORM_MESSAGES.estatura }],
    })
  })
  test.each(['0', '121', '20.5', '-3', '1e2', 'veinte'])('not age %s', (age) => {
    expect(checkForm(FORMS.candidata, { ...typed, edad: age }, all)).toMatchObject({
      ok: false,
      message: FORM_MESSAGES.edad,
    })
  })
  test.each(['nombre', 'edad', 'estatura', 'celular'])('without %s, the message of §5', (field) => {
    for (const empty of [undefined, '', '   ', '\u200b', ' \u2060 \u00ad\u202e']) {
      const result = checkForm(FORMS.candidata, { ...typed, [field]: empty }, all)
      expect(result).toMatchObject({ ok: false, reason: 'incompleto', message: FORM_MESSAGES.incompleto })
      expect(!result.ok && result.campos.map((error) => error.campo)).toEqual([field])
    }
  })
  test.each([0, 1, 3])('%i files of the credential, the message of §5', (voterCard) => {
    expect(checkForm(FORMS.candidata, typed, { ...all, credencialElector: voterCard })).toMatchObject({
      reason: 'incompleto',
      message: FORM_MESSAGES.incompleto,
      campos: [{ campo: 'credencialElector' }],
    })
  })
  test.each(['actaNacimiento', 'constanciaEstudios', 'fotoRostro', 'fotoCuerpo'])('without %s', (kind) => {
    expect(checkForm(FORMS.candidata, typed, { ...all, [kind]: 0 })).toMatchObject({ reason: 'incompleto' })
    expect(checkForm(FORMS.candidata, typed, { ...all, [kind]: 2 })).toMatchObject({ reason: 'datosInvalidos' })
  })
  test('missing fields are reported before invalid ones', () => {
    const result = checkForm(FORMS.candidata, { ...typed, estatura: '166', celular: '' }, all)
    expect(result).toMatchObject({ message: FORM_MESSAGES.incompleto })
    expect(!result.ok && result.campos.map((error) => error.campo)).toEqual(['celular', 'estatura'])
  })
  test('invisible characters are removed, and letters are composed', () => {
    const marked = {
      nombre: '\u202eAna\u202c \u2066Colo\u200dri\u0301n\u2069',
      celular: '\u202a33\u00a00000 0000\u202c',
      correo: '\u200bana@ejemplo.mx\ufeff',
    }
    expect(checkForm(FORMS.candidata, { ...typed, ...marked }, all)).toMatchObject({
      ok: true,
      values: { nombre: 'Ana Colorín', celular: '33 0000 0000', correo: 'ana@ejemplo.mx' },
    })
  })
  test('lengths and characters', () => {
    const broken = (fields: Record<string, string>) => checkForm(FORMS.candidata, { ...typed, ...fields }, all)
    expect(broken({ nombre: 'a'.repeat(120) }).ok).toBe(true)
    expect(broken({ nombre: 'a'.repeat(10_000) })).toMatchObject({ message: FORM_MESSAGES.nombreLargo })
    expect(broken({ nombre: 'Ana\0' })).toMatchObject({ message: FORM_MESSAGES.textoIlegible })
    expect(broken({ nombre: 'Ana\ud83d x' })).toMatchObject({ message: FORM_MESSAGES.textoIlegible })
    expect(broken({ celular: '3'.repeat(31) })).toMatchObject({ message: FORM_MESSAGES.celularLargo })
    expect(broken({ gradoEstudio: 'Doctora' })).toMatchObject({ message: FORM_MESSAGES.gradoEstudio })
  })
})

test('a folio is read however it was written down', () => {
  for (const typed of ['7K3M-Q9XT-04WB', '7k3mq9xt04wb', ' 7k3m q9xt o4wb ', '7K3M–Q9XT—O4WB', '７K3M-Q9XT-04WB'])
    expect(parseFolio(typed), typed).toBe('7K3M-Q9XT-04WB')
  expect(parseFolio('ILIL-0000-0000')).toBe('1111-0000-0000')
  for (const other of ['', '7K3M-Q9XT', '7K3M-Q9XT-04WBX', '7K3M-Q9XT-04WU', "' or 1=1 --", '\0'.repeat(12)])
    expect(parseFolio(other), other).toBeUndefined()
})
