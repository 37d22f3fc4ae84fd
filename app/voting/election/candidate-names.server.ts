import { sql } from 'kysely'
import { idsRetiradas } from '#app/cms/publishing/withdrawal.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { type Eleccion, NAME_KEY, signNombre } from './data.server.ts'
import { FIRMADAS, isSigned, VOTE_KEY } from './vote-signature.server.ts'

/** How many votes with an unknown name are looked at, to tell whether the site took one of them. */
const MAX_LOOKED_AT = 1_000

interface Guardado {
  nombre: string
  id: string
}

const listNombres = (db: Database, edicion: number): Promise<Guardado[]> =>
  db
    .selectFrom('candidatas')
    .select(['nombre', 'id'])
    .where('edicion', '=', edicion)
    .orderBy('id')
    .orderBy('nombre')
    .execute()

/** Which candidate each name is, as the content says: present names, and those of before. */
const dichos = (candidatas: Eleccion['candidatas']): Map<string, string> =>
  new Map(candidatas.flatMap(({ id, nombre, antes = [] }) => [nombre, ...antes].map((one) => [one, id] as const)))

/**
 * What a content would part from its votes: an id that is gone or changed, a name that is another one's now, or a name
 * that this site took votes for and that nobody has.
 * @returns undefined where each vote keeps its candidate; otherwise why not, by name and number of votes
 */
export async function separaVotos(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  eleccion: Pick<Eleccion, 'edicion' | 'candidatas' | 'retiradas'>,
): Promise<string | undefined> {
  const votos = await countByName(db, eleccion.edicion)
  return faultOf({ db, keyed }, eleccion, votos, await listNombres(db, eleccion.edicion))
}

async function faultOf(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  { edicion, candidatas, retiradas = [] }: Pick<Eleccion, 'edicion' | 'candidatas' | 'retiradas'>,
  votos: ReadonlyMap<string, number>,
  kept: readonly Guardado[],
): Promise<string | undefined> {
  const says = dichos(candidatas)
  // Who has been withdrawn keeps her votes under her id.
  const gone = [...retiradas.map(({ id }) => id), ...(await idsRetiradas(db, edicion))]
  const ids = new Set([...candidatas.map(({ id }) => id), ...gone])
  const file = `content/${edicion}/candidatas.yaml`
  const parted = [...Map.groupBy(kept, ({ id }) => id)].flatMap(([id, names]) => {
    const voted = names.filter(({ nombre }) => votos.has(nombre))
    if (voted.length === 0) return []
    const quien = `${voted.map(({ nombre }) => `«${nombre}» tiene ${cuantos(votos.get(nombre)!)}`).join(', ')} con el id «${id}»`
    const moved = names.map(({ nombre }) => says.get(nombre) ?? id).find((now) => now !== id)
    if (moved !== undefined) return `${quien}, y ahora dice «${moved}»`
    if (!ids.has(id)) return `${quien}, que ya no está`
    const other = kept.find((one) => one.id !== id && says.get(one.nombre) === id)
    return other ? `${quien}, que ahora es el de «${other.nombre}»` : []
  })
  if (parted.length > 0)
    return `${file} separa votos de su candidata: ${parted.join('; ')}. Devuelve los ids como estaban: para corregir un nombre se cambia sólo «nombre».`
  const known = new Set([...says.keys(), ...kept.map(({ nombre }) => nombre)])
  const unknown = [...votos.keys()].filter((nombre) => !known.has(nombre))
  const strange = await ofNobody(db, keyed, edicion, unknown)
  if (strange.length > 0)
    return `Hay votos que no son de ninguna candidata de ${file}: ${strange.map((nombre) => `«${nombre}» tiene ${cuantos(votos.get(nombre)!)}`).join('; ')}. Si así se llamaba una de ellas, agrega ese nombre a su lista «antes»; si se quitó a una, devuélvela.`
  return undefined
}

/**
 * Writes down the names that the content gives the candidates, before any vote can bear them. Names written before
 * stay, so that a candidate whose name is corrected keeps the votes of the old one.
 * @throws StartError where votes would be parted from their candidate (`separaVotos`)
 */
export async function keepNombres(
  { db, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>,
  eleccion: Eleccion,
): Promise<void> {
  const { edicion } = eleccion
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.nombrar}, ${edicion}::int)`.execute(tx)
    const kept = await listNombres(tx, edicion)
    const votos = await countByName(tx, edicion)
    const fault = await faultOf({ db: tx, keyed }, eleccion, votos, kept)
    if (fault !== undefined) throw new StartError(fault)
    const says = dichos(eleccion.candidatas)
    // Until a vote bears a name, a site whose key changed signs all of them anew: nobody counts by them yet.
    const before = votos.size === 0 ? kept.filter(({ nombre }) => !says.has(nombre)) : []
    const rows = [...[...says].map(([nombre, id]) => ({ nombre, id })), ...before].map((one) => ({ edicion, ...one }))
    // Nobody is announced yet.
    if (rows.length === 0) return
    await tx
      .insertInto('candidatas')
      .values(rows.map((row) => ({ ...row, firma: signNombre(keyed(NAME_KEY), row), at: clock.now() })))
      .onConflict((conflict) =>
        conflict
          .columns(['edicion', 'nombre'])
          .doUpdateSet(({ ref }) => ({ id: ref('excluded.id'), firma: ref('excluded.firma'), at: ref('excluded.at') }))
          .where(({ eb, or, ref }) =>
            or([eb('candidatas.id', '<>', ref('excluded.id')), eb('candidatas.firma', '<>', ref('excluded.firma'))]),
          ),
      )
      .execute()
  })
}

const cuantos = (votos: number) => (votos === 1 ? '1 voto' : `${votos} votos`)

/** Votes of each name, from the sums and the few rows since. Rows that were written without the site are left out. */
async function countByName(db: Database, edicion: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ nombre: string; votos: number }>`
    select nombre, sum(votos)::bigint as votos from (
      select candidata as nombre, votos from votos_por_hora where edicion = ${edicion}
      union all
      select candidata, 1 from banda_digital_votes where edicion = ${edicion} and lote is null and firma is not null
    ) as todos where nombre <> '' group by nombre having sum(votos) > 0 order by nombre`.execute(db)
  return new Map(rows.map(({ nombre, votos }) => [nombre, votos]))
}

/**
 * Which of these names, which no candidate has, this site took votes for. None once the closing act says what counted.
 */
async function ofNobody(db: Database, keyed: Services['keyed'], edicion: number, nombres: string[]): Promise<string[]> {
  if (nombres.length === 0) return []
  const acta = db.selectFrom('actas').select('sello').where('edicion', '=', edicion).where('clase', '=', 'cierre')
  if (await acta.executeTakeFirst()) return []
  const found: string[] = []
  for (const nombre of nombres) {
    const some = await db
      .selectFrom('banda_digital_votes')
      .select(FIRMADAS)
      .where('edicion', '=', edicion)
      .where('candidata', '=', nombre)
      .limit(MAX_LOOKED_AT)
      .execute()
    if (some.some((row) => isSigned(keyed(VOTE_KEY), row))) found.push(nombre)
  }
  return found
}
