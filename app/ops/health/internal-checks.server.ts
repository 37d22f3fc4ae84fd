import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { readClock } from '#app/core/db/clock-guard.server.ts'
import { type AppliedMigration, isCompatibleWith, postgresFault } from '#app/core/db/migrate.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { formatLongDateTimeWithZone, formatTimeAgo } from '#app/core/time/mexico-dates.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { readPendingDeletions } from '#app/entries/data.server.ts'
import { isMailStalled } from '#app/mail/data.server.ts'
import { isVoteDay, readBackupStatus } from '#app/ops/backup/data.server.ts'
import { fault, type HealthCheck, noDataFolder, ok, warning, withDatabase } from './check.server.ts'
import { listAllPlannedDeletions } from './data.server.ts'
import { diskLevelOf, diskSpaceInWords, diskSpaceNotice, plannedDeletionInWords } from './rules.ts'

const version: HealthCheck = {
  de: 'version',
  titulo: 'Sitio',
  async run({ isRunning, root, settings, runningVersion, unwellReason }) {
    const { version: ownVersion } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      version: string
    }
    const findingText = `Versión ${runningVersion ?? ownVersion}, Node ${process.versions.node}.`
    if (!isRunning)
      return existsSync(settings.dataDir)
        ? fault(
            `${findingText} El sitio no está en marcha: nadie lo puede ver.`,
            'Arráncalo: systemctl start certamen (en la carpeta del proyecto, npm start). Si no queda en marcha, journalctl -u certamen -n 50 dice por qué.',
          )
        : fault(
            `Aquí no hay ningún sitio: no existe ${settings.dataDir}.`,
            'Di con DATA_DIR dónde están sus datos. Si todavía no hay sitio, el primer arranque hace la carpeta: npm start.',
          )
    return unwellReason === undefined
      ? ok(`${findingText} El sitio está en marcha.`)
      : fault(
          `${findingText} El sitio está arrancado y no contesta bien: ${unwellReason}.`,
          'Reinícialo: systemctl restart certamen. Si sigue, el último renglón de journalctl -u certamen -n 50 dice por qué.',
        )
  },
}

const database: HealthCheck = {
  de: 'base',
  titulo: 'Base de datos',
  async run({ db, noDatabaseReason, isRunning, settings }) {
    if (!db)
      return !isRunning && settings.databaseUrl === undefined
        ? warning(noDatabaseReason ?? 'Todavía no hay base de datos.', 'El primer arranque la hace: npm start.')
        : fault(
            noDatabaseReason ?? 'La base de datos no responde.',
            settings.databaseUrl === undefined
              ? 'Reinicia el sitio; si sigue, mira el final de postgres.log en la carpeta de datos.'
              : 'Revisa que el servidor de DATABASE_URL esté en marcha, su dirección y su clave.',
          )
    const startedMs = performance.now()
    const { rows } = await sql<{ version: string; number: number }>`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number`.execute(
      db,
    )
    const versionFault = postgresFault(rows[0]!.number)
    if (versionFault !== undefined)
      return fault(versionFault, 'Haz una copia, instala un PostgreSQL más nuevo y restáurala en él.')
    return ok(`PostgreSQL ${rows[0]!.version}, responde en ${Math.ceil(performance.now() - startedMs)} ms.`)
  },
}

const appliedMigrations: HealthCheck = {
  de: 'migraciones',
  titulo: 'Forma de la base',
  run: withDatabase(async ({ db, root }) => {
    const fileNames = (await readdir(join(root, 'db/migrations'))).filter((name) => name.endsWith('.sql'))
    const { rows } = await sql<AppliedMigration>`select * from migraciones order by nombre`.execute(db)
    const appliedNames = new Set(rows.map(({ nombre }) => nombre))
    const unknownMigrations = rows.filter(({ nombre }) => !fileNames.includes(nombre))
    const knownNames = new Set(fileNames)
    const incompatibleNames = unknownMigrations
      .filter((migration) => !isCompatibleWith(migration, knownNames))
      .map(({ nombre }) => nombre)
    const missingNames = fileNames.filter((name) => !appliedNames.has(name))
    if (incompatibleNames.length > 0)
      return fault(
        `La base es de una versión más nueva: ${quantity(incompatibleNames.length, 'migración', 'migraciones')} que ésta no conoce (${incompatibleNames[0]}).`,
        'Arranca la versión que las trajo, o restaura un respaldo de ésta. No borres nada.',
      )
    if (missingNames.length > 0)
      return warning(
        `${missingNames.length === 1 ? 'Falta' : 'Faltan'} ${quantity(missingNames.length, 'migración', 'migraciones')} (${missingNames[0]}).`,
        'Se aplican al arrancar: reinicia el sitio.',
      )
    return ok(
      unknownMigrations.length > 0
        ? `Lleva ${quantity(unknownMigrations.length, 'cambio')} de una versión más nueva, y ésta puede trabajar así.`
        : `Al día: ${appliedNames.size} migraciones.`,
    )
  }),
}

