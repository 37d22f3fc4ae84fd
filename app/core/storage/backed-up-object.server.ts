/** An object that the database refers to, and that is backed up with it. */
export interface BackedUpObject {
  bucket: string
  path: string
  /** Hex; undefined where only the storage knows it. */
  sha256: string | undefined
  /** Fingerprint of its owner in the erasure log. */
  de?: string | undefined
}
