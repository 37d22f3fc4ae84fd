/** A shower lasts this long; motion beyond 5 s would need a button to stop it (WCAG 2.2.2). */
const CONFETTI_MS = 4_800

const randomBetween = (least: number, most: number) => least + Math.random() * (most - least)

const at = (y: number, drift: number, turned: number) =>
  `translate3d(${drift}px, ${y}px, 0) rotate3d(1, 0.6, 0.3, ${turned}deg)`

/** Spreads the pieces over their frame, from left to right. @returns the frame's height in CSS pixels */
function spread(pieces: readonly HTMLElement[]): number {
  for (const [index, { style }] of pieces.entries())
    Object.assign(style, { left: `${((index + Math.random()) / pieces.length) * 100}%`, visibility: 'visible' })
  return pieces[0]?.parentElement?.clientHeight ?? 0
}

/** Lets the pieces fall once through their frame. @returns a promise that resolves when the last piece is down, or on abort */
export async function playShower(pieces: readonly HTMLElement[], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const height = spread(pieces)
  const falls = pieces.map((piece) => {
    const turn = randomBetween(-540, 540)
    const drift = randomBetween(-70, 70)
    const duration = randomBetween(2_400, 3_600)
    return piece.animate(
      [
        { transform: at(-30, 0, 0), opacity: 1 },
        { transform: at(height * 0.8, drift, turn * 0.8), opacity: 1, offset: 0.8 },
        { transform: at(height, drift * 1.2, turn), opacity: 0 },
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

/** Hangs the pieces still in the frame, fewer lower down, for as long as a shower takes. @returns a promise that resolves then, or on abort */
export async function hangStill(pieces: readonly HTMLElement[], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const height = spread(pieces)
  for (const { style } of pieces) style.transform = at(Math.random() ** 2 * height, 0, randomBetween(-540, 540))
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CONFETTI_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
