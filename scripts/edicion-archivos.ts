// The files of an edition that lies in a folder: each is read once, and opened as one that an organiser sends.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  CLASES_DE_ARCHIVO,
  type ClaseDeArchivo,
  mensajeDeArchivo,
  type TipoDeArchivo,
  tipoDeRuta,
} from '#app/cms/media/file-rules.ts'
import { type ArchivoPorGuardar, archivoPorSuma } from '#app/cms/media/file-store.server.ts'
import { openSent } from '#app/cms/media/receive-file.server.ts'
import { type Archivos, esFotografia, type Falla, filesNamed } from '#app/cms/schema/read-content.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { readInside } from '#app/core/storage/confined-read.server.ts'

const MAX_SUBTITLES_BYTES = 1_048_576

type Opened = { ok: true; file: ArchivoPorGuardar } | { ok: false; remedio: string }

/**
 * Opens the files that an edition's documents name; nothing is kept yet.
 * @param work a folder of this process alone, where copies lie until they are kept
 */
export async function openFiles(
  db: Database,
  { folder, archivos, work }: { folder: string; archivos: Partial<Archivos>; work: string },
): Promise<{ files: Map<string, ArchivoPorGuardar>; fallas: Falla[] }> {
  const files = new Map<string, ArchivoPorGuardar>()
  const fallas: Falla[] = []
  const named = filesNamed(archivos)
  const photos = new Set(named.filter(({ campo }) => esFotografia(campo)).map(({ ruta }) => ruta))
  for (const ruta of new Set(named.map((one) => one.ruta))) {
    const opened = await openOne(db, join(work, String(files.size + fallas.length)), folder, ruta, photos.has(ruta))
    if (opened.ok) files.set(ruta, opened.file)
    else fallas.push({ archivo: ruta, campo: '', remedio: opened.remedio })
  }
  return { files, fallas }
}

async function openOne(db: Database, copy: string, folder: string, ruta: string, isPhoto: boolean): Promise<Opened> {
  const tipo = tipoDeRuta(ruta)!
  const clase = isPhoto ? 'foto' : claseOf(tipo)
  const maxBytes = clase ? CLASES_DE_ARCHIVO[clase].maxBytes : MAX_SUBTITLES_BYTES
  const bytes = await readInside(folder, ruta, maxBytes)
  if (bytes === 'large') return no(`pesa más de ${maxBytes / 1_048_576} MB: guárdalo en menor tamaño y reemplázalo`)
  if (typeof bytes === 'string') return no('cambió mientras se leía: repite la orden')
  if (clase === undefined)
    return isSubtitles(bytes)
      ? { ok: true, file: { tipo, bytes } }
      : no('no son subtítulos: debe ser texto en UTF-8 que empieza con WEBVTT')
  await writeFile(copy, bytes, { flag: 'wx', mode: 0o600 })
  // What the site has already came through the same door, and is not made smaller a second time.
  const known = await archivoPorSuma(db, createHash('sha256').update(bytes).digest('hex'))
  const { ancho = null, alto = null, vista = null } = known ?? {}
  const medidas = ancho && alto ? { ancho, alto, vista } : null
  if (known && (isPhoto ? vista !== null : known.tipo === tipo))
    return { ok: true, file: { tipo: known.tipo, medidas, file: copy } }
  const limpio = `${copy}.limpio`
  const opened = await openSent(clase, copy, limpio)
  if (!opened.ok) return no(mensajeDeArchivo(clase, opened.motivo, basename(ruta)))
  // A photograph becomes a JPEG, as which browsers know it under either name.
  if (!isPhoto && opened.tipo !== tipo)
    return no('no es por dentro lo que dice su nombre: corrige su terminación y la ruta')
  return { ok: true, file: { tipo: opened.tipo, medidas: opened.medidas, file: limpio } }
}

const no = (remedio: string): Opened => ({ ok: false, remedio })

function claseOf(tipo: TipoDeArchivo): ClaseDeArchivo | undefined {
  if (tipo === 'text/vtt') return undefined
  return tipo.startsWith('image/') ? 'logo' : tipo.startsWith('video/') ? 'video' : 'documento'
}

function isSubtitles(bytes: Buffer): boolean {
  try {
    return /^\ufeff?WEBVTT(\s|$)/.test(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return false
  }
}
