import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { makeCode } from '#app/platform/codigos.ts'
import type { Database } from '#app/platform/database.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import { isAnyUuid } from '#app/platform/uuid.ts'
import type { Eleccion } from './data.server.ts'
import { isSigned, NAME_KEY, signNombre, signVote, VOTE_KEY } from './data.server.ts'
import { isDesechable } from './desechables.ts'
import { createOrigenes, type Origen } from './origenes.server.ts'
import { isDone, makeReto } from './prueba.server.ts'
import { bloqueDe, dominioDe, isVotacionAbierta, normalCorreo, TRABAJO_DESECHABLE, trabajoFor } from './rules.ts'
import { LETRAS_RECIBO, RECIBO_CHARACTERS, type RespuestaDeVoto } from './schema.ts'
import { createUrna } from './urna.server.ts'

/** The person who votes, and from where. */
interface Votante {
  userId: string
  correo: string
  /** Network address; only a keyed hash of its block is kept. */
  client: string
}

interface Papel {
  /** The candidate's place in the vote's order. */
  vote: unknown
  /** An UUID that the page made for this attempt: sent again, it is the same vote. */
  intento?: unknown
  prueba?: { reto: string; respuesta: string } | undefined
}

/** The vote in one process, with what it keeps between votes. */
export interface Votacion {
  /**
   * Casts the one vote that a person has in an edition. One INSERT decides, over all processes and however many come at
   * once; it also refuses a vote once the closing act is there, whatever this process's clock says.
   * @returns the receipt; the same one again for an attempt that is repeated after a lost answer
   * @source §4, D23, D24, D26
   */
  cast(eleccion: Eleccion, votante: Votante, papel: Papel): Promise<RespuestaDeVoto>
}

