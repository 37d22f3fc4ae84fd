/** What a photograph of a document is like to read, by its pixels: pure arithmetic, which a device does in some 20 ms. */

/** Why somebody may not be able to read it. */
export type LegibilityProblem = 'borrosa' | 'reflejo' | 'chica'

/** Fewer pixels hold no document that can be read: 800 by 600. */
const MIN_PIXELS = 480_000
/** Places that the picture is looked at by, along each side: a document has sharp edges somewhere, not everywhere. */
const CELLS_PER_SIDE = 20
/**
 * Of the variance of its second differences, along the side that has less (what moved is sharp along the other), in the
 * sharpest places; printed letters out of focus have a tenth of it.
 */
const MIN_SHARPNESS = 80
/** From this grey on, of 255, a pixel holds nothing any more. */
const OVEREXPOSED_GREY = 252
/** A place is burnt out when this part of it is. */
const OVEREXPOSED_SHARE = 0.9
/** So many burnt places are a reflection; more are a sheet against the light, or one that was scanned. */
const MIN_GLARE = 0.012
const MAX_GLARE = 0.35
/** Paper as a camera sees it; what is brighter throughout was scanned. */
const MAX_MEDIAN = 238

/** Pixels of a picture, as a canvas hands them over: four bytes each. */
export interface Pixels {
  data: Uint8ClampedArray | Uint8Array
  width: number
  height: number
}

/**
 * What may keep somebody from reading a photograph.
 * @param pixels reduced to some 1,000 a side
 * @param original how many pixels the file has; undefined where it does not say
 * @returns in the order in which they are said; empty: nothing was found
 */
export function legibilityOf(pixels: Pixels, original: number | undefined): LegibilityProblem[] {
  const grey = toGrey(pixels)
  const { width, height } = pixels
  const places: { nitidez: number; burnt: boolean }[] = []
  for (let row = 0; row < CELLS_PER_SIDE; row++)
    for (let column = 0; column < CELLS_PER_SIDE; column++) {
      const [left, right] = [edge(column, width), edge(column + 1, width)]
      const [top, bottom] = [edge(row, height), edge(row + 1, height)]
      places.push(lookAt(grey, width, left, right, top, bottom))
    }
  const sharpest = places.map(({ nitidez }) => nitidez).toSorted((a, b) => b - a)[Math.floor(places.length / 20)]!
  const burnt = places.filter((place) => place.burnt).length / places.length
  const found: LegibilityProblem[] = []
  if (original !== undefined && original < MIN_PIXELS) found.push('chica')
  if (sharpest < MIN_SHARPNESS) found.push('borrosa')
  if (burnt >= MIN_GLARE && burnt <= MAX_GLARE && medianOf(grey) <= MAX_MEDIAN) found.push('reflejo')
  return found
}

/** Without the outermost pixels, which have no neighbours. */
const edge = (place: number, side: number) => 1 + Math.floor(((side - 2) * place) / CELLS_PER_SIDE)

function toGrey({ data, width, height }: Pixels): Uint8Array {
  const grey = new Uint8Array(width * height)
  for (let at = 0; at < grey.length; at++)
    grey[at] = (data[at * 4]! * 77 + data[at * 4 + 1]! * 150 + data[at * 4 + 2]! * 29) >> 8
  return grey
}

/** Variance of the second differences, and whether nothing is left of it but white. */
function lookAt(grey: Uint8Array, width: number, left: number, right: number, top: number, bottom: number) {
  let [across, across2, down, down2, white, count] = [0, 0, 0, 0, 0, 0]
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const at = y * width + x
      const here = 2 * grey[at]!
      const bendX = grey[at - 1]! + grey[at + 1]! - here
      const bendY = grey[at - width]! + grey[at + width]! - here
      across += bendX
      across2 += bendX * bendX
      down += bendY
      down2 += bendY * bendY
      if (grey[at]! >= OVEREXPOSED_GREY) white++
      count++
    }
  const variance = (sum: number, squares: number) => (squares - (sum * sum) / count) / Math.max(1, count)
  return {
    nitidez: Math.min(variance(across, across2), variance(down, down2)),
    burnt: white > count * OVEREXPOSED_SHARE,
  }
}

function medianOf(grey: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (const one of grey) counts[one]!++
  let seen = 0
  return counts.findIndex((count) => {
    seen += count
    return seen * 2 >= grey.length
  })
}
