import { StartError } from '#app/platform/start-error.server.ts'
import { isTold } from './fault.ts'

/** How a command ended. */
export interface FinDeOrden {
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
export type Dice = (avance: string) => void

/**
 * Runs a command of the terminal: how far it is goes to the standard error, how it ended to the standard output, as one
 * line or as one JSON object. The process ends with 0, or with 1 where something is wrong.
 */
export async function orden({ json }: { json: boolean }, work: (dice: Dice) => Promise<FinDeOrden>): Promise<never> {
  const end = ({ ok, antes = [], linea, datos }: FinDeOrden): never => {
    console.log(json ? JSON.stringify({ ok, linea, ...datos }) : [...antes, linea].join('\n'))
    process.exit(ok ? 0 : 1)
  }
  try {
    return end(await work((avance) => console.error(avance)))
  } catch (error) {
    if (!isTold(error)) console.error(error)
    const said = isTold(error) ? error.message : `Algo falló de nuestro lado: ${(error as Error)?.message ?? error}`
    return end({ ok: false, linea: said })
  }
}

/** @throws StartError, which says how the command is called, when an option is not one of its own */
export function leerOpciones<Options>(uso: string, read: () => Options): Options {
  try {
    return read()
  } catch {
    throw new StartError(uso)
  }
}
