/** Faults whose message is written for the person at the keyboard. */
const TOLD = ['StartError', 'SettingsError', 'ContentError']

export const isTold = (error: unknown): error is Error => error instanceof Error && TOLD.includes(error.name)

/**
 * Ends the process with the fault's message where it says what to do, else with everything that is known of the fault.
 */
export function endWith(error: unknown): never {
  console.error(isTold(error) ? error.message : error)
  process.exit(1)
}
