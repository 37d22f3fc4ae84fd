import { encode } from 'uqr'

/** A QR code is given by its side in modules, and its dark modules as an SVG path, a rectangle for each run in a row. */
export interface QrCode {
  side: number
  path: string
}

export function qrCodeOf(text: string): QrCode {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .map((row) => row.map((dark) => (dark ? '#' : ' ')).join(''))
    .flatMap((row, y) =>
      Array.from(row.matchAll(/#+/g), ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join('')
  return { side: size, path }
}
