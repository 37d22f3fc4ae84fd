import { createContext } from 'react'

/** Id of the error that the error page shows; the log has the error under the same id. Only the server sets it. */
export const ErrorIdContext = createContext<string | undefined>(undefined)
