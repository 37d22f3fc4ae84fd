import { StartError } from '#app/core/process/start-error.server.ts'

/** A backup has failed. The message is for the terminal; the summary has neither paths nor values, and may be stored. */
export class BackupFault extends StartError {
  readonly summary: string
  constructor(message: string, summary: string) {
    super(message)
    this.summary = summary
  }
}

/** Another process is making a backup, which is no failure. */
export class BackupInProgress extends StartError {}

/**
 * Returns the reason of a failure in Spanish, without personal data, since it is stored, mailed and copied into every later
 * backup.
 */
export function faultReason(error: unknown): string {
  if (error instanceof BackupFault) return error.summary
  if (error instanceof StartError) return 'Así como está configurado no se pudo: la orden en la terminal dice por qué.'
  const { code, name, $metadata } = Object(error) as { code?: unknown; name?: unknown; $metadata?: unknown }
  const status = (Object($metadata) as { httpStatusCode?: unknown }).httpStatusCode
  return `No se pudo terminar (${[code, status, name].find((one) => typeof one === 'string' || typeof one === 'number') ?? 'falla'}).`
}
