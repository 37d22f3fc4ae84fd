// What npm run restaurar does, loaded by restaurar.ts.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { noteSupresiones, readSupresionesDeBase, unidas, vigentes } from '#app/core/db/erasure-log.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir, runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { writeWhole } from '#app/core/process/durable-files.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { assertDestino, openPlace, openStorage } from '#app/core/storage/open-store.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { cerradoEnPalabras, cierraLoDeAntes } from '#app/ops/backup/after-restore.server.ts'
import { FallaDeCopia } from '#app/ops/backup/fault.server.ts'
import { countCuentas } from '#app/ops/backup/load-database.server.ts'
import { anotarEnsayo } from '#app/ops/backup/mutations.server.ts'
import { ensayar } from '#app/ops/backup/rehearsal.server.ts'
import { devolverInscripcion } from '#app/ops/backup/reinstate-entry.server.ts'
import { librosEnPalabras, repiteSupresiones, reuneSupresiones } from '#app/ops/backup/replay-erasures.server.ts'
import {
  assertVacio,
  type CopiaAbierta,
  openCopia,
  restoreBase,
  restoreObjetos,
  tablaDe,
} from '#app/ops/backup/restore.server.ts'
import { cuentasDe } from '#app/ops/backup/schema.ts'
import { openAlmacen } from '#app/ops/backup/store.server.ts'
import { recountTodas } from '#app/voting/chain/recount.server.ts'
import { toItsEnd, type Undo, undoAll } from '../server/undo.ts'
import { carpetaCopiada } from './carpeta-copiada.ts'
import { desdeAqui } from './ejecutar.ts'
import { type Dice, type FinDeOrden, leerOpciones, orden } from './orden.ts'
import { root } from './prepare.mjs'
import { openSitio, secretoDe } from './sitio-abierto.ts'

const USO = `Uso: npm run restaurar -- ORIGEN [--en CARPETA] [--copia ID] [--comprobar] [--json]
     npm run restaurar -- ORIGEN --inscripcion FOLIO [--aunque-pidio-irse]
     npm run restaurar -- --carpeta-copiada CARPETA
ORIGEN es la carpeta o la cubeta (s3://…) a la que se hizo el respaldo. Sin --copia se toma el más nuevo.
Sin --en se restaura en DATA_DIR, o en DATABASE_URL y STORAGE_URL, que deben estar vacíos.
--comprobar lo restaura en un lugar pasajero, lo cuenta todo y no deja nada.
--inscripcion devuelve una sola inscripción al sitio que hay, con sus archivos.
--carpeta-copiada revisa entera la carpeta de datos copiada del disco de una máquina que murió, y sólo si su base de datos
está completa deja arrancar el sitio sobre ella.`

const MIGRATIONS = join(root, 'db/migrations')

const leidas = () =>
  leerOpciones(USO, () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        en: { type: 'string' },
        copia: { type: 'string' },
        comprobar: { type: 'boolean' },
        inscripcion: { type: 'string' },
        'carpeta-copiada': { type: 'string' },
        'aunque-pidio-irse': { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    const [origen, ...rest] = positionals
    const isCopiada = values['carpeta-copiada'] !== undefined
    if ((origen === undefined) !== isCopiada || rest.length > 0) throw new StartError(USO)
    return { ...values, origen: origen ?? '', copiada: values['carpeta-copiada'] }
  })

await orden({ json: process.argv.includes('--json') }, async (dice, undo) => {
  const { origen, en, copia, comprobar, inscripcion, copiada, 'aunque-pidio-irse': aunque = false } = leidas()
  const settings = readSettings(process.env)
  if (copiada !== undefined) return carpetaCopiada(settings, desdeAqui(copiada), MIGRATIONS, dice, undo)
  assertDestino(origen)
  const lugar = desdeAqui(origen)
  const abrir = { espera: settings.dataDir, soloLeer: inscripcion === undefined }
  const note = (id: string | undefined, falla: string | undefined) => anotado(settings, lugar, id, falla, dice)
  const abierta = await openCopia(await openAlmacen(lugar, settings.backupKey, abrir), copia, dice).catch(
    async (error: unknown) => {
      if (comprobar && error instanceof FallaDeCopia) await note(copia, error.resumen)
      throw error
    },
  )
  const { momento, version } = abierta.caratula
  dice(`Respaldo ${abierta.caratula.id}, de las ${momento} (versión ${version}).`)
  if (inscripcion !== undefined) return una(settings, abierta, inscripcion, aunque, dice, undo)
  if (comprobar) return comprobada(settings, abierta, (falla) => note(abierta.caratula.id, falla), dice)
  return toda(settings, abierta, en === undefined ? undefined : desdeAqui(en), dice, undo)
})

