import { encolarCorreo, remiteDe } from '#app/correo/mutations.server.ts'
import { listCuentas } from '#app/cuentas/data.server.ts'
import { readEspacio } from '#app/platform/espacio.server.ts'
import { diaDe } from '#app/platform/fechas.ts'
import type { Services } from '#app/platform/services.server.ts'
import { cartaDeEspacio } from './correos.server.ts'
import { avisoDeEspacio } from './espacio.ts'

const WATCH_MS = 5 * 60_000

type Trabajo = Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>

/**
 * Looks at the disk, and tells every organiser by mail where it is nearly full, once a day by the machine's clock.
 * @returns how many were told
 */
export async function vigilarEspacio(services: Trabajo, machineNow = new Date()): Promise<number> {
  const { db, settings, log } = services
  const aviso = avisoDeEspacio(await readEspacio(settings.dataDir, settings.piso))
  if (aviso === undefined) return 0
  log.warn(aviso)
  const cuentas = (await listCuentas(db)).filter(({ rol, bajaAt }) => rol === 'admin' && bajaAt === null)
  let told = 0
  for (const { correo } of cuentas) {
    const made = await encolarCorreo(db, {
      ...cartaDeEspacio(aviso),
      ...{ to: correo, remite: remiteDe(services) },
      idempotencyKey: `espacio:${diaDe(machineNow)}:${correo}`,
    })
    if (made.ok && !made.repetido) told++
  }
  return told
}

/** Watches the disk for as long as the site runs. @returns ends it */
export function startVigilancia(services: Trabajo): () => Promise<void> {
  let running = Promise.resolve()
  const watch = () => {
    running = running
      .then(async () => void (await vigilarEspacio(services)))
      .catch((error: unknown) => services.log.error({ err: error }, 'the disk could not be watched'))
  }
  watch()
  const timer = setInterval(watch, WATCH_MS).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
