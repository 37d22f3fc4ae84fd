import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { recountBlocks } from '#app/voting/chain/block-recount.server.ts'
import { type Block, listBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { type ChainRecount, recountChain } from '#app/voting/chain/recount.server.ts'
import { isAsCounted, lastRecount, signRecount } from '#app/voting/chain/signed-recount.server.ts'
import { type Election, isCandidateNameSigned, NAME_KEY, readCandidateNames } from '#app/voting/election/data.server.ts'
import { isSealSigned } from '#app/voting/election/seal-signature.server.ts'
import { quantity } from '#app/voting/election/tally-rules.ts'
import { checkFlags } from '#app/voting/origins/flags.server.ts'
import { checkClosingMoves } from '#app/voting/record/closing-moves.ts'
import {
  type ClosingMove,
  type ClosingRecord,
  namesOf,
  type OpeningRecord,
  parseClosingMove,
  parseClosingRecord,
} from '#app/voting/record/schema.ts'
import { annulledIds, annulmentText } from './annulments.server.ts'
import { readRecord } from './data.server.ts'
import { listDisclosedSeals } from './disclosed-seals.server.ts'
import { isAsSealed } from './record-signature.server.ts'
import { countForeignRows, countInOtherEditions, readOutsideChain } from './recount-beside-chain.server.ts'

export interface Recount {
  ballotCount: number
  batchCount: number
  lastSeal: string
  /** Holds votes by the name on the ballots. */
  votesByName: ReadonlyMap<string, number>
  /** Counts the edition's rows that were written without the site and that no seal covers. */
  foreignRows: number
  /** Spanish sentences; without any, the database is as it was sealed. */
  faults: string[]
}

/**
 * Compares every vote with its own signature and with the chain, the chain with itself, the sums with both, and the names with
 * the candidates; stores the outcome for the panel. A change, removal or insertion in the database that bypassed the site shows
 * here, except the removal of a vote that was not sealed yet.
 * @param isClosing the closing record is about to be sealed: the last block is closed, however small
 */
export async function recount(services: Services, election: Election, isClosing = false): Promise<Recount> {
  const { edicion } = election
  const { db, clock, keyed } = services
  const blocks = await listBlocks(db, edicion)
  const chain = await recountChain(services, edicion, blocks)
  const { ballotCount, batchCount, lastSeal, votesByName, faults } = chain
  const { foreignRows, kept: beside, cut, ...rest } = await checkRest(services, election, chain, blocks, isClosing)
  faults.push(...rest.faults)
  const result: Recount = { ballotCount, batchCount, lastSeal, votesByName, foreignRows, faults }
  // A part of the chain that was cut off stays reported at every later recount.
  const reachedEnd = cut ?? { lotes: batchCount, ultimo: lastSeal }
  const outcome = { edicion, at: clock.now(), papeletas: ballotCount, ...reachedEnd, ...beside, fallas: faults }
  const outcomeRow = { ...outcome, fallas: JSON.stringify(faults), firma: signRecount({ keyed }, outcome) }
  await db
    .insertInto('recuentos')
    .values(outcomeRow)
    .onConflict((conflict) => conflict.column('edicion').doUpdateSet(outcomeRow))
    .execute()
  return result
}

/** Compares the opening record and the blocks with their disclosed seals in the storage. */
async function checkDisclosedSeals(
  { db, storage, log }: Services,
  edition: number,
  blocks: readonly Block[],
): Promise<string[]> {
  const disclosedSeals = await listDisclosedSeals(storage, edition).catch((error: unknown) => {
    log.warn({ err: error }, 'the seals that were given away could not be read; the count goes on without them')
    return []
  })
  const opening = await readRecord(db, edition, 'apertura')
  const presentSeals = new Set([...blocks.map(({ numero, sello }) => `${numero} ${sello}`), `0 ${opening?.sello}`])
  const lostSeals = disclosedSeals.filter(({ number, seal }) => !presentSeals.has(`${number} ${seal}`))
  return lostSeals
    .slice(0, MAX_LOST)
    .map(({ number, seal }) =>
      number === 0
        ? 'El acta de cero es otra que la que este sitio publicó.'
        : `Este sitio publicó la caja ${number} con el sello ${seal.slice(0, 16)}…, y en la base de datos ya no está así.`,
    )
    .concat(
      lostSeals.length > MAX_LOST
        ? [`Y ${lostSeals.length - MAX_LOST} cajas más que se publicaron y ya no están.`]
        : [],
    )
}

/** At most this many lost blocks are named one by one. */
const MAX_LOST = 5

/** Checks everything outside the chain: rows, sums, annulments, records, and that nothing of the last recount is missing. */
async function checkRest(
  services: Services,
  election: Election,
  chain: ChainRecount,
  blocks: readonly Block[],
  isClosing: boolean,
): Promise<{
  faults: string[]
  foreignRows: number
  /** Holds the values with which the next recount compares itself. */
  kept: { anulados: number; actas: number; cajas: number; ultima_caja: string | null; alterado: boolean }
  /** `cut` tells how far the chain reached at an earlier recount, if that part is missing now. */
  cut: { lotes: number; ultimo: string } | undefined
}> {
  const { edicion } = election
  const { db, keyed } = services
  const faults: string[] = []
  let closing: ClosingRecord | undefined
  let openingRecord: OpeningRecord | undefined
  let cut: { lotes: number; ultimo: string } | undefined
  // The last recount is read first, since later recounts of other processes can only reach further.
  const lastOutcome = await lastRecount(db, edicion)
  const foreignCount = await countForeignRows(services, edicion)
  const beside = await readOutsideChain(db, edicion)
  const strayCount = [...beside.strayVotes.values()].reduce((sum, votes) => sum + votes, 0)
  const reportVotes = (votes: number, one: string, many: string) => {
    if (votes > 0) faults.push(votes === 1 ? `Un voto ${one}.` : `${votes} votos ${many}.`)
  }
  reportVotes(
    foreignCount,
    'se escribió en la base de datos sin pasar por el sitio',
    'se escribieron en la base de datos sin pasar por el sitio',
  )
  reportVotes(strayCount, 'dice ser de un lote que no lo tiene', 'dicen ser de un lote que no los tiene')
  reportVotes(
    await countInOtherEditions(db, edicion),
    'se escribió en la base de datos con otra edición',
    'se escribieron en la base de datos con otra edición',
  )

  // If the numbers differ, more batches have been sealed since the chain was read, and the sums are ahead of the chain.
  if (beside.lastBatch === chain.lastBatchNumber) {
    const names = new Set([...beside.sums.keys(), ...chain.votesByName.keys(), ...beside.strayVotes.keys()])
    for (const name of names) {
      const recordedVotes = beside.sums.get(name) ?? 0
      const ballotVotes = (chain.votesByName.get(name) ?? 0) + (beside.strayVotes.get(name) ?? 0)
      if (recordedVotes !== ballotVotes)
        faults.push(`La suma de ${name || 'votos en blanco'} dice ${recordedVotes} y sus papeletas son ${ballotVotes}.`)
    }
  }

  faults.push(...(await checkDisclosedSeals(services, edicion, blocks)))

  // Flags and their votes change together with each batch, so they are read from one snapshot.
  const flagFaults = (tx: Database) => checkFlags({ ...services, db: tx }, election)
  faults.push(
    ...(await (db.isTransaction
      ? flagFaults(db)
      : db.transaction().setIsolationLevel('repeatable read').execute(flagFaults))),
  )

  const annulments = await db.selectFrom('anulaciones').selectAll().where('edicion', '=', edicion).execute()
  for (const one of annulments) {
    const ids = await annulledIds(db, one.id)
    if (!isSealSigned(services, annulmentText({ ...one, ids }), one.firma))
      faults.push(`La anulación ${one.id} fue cambiada después de hacerse.`)
  }
  const annulledCount = annulments.reduce((sum, { votos }) => sum + votos, 0)
  const records = await db.selectFrom('actas').selectAll().where('edicion', '=', edicion).execute()
  const closingMoves: (ClosingMove & { sello: string })[] = []
  for (const record of records.toSorted((a, b) => a.numero - b.numero)) {
    const { clase, contenido, sello } = record
    if (!isAsSealed(services, record)) faults.push(`El acta de ${clase} fue cambiada después de sellarse.`)
    else if (clase === 'apertura') openingRecord = JSON.parse(contenido) as OpeningRecord
    else if (clase === 'cierre-movido') closingMoves.push({ ...parseClosingMove(contenido), sello })
    else if (clase === 'cierre') {
      closing = parseClosingRecord(contenido)
      faults.push(...(await checkClosingRecord(db, election, closing, chain.votesByName, annulments)))
      if (closing.anulados !== annulledCount)
        faults.push(`El acta de cierre cuenta otros votos anulados que los que hay (${annulledCount}).`)
      if (closing.ultimoLote !== chain.lastSeal)
        faults.push('La cadena no termina en el lote que el acta de cierre dice.')
    }
  }
  const opening = records.find(({ clase }) => clase === 'apertura')
  if (openingRecord && opening)
    faults.push(...checkClosingMoves({ ...openingRecord, sello: opening.sello }, closingMoves))
  if (
    closing &&
    String((closing.movidos ?? []).map(({ sello }) => sello)) !== String(closingMoves.map(({ sello }) => sello))
  )
    faults.push('El acta de cierre nombra otras actas del cierre movido que las que hay.')
  if (chain.ballotCount > 0 && !records.some(({ clase }) => clase === 'apertura')) faults.push('Falta el acta de cero.')

  faults.push(
    ...(await checkCandidateNames(
      services,
      election,
      records.some(({ clase }) => clase === 'cierre') ? [] : chain.votesByName,
    )),
  )

  // An outcome that no recount wrote is not compared with this one.
  const isLastOutcomeOwn = isAsCounted({ keyed }, lastOutcome, {
    mayBeUnsigned: openingRecord ? openingRecord.minimo === undefined : blocks.length === 0,
    mustBe: closing?.minimo !== undefined,
  })
  const lastOwnOutcome = isLastOutcomeOwn ? lastOutcome : undefined
  const isTampered = !isLastOutcomeOwn || (lastOwnOutcome?.alterado ?? false)
  if (isTampered) faults.push('Un recuento anterior se cambió o se borró en la base de datos sin pasar por el sitio.')

  if (lastOwnOutcome && lastOwnOutcome.lotes > 0) {
    const batchThen = await db
      .selectFrom('lotes')
      .select('sello')
      .where('edicion', '=', edicion)
      .where('numero', '=', lastOwnOutcome.lotes)
      .executeTakeFirst()
    if (batchThen?.sello !== lastOwnOutcome.ultimo) {
      cut = { lotes: lastOwnOutcome.lotes, ultimo: lastOwnOutcome.ultimo }
      faults.push(`En el recuento anterior la cadena llegaba al lote ${lastOwnOutcome.lotes}; ya no es la misma.`)
    }
  }
  if (lastOwnOutcome && lastOwnOutcome.anulados > annulledCount)
    faults.push(
      `En el recuento anterior había ${quantity(lastOwnOutcome.anulados, 'voto anulado', 'votos anulados')}; ahora hay ${annulledCount}.`,
    )
  if (lastOwnOutcome && lastOwnOutcome.actas > records.length)
    faults.push('Un acta que estaba en el recuento anterior ya no está.')
  const blockRecount = await recountBlocks({ db, keyed }, edicion, blocks, chain.blocks, {
    closing,
    isClosing,
    before: lastOwnOutcome,
  })
  faults.push(...blockRecount.faults)
  return {
    faults,
    foreignRows: foreignCount + strayCount,
    kept: {
      anulados: Math.max(annulledCount, lastOwnOutcome?.anulados ?? 0),
      actas: Math.max(records.length, lastOwnOutcome?.actas ?? 0),
      ...blockRecount.reached,
      alterado: isTampered,
    },
    cut,
  }
}

/**
 * Checks that each name on a vote still belongs to the candidate to whom the site gave it.
 * @param votesByName sealed ballots by name
 */
async function checkCandidateNames(
  { db, keyed }: Services,
  election: Election,
  votesByName: Iterable<[string, number]>,
): Promise<string[]> {
  const { edicion } = election
  const storedRows = await db.selectFrom('candidatas').selectAll().where('edicion', '=', edicion).execute()
  const names = await readCandidateNames(db, election)
  return [
    ...storedRows
      .filter((row) => !isCandidateNameSigned(keyed(NAME_KEY), row))
      .map(({ nombre }) => `De quién es el nombre «${nombre}» se escribió en la base de datos sin pasar por el sitio.`),
    ...[...votesByName]
      .filter(([name, votes]) => name !== '' && votes > 0 && !names.has(name))
      .map(([name, votes]) => `«${name}» no es ninguna de las candidatas y tiene ${quantity(votes, 'voto')}.`),
  ]
}

/**
 * Checks that the closing record counts its ballots correctly, and that their names still belong to the record's candidates.
 */
async function checkClosingRecord(
  db: Database,
  election: Election,
  record: ClosingRecord,
  votesByName: Map<string, number>,
  annulments: readonly { conteo: Record<string, number> }[],
): Promise<string[]> {
  const names = await readCandidateNames(db, election)
  const countOf = (name: string) =>
    annulments.reduce((sum, { conteo }) => sum - (conteo[name] ?? 0), votesByName.get(name) ?? 0)
  // The record has lines for the candidates and for the withdrawn candidates.
  return [...record.candidatas, ...(record.retiradas ?? [])].flatMap((one) => {
    const candidateName = one.nombre ?? one.id
    const ballotVotes = namesOf(one).reduce((sum, name) => sum + countOf(name), 0)
    const foreignNames = namesOf(one).filter((name) => one.id !== undefined && names.get(name) !== one.id)
    return [
      ...(ballotVotes === one.votos
        ? []
        : [
            `El acta de cierre da a ${candidateName} ${quantity(one.votos, 'voto')} y sus papeletas son ${ballotVotes}.`,
          ]),
      ...foreignNames.map(
        (name) => `El acta de cierre cuenta los votos de «${name}» para ${candidateName}, de quien ya no es.`,
      ),
    ]
  })
}
