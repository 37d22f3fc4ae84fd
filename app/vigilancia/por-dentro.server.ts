import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { readEspacio } from '#app/platform/espacio.server.ts'
import { enMexico, hace } from '#app/platform/fechas.ts'
import { readReloj } from '#app/platform/reloj-visto.server.ts'
import { listBorradosPrevistos } from './data.server.ts'
import { aviso, bien, conBase, type Examen, falla, sinCarpeta } from './examen.server.ts'
import { avisoDeEspacio, espacioEnPalabras, nivelDe, previstoEnPalabras } from './rules.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const version: Examen = {
  de: 'version',
  titulo: 'Versión',
  async mira({ enMarcha, raiz }) {
    const { version: number } = JSON.parse(await readFile(join(raiz, 'package.json'), 'utf8')) as { version: string }
    const said = `Versión ${number}, Node ${process.versions.node}`
    return enMarcha
      ? bien(`${said}. El sitio está en marcha.`)
      : aviso(`${said}. El sitio no está en marcha.`, 'Arráncalo con npm start, o con el servicio que lo cuida.')
  },
}

const base: Examen = {
  de: 'base',
  titulo: 'Base de datos',
  async mira({ db, sinBase, enMarcha, settings }) {
    if (!db)
      return !enMarcha && settings.databaseUrl === undefined
        ? aviso(sinBase ?? 'Todavía no hay base de datos.', 'El primer arranque la hace: npm start.')
        : falla(
            sinBase ?? 'La base de datos no responde.',
            settings.databaseUrl === undefined
              ? 'Reinicia el sitio; si sigue, mira el final de postgres.log en la carpeta de datos.'
              : 'Revisa que el servidor de DATABASE_URL esté en marcha, su dirección y su clave.',
          )
    const began = performance.now()
    const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
    return bien(`PostgreSQL ${rows[0]!.version}, responde en ${Math.ceil(performance.now() - began)} ms.`)
  },
}

const migraciones: Examen = {
  de: 'migraciones',
  titulo: 'Forma de la base',
  mira: conBase(async ({ db, raiz }) => {
    const files = (await readdir(join(raiz, 'db/migrations'))).filter((name) => name.endsWith('.sql'))
    const { rows } = await sql<{ nombre: string }>`select nombre from migraciones`.execute(db)
    const applied = new Set(rows.map(({ nombre }) => nombre))
    const unknown = [...applied].filter((name) => !files.includes(name))
    const missing = files.filter((name) => !applied.has(name))
    if (unknown.length > 0)
      return falla(
        `La base es de una versión más nueva: ${unknown.length} migraciones que ésta no conoce (${unknown[0]}).`,
        'Arranca la versión que las trajo, o restaura un respaldo de ésta. No borres nada.',
      )
    if (missing.length > 0)
      return aviso(
        `Faltan ${missing.length} migraciones (${missing[0]}).`,
        'Se aplican al arrancar: reinicia el sitio.',
      )
    return bien(`Al día: ${applied.size} migraciones.`)
  }),
}

const espacio: Examen = {
  de: 'espacio',
  titulo: 'Espacio en disco',
  async mira({ settings }) {
    if (!existsSync(settings.dataDir)) return sinCarpeta()
    const found = await readEspacio(settings.dataDir, settings.piso)
    const said = avisoDeEspacio(found)
    if (said === undefined) return bien(espacioEnPalabras(found))
    const remedio = 'Borra las inscripciones que sobran, o pide más disco a quien cuida el servidor.'
    return nivelDe(found) === 'lleno' ? falla(said, remedio) : aviso(said, remedio)
  },
}

