import { listOlvidosPrevistos } from '#app/accounts/people/voter-erasure-schedule.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { listPrevistos } from '#app/entries/retention/schedule.server.ts'
import type { BorradoPrevisto, DiagnosticoGuardado } from './schema.ts'

/** What will be deleted by time, by edition, as it was announced: entries and voters' accounts together. */
export async function listBorradosPrevistos(db: Database): Promise<BorradoPrevisto[]> {
  const [entries, accounts] = await Promise.all([listPrevistos(db), listOlvidosPrevistos(db)])
  const ediciones = [...new Set([...entries, ...accounts].map(({ edicion }) => edicion))].sort((a, b) => a - b)
  return ediciones.map((edicion) => {
    const entry = entries.find((one) => one.edicion === edicion)
    const account = accounts.find((one) => one.edicion === edicion)
    const both = [entry, account].filter((one) => one !== undefined)
    return {
      edicion,
      inscripciones: entry?.cuantas ?? 0,
      cuentas: account?.cuantas ?? 0,
      desde: new Date(Math.min(...both.map(({ desde }) => desde.getTime()))),
      anunciadoAt: new Date(Math.max(...both.map(({ anunciadoAt }) => anunciadoAt.getTime()))),
      detenidoAt: both[0]!.detenidoAt,
    }
  })
}

/** How the site was when its watch looked last; those that are broken first. */
export async function listDiagnosticos(db: Database): Promise<DiagnosticoGuardado[]> {
  const rows = await db.selectFrom('diagnosticos').selectAll().orderBy('titulo').execute()
  const order = { falla: 0, aviso: 1, ok: 2 }
  return rows
    .map(({ de, titulo, nivel, dice, remedio, desde, visto_at: vistoAt }) => ({
      ...{ de, titulo, nivel, dice, remedio: remedio ?? undefined, desde, vistoAt },
    }))
    .sort((a, b) => order[a.nivel] - order[b.nivel])
}

/** How many things are broken. The disk is left out, which the panel's frame says in words of its own. */
export async function countFallas(db: Database): Promise<number> {
  const { cuantas } = await db
    .selectFrom('diagnosticos')
    .select((eb) => eb.fn.countAll<number>().as('cuantas'))
    .where('nivel', '=', 'falla')
    .where('de', '<>', 'espacio')
    .executeTakeFirstOrThrow()
  return cuantas
}
