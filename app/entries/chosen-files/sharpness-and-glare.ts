/** This module judges from its pixels whether a photograph of a document can be read, in some 20 ms on a device. */

/** A photograph may be unreadable because it is blurred, has a reflection, or is small. */
export type LegibilityProblem = 'blurred' | 'glare' | 'small'

/** A document is readable from 800 by 600 pixels on. */
const MIN_PIXELS = 480_000
/** The picture is judged in this many cells per side, since a document has sharp edges in some places, not everywhere. */
const CELLS_PER_SIDE = 20
/**
 * In the sharpest cells the second differences of the grey values must vary at least this much, along the axis on which they vary
 * less, since motion blur keeps the other axis sharp. Printed letters out of focus have a tenth of this variance.
 */
const MIN_SHARPNESS = 80
/** From this grey value on, of 255, a pixel counts as overexposed. */
const OVEREXPOSED_GREY = 252
/** A cell with a larger share of overexposed pixels counts as burnt out. */
const OVEREXPOSED_SHARE = 0.9
/** Between these shares, burnt-out cells count as a reflection; a larger share is a backlit or a scanned sheet. */
const MIN_GLARE = 0.012
const MAX_GLARE = 0.35
/** Photographed paper has at most this median grey; a brighter picture was scanned. */
const MAX_MEDIAN = 238

/** A canvas returns the pixels of a picture with four bytes (RGBA) each. */
export interface Pixels {
  data: Uint8ClampedArray | Uint8Array
  width: number
  height: number
}

/**
 * Finds the problems that may make a photographed document unreadable, in the order in which they are shown.
 * @param pixels of the picture, reduced to some 1,000 of width; the limits above hold for this size
 * @param original pixel count of the file; undefined where its header does not tell
 */
export function legibilityOf(pixels: Pixels, originalPixelCount: number | undefined): LegibilityProblem[] {
  const grey = toGrey(pixels)
  const { width, height } = pixels
  const cells: { sharpness: number; isBurntOut: boolean }[] = []
  for (let row = 0; row < CELLS_PER_SIDE; row++)
    for (let column = 0; column < CELLS_PER_SIDE; column++) {
      const [left, right] = [cellStart(column, width), cellStart(column + 1, width)]
      const [top, bottom] = [cellStart(row, height), cellStart(row + 1, height)]
      cells.push(measureCell(grey, width, left, right, top, bottom))
    }
  const topSharpness = cells.map(({ sharpness }) => sharpness).toSorted((a, b) => b - a)[Math.floor(cells.length / 20)]!
  const burntShare = cells.filter((cell) => cell.isBurntOut).length / cells.length
  const problems: LegibilityProblem[] = []
  if (originalPixelCount !== undefined && originalPixelCount < MIN_PIXELS) problems.push('small')
  if (topSharpness < MIN_SHARPNESS) problems.push('blurred')
  if (burntShare >= MIN_GLARE && burntShare <= MAX_GLARE && medianOf(grey) <= MAX_MEDIAN) problems.push('glare')
  return problems
}

/** Returns the pixel at which a cell begins. The outermost pixels are left out, since they lack neighbours. */
const cellStart = (cell: number, side: number) => 1 + Math.floor(((side - 2) * cell) / CELLS_PER_SIDE)

function toGrey({ data, width, height }: Pixels): Uint8Array {
  const grey = new Uint8Array(width * height)
  for (let index = 0; index < grey.length; index++)
    grey[index] = (data[index * 4]! * 77 + data[index * 4 + 1]! * 150 + data[index * 4 + 2]! * 29) >> 8
  return grey
}

/** Measures one cell: the smaller variance of its second differences, and whether the cell is burnt out. */
function measureCell(grey: Uint8Array, width: number, left: number, right: number, top: number, bottom: number) {
  let [sumX, squaresX, sumY, squaresY, overexposedCount, count] = [0, 0, 0, 0, 0, 0]
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const index = y * width + x
      const twiceCentre = 2 * grey[index]!
      const secondDifferenceX = grey[index - 1]! + grey[index + 1]! - twiceCentre
      const secondDifferenceY = grey[index - width]! + grey[index + width]! - twiceCentre
      sumX += secondDifferenceX
      squaresX += secondDifferenceX * secondDifferenceX
      sumY += secondDifferenceY
      squaresY += secondDifferenceY * secondDifferenceY
      if (grey[index]! >= OVEREXPOSED_GREY) overexposedCount++
      count++
    }
  const variance = (sum: number, squares: number) => (squares - (sum * sum) / count) / Math.max(1, count)
  return {
    sharpness: Math.min(variance(sumX, squaresX), variance(sumY, squaresY)),
    isBurntOut: overexposedCount > count * OVEREXPOSED_SHARE,
  }
}

function medianOf(grey: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (const one of grey) counts[one]!++
  let seenCount = 0
  return counts.findIndex((count) => {
    seenCount += count
    return seenCount * 2 >= grey.length
  })
}
