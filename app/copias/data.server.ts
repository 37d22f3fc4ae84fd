import type { Database } from '#app/platform/database.server.ts'
import { comoSeDice } from '#app/platform/fechas.ts'

/** What is known of the site's backups. */
export interface EstadoDeCopias {
  /** When the newest whole one was done, and where it lies. */
  ultima: { at: Date; destino: string } | undefined
  /** What became of the last one that was tried; undefined: nothing went wrong. */
  falla: string | undefined
  /** When one was last restored in rehearsal, and what differed. */
  ensayo: { at: Date; falla: string | null } | undefined
}

export async function readEstadoDeCopias(db: Database): Promise<EstadoDeCopias> {
  const whole = await db
    .selectFrom('copias')
    .select(['hecha_at', 'destino'])
    .where('hecha_at', 'is not', null)
    .orderBy('hecha_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const last = await db.selectFrom('copias').select('falla').orderBy('empezada_at', 'desc').limit(1).executeTakeFirst()
  const rehearsed = await db
    .selectFrom('copias')
    .select(['ensayada_at', 'ensayo_falla'])
    .where('ensayada_at', 'is not', null)
    .orderBy('ensayada_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return {
    ultima: whole && { at: whole.hecha_at!, destino: whole.destino },
    falla: last?.falla ?? undefined,
    ensayo: rehearsed && { at: rehearsed.ensayada_at!, falla: rehearsed.ensayo_falla },
  }
}

/** The same in the organisers' words. */
export function copiasEnPalabras({ ultima, falla, ensayo }: EstadoDeCopias, now: Date): string {
  if (!ultima && !falla) return 'Todavía no hay ninguno. Pídele a quien cuida el servidor que ponga BACKUP_URL.'
  const when = (at: Date) => comoSeDice(at, now)
  const words = [ultima ? `El último, ${when(ultima.at)}.` : 'Todavía no hay ninguno.']
  if (falla) words.push(`El más reciente falló: ${falla}`)
  if (ensayo) words.push(ensayo.falla ? `Al ensayarlo, falló: ${ensayo.falla}` : `Ensayado ${when(ensayo.at)}.`)
  return words.join(' ')
}
