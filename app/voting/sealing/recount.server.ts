import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { recountBlocks } from '#app/voting/chain/block-recount.server.ts'
import { type BlockRow, listBlocks } from '#app/voting/chain/published-blocks.server.ts'
import { type ChainRecount, recountChain } from '#app/voting/chain/recount.server.ts'
import { findLastRecount, isRecountAuthentic, signRecount } from '#app/voting/chain/signed-recount.server.ts'
import {
  type Election,
  isCandidateNameSigned,
  NAME_KEY_PURPOSE,
  readCandidateNames,
} from '#app/voting/election/data.server.ts'
import { isSealSigned } from '#app/voting/election/seal-signature.server.ts'
import { checkFlags } from '#app/voting/origins/flags.server.ts'
import { checkClosingMoves } from '#app/voting/record/closing-moves.ts'
import {
  ballotNamesOf,
  type ClosingMove,
  type ClosingRecord,
  type OpeningRecord,
  parseClosingMove,
  parseClosingRecord,
} from '#app/voting/record/schema.ts'
import { listAnnulledIds, signedAnnulmentText } from './annulments.server.ts'
import { readRecord } from './data.server.ts'
import { isRecordAuthentic } from './record-signature.server.ts'
import { countForeignRows, countInOtherEditions, readOutsideChain } from './recount-beside-chain.server.ts'
import { listSealCopies } from './seal-copies.server.ts'

export interface Recount {
  ballotCount: number
  batchCount: number
  lastSeal: string
  /** Number of votes by the name on the ballots. */
  votesByName: ReadonlyMap<string, number>
  /** Number of the edition's rows that were written without the site, or whose batch does not exist. */
  foreignRows: number
  /** Spanish sentences; empty if the database is as it was sealed. */
  faults: string[]
}

/**
 * Compares votes, chain, blocks, hourly sums, flags, annulments, records, names and the seals in the storage with each other and
 * with their signatures, and stores the outcome for the panel and the next recount. Before the closing record, the removal of the
 * newest batches with their votes is revealed only if a published block or the stored outcome of an earlier recount has them.
 * @param isClosing whether the closing record is about to be sealed: the last block is then closed and may be small
 */
export async function recount(services: Services, election: Election, isClosing = false): Promise<Recount> {
  const { edicion } = election
  const { db, clock, keyed } = services
  const wasSealed = (await readRecord(db, edicion, 'cierre')) !== undefined
  const blocks = await listBlocks(db, edicion)
  const chain = await recountChain(services, edicion, blocks)
  const { ballotCount, batchCount, lastSeal, votesByName, faults } = chain
  const outsideCheck = await checkOutsideChain(services, election, chain, blocks, isClosing)
  // The vote was sealed after its blocks and its chain were read, so they do not have its end.
  if (outsideCheck.isSealed && !wasSealed) return recount(services, election)
  const { foreignRows, columns, lostEnd } = outsideCheck
  faults.push(...outsideCheck.faults)
  const result: Recount = { ballotCount, batchCount, lastSeal, votesByName, foreignRows, faults }
  // While the chain's lost end stays stored, every later recount reports the missing part again.
  const chainEnd = lostEnd ?? { lotes: batchCount, ultimo: lastSeal }
  const outcome = { edicion, at: clock.now(), papeletas: ballotCount, ...chainEnd, ...columns, fallas: faults }
  const outcomeRow = { ...outcome, fallas: JSON.stringify(faults), firma: signRecount({ keyed }, outcome) }
  await db
    .insertInto('recuentos')
    .values(outcomeRow)
    .onConflict((conflict) => conflict.column('edicion').doUpdateSet(outcomeRow))
    .execute()
  return result
}

/**
 * Compares the opening record and the blocks with the copies of the published seals in the storage.
 * @returns faults as Spanish sentences; none if the storage cannot be read
 */
async function checkSealCopies({ db, storage, log }: Services, edition: number): Promise<string[]> {
  const sealCopies = await listSealCopies(storage, edition).catch((error: unknown) => {
    log.warn({ err: error }, 'the copies of the seals could not be read; the recount goes on without them')
    return []
  })
  // Only blocks of the database are copied. One may be closed and copied at any time, so the blocks are read after the copies.
  const blocks = await listBlocks(db, edition)
  const opening = await readRecord(db, edition, 'apertura')
  const presentSeals = new Set([...blocks.map(({ numero, sello }) => `${numero} ${sello}`), `0 ${opening?.sello}`])
  const lostSeals = sealCopies.filter(({ number, seal }) => !presentSeals.has(`${number} ${seal}`))
  return lostSeals
    .slice(0, MAX_NAMED_LOSSES)
    .map(({ number, seal }) =>
      number === 0
        ? 'El acta de cero es otra que la que este sitio publicó.'
        : `Este sitio publicó la caja ${number} con el sello ${seal.slice(0, 16)}…, y en la base de datos ya no está así.`,
    )
    .concat(
      lostSeals.length > MAX_NAMED_LOSSES
        ? [
            `Y ${quantity(lostSeals.length - MAX_NAMED_LOSSES, 'caja más que se publicó y ya no está', 'cajas más que se publicaron y ya no están')}.`,
          ]
        : [],
    )
}