const correo: Examen = {
  de: 'correo',
  titulo: 'Correo por salir',
  mira: conBase(async ({ db, ahora }) => {
    const { rows } = await sql<{ cuantos: number; primero: Date | null }>`
      select count(*) as cuantos, min(created_at) as primero from correos
      where sent_at is null and failed_at is null`.execute(db)
    const { cuantos, primero } = rows[0]!
    if (!primero) return bien('No hay correo esperando.')
    const waits = ahora.getTime() - primero.getTime()
    const said = `Esperan ${cuantos.toLocaleString('es-MX')} mensajes; el más viejo, ${hace(Math.max(0, waits))}.`
    const remedio = 'Revisa SMTP_URL y que el servidor de correo acepte mensajes. Los que esperan salen solos después.'
    return waits > HOUR_MS ? falla(said, remedio) : waits > 15 * MINUTE_MS ? aviso(said, remedio) : bien(said)
  }),
}

const sellos: Examen = {
  de: 'sellos',
  titulo: 'Sellado de votos',
  mira: conBase(async ({ db, ahora, enMarcha }) => {
    const { rows } = await sql<{ sueltos: number; primero: Date | null; ultimo: Date | null }>`
      select count(*) filter (where lote is null) as sueltos, min(created_at) filter (where lote is null) as primero,
        (select max(sellado_at) from lotes) as ultimo
      from banda_digital_votes where lote is null`.execute(db)
    const { sueltos, primero, ultimo } = rows[0]!
    const last = ultimo ? ` El último sello se puso ${hace(Math.max(0, ahora.getTime() - ultimo.getTime()))}.` : ''
    if (!primero) return bien(ultimo ? `Todos los votos están sellados.${last}` : 'Todavía no hay votos.')
    const said = `${sueltos.toLocaleString('es-MX')} votos guardados esperan su sello.${last}`
    if (!enMarcha) return aviso(said, 'Se sellan solos cuando el sitio arranca.')
    return ahora.getTime() - primero.getTime() > 2 * MINUTE_MS
      ? falla(said, 'Ningún voto se pierde. Reinicia el sitio; si sigue, busca «seal» en el registro del servicio.')
      : bien(said)
  }),
}

const imagenes: Examen = {
  de: 'imagenes',
  titulo: 'Publicaciones e imágenes',
  mira: conBase(async ({ db, ahora }) => {
    const { rows } = await sql<{ estado: string; created_at: Date }>`
      select estado, created_at from publicaciones order by id desc limit 1`.execute(db)
    const { rows: pending } = await sql<{ faltan: number }>`
      select count(*) as faltan from archivos_de_edicion where not guardado`.execute(db)
    const [last] = rows
    const faltan = pending[0]!.faltan
    const remedio =
      'Publica otra vez desde «El sitio»; si sigue, reinicia el sitio. Se sigue viendo lo último publicado.'
    if (last?.estado === 'fallida') return falla('La última publicación no se pudo preparar.', remedio)
    if (last?.estado === 'preparando' && ahora.getTime() - last.created_at.getTime() > HOUR_MS)
      return falla('Una publicación lleva más de una hora preparándose.', remedio)
    if (last?.estado === 'preparando') return bien('Se está preparando una publicación.')
    return bien(faltan > 0 ? `Se están guardando ${faltan} archivos del sitio.` : 'No hay nada pendiente.')
  }),
}

const RESPALDO_HECHO_DAYS = 2
const ENSAYO_DAYS = 14

