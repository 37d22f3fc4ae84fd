import { Saturado } from './turnos.server.ts'

/** A lane of costly work. */
export interface Carril {
  /** How many may stand in line in it; anybody further back would wait longer than a browser does. */
  waiting: number
  /** How many of them may be of the same key: nobody fills a lane alone. */
  perKey: number
  /** Its part of the turns while others wait too, in relation to theirs. */
  share: number
}

interface Linea extends Carril {
  /** Jobs of each key; the key whose turn it is stands first. */
  jobs: Map<string, (() => void)[]>
  count: number
  /** How much of its share it has had (stride scheduling): the lane that has had least is next. */
  had: number
}

/**
 * Keeps costly work to so much at once, and the rest in lines side by side: within a lane the keys take turns.
 * @param atOnce how many at the same time
 * @returns runs a piece of work in its turn; throws Saturado when its lane, or its key's part of it, is full
 * @source C. A. Waldspurger, W. E. Weihl: Stride Scheduling, MIT/LCS/TM-528, 1995
 */
export function createCarriles<Nombre extends string>(
  atOnce: number,
  carriles: Record<Nombre, Carril>,
): <T>(nombre: Nombre, key: string, work: () => Promise<T>) => Promise<T> {
  const lineas = new Map<string, Linea>(
    Object.entries<Carril>(carriles).map(([nombre, carril]) => [
      nombre,
      { ...carril, jobs: new Map(), count: 0, had: 0 },
    ]),
  )
  let underWay = 0
  let hadLast = 0

  function next(): void {
    if (underWay >= atOnce) return
    const [linea] = [...lineas.values()].filter(({ count }) => count > 0).sort((a, b) => a.had - b.had)
    if (!linea) return
    const [key, jobs] = linea.jobs.entries().next().value!
    linea.jobs.delete(key)
    const job = jobs.shift()!
    if (jobs.length > 0) linea.jobs.set(key, jobs)
    linea.count--
    hadLast = linea.had
    linea.had += 1 / linea.share
    underWay++
    job()
  }

  return async (nombre, key, work) => {
    const linea = lineas.get(nombre)!
    const mine = linea.jobs.get(key) ?? []
    if (underWay >= atOnce && (linea.count >= linea.waiting || mine.length >= linea.perKey)) throw new Saturado()
    // A lane that was empty has not saved its turns up.
    if (linea.count === 0) linea.had = Math.max(linea.had, hadLast)
    linea.count++
    await new Promise<void>((resolve) => {
      linea.jobs.set(key, [...mine, resolve])
      next()
    })
    try {
      return await work()
    } finally {
      underWay--
      next()
    }
  }
}
