import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { endSesionesDeJurado, makeCuentaDeJurado } from '#app/accounts/people/judges.server.ts'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { appendEntry, type Sitio } from './append-record-entry.server.ts'
import { loadParaAbrir, readActa } from './data.server.ts'
import type { AsientoDe } from './record-entries.ts'
import { objeta } from './record-entry-rules.ts'

const HOUR_MS = 3_600_000
/** The evening lasts so long after the coronation begins; a rehearsal so long after its links were made. */
const NOCHE_MS = 12 * HOUR_MS

/** Until when links that are made now hold. */
export const finDeLaNoche = (coronacion: Date, now: Date): Date =>
  new Date(Math.max(coronacion.getTime(), now.getTime()) + NOCHE_MS)

const hashOf = (llave: string) => createHash('sha256').update(llave).digest('hex')

const MAX_NOMBRE = 60

/**
 * Makes a judge's link, which opens one telephone. Whatever link or telephone the judge had is shut out.
 * @returns the link's key, which nobody can read again; undefined where there is no such place
 */
export async function hacerEnlace(
  services: Sitio,
  { juez, nombre }: { juez: number; nombre: string },
  autor: Autor,
): Promise<{ llave: string } | undefined> {
  const { db, clock } = services
  const { edicion, reglas, coronacion } = await loadParaAbrir()
  if (!Number.isInteger(juez) || juez < 1 || juez > reglas.jueces) return undefined
  const said = typedText(nombre.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')).slice(0, MAX_NOMBRE) || `Jurado ${juez}`
  const llave = randomBytes(24).toString('base64url')
  const now = clock.now()
  const hasta = finDeLaNoche(coronacion, now)
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.asentar}, ${edicion}::int)`.execute(tx)
    const before = await tx
      .selectFrom('jueces')
      .select('user_id')
      .where('edicion', '=', edicion)
      .where('numero', '=', juez)
      .executeTakeFirst()
    const apodo = `jurado-${juez}-${edicion}`
    const cuenta = await makeCuentaDeJurado(tx, { cuenta: before?.user_id ?? null, apodo, nombre: said, hasta })
    const fields = {
      ...{ nombre: said, user_id: cuenta, huella: hashOf(llave) },
      ...{ vence_at: hasta, usado_at: null, usado_por: null },
    }
    await tx
      .insertInto('jueces')
      .values({ edicion, numero: juez, ...fields })
      .onConflict((conflict) => conflict.columns(['edicion', 'numero']).doUpdateSet(fields))
      .execute()
    await noteTelephone({ ...services, db: tx }, edicion, { juez, hecho: 'enlace-nuevo' }, autor)
    await anotar(tx, autor, { que: 'final.enlace', edicion, sobre: `Jurado ${juez}` })
  })
  return { llave }
}

/**
 * Writes into the act that a judge's telephone changes while a final is open: who makes another link could sign with it in
 * the judge's place. An act that is not what was sealed takes no further entry.
 */
async function noteTelephone(
  services: Sitio,
  edicion: number,
  change: Pick<AsientoDe<'telefono'>, 'juez' | 'hecho'>,
  autor: Autor,
): Promise<void> {
  const acta = await readActa(services, edicion)
  const hecho = { clase: 'telefono' as const, ...change }
  if (acta.alterado !== undefined || objeta(acta.estado, hecho)) return
  await appendEntry(services, edicion, acta, hecho, { autor })
}

/** Shuts out a judge's telephone and link, without another one. */
export async function cerrarTelefono(services: Sitio, edicion: number, juez: number, autor: Autor): Promise<void> {
  await services.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.asentar}, ${edicion}::int)`.execute(tx)
    const row = await tx
      .updateTable('jueces')
      .set({ huella: null })
      .where('edicion', '=', edicion)
      .where('numero', '=', juez)
      .returning('user_id')
      .executeTakeFirst()
    if (row?.user_id) await endSesionesDeJurado(tx, [row.user_id])
    await noteTelephone({ ...services, db: tx }, edicion, { juez, hecho: 'cerrado' }, autor)
    await anotar(tx, autor, { que: 'final.enlace.retirado', edicion, sobre: `Jurado ${juez}` })
  })
}

export type MotivoDeEnlace = 'desconocido' | 'usado' | 'vencido'

/**
 * Uses a judge's link, which serves one telephone.
 * @param aparato what the telephone calls itself: the same one may ask again, after a lost answer
 * @returns the judge's account
 */
export async function usarEnlace(
  { db, clock }: Sitio,
  llave: string,
  aparato: string,
): Promise<{ ok: true; cuenta: string } | { ok: false; reason: MotivoDeEnlace }> {
  const [huella, por, now] = [hashOf(llave), hashOf(aparato), clock.now()]
  // Of two requests at once, one finds the link unused.
  const used = await db
    .updateTable('jueces')
    .set({ usado_at: now, usado_por: por })
    .where('huella', '=', huella)
    .where('vence_at', '>', now)
    .where((eb) => eb.or([eb('usado_at', 'is', null), eb('usado_por', '=', por)]))
    .returning('user_id')
    .executeTakeFirst()
  if (used?.user_id) return { ok: true, cuenta: used.user_id }
  const row = await db.selectFrom('jueces').select('vence_at').where('huella', '=', huella).executeTakeFirst()
  if (!row) return { ok: false, reason: 'desconocido' }
  return { ok: false, reason: row.vence_at && row.vence_at > now ? 'usado' : 'vencido' }
}
