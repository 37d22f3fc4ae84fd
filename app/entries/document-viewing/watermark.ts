/** Text across identity documents that are shown or exported. Its letters must be in GLYPHS. */
const WATERMARK_TEXT = 'solo para este certamen'

/**
 * Single-stroke letters, so that neither pictures nor PDFs need a font. The baseline is at y 10, the x-height at y 4, and y points
 * downwards as in SVG. Each letter has its advance width and its path of absolute M, L and C commands.
 */
const GLYPHS: Record<string, [advance: number, path: string]> = {
  ' ': [4.4, ''],
  a: [7.8, 'M3 4C4.7 4 6 5.3 6 7C6 8.7 4.7 10 3 10C1.3 10 0 8.7 0 7C0 5.3 1.3 4 3 4M6 4L6 10'],
  c: [6.9, 'M5.4 5.2C4.9 4.5 4.1 4 3 4C1.3 4 0 5.3 0 7C0 8.7 1.3 10 3 10C4.1 10 4.9 9.5 5.4 8.8'],
  e: [7.6, 'M0 7L6 7C6 5.3 4.7 4 3 4C1.3 4 0 5.3 0 7C0 8.7 1.3 10 3 10C4.2 10 5.1 9.5 5.6 8.7'],
  i: [2.6, 'M0.4 4L0.4 10M0.4 1.5L0.4 1.9'],
  l: [2.6, 'M0.4 0L0.4 10'],
  m: [
    10.6,
    'M0.3 4L0.3 10M0.3 6.4C0.3 5 1.2 4 2.5 4C3.8 4 4.6 4.9 4.6 6.2L4.6 10M4.6 6.4C4.6 5 5.5 4 6.8 4C8.1 4 8.9 4.9 8.9 6.2L8.9 10',
  ],
  n: [6.8, 'M0.3 4L0.3 10M0.3 6.4C0.3 5 1.2 4 2.6 4C4.1 4 4.9 4.9 4.9 6.3L4.9 10'],
  o: [7.6, 'M3 4C4.7 4 6 5.3 6 7C6 8.7 4.7 10 3 10C1.3 10 0 8.7 0 7C0 5.3 1.3 4 3 4'],
  p: [7.9, 'M0.3 4L0.3 14M3.3 4C5 4 6.3 5.3 6.3 7C6.3 8.7 5 10 3.3 10C1.6 10 0.3 8.7 0.3 7C0.3 5.3 1.6 4 3.3 4'],
  r: [4.6, 'M0.3 4L0.3 10M0.3 6.8C0.5 5.1 1.7 4 3.6 4.1'],
  s: [
    6.1,
    'M4.6 5C4.1 4.3 3.3 4 2.6 4C1.4 4 0.6 4.6 0.6 5.5C0.6 7.6 4.8 6.4 4.8 8.5C4.8 9.4 3.9 10 2.7 10C1.7 10 0.8 9.6 0.3 8.9',
  ],
  t: [4.9, 'M1.6 1.4L1.6 8.4C1.6 9.6 2.2 10.1 3.5 9.8M0 4L3.6 4'],
}

/** Number of rows of text along the longer side of a picture or page. */
const ROWS_PER_SIDE = 5
/** Distance from one row of text to the next, in the units of GLYPHS. */
const ROW_PITCH = 62

/** The letters of the text, joined into one path that begins at x 0; y runs from 0 to 14. */
const { path: WATERMARK_PATH, width: WATERMARK_WIDTH } = [...WATERMARK_TEXT].reduce(
  ({ path, width }, character) => {
    const [advance, letterPath] = GLYPHS[character]!
    const shiftedPath = letterPath.replace(/([\d.]+) ([\d.]+)/g, (_, x, y) => `${round(Number(x) + width)} ${y} `)
    return { path: path + shiftedPath, width: width + advance }
  },
  { path: '', width: 0 },
)

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/**
 * Lists positions of the text over a page, so close that few crops leave the watermark out. The rotation turns positions from
 * beyond the edges into the page, so rows and columns begin and end beyond the edges.
 */
function textPositions(width: number, height: number): { x: number; y: number; scale: number }[] {
  const side = Math.max(width, height)
  const scale = side / ROWS_PER_SIDE / ROW_PITCH
  // The gap between two texts of a row is a quarter of the text's width; every other row is shifted by half a step.
  const [stepX, stepY] = [WATERMARK_WIDTH * scale * 1.25, scale * ROW_PITCH]
  const positions = []
  for (let row = 0, y = -side * 0.4; y < height * 1.4 + side * 0.4; row++, y += stepY)
    for (let x = -side * 0.6 - (row % 2) * (stepX / 2); x < width * 1.2; x += stepX) positions.push({ x, y, scale })
  return positions
}

/** The text rises to the right by this angle. */
const ROTATION_DEGREES = 24

/** Draws the watermark as an SVG that covers a picture of this size in pixels. */
export function svgWatermark(width: number, height: number): string {
  const texts = textPositions(width, height).map(
    ({ x, y, scale }) => `<use href="#m" transform="translate(${round(x)} ${round(y)}) scale(${round(scale)})"/>`,
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><g id="m" fill="none" ` +
    `stroke-linecap="round" stroke-linejoin="round"><path d="${WATERMARK_PATH}" stroke="#fff" stroke-opacity=".55" stroke-width="2.1"/>` +
    `<path d="${WATERMARK_PATH}" stroke="#7a0f3f" stroke-opacity=".62" stroke-width=".85"/></g></defs>` +
    `<g transform="rotate(${-ROTATION_DEGREES} ${width / 2} ${height / 2})">${texts.join('')}</g></svg>`
  )
}

/** Draws the watermark in PDF operators, where y points upwards. The parameter is the page's visible rectangle in points. */
export function pdfWatermark([left, bottom, right, top]: readonly [number, number, number, number]): string {
  const [width, height] = [right - left, top - bottom]
  const path = WATERMARK_PATH.replace(/([MLC])([^MLC]*)/g, (_, operator: string, numbers: string) => {
    return `${numbers.trim()} ${operator.toLowerCase()}\n`
  })
  const [cos, sin] = [Math.cos((ROTATION_DEGREES * Math.PI) / 180), Math.sin((ROTATION_DEGREES * Math.PI) / 180)]
  const [midX, midY] = [left + width / 2, bottom + height / 2]
  const texts = textPositions(width, height).map(({ x, y, scale }) => {
    const placement = `q ${round(scale)} 0 0 ${-round(scale)} ${round(x - width / 2)} ${round(height / 2 - y)} cm\n`
    return `${placement}1 1 1 RG 0.9 w\n${path}S\n0.72 0.45 0.58 RG 0.4 w\n${path}S\nQ\n`
  })
  const rotation = [cos, sin, -sin, cos].map((value) => value.toFixed(5)).join(' ')
  return `q\n1 J 1 j [] 0 d\n${rotation} ${round(midX)} ${round(midY)} cm\n${texts.join('')}Q\n`
}
