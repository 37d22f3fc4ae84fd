import { describe, expect, test } from 'vitest'
import { checkAddress } from './email-address.ts'

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
    expect(checkAddress(given)).toEqual({ ok: true, address })
  })

  test.each([
    ['', 'vacia'],
    ['   ', 'vacia'],
    [`${'a'.repeat(309)}@ejemplo.mx`, 'larga'],
    [`ana${' '.repeat(100_000)}@ejemplo.mx`, 'larga'],
    [`${'a'.repeat(65)}@ejemplo.mx`, 'larga'],
    [`a@${`${'b'.repeat(60)}.`.repeat(4)}ejemplo.mx`, 'larga'],
    // A short name whose ASCII form is too long.
    [`a@${'ñ.'.repeat(100)}mx`, 'larga'],
    ['ana@ejemplo.mx\r\nRCPT TO:<otra@ejemplo.mx>', 'caracteres'],
    ['ana@ejemplo.mx\r\n', 'caracteres'],
    ['ana@ejemplo.mx\nBcc: otra@ejemplo.mx', 'caracteres'],
    ['ana@ejemplo.mx\u2028', 'caracteres'],
    ['ana\0@ejemplo.mx', 'caracteres'],
    ['ana\u00a0maria@ejemplo.mx', 'caracteres'],
    ['"ana maria"@ejemplo.mx', 'caracteres'],
    ['Ana <ana@ejemplo.mx>', 'caracteres'],
    ['ana@ejemplo.mx,otra@ejemplo.mx', 'caracteres'],
    ['ana@ejemplo.mx;otra@ejemplo.mx', 'caracteres'],
    ['ana@[127.0.0.1]', 'caracteres'],
    ['ana(comentario)@ejemplo.mx', 'caracteres'],
    ['ana@ejemplo.mx@otra.mx', 'forma'],
    ['ana', 'forma'],
    ['@ejemplo.mx', 'forma'],
    ['ana@', 'forma'],
    ['ana@ejemplo', 'forma'],
    ['ana@localhost', 'forma'],
    ['ana@127.0.0.1', 'forma'],
    ['ana@0x7f.1', 'forma'],
    ['ana@ejemplo..mx', 'forma'],
    ['ana@-ejemplo.mx', 'forma'],
    ['ana@ejemplo.mx/otra', 'forma'],
    ['ana@ejemplo.mx.', 'forma'],
    ['.ana@ejemplo.mx', 'forma'],
    ['ana..maria@ejemplo.mx', 'forma'],
    ['niño@ejemplo.mx', 'acentos'],
    ['ana\u{1f451}@ejemplo.mx', 'acentos'],
  ])('%j is refused: %s', (given, reason) => {
    expect(checkAddress(given)).toEqual({ ok: false, reason })
  })
})
