import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { inOwnWords, isForOperator } from '../../server/end-with-fault.ts'
import { type Undo, undoAll } from '../../server/undo.ts'

const REPEATED_SIGNAL_MS = 1_000

export interface CommandOutcome {
  /** Whether the command succeeded; a fault makes the exit code 1. */
  ok: boolean
  /** Spanish lines before the last; the JSON has none of them. */
  linesBefore?: readonly string[]
  /** The last line, a Spanish sentence. */
  line: string
  /** Further keys of the JSON that --json prints, besides `ok` and `linea`. */
  data?: Record<string, unknown>
}

/**
 * Runs a command of the terminal: progress goes to standard error, the outcome to standard output, as lines or as one JSON object.
 * The exit code is 0, or 1 for a fault. A signal (Ctrl-C, a closed terminal, a service manager) ends the process after the undo
 * steps; a second signal, more than REPEATED_SIGNAL_MS later, ends it at once.
 * @param work pushes onto `undo` a step for each resource that it opens; the steps run when the work has ended
 */
export async function runCommand(
  { isJson }: { isJson: boolean },
  work: (onProgress: ReportProgress, undo: Undo) => Promise<CommandOutcome>,
): Promise<never> {
  const undo: Undo = []
  let stoppingSinceMs: number | undefined
  const end = ({ ok, linesBefore = [], line, data }: CommandOutcome): never => {
    console.log(
      isJson ? JSON.stringify({ ok, linea: inOwnWords(line), ...data }) : inOwnWords([...linesBefore, line].join('\n')),
    )
    process.exit(ok ? 0 : 1)
  }
  const stop = async () => {
    // One Ctrl-C may arrive from the terminal and from the parent process.
    if (stoppingSinceMs !== undefined)
      return Date.now() - stoppingSinceMs > REPEATED_SIGNAL_MS ? process.exit(1) : undefined
    stoppingSinceMs = Date.now()
    console.error('Se interrumpe: se deshace lo pasajero…')
    await undoAll(undo).catch(() => {})
    end({ ok: false, line: 'Interrumpido: lo pasajero se deshizo. Repite la orden para hacerlo entero.' })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
  // Writing to a closed terminal fails, which must not stop the undo steps.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // After a signal the undo steps make the work fail, and `stop` prints the outcome.
  const waitIfStopping = () => (stoppingSinceMs === undefined ? undefined : new Promise<never>(() => {}))
  try {
    // A resource that does not close changes nothing about what the work has done.
    const undoAndReport = () => undoAll(undo).catch((error: unknown) => console.error(error))
    const outcome = await work((progress) => console.error(inOwnWords(progress)), undo).finally(undoAndReport)
    await waitIfStopping()
    return end(outcome)
  } catch (error) {
    await waitIfStopping()
    if (!isForOperator(error)) console.error(error)
    const message = isForOperator(error)
      ? error.message
      : `Algo falló de nuestro lado: ${(error as Error)?.message ?? error}`
    return end({ ok: false, line: message })
  }
}

/** Parses options. @throws StartError of `read`, or with the usage text for any other error of `read` */
export function parseOptions<Options>(usage: string, read: () => Options): Options {
  try {
    return read()
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(usage)
  }
}
