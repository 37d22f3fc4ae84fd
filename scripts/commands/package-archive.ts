// This module checks a package's archive, for npm run actualizar, before the archive is unpacked.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { posix } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/** Copies an archive to a private path: the copy is checked and unpacked, against TOCTOU. @returns its sha256, hex */
export async function copyWithSum(from: string, to: string): Promise<string> {
  const sum = createHash('sha256')
  const summing = new Transform({
    transform(chunk, _encoding, done) {
      sum.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(createReadStream(from), summing, createWriteStream(to, { flags: 'wx', mode: 0o600 }))
  return sum.digest('hex')
}

const BLOCK = 512
/** The type flags of an entry follow POSIX.1-2017 pax, ustar; L and K follow GNU tar. */
const [FILE, OLD_FILE, HARD_LINK, LINK, FOLDER] = ['0', '\0', '1', '2', '5']
const [LONG_NAME, LONG_LINK, NEXT_HAS, ALL_HAVE] = ['L', 'K', 'x', 'g']
const MAX_NOTE_BYTES = 1_048_576

interface Entry {
  kind: string
  name: string
  /** `target` is the path that a link leads to. */
  target: string
}

/**
 * Finds the first entry that makes an archive unsafe to unpack: a name or a link target outside the archive's one folder, a name
 * that passes through a link, or an entry that is no file, folder or link.
 * @returns the entry's name; '' for an empty archive; undefined for a safe one
 */
export async function findUnsafeEntry(archive: string): Promise<string | undefined> {
  const links = new Set<string>()
  let top: string | undefined
  for await (const { kind, name, target } of entriesOf(archive)) {
    if (![FILE, OLD_FILE, HARD_LINK, LINK, FOLDER].includes(kind)) return name
    const path = posix.normalize(name).replace(/\/$/, '')
    const [first] = path.split('/')
    top ??= first
    if (path.startsWith('/') || first === '..' || first === '.' || first !== top) return name
    for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above)) if (links.has(above)) return name
    // A file under a link's name would be written where the link leads.
    if (links.has(path)) return name
    const isInside = (linkTarget: string) =>
      !linkTarget.startsWith('/') && (linkTarget === top || linkTarget.startsWith(`${top}/`))
    if (kind === HARD_LINK && !isInside(posix.normalize(target))) return name
    if (kind !== LINK) continue
    if (target.startsWith('/') || !isInside(posix.join(posix.dirname(path), target))) return name
    links.add(path)
  }
  return top === undefined ? '' : undefined
}

/** Yields the archive's entries. @throws Error when the file is no tar archive, or an incomplete one */
async function* entriesOf(archive: string): AsyncGenerator<Entry> {
  const unfolded = createReadStream(archive).pipe(createGunzip())
  let buffered: Buffer = Buffer.alloc(0)
  let toSkip = 0
  let note: { kind: string; size: number } | undefined
  let said: Partial<Entry> = {}
  try {
    for await (const chunk of unfolded) {
      buffered = buffered.length === 0 ? (chunk as Buffer) : Buffer.concat([buffered, chunk as Buffer])
      for (;;) {
        const skipped = Math.min(toSkip, buffered.length)
        buffered = buffered.subarray(skipped)
        toSkip -= skipped
        if (note) {
          if (buffered.length < note.size) break
          said = { ...said, ...readNote(note.kind, buffered.subarray(0, note.size)) }
          toSkip = Math.ceil(note.size / BLOCK) * BLOCK
          note = undefined
          continue
        }
        if (toSkip > 0 || buffered.length < BLOCK) break
        const head = buffered.subarray(0, BLOCK)
        buffered = buffered.subarray(BLOCK)
        if (head.every((byte) => byte === 0)) continue
        const [kind, size] = [head.toString('latin1', 156, 157), sizeIn(head)]
        if ([LONG_NAME, LONG_LINK, NEXT_HAS, ALL_HAVE].includes(kind)) {
          if (size > MAX_NOTE_BYTES) throw new Error('a note without end')
          note = { kind, size }
          continue
        }
        toSkip = [FILE, OLD_FILE].includes(kind) ? Math.ceil(size / BLOCK) * BLOCK : 0
        const prefix = head.toString('latin1', 257, 262) === 'ustar' ? textAt(head, 345, 155) : ''
        const name = said.name ?? (prefix === '' ? '' : `${prefix}/`) + textAt(head, 0, 100)
        yield { kind, name, target: said.target ?? textAt(head, 157, 100) }
        said = {}
      }
    }
    if (toSkip > 0 || note || buffered.length > 0) throw new Error('cut off')
  } finally {
    unfolded.destroy()
  }
}

const textAt = (bytes: Buffer, at: number, length: number) => bytes.toString('utf8', at, at + length).split('\0', 1)[0]!

function sizeIn(head: Buffer): number {
  const sum = head.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0)
  const size = Number.parseInt(textAt(head, 124, 12).trim() || '0', 8)
  if (Number.parseInt(textAt(head, 148, 8).trim(), 8) !== sum || !(size >= 0)) throw new Error('no archive')
  return size
}

function readNote(kind: string, bytes: Buffer): Partial<Entry> {
  if (kind === LONG_NAME) return { name: textAt(bytes, 0, bytes.length) }
  if (kind === LONG_LINK) return { target: textAt(bytes, 0, bytes.length) }
  const found: Partial<Entry> = {}
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 12), 10)
    if (!(length > 0)) throw new Error('no note')
    const [, key, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(bytes.toString('utf8', at, at + length)) ?? []
    // Records that change an entry's size, sparse files, and global headers are refused.
    if (key === undefined || key === 'size' || key.startsWith('GNU.sparse') || kind === ALL_HAVE) throw new Error('odd')
    if (key === 'path') found.name = value!
    if (key === 'linkpath') found.target = value!
    at += length
  }
  return found
}
