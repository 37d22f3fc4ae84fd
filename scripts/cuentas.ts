// npm run cuentas: the organisers' and journalists' accounts, while the site runs or not.
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { listCuentas } from '#app/cuentas/data.server.ts'
import {
  changeClave,
  changeRol,
  createCuenta,
  type MotivoDeCuenta,
  TERMINAL,
  withdrawCuenta,
} from '#app/cuentas/mutations.server.ts'
import { MAX_CLAVE_CHARACTERS, MIN_CLAVE_CHARACTERS, ROLES, type Rol } from '#app/cuentas/schema.ts'
import { createClock } from '#app/platform/clock.server.ts'
import { type Database, openDatabase, openPool } from '#app/platform/database.server.ts'
import { readSettings, type Settings } from '#app/platform/env.server.ts'
import { migrate } from '#app/platform/migrate.server.ts'
import { connectionTo } from '#app/platform/postgres.server.ts'
import { runningSite } from '#app/platform/site-lock.server.ts'
import { openServices, type Undo } from '../server/services.ts'
import { endWith } from './fault.ts'
import { root } from './prepare.mjs'

const USO = `Uso:
  npm run cuentas -- crear --rol admin|prensa --correo X [--medio "Nombre del medio"] [--clave-stdin]
  npm run cuentas -- listar
  npm run cuentas -- rol   --correo X --rol admin|prensa
  npm run cuentas -- clave --correo X [--clave-stdin]
  npm run cuentas -- baja  --correo X
--clave-stdin lee la contraseña de la entrada estándar; sin ella, se genera una y se muestra.`

const MOTIVOS: Record<MotivoDeCuenta, string> = {
  correo: 'ese correo no es una dirección válida (sólo letras sin acento, números y signos usuales)',
  repetida: 'ya hay una cuenta con ese correo',
  desconocida: 'no hay ninguna cuenta de la organización o de prensa con ese correo',
  'ultimo-admin': 'es la única cuenta de administración que queda: crea otra antes',
  corta: `la contraseña debe tener al menos ${MIN_CLAVE_CHARACTERS} caracteres`,
  larga: `la contraseña no debe pasar de ${MAX_CLAVE_CHARACTERS} caracteres`,
  comun: 'esa contraseña es de las más usadas, o se adivina: elige otra',
}

function misused(line?: string): never {
  console.error(line ? `${line}\n${USO}` : USO)
  process.exit(2)
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rol: { type: 'string' },
        correo: { type: 'string' },
        medio: { type: 'string' },
        'clave-stdin': { type: 'boolean' },
      },
    })
  } catch {
    misused()
  }
}

const { positionals, values } = readArguments()
const [verb, ...rest] = positionals
if (rest.length > 0) misused()

const correo = () => values.correo ?? misused('Falta --correo.')
const rol = (): Rol => ROLES.find((one) => one === values.rol) ?? misused('Falta --rol admin o --rol prensa.')
/** Without the line end that a terminal or `echo` adds. */
const clave = async () => (values['clave-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined)

type Result = { ok: true; clave?: string } | { ok: false; reason: MotivoDeCuenta }

/** What to do with the accounts, everything that was typed checked before anything is opened. */
async function readOrder(): Promise<(db: Database, now: Date) => Promise<Result>> {
  switch (verb) {
    case 'crear': {
      const nueva = { correo: correo(), rol: rol(), medio: values.medio, clave: await clave() }
      return (db) => createCuenta(db, nueva, TERMINAL)
    }
    case 'rol': {
      const [who, next] = [correo(), rol()]
      return (db) => changeRol(db, who, next, TERMINAL)
    }
    case 'clave': {
      const [who, next] = [correo(), await clave()]
      return (db) => changeClave(db, who, next, TERMINAL)
    }
    case 'baja': {
      const who = correo()
      return (db, now) => withdrawCuenta(db, who, now, TERMINAL)
    }
    case 'listar':
      return async (db) => {
        for (const { correo, rol, medio, vigenteHasta, bajaAt } of await listCuentas(db)) {
          const notes = [
            medio,
            vigenteHasta && `hasta ${vigenteHasta.toISOString().slice(0, 10)}`,
            bajaAt && `de baja desde ${bajaAt.toISOString().slice(0, 10)}`,
          ].filter(Boolean)
          console.log([rol.padEnd(6), correo, ...notes].join('  '))
        }
        return { ok: true }
      }
    default:
      misused()
  }
}

/** The site's database: of a server of one's own, of the site that runs, or started for this. */
async function openAccounts(settings: Settings, undo: Undo): Promise<Database> {
  const pid = settings.databaseUrl ? undefined : await runningSite(settings.dataDir)
  if (pid === undefined && !settings.databaseUrl) {
    const { services, firstAdmin } = await openServices(settings, join(root, 'db/migrations'), undo)
    if (firstAdmin) console.log(`Primer administrador: ${firstAdmin.email} (su contraseña está en ${firstAdmin.file})`)
    return services.db
  }
  const pool = openPool(settings.databaseUrl ?? connectionTo(join(settings.dataDir, 'postgres'), pid!), 1)
  undo.push(() => pool.end())
  await migrate(pool, join(root, 'db/migrations'))
  return openDatabase(pool)
}

const undo: Undo = []
try {
  const order = await readOrder()
  const settings = readSettings({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' })
  const result = await order(await openAccounts(settings, undo), createClock(settings.siteClock).now())
  if (!result.ok) {
    console.error(`No se hizo: ${MOTIVOS[result.reason]}.`)
    process.exitCode = 1
  } else if (result.clave !== undefined && !values['clave-stdin']) {
    console.log(`Correo:     ${correo()}\nContraseña: ${result.clave}\nNo se vuelve a mostrar.`)
  } else if (verb !== 'listar') console.log('Hecho.')
  for (const step of undo.splice(0).reverse()) await step()
} catch (error) {
  for (const step of undo.splice(0).reverse()) await Promise.resolve(step()).catch(() => {})
  endWith(error)
}
