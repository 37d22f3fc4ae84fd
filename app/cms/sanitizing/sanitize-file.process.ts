// Opens a file that an organiser sent for a field of the edition, and leaves it clean:
// node sanitize-file.process.ts CLASE FILE CLEAN, with what came of it (Abierto) as JSON on its output.
// node sanitize-file.process.ts vista WIDTH < picture > smaller JPEG or PNG
// A process of its own: whatever a strange file does to its memory, or to the libraries that read it, ends with it.
import { writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { isFileKind } from '#app/cms/media/file-rules.ts'
import { sanitizeFile } from './sanitize-file.server.ts'

sharp.cache(false)
sharp.concurrency(1)
const [what, given = '', clean = ''] = process.argv.slice(2)
if (isFileKind(what)) {
  const { bytes, ...opened } = await sanitizeFile(what, given)
  if (bytes) await writeFile(clean, bytes, { flag: 'wx', mode: 0o600 })
  process.stdout.write(JSON.stringify(opened))
} else
  process.stdout.write(
    await sharp(await buffer(process.stdin))
      .resize({ width: Number(given), withoutEnlargement: true })
      .toBuffer(),
  )
