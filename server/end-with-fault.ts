/** The messages of these faults are written for the person at the keyboard. */
const TOLD = ['StartError', 'SettingsError', 'ContentError']

export const isTold = (error: unknown): error is Error => error instanceof Error && TOLD.includes(error.name)

/** Ends the process with the error's message where the message is written for people, otherwise with the whole error. */
export function endWith(error: unknown): never {
  console.error(isTold(error) ? error.message : error)
  process.exit(1)
}
