import { createContext } from 'react'

/** The error page shows this id, under which the log has the error; it is set on the server only. */
export const ErrorIdContext = createContext<string | undefined>(undefined)
