import { encode } from 'uqr'

/** A QR code is given by its side in modules, and its dark modules as an SVG path. */
export interface QrCode {
  side: number
  path: string
}

export function qrCodeOf(text: string): QrCode {
  const { data, size } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return { side: size, path }
}
