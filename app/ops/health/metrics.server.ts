import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { readBackupStatus } from '#app/ops/backup/data.server.ts'

/** Metrics of the database for monitoring. Ages (`_s`) are in seconds, null if there is no row; the rest are counts. */
export interface DatabaseMetrics {
  /** Votes of all editions. */
  votos: number
  sin_sellar: number
  sin_sellar_s: number | null
  correo_en_cola: number
  correo_mas_viejo_s: number | null
  /** Messages given up within the last hour. */
  correo_fallido: number
  /** 1 while the newest publication is being prepared, otherwise 0. */
  publicando: number
  /** 1 if the newest publication failed, otherwise 0. */
  publicacion_fallida: number
  copia_s: number | null
  ensayo_s: number | null
  /** Diagnoses of the health watch that are faults. */
  fallas: number
}

/** Reads the metrics. @param backupUrl destination of the site's own backups; undefined if backups at all destinations count */
export async function readMetrics(db: Database, backupUrl: string | undefined): Promise<DatabaseMetrics> {
  const { latest, rehearsal } = await readBackupStatus(db, backupUrl)
  const { rows } = await sql<DatabaseMetrics>`
    with unsealed as (select created_at from banda_digital_votes where lote is null),
      queue as (select created_at from correos where sent_at is null and failed_at is null),
      newest_publication as (select estado from publicaciones order by id desc limit 1)
    select (select coalesce(sum(papeletas), 0) from lotes) + (select count(*) from unsealed) as votos,
      (select count(*) from unsealed) as sin_sellar,
      (select extract(epoch from clock_timestamp() - min(created_at)) from unsealed) as sin_sellar_s,
      (select count(*) from queue) as correo_en_cola,
      (select extract(epoch from clock_timestamp() - min(created_at)) from queue) as correo_mas_viejo_s,
      (select count(*) from correos where failed_at > clock_timestamp() - interval '1 hour') as correo_fallido,
      (select count(*) from newest_publication where estado = 'preparando') as publicando,
      (select count(*) from newest_publication where estado = 'fallida') as publicacion_fallida,
      (select extract(epoch from clock_timestamp() - at) from (select ${latest?.at ?? null}::timestamptz as at) completed) as copia_s,
      (select extract(epoch from clock_timestamp() - rehearsed_at)
        from (select ${rehearsal?.at ?? null}::timestamptz as rehearsed_at) rehearsed) as ensayo_s,
      (select count(*) from diagnosticos where nivel = 'falla') as fallas`.execute(db)
  return rows[0]!
}

export const readDataDiskSpace = ({ dataDir, diskReserve }: Settings) => readDiskSpace(dataDir, diskReserve)
