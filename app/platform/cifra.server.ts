import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { StartError } from './start-error.server.ts'
import { ObjectExistsError, type ObjectStorage } from './storage.server.ts'

/** Encrypts what leaves the site for good, in the format of age (age-encryption.org), which other tools read as well. */
export interface Cifra {
  encrypt(plain: Readable): Promise<Readable>
  decrypt(sealed: Readable): Promise<Readable>
  /** The name by which bytes are kept: the same for the same bytes, and of no use to whoever has other bytes to compare. */
  nameOf(sha256: string): string
}

/** 2^15: a tenth of a second and 32 MB, once a command. The passphrase is long and random, not somebody's memory. */
const SCRYPT_WORK = 15
const BUCKET = 'clave'
const PATH = 'clave.age'

/**
 * The keys of a store: an identity made once, kept there encrypted with the passphrase. Everything else is encrypted for
 * that identity, which is fast, and a passphrase can be changed without writing anything else anew.
 * @throws StartError when the passphrase does not open it
 */
export async function openCifra(store: ObjectStorage, passphrase: string): Promise<Cifra> {
  const identity = await identityOf(store, passphrase)
  const recipient = await identityToRecipient(identity)
  return {
    async encrypt(plain) {
      const encrypter = new Encrypter()
      encrypter.addRecipient(recipient)
      return fromWeb(await encrypter.encrypt(toWeb(plain)))
    },
    async decrypt(sealed) {
      const decrypter = new Decrypter()
      decrypter.addIdentity(identity)
      return fromWeb(await decrypter.decrypt(toWeb(sealed)))
    },
    nameOf: (sha256) => createHmac('sha256', identity).update(sha256).digest('hex'),
  }
}

async function identityOf(store: ObjectStorage, passphrase: string): Promise<string> {
  const kept = await store.get(BUCKET, PATH)
  if (kept) return openIdentity(await buffer(kept), passphrase)
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(SCRYPT_WORK)
  const identity = await generateX25519Identity()
  try {
    const body = await encrypter.encrypt(identity)
    await store.putBytes(BUCKET, PATH, body, { contentType: 'application/octet-stream', cacheControlSeconds: 0 })
    return identity
  } catch (error) {
    if (!(error instanceof ObjectExistsError)) throw error
    // Another process made it at the same moment.
    return identityOf(store, passphrase)
  }
}

async function openIdentity(kept: Uint8Array, passphrase: string): Promise<string> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return await decrypter.decrypt(kept, 'text')
  } catch {
    throw new StartError('La clave BACKUP_KEY no abre estos respaldos: pon la que se usó cuando se hicieron.')
  }
}

const toWeb = (stream: Readable) => Readable.toWeb(stream) as ReadableStream<Uint8Array>
const fromWeb = (stream: ReadableStream<Uint8Array>) =>
  Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
