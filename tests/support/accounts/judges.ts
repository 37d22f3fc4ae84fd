import { createAccounts } from '#app/accounts/auth.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

/** Creates the accounts service of a test's site, by which its judges sign in. */
export const accountsOf = (services: Services) => createAccounts(services)
export type Accounts = ReturnType<typeof accountsOf>
