import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test('a telephone keeps the zero that it begins with, a long number its end, a moment is Mexico’s', () => {
  const at = new Date('2025-09-26T05:59:00Z')
  expect(csvLine(['0443312345678', '523312345678', '8E29', '3312345678', '044 33', 44, at])).toBe(
    "'0443312345678,'523312345678,'8E29,3312345678,044 33,44,2025-09-25 23:59\r\n",
  )
})

test('a cell that begins like a formula is a text', () => {
  expect(csvLine(['=cmd()', '+52 33', '-1', '@x', '\t=1', 'a=b', -1, null])).toBe(
    "'=cmd(),'+52 33,'-1,'@x,'\t=1,a=b,-1,\r\n",
  )
  // A spreadsheet that separates by another sign than the comma would make cells of these parts.
  expect(csvLine(['Ana;=cmd()', 'a;"=1', 'b\n=2', 'c|@x', '＝1+1', 'a; b=1'])).toBe(
    `"Ana;'=cmd()","a;""'=1","b\n'=2",c|'@x,'＝1+1,"a; b=1"\r\n`,
  )
})
