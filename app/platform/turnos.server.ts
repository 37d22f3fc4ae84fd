/** More people ask for the same costly work than this machine can take on. */
export class Saturado extends Error {
  override name = 'Saturado'
}

/**
 * Costly work, so much of it at once and the rest in line.
 * @param atOnce how many at the same time
 * @param waiting how many may stand in line; whoever comes later would wait longer than a browser does
 * @returns runs a piece of work in its turn; throws Saturado when the line is full
 */
export function createTurnos(atOnce: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const line: (() => void)[] = []
  return async (work) => {
    if (running >= atOnce) {
      if (line.length >= waiting) throw new Saturado()
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => line.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else running--
    }
  }
}