const copias: Examen = {
  de: 'copias',
  titulo: 'Respaldos',
  mira: conBase(async ({ db, ahora, settings }) => {
    const { rows: there } = await sql<{ hay: boolean }>`select to_regclass('copias') is not null as hay`.execute(db)
    const rows = there[0]!.hay
      ? (
          await sql<{
            hecha_at: Date | null
            falla: string | null
            ensayada_at: Date | null
            ensayo_falla: string | null
          }>`
            select hecha_at, falla, ensayada_at, ensayo_falla from copias order by empezada_at desc limit 60`.execute(
            db,
          )
        ).rows
      : []
    const done = rows.find(({ hecha_at, falla: bad }) => hecha_at && !bad)
    const tried = rows.find(({ ensayada_at }) => ensayada_at)
    const how =
      settings.backupUrl === undefined
        ? 'Pon BACKUP_URL para que se hagan solos cada noche, o corre npm run respaldo -- --a CARPETA en otro disco.'
        : 'Corre npm run respaldo a mano y lee lo que dice; revisa que BACKUP_URL se pueda alcanzar y tenga espacio.'
    if (!done?.hecha_at)
      return settings.backupUrl === undefined
        ? aviso('Todavía no hay ningún respaldo.', how)
        : falla(`Todavía no hay ningún respaldo${rows.length > 0 ? ': los intentos fallaron' : ''}.`, how)
    const old = ahora.getTime() - done.hecha_at.getTime()
    const ensayo = tried?.ensayada_at
      ? ` Se restauró de prueba por última vez ${hace(Math.max(0, ahora.getTime() - tried.ensayada_at.getTime()))}.`
      : ' Ninguno se ha restaurado de prueba.'
    const said = `El último se terminó el ${enMexico(done.hecha_at)}.${ensayo}`
    if (old > RESPALDO_HECHO_DAYS * DAY_MS)
      return settings.backupUrl === undefined ? aviso(said, how) : falla(said, how)
    if (tried?.ensayo_falla)
      return falla(
        `${said} Esa prueba no salió bien.`,
        'Corre npm run restaurar -- ORIGEN --comprobar y lee qué difiere; haz otro respaldo.',
      )
    if (rows[0]?.falla) return aviso(`${said} El intento más reciente falló.`, how)
    if (!tried?.ensayada_at || ahora.getTime() - tried.ensayada_at.getTime() > ENSAYO_DAYS * DAY_MS)
      return aviso(said, 'Prueba uno con npm run restaurar -- ORIGEN --comprobar.')
    return bien(said)
  }),
}

const reloj: Examen = {
  de: 'reloj',
  titulo: 'Reloj',
  mira: conBase(async ({ db, ahora }) => {
    const { vistoAt, base: suyo, adelantado } = await readReloj(db, ahora)
    const apart = Math.abs(ahora.getTime() - suyo.getTime())
    if (adelantado)
      return falla(
        `Este servidor dice ${enMexico(ahora)}; lo último que el sitio vio fue ${enMexico(vistoAt)}. No se borra nada por plazo.`,
        'Si la hora está bien, confírmalo en el panel, en «Privacidad». Si no, corrige el reloj del servidor (timedatectl).',
      )
    if (apart > 5 * MINUTE_MS)
      return falla(
        `El reloj difiere ${Math.round(apart / MINUTE_MS)} minutos del de la base de datos.`,
        'Corrige el reloj del servidor (timedatectl set-ntp true): de él dependen periodos, votos y códigos.',
      )
    return apart > 5_000
      ? aviso(
          `El reloj difiere ${Math.round(apart / 1_000)} segundos del de la base de datos.`,
          'Corrige el reloj del servidor (timedatectl set-ntp true).',
        )
      : bien('Coincide con el de la base de datos.')
  }),
}

const borrados: Examen = {
  de: 'borrados',
  titulo: 'Borrados por plazo',
  mira: conBase(async ({ db }) => {
    const previstos = await listBorradosPrevistos(db)
    if (previstos.length === 0) return bien('No hay nada por borrar en los próximos tres días.')
    const said = previstos.map((one) => `${one.detenidoAt ? 'Detenido: ' : ''}${previstoEnPalabras(one)}`).join('; ')
    return aviso(`${said}.`, 'Si todavía hacen falta, deténlo en el panel, en «Privacidad».')
  }),
}

/** What the machine itself and its database say. */
export const POR_DENTRO: readonly Examen[] = [
  version,
  base,
  migraciones,
  espacio,
  correo,
  sellos,
  imagenes,
  copias,
  reloj,
  borrados,
]
