/** The database refers to this object, which is backed up with it. */
export interface BackedUpObject {
  bucket: string
  path: string
  /** The hash is in hex; undefined where only the storage knows it. */
  sha256: string | undefined
  /** The fingerprint of the object's owner in the erasure log. */
  de?: string | undefined
}
