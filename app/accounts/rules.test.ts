import { describe, expect, it, test } from 'vitest'
import { generatePassword } from '#app/accounts/passwords/hash.server.ts'
import { findPasswordRefusal, IDLE_TIMEOUT_MS, maxSessionMs, may, RESULTS_ACCESS_MS, workForCode } from './rules.ts'
import { parseCode, parseEmail } from './schema.ts'

test('each role opens its resources', () => {
  const rows = [undefined, null, 'prensa', 'admin'] as const
  expect(rows.map((role) => may(role, 'prensa'))).toEqual([false, false, true, true])
  expect(rows.map((role) => may(role, 'archivos'))).toEqual([false, false, false, true])
  expect(rows.map((role) => may(role, 'resultados'))).toEqual([false, false, false, true])
})

test('the role limits how long a session lasts', () => {
  expect(maxSessionMs('admin')).toBe(28_800_000)
  expect([RESULTS_ACCESS_MS, IDLE_TIMEOUT_MS]).toEqual([1_800_000, 1_800_000])
  expect(maxSessionMs('prensa')).toBe(86_400_000)
  expect(maxSessionMs(null)).toBe(86_400_000)
})

test('even the hardest proof of work for a code is solved before a cheap phone gives up', () => {
  const hardest = workForCode({ unusedCodes: 1_000, usedCodes: 0 }, { sent: 1_000_000, used: 0, failed: 0 })
  // A solution takes up to twice the difficulty in hashes, of two milliseconds each; `solveWork` gives up after 90 seconds.
  expect(2 * hardest * 2).toBeLessThan(90_000)
})

describe('findPasswordRefusal', () => {
  it.each(['', 'Az9#kw2!pQ7', 'áéíóúñüÁÉÍÓ'])('finds %j too short', (password) => {
    expect(findPasswordRefusal(password, 'a@b.mx')).toBe('tooShort')
  })
  it('finds 129 characters too long, and 128 not', () => {
    const password = Array.from({ length: 128 }, (_, at) => String.fromCharCode(0x4e00 + at * 7)).join('')
    expect(findPasswordRefusal(password, 'a@b.mx')).toBeUndefined()
    expect(findPasswordRefusal(`${password}一`, 'a@b.mx')).toBe('tooLong')
  })
  it.each([
    'password1234',
    'Passw0rd2025!',
    'contraseña123',
    'Contraseña2025',
    'qwertyuiop12',
    'qwertyuiop[]',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
    '123456789012',
    '987654321098',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'iloveyou1234',
    'Administrador1',
    'guadalajara1',
    'azahares2025!',
    'SenoritaAzahares2025',
    'prensa-prensa-prensa',
    'periodista123',
    'mariposa.mariposa',
    '             ',
  ])('finds %j too common', (password) => {
    expect(findPasswordRefusal(password, 'a@b.mx')).toBe('tooCommon')
  })
  it('finds the address itself too common', () => {
    expect(findPasswordRefusal('redaccion-elheraldo1', 'redaccion@elheraldo.mx')).toBe('tooCommon')
  })
  it.each([
    'guayaba-29-trenza',
    'cuatro burros pardos',
    'Xk29!mvQ#pt7',
    'ventana húmeda 8 tlayudas',
  ])('takes %j', (password) => {
    expect(findPasswordRefusal(password, 'redaccion@elheraldo.mx')).toBeUndefined()
  })
  it('takes every generated password', () => {
    for (let turn = 0; turn < 2_000; turn++)
      expect(findPasswordRefusal(generatePassword(), 'prensa@medio.mx')).toBeUndefined()
  })
})

test.each([
  '123456',
  ' 123 456\u00a0',
  '\u202a123\u2011456\u202c',
  '\u200b１２３４５６\ufeff',
])('%j is the code 123456', (given) => {
  expect(parseCode(given)).toBe('123456')
})

describe('parseEmail', () => {
  it('keeps an address in lower case, without the spaces around it', () => {
    expect(parseEmail('  Ana.Lopez+voto@Correo.Example ')).toBe('ana.lopez+voto@correo.example')
    expect(parseEmail(`${'a'.repeat(64)}@correo.example`)).toBeDefined()
    expect(parseEmail('Ana@Córreo.example')).toBe('ana@xn--crreo-0ta.example')
    for (const given of ['\u200bana@correo.example', '\u202aana@correo.example\u202c', '\tana@correo.example\u00a0'])
      expect(parseEmail(given)).toBe('ana@correo.example')
  })
  it.each([
    '',
    'ana',
    'ana@correo',
    '@correo.example',
    'ana@correo..example',
    '.ana@correo.example',
    'ana@-correo.example',
    'ana@correo.example\r\nbcc: otra@correo.example',
    'ana@correo.example\n',
    'ana@correo.example, otra@correo.example',
    '"ana"@correo.example',
    'Ana <ana@correo.example>',
    'ana@correo.example;',
    'ana\0@correo.example',
    'año@correo.example',
    'аna@correo.example',
    `${'a'.repeat(65)}@correo.example`,
    `${'a'.repeat(60)}@${'b.'.repeat(100)}example`,
    `${'a'.repeat(306)}@correo.example`,
    undefined,
    null,
    7,
    ['ana@correo.example'],
  ])('refuses %j', (text) => {
    expect(parseEmail(text)).toBeUndefined()
  })
})
