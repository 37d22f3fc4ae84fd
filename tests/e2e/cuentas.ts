import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { type Acceso, createCuentas } from '#app/accounts/auth.server.ts'
import { createCuenta } from '#app/accounts/people/mutations.server.ts'
import type { Rol } from '#app/accounts/schema.ts'
import type { FaltaSegundo } from '#app/accounts/sign-in/attempt.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { keptSecret, keysOf } from '#app/core/process/session-secret.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { escritoDe } from '../escrito.ts'
import { Navegador } from '../navegador.ts'
import type { Site } from './site.ts'

export const CLAVE = 'guayaba-29-trenza'
let people = 0

/** Works with another instance's services over the site's own database. */
export async function servicesOn<Result>(site: Site, work: (services: Services) => Promise<Result>): Promise<Result> {
  const host = join(site.dataDir, 'postgres.sockets')
  const pool = openPool({ host, port: 5432, user: 'certamen', database: 'certamen' }, 2)
  try {
    const settings = readSettings({ DATA_DIR: site.dataDir, PUBLIC_URL: site.url })
    return await work({
      settings,
      clock: createClock(settings.siteClock),
      db: openDatabase(pool),
      storage: await openFolderStorage(site.dataDir),
      log: createLog('silent'),
      keyed: keysOf(await keptSecret(site.dataDir)),
    })
  } finally {
    await pool.end()
  }
}

/** A new account of this role, signed in. @returns its cookie */
export const signedIn = (site: Site, rol: Rol): Promise<{ correo: string; name: string; value: string }> =>
  servicesOn(site, async (services) => {
    const cuentas = createCuentas(services)
    const correo = `${rol}${++people}.${process.pid}@medio.example`
    await createCuenta(services.db, { correo, rol, clave: CLAVE }, TERMINAL)
    const acceso = await cuentas.signInPassword(new Request(site.url), `prueba-${people}`, correo, CLAVE)
    return { correo, ...cookieIn(acceso) }
  })

function cookieIn(acceso: Acceso | FaltaSegundo): { name: string; value: string } {
  if (!acceso.ok) throw new Error(acceso.reason)
  const [pair] = acceso.headers.getSetCookie()[0]!.split(';')
  const at = pair!.indexOf('=')
  return { name: pair!.slice(0, at), value: pair!.slice(at + 1) }
}

/** Signs a new account of this role in, in this browser. */
export async function signIn(context: BrowserContext, site: Site, rol: Rol): Promise<void> {
  const { name, value } = await signedIn(site, rol)
  await context.addCookies([{ name, value, url: site.url }])
}

/** A new voter, signed in by a code. @returns the cookie, as a header says it */
export const votanteOf = async (
  site: Site,
  correo = `votante${++people}.${process.pid}@correo.example`,
): Promise<string> => {
  const { name, value } = await servicesOn(site, async (services) => {
    const navegador = new Navegador(createCuentas(services), `prueba-${correo}`, site.url)
    await navegador.ask(correo, await navegador.known(services.keyed))
    const row = await services.db
      .selectFrom('correos')
      .selectAll()
      .where('recipient', '=', correo)
      .executeTakeFirstOrThrow()
    return cookieIn(await navegador.enter(correo, escritoDe(row, services.keyed).subject.slice(0, 6)))
  })
  return `${name}=${value}`
}

/** The same, in this browser. */
export async function signInVotante(context: BrowserContext, site: Site, correo?: string): Promise<string> {
  const cookie = await votanteOf(site, correo)
  const [name, value] = cookie.split(/=(.*)/s) as [string, string]
  await context.addCookies([{ name, value, url: site.url }])
  return cookie
}
