/** An object that belongs to what the database says, and goes where the database goes. */
export interface BackedUpObject {
  bucket: string
  path: string
  /** Hex; undefined where only the storage knows it. */
  sha256: string | undefined
  /** What the ledger of deletions calls whom it belongs to. */
  de?: string | undefined
}
