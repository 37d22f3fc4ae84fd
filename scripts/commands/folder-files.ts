// Reads the files of an edition in a folder, with the same checks as files that an organiser sends.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FILE_KINDS, type FileKind, type FileType, fileTypeOfPath, messageForFile } from '#app/cms/media/file-rules.ts'
import { type FileToSave, findFileByHash } from '#app/cms/media/file-store.server.ts'
import { sanitizeInSandbox } from '#app/cms/media/receive-file.server.ts'
import {
  type ContentFault,
  type EditionDocuments,
  isPhotoField,
  listNamedFiles,
} from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { readConfined } from '#app/core/storage/confined-read.server.ts'

const MAX_SUBTITLES_BYTES = 1_048_576

type OpenedFile = { ok: true; file: FileToSave } | { ok: false; remedy: string }

/**
 * Opens the files that an edition's documents name, without storing them.
 * @param tempFolder a private folder for copies of the files
 * @returns files by path; the new paths of SVG logos, which became PNGs, by their old paths; and faults
 */
export async function openFiles(
  db: Database,
  { folder, documents, tempFolder }: { folder: string; documents: Partial<EditionDocuments>; tempFolder: string },
): Promise<{ files: Map<string, FileToSave>; renamedPaths: Map<string, string>; faults: ContentFault[] }> {
  const files = new Map<string, FileToSave>()
  const renamedPaths = new Map<string, string>()
  const faults: ContentFault[] = []
  const namedFiles = listNamedFiles(documents)
  const photos = new Set(namedFiles.filter(({ field }) => isPhotoField(field)).map(({ path }) => path))
  for (const path of new Set(namedFiles.map(({ path }) => path))) {
    const openedFile = await openFile(
      db,
      join(tempFolder, String(files.size + faults.length)),
      folder,
      path,
      photos.has(path),
    )
    if (openedFile.ok) {
      const isRasterized = path.endsWith('.svg') && openedFile.file.tipo === 'image/png'
      if (isRasterized) renamedPaths.set(path, `${path}.png`)
      files.set(renamedPaths.get(path) ?? path, openedFile.file)
    } else faults.push({ archivo: path, campo: '', remedio: openedFile.remedy })
  }
  return { files, renamedPaths, faults }
}

async function openFile(
  db: Database,
  copyPath: string,
  folder: string,
  path: string,
  isPhoto: boolean,
): Promise<OpenedFile> {
  const type = fileTypeOfPath(path)!
  const kind = isPhoto ? 'foto' : kindOf(type)
  const maxBytes = kind ? FILE_KINDS[kind].maxBytes : MAX_SUBTITLES_BYTES
  const bytes = await readConfined(folder, path, maxBytes)
  if (bytes === 'large')
    return refusalWith(`pesa más de ${maxBytes / 1_048_576} MB: guárdalo en menor tamaño y reemplázalo`)
  if (typeof bytes === 'string') return refusalWith('cambió mientras se leía: repite la orden')
  if (kind === undefined)
    return isSubtitles(bytes)
      ? { ok: true, file: { tipo: type, bytes } }
      : refusalWith('no son subtítulos: debe ser texto en UTF-8 que empieza con WEBVTT')
  await writeFile(copyPath, bytes, { flag: 'wx', mode: 0o600 })
  // A file that the site already stores has passed the checks, and is not encoded a second time.
  const storedFile = await findFileByHash(db, createHash('sha256').update(bytes).digest('hex'))
  const { ancho = null, alto = null, vista = null } = storedFile ?? {}
  const dimensions = ancho && alto ? { ancho, alto, vista } : null
  if (storedFile && (isPhoto ? vista !== null : storedFile.tipo === type))
    return { ok: true, file: { tipo: storedFile.tipo, dimensions, file: copyPath } }
  const cleanPath = `${copyPath}.limpio`
  const sanitizedFile = await sanitizeInSandbox(kind, copyPath, cleanPath)
  if (!sanitizedFile.ok) return refusalWith(messageForFile(kind, sanitizedFile.reason, basename(path)))
  // A photograph becomes a JPEG, which browsers recognise under any extension; an SVG becomes a PNG, and gets another path.
  if (!isPhoto && sanitizedFile.tipo !== type && type !== 'image/svg+xml')
    return refusalWith('no es por dentro lo que dice su nombre: corrige su terminación y la ruta')
  return { ok: true, file: { tipo: sanitizedFile.tipo, dimensions: sanitizedFile.dimensions, file: cleanPath } }
}

const refusalWith = (remedy: string): OpenedFile => ({ ok: false, remedy })

function kindOf(type: FileType): FileKind | undefined {
  if (type === 'text/vtt') return undefined
  return type.startsWith('image/') ? 'logo' : type.startsWith('video/') ? 'video' : 'documento'
}

function isSubtitles(bytes: Buffer): boolean {
  try {
    return /^\ufeff?WEBVTT(\s|$)/.test(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return false
  }
}
