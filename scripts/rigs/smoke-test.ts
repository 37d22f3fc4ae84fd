import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs checks, reports each as it ends, and counts them. */
export interface SmokeTest {
  /** Runs one check; a failure does not stop the others. */
  check(title: string, work: () => Promise<unknown>): Promise<void>
  /** Checks that cannot run on this machine. */
  untried: string[]
  failures: readonly string[]
  /** Prints the failures and the checks that did not run, writes the results to the file RIG_REPORT, if it is set, and exits. */
  end(): never
}

export function createSmokeTest(): SmokeTest {
  let passed = 0
  const failures: string[] = []
  const untried: string[] = []
  return {
    untried,
    failures,
    async check(title, work) {
      const startMs = performance.now()
      const durationText = () => {
        const seconds = (performance.now() - startMs) / 1_000
        return seconds < 5 ? '' : ` (${Math.round(seconds)} s)`
      }
      try {
        await work()
        passed++
        console.log(`  ✓ ${title}${durationText()}`)
      } catch (error) {
        failures.push(`${title}: ${(error as Error).message}`)
        console.log(`  ✗ ${title}${durationText()}: ${(error as Error).message}`)
      }
    },
    end() {
      for (const line of untried) console.log(`Sin probar: ${line}`)
      console.log(failures.length > 0 ? failures.join('\n') : '')
      if (process.env.RIG_REPORT) writeFileSync(process.env.RIG_REPORT, JSON.stringify({ passed, failures }))
      const untriedNote = untried.length > 0 ? `, ${untried.length} no se pueden probar aquí` : ''
      console.log(`${passed} pasaron, ${failures.length} fallaron${untriedNote}.`)
      process.exit(failures.length > 0 ? 1 : 0)
    },
  }
}

export function expect(isTrue: boolean, message: unknown): asserts isTrue {
  if (!isTrue) throw new Error(String(message).slice(0, 400))
}

/** Polls until `work` returns true. @throws after `timeoutMs`, or an error of `work` */
export async function until(title: string, work: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  for (const deadlineMs = Date.now() + timeoutMs; Date.now() < deadlineMs; await sleep(100)) if (await work()) return
  throw new Error(`no llegó a pasar: ${title}`)
}
