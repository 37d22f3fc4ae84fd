import { expect, test } from 'vitest'
import { type TextSelection, withBold, withLink, withList } from './text-marks.ts'

/** Writes a text with its choice in bars: «a |b| c». */
const read = (shown: string): TextSelection => {
  const [before = '', chosen = '', after = ''] = shown.split('|')
  return { text: before + chosen + after, start: before.length, end: (before + chosen).length }
}
const show = ({ text, start: from, end: to }: TextSelection) =>
  `${text.slice(0, from)}|${text.slice(from, to)}|${text.slice(to)}`

test.each([
  ['Hay |banda |hoy', 'Hay **|banda|** hoy'],
  ['Hay **|banda|** hoy', 'Hay |banda| hoy'],
  ['Hay ||hoy', 'Hay **|palabras|**hoy'],
  ['|uno\n\n dos|', '**|uno**\n\n **dos|**'],
])('bold: %j becomes %j', (before, after) => {
  expect(show(withBold(read(before)))).toBe(after)
})

test.each([
  ['Trae:\nIN|E\nac|ta\nfin', 'Trae:\n- INE\n- acta||\nfin'],
  ['- u|no\n- d|os', 'uno\ndos||'],
  ['Trae:\n||', 'Trae:\n- ||'],
])('list: %j becomes %j', (before, after) => {
  expect(show(withList(read(before)))).toBe(after)
})

test.each([
  ['Lee las |bases|.', 'Lee las [bases](|https://|).'],
  ['Lee ||', 'Lee [palabras](|https://|)'],
  ['Ve |https://a.mx/x|', 'Ve [|palabras|](https://a.mx/x)'],
])('link: %j becomes %j', (before, after) => {
  expect(show(withLink(read(before)))).toBe(after)
})