const space: HealthCheck = {
  de: 'espacio',
  titulo: 'Espacio en disco',
  async run({ settings }) {
    if (!existsSync(settings.dataDir)) return noDataFolder()
    const diskSpace = await readDiskSpace(settings.dataDir, settings.diskReserve)
    const findingText = diskSpaceNotice(diskSpace)
    if (findingText === undefined) return ok(diskSpaceInWords(diskSpace))
    const remedy = 'Borra las inscripciones que sobran, o pide más disco a quien cuida el servidor.'
    return diskLevelOf(diskSpace) === 'full' ? fault(findingText, remedy) : warning(findingText, remedy)
  },
}

/** While the mail server accepts no mail, unsent mail is a fault once its oldest message has waited for this long. */
const STALLED_FAULT_MS = 5 * MINUTE_MS

const outgoingMail: HealthCheck = {
  de: 'correo',
  titulo: 'Correo por salir',
  run: withDatabase(async ({ db, now }) => {
    const { rows } = await sql<{ waiting: number; oldest_at: Date | null }>`
      select count(*) as waiting, min(created_at) as oldest_at from correos
      where sent_at is null and failed_at is null`.execute(db)
    const isStalled = await isMailStalled(db)
    const { waiting, oldest_at: oldestAt } = rows[0]!
    if (!oldestAt) return ok('No hay correo esperando.')
    const waitMs = now.getTime() - oldestAt.getTime()
    const findingText =
      waiting === 1
        ? `Espera 1 mensaje, ${formatTimeAgo(Math.max(0, waitMs))}.`
        : `Esperan ${formatThousands(waiting)} mensajes; el más viejo, ${formatTimeAgo(Math.max(0, waitMs))}.`
    const remedy = 'Revisa SMTP_URL y que el servidor de correo acepte mensajes. Los que esperan salen solos después.'
    const stalledText = `El servidor de correo no los recibe. ${findingText}`
    if (isStalled) return (waitMs > STALLED_FAULT_MS ? fault : warning)(stalledText, remedy)
    return waitMs > HOUR_MS
      ? fault(findingText, remedy)
      : waitMs > 15 * MINUTE_MS
        ? warning(findingText, remedy)
        : ok(findingText)
  }),
}

/**
 * If none of the people who were sent a code signed in, the finding has a level from these numbers of people on. Fewer people may
 * all have mistyped their codes.
 */
const NO_SIGN_IN_THRESHOLDS = { aviso: 8, falla: 20 }

/** From this many people on, mistyped addresses no longer explain refused codes, if fewer people signed in. */
const MIN_REFUSED_PEOPLE = 3

const codes: HealthCheck = {
  de: 'codigos',
  titulo: 'Códigos que llegan',
  run: withDatabase(async ({ db }) => {
    // A mail server may accept mail without delivering it. Only a sign-in proves a delivery. The codes are those of one hour
    // whose validity (CODE_MINUTES) is over.
    const { rows } = await sql<{ people: number; signed_in: number; refused: number }>`
      with sent as (
        select lower(recipient) as address, min(sent_at) as at from correos
        where kind = 'codigo' and not en_carpeta
          and sent_at between now() - interval '70 minutes' and now() - interval '10 minutes'
        group by 1)
      select count(*)::int as people, count(*) filter (where exists (
        select 1 from profiles p join sessions s on s.user_id = p.id
        where lower(p.email) = sent.address and s.created_at > sent.at))::int as signed_in,
        (select count(distinct lower(recipient))::int from correos
          where kind = 'codigo' and failed_at > now() - interval '70 minutes') as refused
      from sent`.execute(db)
    const { people: personCount, signed_in: signedInCount, refused: refusedCount } = rows[0]!
    if (refusedCount >= MIN_REFUSED_PEOPLE && refusedCount > signedInCount)
      return warning(
        `En la última hora el servidor de correo no aceptó el código de ${refusedCount.toLocaleString('es-MX')} personas.`,
        'Pide un código tú. Si tampoco te llega, pregunta a tu proveedor por qué los rechaza: quizá se acabó el límite del día.',
      )
    if (personCount === 0) return ok('En la última hora no salió ninguno.')
    const findingText = `En la última hora se enviaron a ${personCount === 1 ? 'una persona' : `${personCount.toLocaleString('es-MX')} personas`}`
    if (signedInCount > 0 || personCount < NO_SIGN_IN_THRESHOLDS.aviso)
      return ok(`${findingText}, y entraron ${signedInCount}.`)
    const remedy =
      'Quizá el servidor de correo los acepta y no los entrega. Pide un código tú, mira también entre el correo no deseado, y pregunta a tu proveedor por el dominio del remitente (SPF y DKIM).'
    const noSignInText = `${findingText}, y nadie entró con el suyo.`
    return personCount < NO_SIGN_IN_THRESHOLDS.falla ? warning(noSignInText, remedy) : fault(noSignInText, remedy)
  }),
}

