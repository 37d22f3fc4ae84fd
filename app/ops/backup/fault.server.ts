import { StartError } from '#app/core/process/start-error.server.ts'

/** What went wrong with a copy: the message for the terminal, and what may be written down, without paths or values. */
export class BackupFault extends StartError {
  readonly resumen: string
  constructor(message: string, summary: string) {
    super(message)
    this.resumen = summary
  }
}

/** Another process of the site is at it: nothing went wrong. */
export class BackupInProgress extends StartError {}

/** Why something failed, in words that name nobody: they are kept, mailed and copied into every later backup. */
export function faultReason(error: unknown): string {
  if (error instanceof BackupFault) return error.resumen
  if (error instanceof StartError) return 'Así como está configurado no se pudo: la orden en la terminal dice por qué.'
  const { code, name, $metadata } = Object(error) as { code?: unknown; name?: unknown; $metadata?: unknown }
  const status = (Object($metadata) as { httpStatusCode?: unknown }).httpStatusCode
  return `No se pudo terminar (${[code, status, name].find((one) => typeof one === 'string' || typeof one === 'number') ?? 'falla'}).`
}