async function comprobada(
  settings: Settings,
  abierta: CopiaAbierta,
  note: (falla: string | undefined) => Promise<void>,
  dice: Dice,
): Promise<FinDeOrden> {
  const secreto = abierta.manifiesto.secreto ?? (await secretoDe(settings))
  const { fallas, resumen, aqui } = await ensayar(abierta, {
    ...{ migrations: MIGRATIONS, lugar: settings.dataDir, secreto, dice },
  }).catch(async (error: unknown) => {
    if (error instanceof FallaDeCopia) await note(error.resumen)
    throw error
  })
  await note(resumen)
  return {
    ok: fallas.length === 0,
    antes: [tablaDe(cuentasDe(abierta.manifiesto.tablas), aqui), ...fallas],
    linea:
      fallas.length === 0
        ? `El respaldo ${abierta.caratula.id} está entero: se restauró en un lugar pasajero y todo coincide.`
        : `El respaldo ${abierta.caratula.id} tiene ${fallas.length} fallas: ${fallas[0]}`,
    datos: { copia: abierta.caratula.id, cuentas: aqui, fallas },
  }
}

/** Tells the site that these settings name, if it is at work, that the copy was rehearsed. */
async function anotado(
  settings: Settings,
  lugar: string,
  copia: string | undefined,
  falla: string | undefined,
  dice: Dice,
): Promise<void> {
  if (settings.databaseUrl === undefined && !(await runningSite(settings.dataDir))) return
  const undo: Undo = []
  try {
    const { pool } = await openSitio(settings, undo)
    await anotarEnsayo(openDatabase(pool), lugar, copia, falla)
  } catch (error) {
    dice(`El ensayo no se pudo anotar en el sitio: ${(error as Error).message}`)
  } finally {
    await undoAll(undo)
  }
}

async function toda(
  given: Settings,
  abierta: CopiaAbierta,
  en: string | undefined,
  dice: Dice,
  undo: Undo,
): Promise<FinDeOrden> {
  // A folder that is named has everything in it: no server of the settings is written to.
  const settings: Settings =
    en === undefined ? given : { ...given, dataDir: en, databaseUrl: undefined, storageUrl: undefined }
  try {
    await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
    undo.push(await lockDataDir(settings.dataDir, settings.publicUrl))
    const connection = settings.databaseUrl ?? (await startEmbedded(settings, undo))
    const pool = openPool(connection, 6)
    undo.push(() => pool.end())
    const storage = await openStorage(settings)
    await assertVacio(pool, storage, abierta)
    const libros = await reuneSupresiones(abierta.almacen, [settings.backupUrl], [settings.dataDir, given.dataDir])
    // Beside the new data before these are there: a site that starts over them goes through it as well.
    await noteSupresiones(settings.dataDir, libros.lineas)
    // The database comes last and whole: until it is there, a restore that was cut is begun again.
    const suprimidas = new Set([...abierta.suprimidas, ...vigentes(libros.lineas).map(({ huella }) => huella)])
    const perdidos = await restoreObjetos({ ...abierta, suprimidas }, { storage, dataDir: settings.dataDir }, dice)
    const { difieren } = await restoreBase(pool, abierta, MIGRATIONS, dice)
    const fallas = [
      ...difieren.map((tabla) => `La tabla ${tabla} no es la del respaldo.`),
      ...perdidos.map((path) => `Falta o está dañado el archivo ${path}.`),
      ...abierta.manifiesto.perdidos.map((path) => `El archivo ${path} ya faltaba cuando se hizo el respaldo.`),
    ]
    const copiadas = await countCuentas(pool)
    const { secreto, falla, nota } = await ponerSecreto(settings, given, abierta)
    if (falla) fallas.push(falla)
    const db = openDatabase(pool)
    const keyed = secreto === undefined ? undefined : keysOf(secreto)
    fallas.push(...(await recountTodas(db, keyed)))
    dice('Votos: contados otra vez, sello por sello.')
    const services = {
      ...{ db, storage, settings, clock: createClock(settings.siteClock), log: createLog('error') },
    }
    const { inscripciones, candidatas, pendientes } = await repiteSupresiones(services, libros.lineas, root)
    if (pendientes.length > 0)
      fallas.push(
        `${pendientes.length} inscripciones que pidieron irse no se pudieron borrar otra vez: quedan ocultas, y el sitio lo intenta al arrancar. Revisa los permisos del almacenamiento.`,
      )
    if (inscripciones + candidatas > 0)
      dice(
        `Se volvieron a borrar ${inscripciones} inscripciones y a retirar ${candidatas} candidatas que pidieron irse después del respaldo.`,
      )
    const cerrado = await cierraLoDeAntes(db)
    const aqui = await countCuentas(pool)
    const where = settings.databaseUrl ? 'la base de datos y el almacenamiento de los ajustes' : settings.dataDir
    return {
      ok: fallas.length === 0,
      antes: [
        tablaDe(cuentasDe(abierta.manifiesto.tablas), aqui),
        ...librosEnPalabras(libros),
        ...cerradoEnPalabras(cerrado),
        ...fallas,
        ...(nota ? [nota] : []),
      ],
      linea:
        fallas.length === 0
          ? `Restaurado en ${where} el respaldo ${abierta.caratula.id}: todo coincide${inscripciones > 0 ? `, salvo ${inscripciones} inscripciones que pidieron irse` : ''}.`
          : `Restaurado en ${where} el respaldo ${abierta.caratula.id}, con ${fallas.length} fallas: ${fallas[0]}`,
      datos: {
        ...{ copia: abierta.caratula.id, momento: abierta.caratula.momento, cuentas: copiadas, aqui, fallas },
        ...{ suprimidas: inscripciones, retiradas: candidatas, libro: libros.encontrados, cerrado },
      },
    }
  } finally {
    await undoAll(undo)
  }
}