const seals: HealthCheck = {
  de: 'sellos',
  titulo: 'Sellado de votos',
  run: withDatabase(async ({ db, now, isRunning, settings }) => {
    const { rows } = await sql<{ unsealed: number; oldest_at: Date | null; last_sealed_at: Date | null }>`
      select count(*) filter (where lote is null) as unsealed, min(created_at) filter (where lote is null) as oldest_at,
        (select max(sellado_at) from lotes) as last_sealed_at
      from banda_digital_votes where lote is null`.execute(db)
    const { unsealed: unsealedCount, oldest_at: oldestAt, last_sealed_at: lastSealedAt } = rows[0]!
    const lastSealText = lastSealedAt
      ? ` El último sello se puso ${formatTimeAgo(Math.max(0, now.getTime() - lastSealedAt.getTime()))}.`
      : ''
    if (!oldestAt) return ok(lastSealedAt ? `Todos los votos están sellados.${lastSealText}` : 'Todavía no hay votos.')
    const findingText = `${quantity(unsealedCount, 'voto guardado espera', 'votos guardados esperan')} su sello.${lastSealText}`
    if (!isRunning) return warning(findingText, 'Se sellan solos cuando el sitio arranca.')
    // With SITE_CLOCK, a vote's time does not show how long the vote has waited.
    const waitMs = settings.siteClock === undefined ? now.getTime() - oldestAt.getTime() : 0
    return waitMs > 2 * MINUTE_MS
      ? fault(
          findingText,
          'Ningún voto se pierde. Reinicia el sitio; si sigue, busca «seal» en el registro del servicio.',
        )
      : ok(findingText)
  }),
}

const publications: HealthCheck = {
  de: 'imagenes',
  titulo: 'Publicaciones e imágenes',
  run: withDatabase(async ({ db, now }) => {
    const { rows } = await sql<{ estado: string; created_at: Date }>`
      select estado, created_at from publicaciones order by id desc limit 1`.execute(db)
    const { rows: missingFileRows } = await sql<{ missing: number }>`
      select count(*) as missing from archivos_de_edicion where not guardado`.execute(db)
    const [newestPublication] = rows
    const missingCount = missingFileRows[0]!.missing
    const remedy =
      'Publica otra vez desde «El sitio»; si sigue, reinicia el sitio. Se sigue viendo lo último publicado.'
    if (newestPublication?.estado === 'fallida') return fault('La última publicación no se pudo preparar.', remedy)
    if (newestPublication?.estado === 'preparando')
      return now.getTime() - newestPublication.created_at.getTime() > HOUR_MS
        ? fault('Una publicación lleva más de una hora preparándose.', remedy)
        : ok('Se está preparando una publicación.')
    return ok(missingCount > 0 ? `Por guardar: ${quantity(missingCount, 'archivo')}.` : 'No hay nada pendiente.')
  }),
}

/** Backups are made every night, and rehearsed every week, so a single one may fail. */
const BACKUP_MAX_AGE_DAYS = 2
const REHEARSAL_MAX_AGE_DAYS = 14
/** On the vote's days, when backups are made every hour, a failed attempt is a fault if the newest backup is older than this. */
const VOTE_MAX_AGE_MS = 3 * HOUR_MS
const LOST_OBJECTS_REMEDY =
  'No se borra ninguna copia de antes mientras tanto. Revisa el disco o la cubeta del sitio; lo que falta está en un respaldo anterior: npm run restaurar -- ORIGEN --copia ID --en CARPETA.'

