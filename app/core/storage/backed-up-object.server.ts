/** An object that the database refers to, and that is backed up with it. */
export interface BackedUpObject {
  bucket: string
  path: string
  /** In hex; undefined if only the storage has it. */
  sha256: string | undefined
  /** Fingerprint of the object's owner in the erasure log. */
  de?: string | undefined
}
