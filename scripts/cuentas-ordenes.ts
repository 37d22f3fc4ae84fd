// What npm run cuentas does, loaded by cuentas.ts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { TERMINAL } from '#app/bitacora/mutations.server.ts'
import { remiteDe } from '#app/correo/mutations.server.ts'
import type { Aviso } from '#app/cuentas/correos.server.ts'
import { listCuentas } from '#app/cuentas/data.server.ts'
import {
  acreditar,
  changeClave,
  changeCorreo,
  changeRol,
  createCuenta,
  type MotivoDeCuenta,
  withdrawCuenta,
} from '#app/cuentas/mutations.server.ts'
import { ROLES } from '#app/cuentas/roles.ts'
import { MAX_CLAVE_CHARACTERS, MIN_CLAVE_CHARACTERS, type Rol } from '#app/cuentas/schema.ts'
import { removeSegundo } from '#app/cuentas/segundo.server.ts'
import { createClock } from '#app/platform/clock.server.ts'
import { type Database, openDatabase, openPool } from '#app/platform/database.server.ts'
import { readSettings, type Settings } from '#app/platform/env.server.ts'
import { diaDe, finDelDia } from '#app/platform/fechas.ts'
import { migrate } from '#app/platform/migrate.server.ts'
import { connectionTo } from '#app/platform/postgres.server.ts'
import { keptSecret, keysOf } from '#app/platform/session-secret.server.ts'
import { runningSite } from '#app/platform/site-lock.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import { openSite } from '../server/services.ts'
import { type Undo, undoAll } from '../server/undo.ts'
import { endWith } from './fault.ts'
import { root } from './prepare.mjs'

const USO = `Uso:
  npm run cuentas -- crear --rol ROL --correo X [--medio "Nombre del medio"] [--clave-stdin]
  npm run cuentas -- acreditar --correo X --medio "Nombre del medio" [--hasta 2025-10-05]
  npm run cuentas -- listar
  npm run cuentas -- rol   --correo X --rol ROL
  npm run cuentas -- clave --correo X [--clave-stdin]
  npm run cuentas -- correo --correo X --nuevo Y
  npm run cuentas -- baja  --correo X
  npm run cuentas -- sin-segundo --correo X
acreditar le manda al medio un enlace para elegir su contraseña, si no tiene una ya; --hasta es el último día que vale.
sin-segundo quita el segundo paso a quien perdió su teléfono y sus códigos de respaldo.
--clave-stdin lee la contraseña de la entrada estándar; sin ella, se genera una y se muestra.`

