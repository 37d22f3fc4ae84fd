import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashReceipt } from '#app/voting/chain/seal-hash.server.ts'
import { type Election, readSampleRecord } from '#app/voting/election/data.server.ts'
import { isBeforeClosing } from '#app/voting/election/rules.ts'
import { parseCover } from '#app/voting/record/schema.ts'
import { readRecord } from './data.server.ts'

/** The closing record as visitors see it. */
export interface SealedRecord {
  sello: string
  at: Date
  /** JSON text of the record, as it was sealed. */
  contenido: string
  /** The file in the edition's content, if the record comes from there instead of the database. */
  sample?: { file: string; text: string }
}

/**
 * Returns the closing record of an edition or, after the closing of a vote without votes in the database, the content's sample
 * record; undefined if there is neither.
 */
export async function readSealedRecord(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  election: Election,
): Promise<SealedRecord | undefined> {
  const closingRecord = await readRecord(db, election.edicion, 'cierre')
  if (closingRecord) return closingRecord
  if (isBeforeClosing(election.cierre, clock.now())) return undefined
  const sample = await readSampleRecord(db, election)
  if (!sample) return undefined
  const { cover, sealed: sealedTexts } = parseCover(JSON.parse(sample.text).portada, () => {})
  return { sello: cover.sello, at: new Date(cover.acta.levantada), contenido: sealedTexts.record, sample }
}

/** Finds the vote with a receipt in a sample record, like `findVoteByReceipt`. @param receipt without hyphens */
export async function findVoteInSample({ text }: NonNullable<SealedRecord['sample']>, receipt: string) {
  const { candidatas } = await loadEdition()
  const receiptPrefix = `${hashReceipt(receipt)} `
  const { portada, cajas } = JSON.parse(text) as {
    portada: { nombres: string[] }
    cajas: { papeletas: string[] }[]
  }
  const ballotLine = cajas.flatMap(({ papeletas }) => papeletas).find((ballot) => ballot.startsWith(receiptPrefix))
  const name = ballotLine && portada.nombres[Number(ballotLine.slice(receiptPrefix.length))]
  if (name === undefined) return undefined
  return {
    candidateName: candidatas.find(({ nombre }) => nombre === name)?.nombre ?? name,
    annulmentReason: null,
    isWithdrawn: false,
  }
}