/** A recount names at most this many of the published seals that are lost. */
const MAX_NAMED_LOSSES = 5

/**
 * Checks unsealed rows, sums, copies of the seals, flags, annulments, records, names, the last recount's outcome and the blocks,
 * none of which the chain of batches holds.
 */
async function checkOutsideChain(
  services: Services,
  election: Election,
  chain: ChainRecount,
  blocks: readonly BlockRow[],
  isClosing: boolean,
): Promise<{
  faults: string[]
  foreignRows: number
  /** Columns of the outcome with which the next recount compares its own values. */
  columns: { anulados: number; actas: number; cajas: number; ultima_caja: string | null; alterado: boolean }
  /** End of the chain at an earlier recount, if it is missing now. */
  lostEnd: { lotes: number; ultimo: string } | undefined
  /** Whether there is a closing record. */
  isSealed: boolean
}> {
  const { edicion } = election
  const { db, keyed } = services
  const faults: string[] = []
  let closing: ClosingRecord | undefined
  let openingRecord: OpeningRecord | undefined
  let lostEnd: { lotes: number; ultimo: string } | undefined
  // The last outcome is read before the rows with which it is compared. A newer outcome of another process could know annulments
  // and records that this recount has not read.
  const lastOutcome = await findLastRecount(db, edicion)
  const foreignCount = await countForeignRows(services, edicion)
  const outsideChain = await readOutsideChain(db, edicion)
  const strayCount = [...outsideChain.strayVotes.values()].reduce((sum, votes) => sum + votes, 0)
  const addVoteFault = (votes: number, singular: string, plural: string) => {
    if (votes > 0) faults.push(votes === 1 ? `Un voto ${singular}.` : `${votes} votos ${plural}.`)
  }
  addVoteFault(
    foreignCount,
    'se escribió en la base de datos sin pasar por el sitio',
    'se escribieron en la base de datos sin pasar por el sitio',
  )
  addVoteFault(strayCount, 'dice ser de un lote que no lo tiene', 'dicen ser de un lote que no los tiene')
  addVoteFault(
    await countInOtherEditions(db, edicion),
    'se escribió en la base de datos con otra edición',
    'se escribieron en la base de datos con otra edición',
  )

  // The sums can be compared only if no further batch has been sealed since the chain was read.
  if (outsideChain.lastBatch === chain.lastBatchNumber) {
    const names = new Set([...outsideChain.sums.keys(), ...chain.votesByName.keys(), ...outsideChain.strayVotes.keys()])
    for (const name of names) {
      const recordedVotes = outsideChain.sums.get(name) ?? 0
      const ballotVotes = (chain.votesByName.get(name) ?? 0) + (outsideChain.strayVotes.get(name) ?? 0)
      if (recordedVotes !== ballotVotes)
        faults.push(`La suma de ${name || 'votos en blanco'} dice ${recordedVotes} y sus papeletas son ${ballotVotes}.`)
    }
  }

  faults.push(...(await checkSealCopies(services, edicion)))

  // The sealing of a batch changes flags together with their votes, so both are read from one snapshot.
  const flagFaults = (tx: Database) => checkFlags({ ...services, db: tx }, election)
  faults.push(
    ...(await (db.isTransaction
      ? flagFaults(db)
      : db.transaction().setIsolationLevel('repeatable read').execute(flagFaults))),
  )

  const annulments = await db.selectFrom('anulaciones').selectAll().where('edicion', '=', edicion).execute()
  for (const annulment of annulments) {
    const ids = await listAnnulledIds(db, annulment.id)
    if (!isSealSigned(services, signedAnnulmentText({ ...annulment, ids }), annulment.firma))
      faults.push(`La anulación ${annulment.id} fue cambiada después de hacerse.`)
  }
  const annulledCount = annulments.reduce((sum, { votos }) => sum + votos, 0)
  const records = await db.selectFrom('actas').selectAll().where('edicion', '=', edicion).execute()
  const isSealed = records.some(({ clase }) => clase === 'cierre')
  const closingMoves: (ClosingMove & { sello: string })[] = []
  for (const record of records.toSorted((a, b) => a.numero - b.numero)) {
    const { clase, contenido, sello } = record
    if (!isRecordAuthentic(services, record)) faults.push(`El acta de ${clase} fue cambiada después de sellarse.`)
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

  faults.push(...(await checkCandidateNames(services, election, isSealed ? [] : chain.votesByName)))

  // An outcome that this site did not write is reported, and not used for comparison.
  const isLastOutcomeOwn = isRecountAuthentic({ keyed }, lastOutcome, {
    mayBeUnsigned: openingRecord ? openingRecord.minimo === undefined : blocks.length === 0,
    mustExist: closing?.minimo !== undefined,
  })
  const lastOwnOutcome = isLastOutcomeOwn ? lastOutcome : undefined
  const isTampered = !isLastOutcomeOwn || (lastOwnOutcome?.alterado ?? false)
  if (isTampered) faults.push('Un recuento anterior se cambió o se borró en la base de datos sin pasar por el sitio.')

  if (lastOwnOutcome && lastOwnOutcome.lotes > 0) {
    const lastOwnBatch = await db
      .selectFrom('lotes')
      .select('sello')
      .where('edicion', '=', edicion)
      .where('numero', '=', lastOwnOutcome.lotes)
      .executeTakeFirst()
    if (lastOwnBatch?.sello !== lastOwnOutcome.ultimo) {
      lostEnd = { lotes: lastOwnOutcome.lotes, ultimo: lastOwnOutcome.ultimo }
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
    previous: lastOwnOutcome,
  })
  faults.push(...blockRecount.faults)
  return {
    faults,
    foreignRows: foreignCount + strayCount,
    columns: {
      anulados: Math.max(annulledCount, lastOwnOutcome?.anulados ?? 0),
      actas: Math.max(records.length, lastOwnOutcome?.actas ?? 0),
      ...blockRecount.extent,
      alterado: isTampered,
    },
    lostEnd,
    isSealed,
  }
}

/**
 * Checks that the site wrote the stored names, and that each name on a ballot belongs to a candidate.
 * @param votesByName number of sealed ballots by name; empty once there is a closing record
 */
async function checkCandidateNames(
  { db, keyed }: Services,
  election: Election,
  votesByName: Iterable<[string, number]>,
): Promise<string[]> {
  const { edicion } = election
  const storedRows = await db.selectFrom('candidatas').selectAll().where('edicion', '=', edicion).execute()
  const idByName = await readCandidateNames(db, election)
  return [
    ...storedRows
      .filter((row) => !isCandidateNameSigned(keyed(NAME_KEY_PURPOSE), row))
      .map(({ nombre }) => `De quién es el nombre «${nombre}» se escribió en la base de datos sin pasar por el sitio.`),
    ...[...votesByName]
      .filter(([name, votes]) => name !== '' && votes > 0 && !idByName.has(name))
      .map(([name, votes]) => `«${name}» no es ninguna de las candidatas y tiene ${quantity(votes, 'voto')}.`),
  ]
}

/**
 * Checks that the closing record's totals match the ballots, and that its names still belong to the same candidates.
 */
async function checkClosingRecord(
  db: Database,
  election: Election,
  record: ClosingRecord,
  votesByName: Map<string, number>,
  annulments: readonly { conteo: Record<string, number> }[],
): Promise<string[]> {
  const idByName = await readCandidateNames(db, election)
  const countOf = (name: string) =>
    annulments.reduce((sum, { conteo }) => sum - (conteo[name] ?? 0), votesByName.get(name) ?? 0)
  return [...record.candidatas, ...(record.retiradas ?? [])].flatMap((candidate) => {
    const candidateName = candidate.nombre ?? candidate.id
    const ballotVotes = ballotNamesOf(candidate).reduce((sum, name) => sum + countOf(name), 0)
    const foreignNames = ballotNamesOf(candidate).filter(
      (name) => candidate.id !== undefined && idByName.get(name) !== candidate.id,
    )
    return [
      ...(ballotVotes === candidate.votos
        ? []
        : [
            `El acta de cierre da a ${candidateName} ${quantity(candidate.votos, 'voto')} y sus papeletas son ${ballotVotes}.`,
          ]),
      ...foreignNames.map(
        (name) => `El acta de cierre cuenta los votos de «${name}» para ${candidateName}, de quien ya no es.`,
      ),
    ]
  })
}
