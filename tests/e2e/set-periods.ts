import type { Site } from './site.ts'

export const ANTES = { abre: '2099-09-01T10:00:00-06:00', cierra: '2099-09-10T23:59:00-06:00' }
export const OPEN_PERIOD = { abre: '2020-06-01T00:00:00-06:00', cierra: '2099-09-10T23:59:00-06:00' }
export const CLOSED_PERIOD = { abre: '2020-06-01T00:00:00-06:00', cierra: '2020-08-01T00:00:00-06:00' }

interface Period {
  abre: string
  cierra: string
}

/** Sets both registrations' periods, as organisers do in the panel. @returns restores the content's periods */
export async function setPeriods(site: Site, candidates: Period, costumes: Period): Promise<() => Promise<void>> {
  const change = 'on conflict (edicion, nombre) do update set valor = excluded.valor'
  const insert = `insert into ajustes (edicion, nombre, valor) values (2025, $1, $2) ${change}`
  await site.sql(insert, ['registro.candidatas', JSON.stringify(candidates)])
  await site.sql(insert, ['registro.trajes', JSON.stringify(costumes)])
  return async () => {
    await site.sql(`delete from ajustes where nombre like 'registro.%'`)
  }
}
