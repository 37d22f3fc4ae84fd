import { describe, expect, test } from 'vitest'
import { checkEmailAddress } from './email-address.ts'

describe('addresses', () => {
  test.each([
    ['ana@ejemplo.mx', 'ana@ejemplo.mx'],
    ['  ana@ejemplo.mx ', 'ana@ejemplo.mx'],
    ['Ana.Maria+voto@EJEMPLO.mx', 'Ana.Maria+voto@ejemplo.mx'],
    ["o'hara_#1@sub.ejemplo.com.mx", "o'hara_#1@sub.ejemplo.com.mx"],
    ['\u200bana@ejemplo.mx', 'ana@ejemplo.mx'],
    ['ana@ejemplo.mx\u00a0', 'ana@ejemplo.mx'],
    ['\u202aana@ejemplo.mx\u202c', 'ana@ejemplo.mx'],
    ['\ufeffana\u00ad@ejem\u2060plo.mx\t', 'ana@ejemplo.mx'],
    ['ana@mun\u0303oz.mx', 'ana@xn--muoz-hqa.mx'],
    ['ana@muñoz.mx', 'ana@xn--muoz-hqa.mx'],
    ['ana@例え.jp', 'ana@xn--r8jz45g.jp'],
    [`${'a'.repeat(64)}@ejemplo.mx`, `${'a'.repeat(64)}@ejemplo.mx`],
  ])('%s is sent to %s', (given, address) => {
    expect(checkEmailAddress(given)).toEqual({ ok: true, address })
  })

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    [`${'a'.repeat(309)}@ejemplo.mx`, 'tooLong'],
    [`ana${' '.repeat(100_000)}@ejemplo.mx`, 'tooLong'],
    [`${'a'.repeat(65)}@ejemplo.mx`, 'tooLong'],
    [`a@${`${'b'.repeat(60)}.`.repeat(4)}ejemplo.mx`, 'tooLong'],
    // A short name whose ASCII form is too long.
    [`a@${'ñ.'.repeat(100)}mx`, 'tooLong'],
    ['ana@ejemplo.mx\r\nRCPT TO:<otra@ejemplo.mx>', 'forbiddenCharacters'],
    ['ana@ejemplo.mx\r\n', 'forbiddenCharacters'],
    ['ana@ejemplo.mx\nBcc: otra@ejemplo.mx', 'forbiddenCharacters'],
    ['ana@ejemplo.mx\u2028', 'forbiddenCharacters'],
    ['ana\0@ejemplo.mx', 'forbiddenCharacters'],
    ['ana\u00a0maria@ejemplo.mx', 'forbiddenCharacters'],
    ['"ana maria"@ejemplo.mx', 'forbiddenCharacters'],
    ['Ana <ana@ejemplo.mx>', 'forbiddenCharacters'],
    ['ana@ejemplo.mx,otra@ejemplo.mx', 'forbiddenCharacters'],
    ['ana@ejemplo.mx;otra@ejemplo.mx', 'forbiddenCharacters'],
    ['ana@[127.0.0.1]', 'forbiddenCharacters'],
    ['ana(comentario)@ejemplo.mx', 'forbiddenCharacters'],
    ['ana@ejemplo.mx@otra.mx', 'malformed'],
    ['ana', 'malformed'],
    ['@ejemplo.mx', 'malformed'],
    ['ana@', 'malformed'],
    ['ana@ejemplo', 'malformed'],
    ['ana@localhost', 'malformed'],
    ['ana@127.0.0.1', 'malformed'],
    ['ana@0x7f.1', 'malformed'],
    ['ana@ejemplo..mx', 'malformed'],
    ['ana@-ejemplo.mx', 'malformed'],
    ['ana@ejemplo.mx/otra', 'malformed'],
    ['ana@ejemplo.mx.', 'malformed'],
    ['.ana@ejemplo.mx', 'malformed'],
    ['ana..maria@ejemplo.mx', 'malformed'],
    ['niño@ejemplo.mx', 'accents'],
    ['ana\u{1f451}@ejemplo.mx', 'accents'],
  ])('%j is refused: %s', (given, reason) => {
    expect(checkEmailAddress(given)).toEqual({ ok: false, reason })
  })
})
