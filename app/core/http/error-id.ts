import { createContext } from 'react'

/** Id of an error in the log, for the error page; set on the server only. */
export const ErrorIdContext = createContext<string | undefined>(undefined)
