/** Faults whose message is written for the person at the keyboard. */
const TOLD = ['StartError', 'SettingsError', 'ContentError']

/**
 * Ends the process with the fault's message where it says what to do, else with everything that is known of the fault.
 */
export function endWith(error: unknown): never {
  console.error(error instanceof Error && TOLD.includes(error.name) ? error.message : error)
  process.exit(1)
}
