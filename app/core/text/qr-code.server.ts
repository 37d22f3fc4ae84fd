import { encode } from 'uqr'

export interface QrCode {
  /** Length of a side in modules, with a border of two. */
  side: number
  /** SVG path of the dark modules, a rectangle for each run in a row. */
  path: string
}

export function qrCodeOf(text: string): QrCode {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .map((row) => row.map((isDark) => (isDark ? '#' : ' ')).join(''))
    .flatMap((row, y) =>
      Array.from(row.matchAll(/#+/g), ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join('')
  return { side: size, path }
}
