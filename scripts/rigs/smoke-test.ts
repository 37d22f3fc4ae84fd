import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A SmokeTest is a list of checks, each reported as it ends, and counted. */
export interface SmokeTest {
  /** Runs one check; a failure does not stop the others. */
  holds(what: string, work: () => Promise<unknown>): Promise<void>
  /** These checks cannot run on this machine. */
  untried: string[]
  failures: readonly string[]
  /** Prints the failures and the checks that did not run, and ends the process. */
  end(): never
}

export function createSmokeTest(): SmokeTest {
  let passed = 0
  const failures: string[] = []
  const untried: string[] = []
  return {
    untried,
    failures,
    async holds(what, work) {
      const began = performance.now()
      const took = () => {
        const seconds = (performance.now() - began) / 1_000
        return seconds < 5 ? '' : ` (${Math.round(seconds)} s)`
      }
      try {
        await work()
        passed++
        console.log(`  ✓ ${what}${took()}`)
      } catch (error) {
        failures.push(`${what}: ${(error as Error).message}`)
        console.log(`  ✗ ${what}${took()}: ${(error as Error).message}`)
      }
    },
    end() {
      for (const line of untried) console.log(`Sin probar: ${line}`)
      console.log(failures.length > 0 ? failures.join('\n') : '')
      if (process.env.RIG_REPORT) writeFileSync(process.env.RIG_REPORT, JSON.stringify({ passed, failures }))
      const rest = untried.length > 0 ? `, ${untried.length} no se pueden probar aquí` : ''
      console.log(`${passed} pasaron, ${failures.length} fallaron${rest}.`)
      process.exit(failures.length > 0 ? 1 : 0)
    },
  }
}

export function expect(holds: boolean, otherwise: unknown): asserts holds {
  if (!holds) throw new Error(String(otherwise).slice(0, 400))
}

/** Polls until `work` returns true. @throws after `timeoutMs` */
export async function until(what: string, work: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(100)) if (await work()) return
  throw new Error(`no llegó a pasar: ${what}`)
}
