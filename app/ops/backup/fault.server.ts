import { StartError } from '#app/core/process/start-error.server.ts'

/**
 * Thrown if a backup or a restore fails. The message is for the terminal. The summary may be stored, since it has neither paths
 * nor values.
 */
export class BackupFault extends StartError {
  readonly summary: string
  constructor(message: string, summary: string) {
    super(message)
    this.summary = summary
  }
}

/** Thrown if another backup is running. It is no failure. */
export class BackupInProgress extends StartError {}

/**
 * Returns the reason of a failure in Spanish. It has no personal data, since it is stored, mailed and copied into every later
 * backup.
 */
export function faultReason(error: unknown): string {
  if (error instanceof BackupFault) return error.summary
  if (error instanceof StartError) return 'Así como está configurado no se pudo: la orden en la terminal dice por qué.'
  const { code, name, $metadata } = Object(error) as { code?: unknown; name?: unknown; $metadata?: unknown }
  const status = (Object($metadata) as { httpStatusCode?: unknown }).httpStatusCode
  return `No se pudo terminar (${[code, status, name].find((detail) => typeof detail === 'string' || typeof detail === 'number') ?? 'falla'}).`
}
