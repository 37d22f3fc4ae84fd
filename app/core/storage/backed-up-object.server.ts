/** A stored object that the database refers to, and that is backed up with the database. */
export interface BackedUpObject {
  bucket: string
  path: string
  /** Checksum in hex; undefined if the database does not state it, so that it has to be read from the storage. */
  sha256: string | undefined
  /** Fingerprint of the object's owner in the erasure log; undefined for an object that is not erased with an owner. */
  de?: string | undefined
}