const MOTIVOS: Record<MotivoDeCuenta, string> = {
  correo: 'ese correo no es una dirección válida (sólo letras sin acento, números y signos usuales)',
  medio: 'el nombre del medio va en --medio, con 120 caracteres como máximo',
  pasada: 'ese día ya pasó',
  repetida: 'ya hay una cuenta con ese correo',
  desconocida: 'no hay ninguna cuenta de la organización o de prensa con ese correo',
  pedida: 'esa baja ya se pidió',
  codigo: 'ese código no es',
  rol: 'eso no es algo que haga una cuenta de la organización',
  'sin-segundo': 'esa cuenta no tiene segundo paso',
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
        hasta: { type: 'string' },
        nuevo: { type: 'string' },
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
const rol = (): Rol =>
  ROLES.find((one) => one === values.rol) ?? misused(`Falta --rol, que es uno de estos: ${ROLES.join(', ')}.`)
const hasta = () => {
  if (values.hasta === undefined) return undefined
  return finDelDia(values.hasta) ?? misused('--hasta debe ser un día como 2025-10-05.')
}
/** The password from standard input, without the line end that a terminal or `echo` adds. */
const clave = async () => (values['clave-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined)

type Result = { ok: true; clave?: string } | { ok: false; reason: MotivoDeCuenta }

/** Reads what to do with the accounts, and checks everything that was typed before anything is opened. */
async function readOrder(): Promise<(db: Database, aviso: Aviso) => Promise<Result>> {
  switch (verb) {
    case 'crear': {
      const nueva = { correo: correo(), rol: rol(), medio: values.medio, clave: await clave() }
      return (db) => createCuenta(db, nueva, TERMINAL)
    }
    case 'acreditar': {
      const nueva = { correo: correo(), medio: values.medio ?? misused('Falta --medio.'), vigenteHasta: hasta() }
      return (db, aviso) => acreditar(db, nueva, TERMINAL, aviso)
    }
    case 'rol': {
      const [who, next] = [correo(), rol()]
      return (db) => changeRol(db, who, next, TERMINAL)
    }
    case 'clave': {
      const [who, next] = [correo(), await clave()]
      return (db, aviso) => changeClave(db, who, next, TERMINAL, aviso)
    }
    case 'correo': {
      const [who, nuevo] = [correo(), values.nuevo ?? misused('Falta --nuevo.')]
      return (db) => changeCorreo(db, who, nuevo, TERMINAL)
    }
    case 'baja': {
      const who = correo()
      return (db, { now }) => withdrawCuenta(db, who, now, TERMINAL)
    }
    case 'sin-segundo': {
      const who = correo()
      return (db) => removeSegundo(db, who, TERMINAL)
    }
    case 'listar':
      return async (db) => {
        for (const { correo, rol, medio, vigenteHasta, bajaAt } of await listCuentas(db)) {
          const notes = [
            medio,
            vigenteHasta && `hasta ${diaDe(vigenteHasta)}`,
            bajaAt && `de baja desde ${diaDe(bajaAt)}`,
          ].filter(Boolean)
          console.log([rol.padEnd(6), correo, ...notes].join('  '))
        }
        return { ok: true }
      }
    default:
      misused()
  }
}

/** Opens the site's database: a server of one's own, the running site's, or one started for this. */
async function openAccounts(settings: Settings, pid: number | undefined, undo: Undo): Promise<Database> {
  if (pid === undefined && !settings.databaseUrl) {
    const { sitio, firstAdmin } = await openSite(settings, join(root, 'db/migrations'), undo)
    if (firstAdmin) console.log(`Primer administrador: ${firstAdmin.email} (su contraseña está en ${firstAdmin.file})`)
    return sitio.services.db
  }
  const pool = openPool(settings.databaseUrl ?? connectionTo(join(settings.dataDir, 'postgres'), pid!), 1)
  undo.push(() => pool.end())
  await migrate(pool, join(root, 'db/migrations'), { warn: (line) => console.error(line) })
  return openDatabase(pool)
}

const undo: Undo = []
try {
  const order = await readOrder()
  const settings = readSettings({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' })
  const running = await runningSite(settings.dataDir)
  // Links in messages lead to the running site, unless this terminal sets PUBLIC_URL.
  const sitio = process.env.PUBLIC_URL ? settings.publicUrl : (running?.url ?? settings.publicUrl)
  const db = await openAccounts(settings, running?.pid, undo)
  // Messages are encrypted until the running site carries them: both need the same secret.
  if (running && !settings.sessionSecret && !existsSync(join(settings.dataDir, 'session-secret')))
    throw new StartError(
      'El sitio en marcha usa su propio SESSION_SECRET. Ponlo también aquí: sin él no podría enviar los correos que esta orden deja en espera.',
    )
  const secret = settings.sessionSecret ?? (await keptSecret(settings.dataDir))
  const remite = remiteDe({ settings: { ...settings, publicUrl: sitio }, keyed: keysOf(secret) })
  const result = await order(db, { remite, now: createClock(settings.siteClock).now() })
  if (!result.ok) {
    console.error(`No se hizo: ${MOTIVOS[result.reason]}.`)
    process.exitCode = 1
  } else if (result.clave !== undefined && !values['clave-stdin']) {
    console.log(`Correo:     ${correo()}\nContraseña: ${result.clave}\nNo se vuelve a mostrar.`)
  } else if (verb !== 'listar') console.log('Hecho.')
  await undoAll(undo)
} catch (error) {
  await undoAll(undo).catch(() => {})
  endWith(error)
}
