import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { StartError } from '#app/core/process/start-error.server.ts'
import { ObjectExistsError, type ObjectStorage } from './object-store.server.ts'
import { readSmall } from './read-small-object.server.ts'

/** Encrypts data that leaves the site for good, in the age format (age-encryption.org), which other tools read as well. */
export interface Cipher {
  encrypt(plain: Readable): Promise<Readable>
  decrypt(encrypted: Readable): Promise<Readable>
  /**
   * Returns the name under which bytes are stored: a keyed hash, equal for equal bytes, and useless for comparing without the
   * key.
   */
  nameOf(sha256: string): string
  /** Returns the size of this many bytes after encryption. */
  sizeOf(bytes: number): number
  /** The identity, encrypted with the passphrase. A second copy of it lies beside every backup. */
  encryptedIdentity: Uint8Array
}

/**
 * The work factor of scrypt, 2^15, takes a tenth of a second and 32 MB, once per command. The passphrase is long and random, so
 * more is not needed.
 */
const SCRYPT_WORK = 15
const BUCKET = 'clave'
const PATH = 'clave.age'
/** These two buckets lie at a destination of backups: the backups, and the objects that they share. */
export const BACKUPS = 'copias'
export const OBJECTS = 'objetos'
const MAX_BYTES = 16_384
/** At most this many second copies of the identity are tried, since each takes a tenth of a second. */
const MAX_SECOND_COPIES = 5
/** age encrypts in chunks of 64 KiB, and adds a tag of 16 bytes to each. */
const CHUNK = 65_536
const TAG = 16

/**
 * Opens the keys of a store: an identity made once, kept there encrypted with the passphrase. Everything else is encrypted for
 * that identity, which is fast, and a new passphrase does not require writing anything else anew.
 * @param mayCreate whether the store may be written to: without it, no identity is made or put back
 * @throws StartError when the passphrase does not open the identity, or the identity is missing and backups there need it
 */
export async function openCipher(store: ObjectStorage, passphrase: string, { mayCreate = true } = {}): Promise<Cipher> {
  const { identity, encryptedIdentity } = await identityOf(store, passphrase, mayCreate)
  const recipient = await identityToRecipient(identity)
  const createEncrypter = () => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    return encrypter
  }
  const emptySize = (await createEncrypter().encrypt(new Uint8Array())).byteLength
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
    sizeOf: (bytes) => emptySize + bytes + TAG * (Math.max(1, Math.ceil(bytes / CHUNK)) - 1),
    encryptedIdentity,
  }
}

/** Returns whether a store's files are encrypted. */
export const hasIdentity = async (store: ObjectStorage): Promise<boolean> =>
  (await store.head(BUCKET, PATH)) !== undefined

interface Identity {
  identity: string
  encryptedIdentity: Uint8Array
}

async function identityOf(store: ObjectStorage, passphrase: string, mayCreate: boolean): Promise<Identity> {
  const storedIdentity = await readSmall(store, BUCKET, PATH, MAX_BYTES)
  const first = storedIdentity && (await openIdentity(storedIdentity, passphrase))
  if (first) return first
  const secondCopies = await listSecondCopies(store)
  for (const path of secondCopies.slice(0, MAX_SECOND_COPIES)) {
    const otherCopy = await readSmall(store, BACKUPS, path, MAX_BYTES)
    const openedIdentity = otherCopy && (await openIdentity(otherCopy, passphrase))
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
      `Aquí hay respaldos cifrados y falta su llave (el archivo objects/${BUCKET}/${PATH}, o ${BUCKET}/${PATH} en una cubeta): búscala en otra copia de este lugar y ponla ahí. Para empezar de nuevo, elige otro lugar.`,
    )
  if (!mayCreate)
    throw new StartError(
      'Aquí no hay ningún respaldo cifrado, y se dio BACKUP_KEY. Si el respaldo es tuyo y se hizo sin clave, repite la orden sin BACKUP_KEY.',
    )
  const identity = await generateX25519Identity()
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(SCRYPT_WORK)
  const encrypted = await encrypter.encrypt(identity)
  // If another process stored an identity at the same moment, the stored identity is used.
  return (await storeIdentity(store, encrypted))
    ? { identity, encryptedIdentity: encrypted }
    : identityOf(store, passphrase, mayCreate)
}

/** Stores an identity. @returns false where the store already had one */
async function storeIdentity(store: ObjectStorage, encrypted: Uint8Array): Promise<boolean> {
  try {
    await store.putBytes(BUCKET, PATH, encrypted, { contentType: 'application/octet-stream', cacheControlSeconds: 0 })
    return true
  } catch (error) {
    if (!(error instanceof ObjectExistsError)) throw error
    return false
  }
}

/** Lists the paths of the identity's copies beside backups, newest first. */
async function listSecondCopies(store: ObjectStorage): Promise<string[]> {
  const paths: string[] = []
  for await (const path of store.list(BACKUPS, '')) if (path.endsWith(`/${PATH}`)) paths.push(path)
  return paths.toSorted().toReversed()
}

async function hasEncryptedBackups(store: ObjectStorage): Promise<boolean> {
  for await (const path of store.list(OBJECTS, '')) if (path.endsWith('.age')) return true
  for await (const path of store.list(BACKUPS, '')) {
    if (!path.endsWith('/caratula.json')) continue
    const catalogBytes = await readSmall(store, BACKUPS, path, MAX_BYTES)
    if (catalogBytes && /"cifrada":\s*true/.test(Buffer.from(catalogBytes).toString())) return true
  }
  return false
}

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
