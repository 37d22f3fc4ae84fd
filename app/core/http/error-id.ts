import { createContext } from 'react'

/** The id under which the log has the rest of a fault, for the error page; set on the server only. */
export const ErrorIdContext = createContext<string | undefined>(undefined)
