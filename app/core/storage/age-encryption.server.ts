import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { StartError } from '#app/core/process/start-error.server.ts'
import { ObjectExistsError, type ObjectStorage } from './object-store.server.ts'
import { readSmallObject } from './read-small-object.server.ts'

/** Encrypts backups in the age format (age-encryption.org), which other tools read as well. */
export interface BackupCipher {
  encrypt(plain: Readable): Promise<Readable>
  decrypt(encrypted: Readable): Promise<Readable>
  /**
   * Returns the name under which bytes are stored. It is a keyed hash: equal bytes have the same name, but without the key a file
   * cannot be recognised by its name.
   */
  nameOf(sha256: string): string
  /** Returns the encrypted size of this many bytes. */
  sizeOf(bytes: number): number
  /** The age identity (private key), encrypted with the passphrase. A second copy is stored beside every backup. */
  encryptedIdentity: Uint8Array
}

/**
 * Binary logarithm of scrypt's work factor. With it, opening an identity takes a tenth of a second and 32 MB. More work is not
 * needed, since the passphrase is long and random.
 */
const SCRYPT_LOG_WORK_FACTOR = 15
const IDENTITY_BUCKET = 'clave'
const IDENTITY_PATH = 'clave.age'
export const BACKUP_BUCKET = 'copias'
/** Bucket of the objects that the backups share. */
export const SHARED_OBJECT_BUCKET = 'objetos'
/** Most bytes that are read of an identity, or of a backup's catalog entry. */
const MAX_SMALL_FILE_BYTES = 16_384
/** Most second copies of the identity that are tried, since each takes a tenth of a second. */
const MAX_SECOND_COPIES = 5
/** Size of the chunks in which age encrypts. Each chunk gets a tag. */
const AGE_CHUNK_BYTES = 65_536
const AGE_TAG_BYTES = 16

/**
 * Opens the cipher of a store. The store's age identity is created once, and stored there encrypted with the passphrase. Backups
 * are encrypted for the identity, which is fast.
 * @param mayCreate whether an identity may be created, or a missing one restored from its second copy
 * @throws StartError if the passphrase opens no copy of the identity, if encrypted backups have lost it, or if no identity may be
 * created
 */
export async function openCipher(
  store: ObjectStorage,
  passphrase: string,
  { mayCreate = true } = {},
): Promise<BackupCipher> {
  const { identity, encryptedIdentity } = await readOrCreateIdentity(store, passphrase, mayCreate)
  const recipient = await identityToRecipient(identity)
  const createEncrypter = () => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    return encrypter
  }
  const emptyFileBytes = (await createEncrypter().encrypt(new Uint8Array())).byteLength
  return {
    async encrypt(plain) {
      return fromWeb(await createEncrypter().encrypt(toWeb(plain)))
    },
    async decrypt(encrypted) {
      const decrypter = new Decrypter()
      decrypter.addIdentity(identity)
      return fromWeb(await decrypter.decrypt(toWeb(encrypted)))
    },
    nameOf: (sha256) => createHmac('sha256', identity).update(sha256).digest('hex'),
    sizeOf: (bytes) => emptyFileBytes + bytes + AGE_TAG_BYTES * (Math.max(1, Math.ceil(bytes / AGE_CHUNK_BYTES)) - 1),
    encryptedIdentity,
  }
}

/** Returns whether a store has an identity, as a destination of encrypted backups has. */
export const hasIdentity = async (store: ObjectStorage): Promise<boolean> =>
  (await store.head(IDENTITY_BUCKET, IDENTITY_PATH)) !== undefined

interface Identity {
  identity: string
  encryptedIdentity: Uint8Array
}

