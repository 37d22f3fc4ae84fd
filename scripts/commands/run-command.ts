import { StartError } from '#app/core/process/start-error.server.ts'
import { isTold } from '../../server/end-with-fault.ts'
import { type Undo, undoAll } from '../../server/undo.ts'

const IMPATIENT_MS = 1_000

/** How a command ended. */
export interface CommandOutcome {
  /** false: something is wrong, and the command ends with 1. */
  ok: boolean
  /** Lines that stand before the last one. */
  antes?: readonly string[]
  /** The last line: one Spanish sentence. */
  linea: string
  /** What a machine reads with --json, beside `ok` and `linea`. */
  datos?: Record<string, unknown>
}

/** Says how far the work has come; never what ends it. */
export type Dice = (progress: string) => void

/**
 * Runs a command of the terminal: how far it is goes to the standard error, how it ended to the standard output, as one
 * line or as one JSON object. The process ends with 0, or with 1 where something is wrong. Told to end (Ctrl-C, a terminal
 * that closes, a service manager), it undoes what it opened first; told again, it ends at once.
 * @param work receives where to put what undoes the things that it opens
 */
export async function order(
  { json }: { json: boolean },
  work: (dice: Dice, undo: Undo) => Promise<CommandOutcome>,
): Promise<never> {
  const undo: Undo = []
  let stopping: number | undefined
  const end = ({ ok, antes = [], linea, datos }: CommandOutcome): never => {
    console.log(json ? JSON.stringify({ ok, linea, ...datos }) : [...antes, linea].join('\n'))
    process.exit(ok ? 0 : 1)
  }
  const stop = async () => {
    // One Ctrl-C may arrive twice, from the terminal and from the parent.
    if (stopping !== undefined) return Date.now() - stopping > IMPATIENT_MS ? process.exit(1) : undefined
    stopping = Date.now()
    console.error('Se interrumpe: se deshace lo pasajero…')
    await undoAll(undo).catch(() => {})
    end({ ok: false, linea: 'Interrumpido: lo pasajero se deshizo. Repite la orden para hacerlo entero.' })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
  // Writing to a terminal that is gone fails, which must keep nothing from being undone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // What fails because it is being undone is not what ends the command.
  const unlessStopping = () => (stopping === undefined ? undefined : new Promise<never>(() => {}))
  try {
    const fin = await work((progress) => console.error(progress), undo)
    await unlessStopping()
    return end(fin)
  } catch (error) {
    await unlessStopping()
    if (!isTold(error)) console.error(error)
    const said = isTold(error) ? error.message : `Algo falló de nuestro lado: ${(error as Error)?.message ?? error}`
    return end({ ok: false, linea: said })
  }
}

/** @throws StartError, which says how the command is called, when an option is not one of its own */
export function parseOptions<Options>(uso: string, read: () => Options): Options {
  try {
    return read()
  } catch {
    throw new StartError(uso)
  }
}
