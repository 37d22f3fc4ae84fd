import { quantity } from '#app/core/text/quantity.ts'
import { RECEIPT_ALPHABET } from '#app/voting/election/receipt.ts'
import { type BlockSummary, sha256 } from './block-seal.ts'
import { isExact } from './file-lines.ts'
import { type ClosingRecord, parseSealsFile } from './schema.ts'

/** Evidence that a voter or a newspaper saved while the vote was open: a receipt mail, or a sellos.json. */
export interface Witness {
  fileName: string
  /** Edition that the witness states; undefined for a mail, which is not searched for it. */
  edition: number | undefined
  blocks: BlockSummary[]
  /** Public keys that the file states. */
  publicKeys: string[]
  /** Receipts as voters see them, with hyphens, and their hashes. */
  receipts: { shown: string; hash: string }[]
}

export interface CheckedWitness {
  fileName: string
  /** Spanish sentences that say what in the witness fits the record. */
  confirmations: string[]
  /** Spanish sentences that say what in the witness contradicts the record. */
  faults: string[]
  /**
   * Whether the witness names a block that fits, and nothing in it contradicts the record. It proves the ballots up to that block.
   */
  isProof: boolean
}

/** Returns the line of a mail that states a block; `readWitness` parses it. */
export const blockStatement = ({ numero, papeletas, sello }: BlockSummary): { name: string; value: string } => ({
  name: `Caja ${numero}, con ${quantity(papeletas, 'voto')}. Sello:`,
  value: sello,
})

// Mail programs may break a seal over several lines.
const BLOCK_PATTERN = /caja (\d{1,9}), con ([\d,]{1,15}) votos?\. sello:\s?((?:[0-9a-f]\s?){63}[0-9a-f])(?![0-9a-f])/gi
const KEY_PATTERN = /llave del sitio:\s?((?:[\w-]\s?){42}[\w-])(?![\w-])/gi
const RECEIPT_PATTERN = new RegExp(`(?<![\\w-])[${RECEIPT_ALPHABET}]{4}(?:-[${RECEIPT_ALPHABET}]{4}){2}(?![\\w-])`, 'g')

export type WitnessRefusal = 'unreadable' | 'noEvidence' | 'repeated'
/** Messages about files that are no witness. Each message follows the file's name. */
export const WITNESS_MESSAGES: Record<WitnessRefusal, string> = {
  unreadable: 'no es un correo guardado ni un sellos.json. Guarda el correo completo, con todo y encabezados (.eml).',
  noEvidence: 'no tiene ningún recibo y no nombra ninguna caja: no hay qué comprobar.',
  repeated: 'dice algo dos veces o de otra forma que este sitio: no es un sellos.json tal como se publica.',
}

/** Reads a saved mail or sellos.json. Recognises the file's type by its content. */
export async function readWitness(
  name: string,
  bytes: Uint8Array,
): Promise<{ ok: true; witness: Witness } | { ok: false; reason: WitnessRefusal }> {
  const text = new TextDecoder().decode(bytes)
  if (/^\s*\{/.test(text)) return readSealsFile(name, text)
  const mailText = await readMailText(bytes)
  if (mailText === undefined) return { ok: false, reason: 'unreadable' }
  const blocks = [...mailText.matchAll(BLOCK_PATTERN)].map(([, number, ballots, seal]) => ({
    numero: Number(number),
    papeletas: Number(ballots!.replaceAll(',', '')),
    sello: seal!.replace(/\s/g, '').toLowerCase(),
  }))
  const shownReceipts = [...new Set([...mailText.matchAll(RECEIPT_PATTERN)].map(([receipt]) => receipt))]
  if (blocks.length === 0 && shownReceipts.length === 0) return { ok: false, reason: 'noEvidence' }
  const publicKeys = [...new Set([...mailText.matchAll(KEY_PATTERN)].map(([, key]) => key!.replace(/\s/g, '')))]
  const receipts = await Promise.all(shownReceipts.map(async (shown) => ({ shown, hash: await sha256(shown) })))
  return { ok: true, witness: { fileName: name, edition: undefined, blocks, publicKeys, receipts } }
}

function readSealsFile(name: string, text: string): Awaited<ReturnType<typeof readWitness>> {
  try {
    const value: unknown = JSON.parse(text)
    if (!isExact(text, value)) return { ok: false, reason: 'repeated' }
    const { edicion: edition, cajas, llave } = parseSealsFile(value)
    if (cajas.length === 0) return { ok: false, reason: 'noEvidence' }
    return {
      ok: true,
      witness: { fileName: name, edition, blocks: cajas, publicKeys: llave === undefined ? [] : [llave], receipts: [] },
    }
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, reason: 'unreadable' }
    throw error
  }
}

