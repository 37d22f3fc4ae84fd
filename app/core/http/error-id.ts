import { createContext } from 'react'

/** Id of an error, which both the error page and the log state. Only the server sets it. */
export const ErrorIdContext = createContext<string | undefined>(undefined)
