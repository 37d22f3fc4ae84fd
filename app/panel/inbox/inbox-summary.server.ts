import { sql } from 'kysely'
import { may } from '#app/accounts/rules.ts'
import type { Rol } from '#app/accounts/schema.ts'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { cuando, diaDe, diaEnPalabras, enDiaHoraYMinuto } from '#app/core/time/mexico-dates.ts'
import { readEspacio } from '#app/core/uploads/disk-space.server.ts'
import { countNoLlegados } from '#app/entries/messages/data.server.ts'
import { readPulso } from '#app/entries/states/activity.server.ts'
import { copiasEnPalabras, readEstadoDeCopias } from '#app/ops/backup/data.server.ts'
import { espacioEnPalabras } from '#app/ops/health/rules.ts'
import { isNotClosed } from '#app/voting/election/rules.ts'
import type { Escritorio } from './inbox-summary.tsx'

/** Whoever comes back within so long is still at the same visit. */
const VISITA_MS = 30 * 60_000

/**
 * Notes that an organiser is at the desk.
 * @returns when she was there the time before; null: never
 */
async function sitDown(db: Database, userId: string, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ desde: Date | null }>`
    with antes as (select * from escritorios where user_id = ${userId}),
    puesta as (
      insert into escritorios as m (user_id, desde, at) values (${userId}, ${now}, ${now})
      on conflict (user_id) do update set at = greatest(m.at, excluded.at),
        desde = case when m.at < ${new Date(now.getTime() - VISITA_MS)} then m.at else m.desde end
      returning desde
    )
    select case when exists (select 1 from antes) then desde end as desde from puesta`.execute(db)
  return rows[0]?.desde ?? null
}

/** What the desk's home shows to an organiser of an edition. */
export async function readEscritorio(
  { db, clock, settings }: Pick<Services, 'db' | 'clock' | 'settings'>,
  sesion: { userId: string; rol: Rol | null },
  anio: number,
): Promise<Escritorio> {
  const now = clock.now()
  const desde = await sitDown(db, sesion.userId, now)
  const [pulso, noLlegados, espacio, copias, { fechas, candidatas, anio: actual }] = await Promise.all([
    readPulso(db, anio, desde, now),
    countNoLlegados(db, anio),
    readEspacio(settings.dataDir, settings.piso),
    readEstadoDeCopias(db, settings.backupUrl),
    loadEdicion(),
  ])
  const espera = (estado: keyof typeof pulso.masAntigua) => {
    const at = pulso.masAntigua[estado]
    return at && cuando(at, now)
  }
  const cierre = new Date(fechas.cierreVotacion)
  return {
    nuevas: pulso.nuevas,
    desde: desde && cuando(desde, now),
    porDia: pulso.porDia.map(({ dia, cuantas }) => ({ dia: diaEnPalabras(dia), esHoy: dia === diaDe(now), cuantas })),
    espera: {
      recibida: espera('recibida'),
      'en-revision': espera('en-revision'),
      'falta-documento': espera('falta-documento'),
    },
    votacion:
      anio !== actual || candidatas.length === 0
        ? undefined
        : isNotClosed(fechas.cierreVotacion, now)
          ? `Abierta: cierra el ${enDiaHoraYMinuto(cierre)}.`
          : `Cerró el ${enDiaHoraYMinuto(cierre)}.`,
    noLlegados,
    veVotacion: may(sesion.rol, 'resultados'),
    espacio: espacioEnPalabras(espacio),
    // Backups go by the machine's clock, whatever hour a rehearsal says that it is.
    respaldo: copiasEnPalabras(copias, new Date()),
  }
}