const backups: HealthCheck = {
  de: 'copias',
  titulo: 'Respaldos',
  run: withDatabase(async ({ db, now, settings }) => {
    const backupRemedy =
      settings.backupUrl === undefined
        ? 'Pon BACKUP_URL para que se hagan solos cada noche, o corre npm run respaldo -- --a CARPETA en otro disco.'
        : 'Corre npm run respaldo a mano y lee lo que dice; revisa que BACKUP_URL se pueda alcanzar y tenga espacio.'
    const backupStatus = await readBackupStatus(db, settings.backupUrl, now)
    const { latest, failure, isIncomplete, rehearsal, notice: backupNotice, hasFutureDated } = backupStatus
    if (hasFutureDated)
      return fault(
        'Hay un respaldo con fecha futura: se hizo con el reloj del servidor adelantado, y no cuenta.',
        'Corrige el reloj del servidor (timedatectl set-ntp true) y corre npm run respaldo: el nuevo cuenta desde ya.',
      )
    if (isIncomplete) return fault(`El respaldo más reciente está incompleto: ${failure}`, LOST_OBJECTS_REMEDY)
    if (!latest)
      return settings.backupUrl === undefined
        ? warning('Todavía no hay ningún respaldo.', backupRemedy)
        : fault(`Todavía no hay ningún respaldo${failure ? ': los intentos fallaron' : ''}.`, backupRemedy)
    const ageMs = now.getTime() - latest.at.getTime()
    const rehearsalText = rehearsal
      ? ` Se restauró de prueba por última vez ${formatTimeAgo(Math.max(0, now.getTime() - rehearsal.at.getTime()))}.`
      : ' Ninguno se ha restaurado de prueba.'
    const findingText = `El último se terminó el ${formatLongDateTimeWithZone(latest.at)}.${rehearsalText}`
    if (ageMs > BACKUP_MAX_AGE_DAYS * DAY_MS)
      return settings.backupUrl === undefined ? warning(findingText, backupRemedy) : fault(findingText, backupRemedy)
    if (rehearsal?.failure)
      return fault(
        `${findingText} Esa prueba no salió bien: ${rehearsal.failure}`,
        'Corre npm run restaurar -- ORIGEN --comprobar y lee qué difiere; haz otro respaldo.',
      )
    if (failure) {
      const isUrgent = ageMs > VOTE_MAX_AGE_MS && (await isVoteDay({ db, clock: createClock(settings.siteClock) }))
      return (isUrgent ? fault : warning)(`${findingText} El intento más reciente falló: ${failure}`, backupRemedy)
    }
    if (backupNotice)
      return warning(
        `${findingText} ${backupNotice}`,
        'Mira qué hay en el lugar de los respaldos, y quién más puede escribir ahí.',
      )
    if (!rehearsal || now.getTime() - rehearsal.at.getTime() > REHEARSAL_MAX_AGE_DAYS * DAY_MS)
      return warning(findingText, 'Prueba uno con npm run restaurar -- ORIGEN --comprobar.')
    return ok(findingText)
  }),
}

const clockGuard: HealthCheck = {
  de: 'freno',
  titulo: 'Plazos y reloj',
  run: withDatabase(async ({ db, now }) => {
    const { storedAt, isAhead } = await readClock(db, now)
    return isAhead
      ? fault(
          `Este servidor dice ${formatLongDateTimeWithZone(now)}; lo último que el sitio vio fue ${formatLongDateTimeWithZone(storedAt)}. No se borra nada por plazo.`,
          'Si la hora está bien, confírmalo en el panel, en «Privacidad». Si no, corrige el reloj del servidor (timedatectl).',
        )
      : ok('El reloj sigue a lo último que vio el sitio.')
  }),
}

const announcedDeletions: HealthCheck = {
  de: 'borrados',
  titulo: 'Borrados por plazo',
  run: withDatabase(async ({ db }) => {
    const plannedDeletions = await listAllPlannedDeletions(db)
    if (plannedDeletions.length === 0) return ok('No hay nada por borrar en los próximos tres días.')
    const findingText = plannedDeletions
      .map((planned) => `${planned.heldAt ? 'Detenido: ' : ''}${plannedDeletionInWords(planned)}`)
      .join('; ')
    return warning(`${findingText}.`, 'Si todavía hacen falta, deténlo en el panel, en «Privacidad».')
  }),
}

/** A deletion counts as stuck after this time. It normally takes some seconds. */
const STUCK_DELETION_MS = 2 * MINUTE_MS

const unfinishedDeletions: HealthCheck = {
  de: 'a-medias',
  titulo: 'Borrados a medias',
  run: withDatabase(async ({ db, now }) => {
    const { count, oldestAt } = await readPendingDeletions(db)
    if (oldestAt === null) return ok('No hay ninguno.')
    const findingText = `${quantity(count, 'inscripción que se borra no ha terminado', 'inscripciones que se borran no han terminado')} de irse, desde el ${formatLongDateTimeWithZone(oldestAt)}. Nadie puede ${count === 1 ? 'verla' : 'verlas'}.`
    const remedy =
      'Se intenta otra vez cada 15 minutos. Revisa que el almacenamiento deje borrar (permisos, archivos protegidos) y que BACKUP_URL se alcance; el registro del servicio dice cuál falla.'
    return now.getTime() - oldestAt.getTime() > STUCK_DELETION_MS
      ? fault(findingText, remedy)
      : warning(findingText, remedy)
  }),
}

export const INTERNAL_CHECKS: readonly HealthCheck[] = [
  version,
  database,
  appliedMigrations,
  space,
  outgoingMail,
  codes,
  seals,
  publications,
  backups,
  clockGuard,
  announcedDeletions,
  unfinishedDeletions,
]
