/** Faults whose message is written for the person at the keyboard. */
const TOLD = ['StartError', 'SettingsError', 'ContentError']

/** Ends the process: with one message where it says what to do, with everything that is known where it does not. */
export function endWith(error: unknown): never {
  console.error(error instanceof Error && TOLD.includes(error.name) ? error.message : error)
  process.exit(1)
}
