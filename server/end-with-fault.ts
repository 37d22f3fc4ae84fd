/** The messages of these faults are written for the person at the keyboard. */
const FAULTS_FOR_PEOPLE = ['StartError', 'SettingsError', 'ContentError']

export const isForPeople = (error: unknown): error is Error =>
  error instanceof Error && FAULTS_FOR_PEOPLE.includes(error.name)

/** Ends the process with the error's message where the message is written for people, otherwise with the whole error. */
export function endWith(error: unknown): never {
  console.error(isForPeople(error) ? error.message : error)
  process.exit(1)
}