/** Returns the text of a mail's plain and HTML parts; undefined if the file is no mail or has no text. */
async function readMailText(bytes: Uint8Array): Promise<string | undefined> {
  // The mail parser is loaded only when a mail is read.
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(bytes).catch(() => undefined)
  const html = mail?.html?.replace(/<[^>]*>/g, ' ')
  const text = [mail?.text, html]
    .filter(Boolean)
    .join('\n')
    .replace(/[\s\u200b\u200c\u00a0]+/g, ' ')
  return text.trim() === '' ? undefined : text
}

/** Collects the blocks and ballots of a record that the witnesses name, and compares the witnesses with the record at the end. */
export function compareWitnesses(witnesses: readonly Witness[]) {
  const namedBlockNumbers = new Set(witnesses.flatMap(({ blocks }) => blocks.map(({ numero }) => numero)))
  const receiptHashes = new Set(witnesses.flatMap(({ receipts }) => receipts.map(({ hash }) => hash)))
  const blocks = new Map<number, BlockSummary>()
  /** Hash of a receipt → number of its block. */
  const blockByReceipt = new Map<string, number>()
  const annulmentReasons = new Map<string, string>()

  function compare({ fileName, edition, ...evidence }: Witness, record: ClosingRecord): CheckedWitness {
    const confirmations: string[] = []
    const faults: string[] = []
    if (edition !== undefined && edition !== record.edicion)
      faults.push(`Es de la votación de ${edition}, y el acta es de la de ${record.edicion}.`)
    const fittingBlocks: number[] = []
    for (const namedBlock of new Map(evidence.blocks.map((block) => [JSON.stringify(block), block])).values()) {
      const recordedBlock = blocks.get(namedBlock.numero)
      if (!recordedBlock) faults.push(`Nombra la caja ${namedBlock.numero}, que no está en el acta.`)
      else if (recordedBlock.sello !== namedBlock.sello)
        faults.push(`La caja ${namedBlock.numero} tiene otro sello en el acta.`)
      else if (recordedBlock.papeletas !== namedBlock.papeletas)
        faults.push(
          `La caja ${namedBlock.numero} se publicó con ${quantity(namedBlock.papeletas, 'voto')} y en el acta tiene ${quantity(recordedBlock.papeletas, 'voto')}.`,
        )
      else fittingBlocks.push(namedBlock.numero)
    }
    if (fittingBlocks.length === 1)
      confirmations.push(`La caja ${fittingBlocks[0]} está en el acta como se publicó: número, votos y sello.`)
    else if (fittingBlocks.length > 1)
      confirmations.push(`${fittingBlocks.length} cajas están en el acta como se publicaron: número, votos y sello.`)
    if (evidence.blocks.length === 0)
      confirmations.push('No nombra ninguna caja: se escribió antes de cerrarse la primera.')
    for (const { shown, hash } of evidence.receipts) {
      const block = blockByReceipt.get(hash)
      const reason = annulmentReasons.get(hash)
      if (block === undefined) faults.push(`El recibo ${shown} no está en el acta.`)
      else if (reason !== undefined)
        confirmations.push(`El recibo ${shown} está en la caja ${block}, y su voto fue anulado: ${reason}`)
      else confirmations.push(`El recibo ${shown} está en la caja ${block}, y su voto cuenta.`)
    }
    return { fileName, confirmations, faults, isProof: fittingBlocks.length > 0 && faults.length === 0 }
  }

  return {
    addBlock(block: BlockSummary): void {
      if (namedBlockNumbers.has(block.numero)) blocks.set(block.numero, block)
    },
    addBallot(receiptHash: string, blockNumber: number): void {
      if (receiptHashes.size > 0 && receiptHashes.has(receiptHash)) blockByReceipt.set(receiptHash, blockNumber)
    },
    addAnnulled(receiptHash: string, reason: string): void {
      if (receiptHashes.has(receiptHash)) annulmentReasons.set(receiptHash, reason)
    },
    finish: (record: ClosingRecord): CheckedWitness[] => witnesses.map((witness) => compare(witness, record)),
  }
}
