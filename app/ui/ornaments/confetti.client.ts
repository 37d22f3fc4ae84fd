/** Longest duration of a shower. Motion of more than 5 s would need a button that stops it (WCAG 2.2.2). */
const CONFETTI_MS = 4_800

const randomBetween = (min: number, max: number) => min + Math.random() * (max - min)

const transformAt = (y: number, drift: number, degrees: number) =>
  `translate3d(${drift}px, ${y}px, 0) rotate3d(1, 0.6, 0.3, ${degrees}deg)`

/** Spreads the pieces over the width of their frame. @returns the frame's height in CSS pixels */
function spreadPieces(pieces: readonly HTMLElement[]): number {
  for (const [index, { style }] of pieces.entries())
    Object.assign(style, { left: `${((index + Math.random()) / pieces.length) * 100}%`, visibility: 'visible' })
  return pieces[0]?.parentElement?.clientHeight ?? 0
}

/** Lets the pieces fall once through their frame. Resolves when the last piece is down, or on abort. */
export async function playShower(pieces: readonly HTMLElement[], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const height = spreadPieces(pieces)
  const falls = pieces.map((piece) => {
    const degrees = randomBetween(-540, 540)
    const drift = randomBetween(-70, 70)
    const duration = randomBetween(2_400, 3_600)
    return piece.animate(
      [
        // A piece that still waits is not seen: together they would be a straight strip.
        { transform: transformAt(-30, 0, 0), opacity: 0 },
        { opacity: 1, offset: 0.05 },
        { transform: transformAt(height * 0.8, drift, degrees * 0.8), opacity: 1, offset: 0.8 },
        { transform: transformAt(height, drift * 1.2, degrees), opacity: 0 },
      ],
      { duration, delay: randomBetween(0, CONFETTI_MS - duration), fill: 'both', easing: 'linear' },
    )
  })
  const stop = () => {
    for (const fall of falls) fall.cancel()
  }
  signal.addEventListener('abort', stop)
  // The promise is rejected when `stop` cancels the animations.
  await Promise.all(falls.map(({ finished }) => finished)).catch(() => {})
}

/** Shows the pieces without motion for CONFETTI_MS, fewer of them lower down. Resolves afterwards, or on abort. */
export async function showMotionless(pieces: readonly HTMLElement[], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const height = spreadPieces(pieces)
  for (const { style } of pieces)
    style.transform = transformAt(Math.random() ** 2 * height, 0, randomBetween(-540, 540))
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CONFETTI_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
