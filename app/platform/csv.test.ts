import { expect, test } from 'vitest'
import { lineaCsv } from './csv.ts'

test('a cell that begins like a formula is a text', () => {
  expect(lineaCsv(['=cmd()', '+52 33', '-1', '@x', '\t=1', 'a=b', -1, null])).toBe(
    "'=cmd(),'+52 33,'-1,'@x,'\t=1,a=b,-1,\r\n",
  )
  // A spreadsheet with another separator than our comma would make cells of their own of these.
  expect(lineaCsv(['Ana;=cmd()', 'a;"=1', 'b\n=2', 'c|@x', '＝1+1', 'a; b=1'])).toBe(
    `"Ana;'=cmd()","a;""'=1","b\n'=2",c|'@x,'＝1+1,"a; b=1"\r\n`,
  )
})