async function readOrCreateIdentity(store: ObjectStorage, passphrase: string, mayCreate: boolean): Promise<Identity> {
  const storedIdentity = await readSmallObject(store, IDENTITY_BUCKET, IDENTITY_PATH, MAX_SMALL_FILE_BYTES)
  const identityFromStore = storedIdentity && (await openIdentity(storedIdentity, passphrase))
  if (identityFromStore) return identityFromStore
  const secondCopies = await listSecondCopies(store)
  for (const path of secondCopies.slice(0, MAX_SECOND_COPIES)) {
    const secondCopy = await readSmallObject(store, BACKUP_BUCKET, path, MAX_SMALL_FILE_BYTES)
    const openedIdentity = secondCopy && (await openIdentity(secondCopy, passphrase))
    if (!openedIdentity) continue
    if (storedIdentity === undefined && mayCreate) await storeIdentity(store, openedIdentity.encryptedIdentity)
    return openedIdentity
  }
  if (storedIdentity || secondCopies.length > 0)
    throw new StartError(
      'La clave no abre estos respaldos: pon en BACKUP_KEY la que se usó cuando se hicieron, o la que se imprimió desde el panel.',
    )
  if (await hasEncryptedBackups(store))
    throw new StartError(
      `Aquí hay respaldos cifrados y falta su llave (el archivo objects/${IDENTITY_BUCKET}/${IDENTITY_PATH}, o ${IDENTITY_BUCKET}/${IDENTITY_PATH} en una cubeta): búscala en otra copia de este lugar y ponla ahí. Para empezar de nuevo, elige otro lugar.`,
    )
  if (!mayCreate)
    throw new StartError(
      'Aquí no hay ningún respaldo cifrado, y se dio BACKUP_KEY. Si el respaldo es tuyo y se hizo sin clave, repite la orden sin BACKUP_KEY.',
    )
  const identity = await generateX25519Identity()
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(SCRYPT_LOG_WORK_FACTOR)
  const encryptedIdentity = await encrypter.encrypt(identity)
  // If another process has meanwhile stored an identity, the stored identity is used.
  return (await storeIdentity(store, encryptedIdentity))
    ? { identity, encryptedIdentity }
    : readOrCreateIdentity(store, passphrase, mayCreate)
}

/** Stores an identity. @returns false if the store already has an identity */
async function storeIdentity(store: ObjectStorage, encrypted: Uint8Array): Promise<boolean> {
  try {
    await store.putBytes(IDENTITY_BUCKET, IDENTITY_PATH, encrypted, {
      contentType: 'application/octet-stream',
      cacheControlSeconds: 0,
    })
    return true
  } catch (error) {
    if (!(error instanceof ObjectExistsError)) throw error
    return false
  }
}

/** Lists the paths of the identity's second copies, newest first. */
async function listSecondCopies(store: ObjectStorage): Promise<string[]> {
  const paths: string[] = []
  for await (const path of store.list(BACKUP_BUCKET, '')) if (path.endsWith(`/${IDENTITY_PATH}`)) paths.push(path)
  return paths.toSorted().toReversed()
}

async function hasEncryptedBackups(store: ObjectStorage): Promise<boolean> {
  for await (const path of store.list(SHARED_OBJECT_BUCKET, '')) if (path.endsWith('.age')) return true
  for await (const path of store.list(BACKUP_BUCKET, '')) {
    if (!path.endsWith('/caratula.json')) continue
    const catalogBytes = await readSmallObject(store, BACKUP_BUCKET, path, MAX_SMALL_FILE_BYTES)
    if (catalogBytes && /"cifrada":\s*true/.test(Buffer.from(catalogBytes).toString())) return true
  }
  return false
}

/** Decrypts an identity. @returns undefined if the passphrase does not open it */
async function openIdentity(encrypted: Uint8Array, passphrase: string): Promise<Identity | undefined> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return { identity: await decrypter.decrypt(encrypted, 'text'), encryptedIdentity: encrypted }
  } catch {
    return undefined
  }
}

const toWeb = (stream: Readable) => Readable.toWeb(stream) as ReadableStream<Uint8Array>
const fromWeb = (stream: ReadableStream<Uint8Array>) =>
  Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
