import { type Selectable, sql } from 'kysely'
import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import type { Tables } from '#app/platform/tables.ts'
import { sealOf, sorted } from './cadena.server.ts'
import { type CajaDicha, MIN_CAJA, type Papeleta, PRINCIPIO } from './cadena.ts'
import { ballots } from './cadena-guardada.server.ts'
import { signLegacyRecuento } from './recuento-firmado.server.ts'
import { isSealed, signSeal } from './sello.server.ts'

type Caja = Selectable<Tables['cajas']>

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

/** The links with their ballots as they stand in the database now, sorted, and the seal that these give. */
export async function* filledCajas(
  db: Database,
  edicion: number,
): AsyncGenerator<{ caja: Caja; papeletas: Papeleta[]; sello: string }> {
  const cajas = await listCajas(db, edicion)
  let open: Papeleta[] = []
  for await (const { numero, papeletas } of ballots(db, edicion)) {
    open.push(...papeletas)
    while (cajas[0] && cajas[0].hasta_lote <= numero) {
      const caja = cajas.shift()!
      yield { caja, papeletas: sorted(open), sello: sealOf(caja.numero, caja.anterior, open) }
      open = []
    }
  }
  for (const caja of cajas) {
    yield { caja, papeletas: sorted(open), sello: sealOf(caja.numero, caja.anterior, open) }
    open = []
  }
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
