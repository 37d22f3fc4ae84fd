/** Judges by its pixels whether a photograph of a document can be read; this takes some 20 ms on a phone. */

/** Why a photograph may be unreadable; `glare` is a reflection. */
export type LegibilityProblem = 'blurred' | 'glare' | 'small'

/** Smallest photograph in which a document is readable: 800 by 600 pixels. */
const MIN_PIXELS = 480_000
/** The picture is judged in cells, since a document has sharp edges in some places only. */
const CELLS_PER_SIDE = 20
/**
 * Least variance of the second differences of the grey values in the sharpest twentieth of the cells. It is measured along the axis
 * where it is smaller, since motion blur keeps the other axis sharp. Printed letters out of focus have a tenth of this variance.
 */
const MIN_SHARPNESS = 80
/** Least grey value, of 255, of an overexposed pixel. */
const MIN_OVEREXPOSED_GREY = 252
/** A cell with a larger share of overexposed pixels counts as burnt out. */
const MAX_OVEREXPOSED_SHARE = 0.9
/** Between these two shares of a picture, burnt-out cells count as a reflection; a larger share is a backlit or a scanned sheet. */
const MIN_GLARE_SHARE = 0.012
const MAX_GLARE_SHARE = 0.35
/** Largest median grey of photographed paper; a brighter picture was scanned. */
const MAX_PHOTO_MEDIAN_GREY = 238

/** A picture's pixels as a canvas returns them, with four bytes (RGBA) each. */
export interface CanvasPixels {
  data: Uint8ClampedArray | Uint8Array
  width: number
  height: number
}

/**
 * Finds the problems that may make a photographed document unreadable. The first problem is the one that is shown.
 * @param pixels of the picture, reduced to a width of about 1,000; the limits above hold for this size
 * @param originalPixelCount undefined if the file's header does not tell
 */
export function findLegibilityProblems(
  pixels: CanvasPixels,
  originalPixelCount: number | undefined,
): LegibilityProblem[] {
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
  const burntOutShare = cells.filter((cell) => cell.isBurntOut).length / cells.length
  const problems: LegibilityProblem[] = []
  if (originalPixelCount !== undefined && originalPixelCount < MIN_PIXELS) problems.push('small')
  if (topSharpness < MIN_SHARPNESS) problems.push('blurred')
  if (burntOutShare >= MIN_GLARE_SHARE && burntOutShare <= MAX_GLARE_SHARE && medianOf(grey) <= MAX_PHOTO_MEDIAN_GREY)
    problems.push('glare')
  return problems
}

/** Returns the pixel at which a cell begins. The outermost pixels are left out, since they lack neighbours. */
const cellStart = (cell: number, side: number) => 1 + Math.floor(((side - 2) * cell) / CELLS_PER_SIDE)

function toGrey({ data, width, height }: CanvasPixels): Uint8Array {
  const grey = new Uint8Array(width * height)
  for (let index = 0; index < grey.length; index++)
    grey[index] = (data[index * 4]! * 77 + data[index * 4 + 1]! * 150 + data[index * 4 + 2]! * 29) >> 8
  return grey
}

/** Measures a cell's sharpness, which is the smaller variance of its second differences, and whether it is burnt out. */
function measureCell(grey: Uint8Array, width: number, left: number, right: number, top: number, bottom: number) {
  let [sumX, squaresX, sumY, squaresY, overexposedCount, pixelCount] = [0, 0, 0, 0, 0, 0]
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
      if (grey[index]! >= MIN_OVEREXPOSED_GREY) overexposedCount++
      pixelCount++
    }
  const variance = (sum: number, squares: number) => (squares - (sum * sum) / pixelCount) / Math.max(1, pixelCount)
  return {
    sharpness: Math.min(variance(sumX, squaresX), variance(sumY, squaresY)),
    isBurntOut: overexposedCount > pixelCount * MAX_OVEREXPOSED_SHARE,
  }
}

function medianOf(grey: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (const value of grey) counts[value]!++
  let seenCount = 0
  return counts.findIndex((count) => {
    seenCount += count
    return seenCount * 2 >= grey.length
  })
}