/** Made once in a process, at its start. */
export function createVotacion({ db, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>): Votacion {
  const urna = createUrna(db)
  const vistos = createOrigenes(db)

  async function cast(
    { edicion, cierre, candidatas }: Eleccion,
    { userId, correo, client }: Votante,
    { vote, intento: given, prueba }: Papel,
  ): Promise<RespuestaDeVoto> {
    const now = clock.now()
    if (!isVotacionAbierta(cierre, now)) return { ok: false, reason: 'cerrada' }
    const candidata = typeof vote === 'number' ? candidatas[vote] : undefined
    if (candidata === undefined) return { ok: false, reason: 'candidata' }
    const intento = isAnyUuid(given) ? given : null

    const dominio = dominioDe(correo)
    const red = createHmac('sha256', keyed('voto.red')).update(bloqueDe(client)).digest('base64url').slice(0, 16)
    const excess = await vistos.excessNow(edicion, now)
    const desechable = dominio !== undefined && isDesechable(dominio)
    const origenes: Origen[] = [['red', red], ...(dominio === undefined ? [] : [['dominio', dominio] as const])]
    const [ofRed = 0, ofDominio = 0] = origenes.map(excess)
    const sospecha = desechable ? 'desechable' : ofDominio > 0 ? 'dominio' : ofRed > 0 ? 'red' : null
    if (sospecha) {
      const trabajo = Math.max(desechable ? TRABAJO_DESECHABLE : 0, trabajoFor(Math.max(ofRed, ofDominio)))
      const asked = prueba && (await isDone(keyed('voto.reto'), userId, trabajo, now.getTime(), prueba))
      if (!asked) {
        // An account that has voted already would work for nothing.
        const before = await earlier(edicion, userId, candidata, intento)
        if (before) return before
        const reto = await makeReto(keyed('voto.reto'), userId, trabajo, now.getTime())
        return { ok: false, reason: 'prueba', reto }
      }
    }

    const recibo = makeCode(RECIBO_CHARACTERS, LETRAS_RECIBO)
    const row = { edicion, user_id: userId, candidata: candidata.nombre, recibo }
    const hashed = createHmac('sha256', keyed('voto.correo')).update(normalCorreo(correo)).digest()
    const uncount = vistos.count(now, origenes)
    const recepcion = await urna
      .insert({
        ...row,
        correo: hashed,
        intento,
        firma: signVote(keyed(VOTE_KEY), row),
        red,
        dominio: dominio ?? null,
        sospecha,
        created_at: now,
      })
      .catch((error: unknown) => {
        uncount()
        throw error
      })
    if (recepcion === 'dentro') return { ok: true, recibo }
    uncount()
    const before = await earlier(edicion, userId, candidata, intento)
    return before ?? { ok: false, reason: recepcion === 'cerrada' ? 'cerrada' : 'ya-votaste' }
  }

  /** The answer to an attempt of an account that has a vote already; undefined: it has none. */
  async function earlier(
    edicion: number,
    userId: string,
    { id, nombre }: Eleccion['candidatas'][number],
    intento: string | null,
  ): Promise<RespuestaDeVoto | undefined> {
    const row = await urna.find(edicion, userId)
    if (!row) return undefined
    // The candidate's name may have been corrected since.
    const isHers = row.candidata === nombre || row.candidataId === id
    return isHers && intento !== null && row.intento === intento && row.recibo !== null
      ? { ok: true, recibo: row.recibo }
      : { ok: false, reason: 'ya-votaste' }
  }

  return { cast }
}

/** The lock under which one process of the site writes names at a time: any number, the same in all of them. */
const NAMES_LOCK = 7_402_106
/** How many votes with an unknown name are looked at, to tell whether the site took one of them. */
const MAX_LOOKED_AT = 1_000

/**
 * Writes down the names that the content gives the candidates, before any vote can bear them. Names written before
 * stay, so that a candidate whose name is corrected keeps the votes of the old one.
 * @throws StartError where votes would be parted from their candidate: by an id that is gone or changed, by a name that
 * is another one's now, or by a name that this site took votes for and that nobody has
 */
export async function keepNombres(
  { db, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>,
  { edicion, candidatas }: Eleccion,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${NAMES_LOCK}, ${edicion}::int)`.execute(tx)
    const kept = await tx
      .selectFrom('candidatas')
      .select(['nombre', 'id'])
      .where('edicion', '=', edicion)
      .orderBy('id')
      .orderBy('nombre')
      .execute()
    const says = new Map(candidatas.flatMap(({ id, nombre, antes = [] }) => [nombre, ...antes].map((one) => [one, id])))
    const ids = new Set(candidatas.map(({ id }) => id))
    const votos = await countByName(tx, edicion)
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
      throw new StartError(
        `${file} separa votos de su candidata: ${parted.join('; ')}. Devuelve los ids como estaban: para corregir un nombre se cambia sólo «nombre».`,
      )
    const known = new Set([...says.keys(), ...kept.map(({ nombre }) => nombre)])
    const strange = await ofNobody(
      tx,
      keyed,
      edicion,
      [...votos.keys()].filter((nombre) => !known.has(nombre)),
    )
    if (strange.length > 0)
      throw new StartError(
        `Hay votos que no son de ninguna candidata de ${file}: ${strange.map((nombre) => `«${nombre}» tiene ${cuantos(votos.get(nombre)!)}`).join('; ')}. Si así se llamaba una de ellas, agrega ese nombre a su lista «antes»; si se quitó a una, devuélvela.`,
      )
    // Until a vote bears a name, a site whose key changed signs all of them anew: nobody counts by them yet.
    const before = votos.size === 0 ? kept.filter(({ nombre }) => !says.has(nombre)) : []
    const rows = [...[...says].map(([nombre, id]) => ({ nombre, id })), ...before].map((one) => ({ edicion, ...one }))
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
      .select(['edicion', 'user_id', 'candidata', 'recibo', 'firma'])
      .where('edicion', '=', edicion)
      .where('candidata', '=', nombre)
      .limit(MAX_LOOKED_AT)
      .execute()
    if (some.some((row) => isSigned(keyed(VOTE_KEY), row))) found.push(nombre)
  }
  return found
}
