// Sanitizes a file that an organiser sent for a field of the edition:
// node sanitize-file.process.ts KIND FILE CLEAN_FILE; it writes its result (SanitizeOutcome) to the output as JSON.
// Or scales a picture down: node sanitize-file.process.ts vista WIDTH < picture > smaller JPEG or PNG
// A malicious file can exhaust the memory or attack the libraries of this process only.
import { writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { isFileKind } from '#app/cms/media/file-rules.ts'
import { sanitizeFile } from './sanitize-file.server.ts'

sharp.cache(false)
sharp.concurrency(1)
const [task, fileOrWidth = '', cleanPath = ''] = process.argv.slice(2)
if (isFileKind(task)) {
  const { bytes, ...outcome } = await sanitizeFile(task, fileOrWidth)
  if (bytes) await writeFile(cleanPath, bytes, { flag: 'wx', mode: 0o600 })
  process.stdout.write(JSON.stringify(outcome))
} else
  process.stdout.write(
    await sharp(await buffer(process.stdin))
      .resize({ width: Number(fileOrWidth), withoutEnlargement: true })
      .toBuffer(),
  )