async function startEmbedded(settings: Settings, undo: Undo) {
  const postgres = await startPostgres(join(settings.dataDir, 'postgres'), (message) => console.error(message))
  undo.push(toItsEnd(() => postgres.stop()))
  return postgres.connection
}

/** Puts the secret of an encrypted copy where the restored site finds it. */
async function ponerSecreto(
  settings: Settings,
  given: Settings,
  { manifiesto }: CopiaAbierta,
): Promise<{ secreto: string | undefined; falla?: string; nota?: string }> {
  const { secreto } = manifiesto
  if (secreto === undefined) {
    const here = await secretoDe(given)
    return {
      secreto: here,
      nota: here
        ? `El secreto del sitio no viene en un respaldo sin cifrar: se comprobó con el de esta máquina. Cópialo a ${settings.dataDir}/session-secret, o ponlo en SESSION_SECRET, antes de arrancar.`
        : `El secreto del sitio no viene en un respaldo sin cifrar: pon el de antes en SESSION_SECRET, o su archivo session-secret en ${settings.dataDir}, antes de arrancar. Sin él las firmas de los votos no se pueden comprobar y los segundos pasos no se leen.`,
    }
  }
  if (settings.sessionSecret === undefined) {
    await writeWhole(join(settings.dataDir, 'session-secret'), `${secreto}\n`)
    return { secreto }
  }
  if (settings.sessionSecret === secreto) return { secreto }
  return {
    secreto,
    falla: 'SESSION_SECRET no es el secreto del respaldo: con otro ningún voto vale. Quítalo, o pon el de antes.',
  }
}

async function una(
  settings: Settings,
  abierta: CopiaAbierta,
  folio: string,
  aunque: boolean,
  dice: Dice,
  undo: Undo,
): Promise<FinDeOrden> {
  try {
    const { pool, storage } = await openSitio(settings, undo)
    const sitio = { pool, storage, dataDir: settings.dataDir }
    const { lineas, avisos } = await reuneSupresiones(abierta.almacen, [settings.backupUrl], [settings.dataDir])
    for (const aviso of avisos) dice(aviso)
    const libros =
      settings.backupUrl === undefined
        ? []
        : await openPlace(settings.backupUrl).then(
            (one) => [one],
            (error: Error) => {
              dice(`BACKUP_URL no se alcanza (${error.message}): el sitio pondrá ahí al día el libro de borrados.`)
              return []
            },
          )
    const { documentos } = await devolverInscripcion(abierta, sitio, {
      ...{ folio, lineas: unidas(lineas, await readSupresionesDeBase(openDatabase(pool))), aunque, libros, dice },
      migrations: MIGRATIONS,
    })
    return {
      ok: true,
      linea: `La inscripción ${folio} está de vuelta, con ${documentos} archivos.`,
      datos: { folio, documentos },
    }
  } finally {
    await undoAll(undo)
  }
}
