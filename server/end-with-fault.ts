import { dirname } from 'node:path'
import { withOwnCommands } from '#app/core/process/own-commands.server.ts'

/** Names the commands in a text as they are typed where this code runs: in a checkout, or in an installed package. */
export const inOwnWords = (text: string): string => withOwnCommands(text, dirname(import.meta.dirname))

/** Errors whose messages are written for the operator. */
const OPERATOR_ERRORS = ['StartError', 'SettingsError', 'ContentError']

export const isForOperator = (error: unknown): error is Error =>
  error instanceof Error && OPERATOR_ERRORS.includes(error.name)

/** Ends the process with an error: its message if it is written for the operator, otherwise the whole error with its stack. */
export function endWithFault(error: unknown): never {
  console.error(isForOperator(error) ? inOwnWords(error.message) : error)
  process.exit(1)
}
