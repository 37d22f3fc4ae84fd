import { sql } from 'kysely'
import { listWithdrawnIds } from '#app/cms/publishing/withdrawal.server.ts'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { type Election, NAME_KEY_PURPOSE, signCandidateName } from './data.server.ts'
import { isVoteSigned, SIGNED_COLUMNS, VOTE_KEY_PURPOSE } from './vote-signature.server.ts'

/**
 * Maximum number of votes per unknown name whose signatures are checked. Without a signed vote among them, the name is ignored.
 */
const MAX_CHECKED_VOTES = 1_000

interface StoredName {
  nombre: string
  id: string
}

const listStoredNames = (db: Database, edition: number): Promise<StoredName[]> =>
  db
    .selectFrom('candidatas')
    .select(['nombre', 'id'])
    .where('edicion', '=', edition)
    .orderBy('id')
    .orderBy('nombre')
    .execute()

/** Maps each present and former name in the content to its candidate's id. */
const mapNamesToIds = (candidates: Election['candidatas']): Map<string, string> =>
  new Map(candidates.flatMap(({ id, nombre, antes = [] }) => [nombre, ...antes].map((name) => [name, id] as const)))

/**
 * Explains which votes a content change would orphan: their candidate's id vanished, changed or now belongs to another candidate,
 * or, while there is no closing record, votes that were cast through the site name no candidate.
 * @returns a Spanish explanation with names and numbers of votes; undefined if no votes would be orphaned
 */
export async function explainOrphanedVotes(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  election: Pick<Election, 'edicion' | 'candidatas' | 'retiradas'>,
): Promise<string | undefined> {
  const votesByName = await countVotesByName(db, election.edicion)
  return explainOrphanedVotesOf({ db, keyed }, election, votesByName, await listStoredNames(db, election.edicion))
}

async function explainOrphanedVotesOf(
  { db, keyed }: Pick<Services, 'db' | 'keyed'>,
  { edicion, candidatas, retiradas = [] }: Pick<Election, 'edicion' | 'candidatas' | 'retiradas'>,
  votesByName: ReadonlyMap<string, number>,
  storedNames: readonly StoredName[],
): Promise<string | undefined> {
  const idByName = mapNamesToIds(candidatas)
  // Withdrawn candidates keep their votes under their ids.
  const withdrawnIds = [...retiradas.map(({ id }) => id), ...(await listWithdrawnIds(db, edicion))]
  const knownIds = new Set([...candidatas.map(({ id }) => id), ...withdrawnIds])
  const file = `content/${edicion}/candidatas.yaml`
  const orphanedVoteTexts = [...Map.groupBy(storedNames, ({ id }) => id)].flatMap(([id, names]) => {
    const votedNames = names.filter(({ nombre }) => votesByName.has(nombre))
    if (votedNames.length === 0) return []
    const votesText = `${votedNames.map(({ nombre }) => `«${nombre}» tiene ${quantity(votesByName.get(nombre)!, 'voto')}`).join(', ')} con el id «${id}»`
    const newId = names.map(({ nombre }) => idByName.get(nombre) ?? id).find((contentId) => contentId !== id)
    if (newId !== undefined) return `${votesText}, y ahora dice «${newId}»`
    if (!knownIds.has(id)) return `${votesText}, que ya no está`
    const newIdOwner = storedNames.find((storedName) => storedName.id !== id && idByName.get(storedName.nombre) === id)
    return newIdOwner ? `${votesText}, que ahora es el de «${newIdOwner.nombre}»` : []
  })
  if (orphanedVoteTexts.length > 0)
    return `${file} separa votos de su candidata: ${orphanedVoteTexts.join('; ')}. Devuelve los ids como estaban: para corregir un nombre se cambia sólo «nombre».`
  const knownNames = new Set([...idByName.keys(), ...storedNames.map(({ nombre }) => nombre)])
  const unknownNames = [...votesByName.keys()].filter((name) => !knownNames.has(name))
  const namesWithoutCandidate = await listNamesWithoutCandidate(db, keyed, edicion, unknownNames)
  if (namesWithoutCandidate.length > 0)
    return `Hay votos que no son de ninguna candidata de ${file}: ${namesWithoutCandidate.map((name) => `«${name}» tiene ${quantity(votesByName.get(name)!, 'voto')}`).join('; ')}. Si así se llamaba una de ellas, agrega ese nombre a su lista «antes»; si se quitó a una, devuélvela.`
  return undefined
}

/**
 * Stores the names of the content's candidates, at the start and before each publication is shown, so that votes for a new name
 * find its candidate. Former names stay stored, so that a candidate whose name is corrected keeps the votes of the old name.
 * @throws StartError if votes would be orphaned (`explainOrphanedVotes`)
 */
export async function storeCandidateNames(
  { db, clock, keyed }: Pick<Services, 'db' | 'clock' | 'keyed'>,
  election: Election,
): Promise<void> {
  const { edicion } = election
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.writeNames}, ${edicion}::int)`.execute(tx)
    const storedNames = await listStoredNames(tx, edicion)
    const votesByName = await countVotesByName(tx, edicion)
    const fault = await explainOrphanedVotesOf({ db: tx, keyed }, election, votesByName, storedNames)
    if (fault !== undefined) throw new StartError(fault)
    const idByName = mapNamesToIds(election.candidatas)
    // The content's names are signed again if the site's key has changed; other stored names only before the first vote.
    const formerNames = votesByName.size === 0 ? storedNames.filter(({ nombre }) => !idByName.has(nombre)) : []
    const rows = [...[...idByName].map(([name, id]) => ({ nombre: name, id })), ...formerNames].map(
      ({ nombre, id }) => ({ edicion, nombre, id }),
    )
    if (rows.length === 0) return
    await tx
      .insertInto('candidatas')
      .values(rows.map((row) => ({ ...row, firma: signCandidateName(keyed(NAME_KEY_PURPOSE), row), at: clock.now() })))
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

/**
 * Counts votes by name, from the hourly sums and the few unsealed rows. Unsealed rows without a signature, which the site did not
 * write, do not count.
 */
async function countVotesByName(db: Database, edition: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ nombre: string; votos: number }>`
    select nombre, sum(votos)::bigint as votos from (
      select candidata as nombre, votos from votos_por_hora where edicion = ${edition}
      union all
      select candidata, 1 from banda_digital_votes where edicion = ${edition} and lote is null and firma is not null
    ) as votes where nombre <> '' group by nombre having sum(votos) > 0 order by nombre`.execute(db)
  return new Map(rows.map(({ nombre, votos }) => [nombre, votos]))
}

/** Lists the unknown names with signed votes. Returns none once a closing record exists. */
async function listNamesWithoutCandidate(
  db: Database,
  keyed: Services['keyed'],
  edition: number,
  unknownNames: string[],
): Promise<string[]> {
  if (unknownNames.length === 0) return []
  const closingRecordQuery = db
    .selectFrom('actas')
    .select('sello')
    .where('edicion', '=', edition)
    .where('clase', '=', 'cierre')
  if (await closingRecordQuery.executeTakeFirst()) return []
  const namesWithoutCandidate: string[] = []
  for (const name of unknownNames) {
    const votesWithName = await db
      .selectFrom('banda_digital_votes')
      .select(SIGNED_COLUMNS)
      .where('edicion', '=', edition)
      .where('candidata', '=', name)
      .limit(MAX_CHECKED_VOTES)
      .execute()
    if (votesWithName.some((row) => isVoteSigned(keyed(VOTE_KEY_PURPOSE), row))) namesWithoutCandidate.push(name)
  }
  return namesWithoutCandidate
}
