import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashReceipt } from '#app/voting/chain/block-seal.server.ts'
import { type Election, readSampleRecord } from '#app/voting/election/data.server.ts'
import { isBeforeClosing } from '#app/voting/election/rules.ts'
import { parseCover } from '#app/voting/record/schema.ts'
import { readRecord } from './data.server.ts'

/** A `SealedRecord` is the sealed closing record, as visitors see it. */
export interface SealedRecord {
  sello: string
  at: Date
  /** The record as it was sealed, JSON. */
  contenido: string
  /** The published file, if the record came with the edition's content and not from the database. */
  sample?: { file: string; text: string }
}

/** Returns the closing record of an edition, or the content's sample record where the database has no votes. */
export async function readSealedRecord(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  election: Election,
): Promise<SealedRecord | undefined> {
  const sealed = await readRecord(db, election.edicion, 'cierre')
  if (sealed) return sealed
  if (isBeforeClosing(election.cierre, clock.now())) return undefined
  const sample = await readSampleRecord(db, election)
  if (!sample) return undefined
  const { cover, sealed: sealedTexts } = parseCover(JSON.parse(sample.text).portada, () => {})
  return { sello: cover.sello, at: new Date(cover.acta.levantada), contenido: sealedTexts.record, sample }
}

/** Looks a receipt up as `findByReceipt` does, in the sample record's file. @param receipt without hyphens */
export async function findInSample({ text }: NonNullable<SealedRecord['sample']>, receipt: string) {
  const { candidatas } = await loadEdition()
  const receiptPrefix = `${hashReceipt(receipt)} `
  const { portada, cajas } = JSON.parse(text) as {
    portada: { nombres: string[] }
    cajas: { papeletas: string[] }[]
  }
  const found = cajas.flatMap(({ papeletas }) => papeletas).find((ballot) => ballot.startsWith(receiptPrefix))
  const name = found && portada.nombres[Number(found.slice(receiptPrefix.length))]
  if (name === undefined) return undefined
  return {
    candidateName: candidatas.find((one) => one.nombre === name)?.nombre ?? name,
    annulmentReason: null,
    isWithdrawn: false,
  }
}
