import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { createCuentas } from '#app/cuentas/auth.server.ts'
import { createCuenta, TERMINAL } from '#app/cuentas/mutations.server.ts'
import type { Rol } from '#app/cuentas/schema.ts'
import { createClock } from '#app/platform/clock.server.ts'
import { openDatabase, openPool } from '#app/platform/database.server.ts'
import { readSettings } from '#app/platform/env.server.ts'
import { createLog } from '#app/platform/log.server.ts'
import { keptSecret, keysOf } from '#app/platform/session-secret.server.ts'
import { openFolderStorage } from '#app/platform/storage-folder.server.ts'
import type { Site } from './site.ts'

export const CLAVE = 'guayaba-29-trenza'
let people = 0

/** A new account of this role, signed in through another instance over the site's own database. @returns its cookie */
export async function signedIn(site: Site, rol: Rol): Promise<{ correo: string; name: string; value: string }> {
  const host = join(site.dataDir, 'postgres.sockets')
  const pool = openPool({ host, port: 5432, user: 'certamen', database: 'certamen' }, 2)
  try {
    const db = openDatabase(pool)
    const settings = readSettings({ DATA_DIR: site.dataDir, PUBLIC_URL: site.url })
    const secret = await keptSecret(site.dataDir)
    const services = {
      settings,
      clock: createClock(settings.siteClock),
      db,
      storage: await openFolderStorage(site.dataDir),
      log: createLog('silent'),
      keyed: keysOf(secret),
    }
    const cuentas = createCuentas(services, secret)
    const correo = `${rol}${++people}.${process.pid}@medio.example`
    await createCuenta(db, { correo, rol, clave: CLAVE }, TERMINAL)
    const acceso = await cuentas.signInPassword(new Request(site.url), `prueba-${people}`, correo, CLAVE)
    if (!acceso.ok) throw new Error(acceso.reason)
    const [pair] = acceso.headers.getSetCookie()[0]!.split(';')
    const at = pair!.indexOf('=')
    return { correo, name: pair!.slice(0, at), value: pair!.slice(at + 1) }
  } finally {
    await pool.end()
  }
}

/** Signs a new account of this role in, in this browser. */
export async function signIn(context: BrowserContext, site: Site, rol: Rol): Promise<void> {
  const { name, value } = await signedIn(site, rol)
  await context.addCookies([{ name, value, url: site.url }])
}
