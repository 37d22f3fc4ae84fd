import { type Selectable, sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Tables } from '#app/core/db/tables.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isSealed, signSeal } from '#app/voting/election/seal-signature.server.ts'
import { type CajaDicha, MIN_CAJA, type Papeleta, PRINCIPIO } from '#app/voting/record/block-seal.ts'
import type { CajaPublicada } from '#app/voting/record/schema.ts'
import { ballots } from './batch-reader.server.ts'
import { sealOf, sorted } from './block-seal.server.ts'
import { signLegacyRecuento } from './signed-recount.server.ts'

export type Caja = Selectable<Tables['cajas']>

/** What a link's signature covers; its seal covers the link before and the ballots. */
const cajaText = ({
  edicion,
  numero,
  papeletas,
  desde_lote,
  hasta_lote,
  sello,
}: Pick<Caja, 'edicion' | 'numero' | 'papeletas' | 'desde_lote' | 'hasta_lote' | 'sello'>) =>
  `caja ${edicion} ${numero} ${papeletas} ${desde_lote} ${hasta_lote} ${sello}`

export const isOwnCaja = (keys: Pick<Services, 'keyed'>, caja: Caja): boolean =>
  isSealed(keys, cajaText(caja), caja.firma)

/** The links from a number on, in their order. */
export const listCajas = (db: Database, edicion: number, from = 1): Promise<Caja[]> =>
  db
    .selectFrom('cajas')
    .selectAll()
    .where('edicion', '=', edicion)
    .where('numero', '>=', from)
    .orderBy('numero')
    .execute()

const lastCaja = (db: Database, edicion: number) =>
  db
    .selectFrom('cajas')
    .select(['numero', 'sello', 'hasta_lote'])
    .where('edicion', '=', edicion)
    .orderBy('numero', 'desc')
    .limit(1)
    .executeTakeFirst()

/** So many links are closed in one transaction: a vote that was under way at an upgrade may lack thousands. */
const CAJAS_AT_ONCE = 20

/**
 * Closes a link as soon as the batches since the last one hold enough ballots; after the closing act nothing is done. The
 * caller's transaction holds the lock of sealing.
 * @param atEnd closes every link there is to close, the last with whatever is left over
 * @returns whether there may be more to close
 */
export async function closeCajas(
  { db: tx, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>,
  edicion: number,
  atEnd = false,
): Promise<boolean> {
  const { rows } = await sql<{ waiting: number }>`
    select coalesce(sum(papeletas), 0)::bigint as waiting from lotes
    where edicion = ${edicion} and numero > (select coalesce(max(hasta_lote), 0) from cajas where edicion = ${edicion})
      and not exists (select from actas where edicion = ${edicion} and clase = 'cierre')`.execute(tx)
  const { waiting } = rows[0]!
  if (waiting < (atEnd ? 1 : MIN_CAJA)) return false
  const last = await lastCaja(tx, edicion)
  if (!last) await signLegacyRecuento({ db: tx, keyed }, edicion)
  let numero = last?.numero ?? 0
  let anterior = last?.sello ?? PRINCIPIO
  let desde = (last?.hasta_lote ?? 0) + 1
  let hasta = desde - 1
  let closed = 0
  let open: Papeleta[] = []
  const close = async () => {
    const caja = {
      edicion,
      numero: ++numero,
      papeletas: open.length,
      desde_lote: desde,
      hasta_lote: hasta,
      sello: sealOf(numero, anterior, sorted(open)),
    }
    await tx
      .insertInto('cajas')
      .values({ ...caja, anterior, firma: signSeal({ keyed }, cajaText(caja)), cerrada_at: clock.now() })
      .execute()
    anterior = caja.sello
    desde = hasta + 1
    open = []
    closed++
  }
  for await (const { numero: lote, papeletas } of ballots(tx, edicion, desde - 1)) {
    open.push(...papeletas)
    hasta = lote
    if (open.length < MIN_CAJA) continue
    await close()
    if (closed === CAJAS_AT_ONCE && !atEnd) return true
  }
  if (atEnd && open.length > 0) await close()
  return false
}

/** Links with their ballots, sorted, and the seal that these give. @param lotes theirs, in the chain's order */
export async function* filled(
  cajas: readonly Caja[],
  lotes: AsyncIterable<{ numero: number; papeletas: Papeleta[] }>,
): AsyncGenerator<{ caja: Caja; papeletas: Papeleta[]; sello: string }> {
  let at = 0
  let open: Papeleta[] = []
  const close = (caja: Caja) => {
    const papeletas = sorted(open)
    open = []
    at++
    return { caja, papeletas, sello: sealOf(caja.numero, caja.anterior, papeletas) }
  }
  for await (const { numero, papeletas } of lotes) {
    if (open.length === 0) open = papeletas
    else for (const papeleta of papeletas) open.push(papeleta)
    for (let caja = cajas[at]; caja && caja.hasta_lote <= numero; caja = cajas[at]) yield close(caja)
  }
  for (let caja = cajas[at]; caja; caja = cajas[at]) yield close(caja)
}

/** The links with their ballots as they stand in the database now. */
export const filledCajas = async (db: Database, edicion: number) =>
  filled(await listCajas(db, edicion), ballots(db, edicion))

/** A link as a line of the published file. @param places where each name stands in the file's list of them */
export const lineOf = (
  { numero, anterior, sello }: Pick<Caja, 'numero' | 'anterior' | 'sello'>,
  papeletas: readonly Papeleta[],
  places: ReadonlyMap<string, number>,
): string => {
  const caja: CajaPublicada = {
    ...{ numero, anterior, sello },
    papeletas: papeletas.map(({ recibo, candidata }) => `${recibo} ${places.get(candidata)}`),
  }
  return JSON.stringify(caja)
}

/** What everybody is told of a link. */
export const dichaDe = ({ numero, papeletas, sello }: Caja): CajaDicha => ({ numero, papeletas, sello })

/** The newest link that this site closed; undefined while there is none. */
export async function newestCaja(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  edicion: number,
): Promise<CajaDicha | undefined> {
  const last = await lastCaja(db, edicion)
  const [caja] = last ? await listCajas(db, edicion, last.numero) : []
  return caja && isOwnCaja({ keyed }, caja) ? dichaDe(caja) : undefined
}
