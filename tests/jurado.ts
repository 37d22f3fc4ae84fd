import { createCuentas } from '#app/accounts/auth.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

/** The accounts of a test's site, by which its judges come in. */
export const cuentasDe = (services: Services) => createCuentas(services)
export type Cuentas = ReturnType<typeof cuentasDe>
