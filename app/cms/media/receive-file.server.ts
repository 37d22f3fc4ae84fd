import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Rechazo } from '#app/core/http/refusal.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { MENSAJES_DE_SUBIDA } from '#app/core/http/upload-refusals.ts'
import { inTurn, runAparte } from '#app/core/process/sandbox.server.ts'
import { readEspacio } from '#app/core/uploads/disk-space.server.ts'
import { type Abierto, type ClaseDeArchivo, type MotivoDeArchivo, mensajeDeArchivo } from './file-rules.ts'
import { type ArchivoDeEdicion, saveArchivo } from './file-store.server.ts'

const ABRIR = 'app/cms/sanitizing/sanitize-file.process.ts'

/** A mark is drawn in a tenth of this; what takes longer would keep every visitor's browser busy, too. */
const DRAWING_MS = 5_000
const ENDED_FOR = { foto: 'grande', logo: 'slow', video: 'ilegible', documento: 'reprint' } as const

/** A file that came whole, and for what. */
interface Enviado {
  clase: ClaseDeArchivo
  /** On this machine's disk; it stays as it is. */
  file: string
  /** As the person's device calls it. */
  nombre: string
}

/**
 * Opens a file apart, and keeps what is clean of it.
 * @returns the file of the edition; or why it is not taken, and how to mend it
 * @throws Rechazo sinEspacio; Saturado when too many are being opened; what the storage or the database says where they
 * are away
 */
export async function recibirArchivo(
  services: Pick<Services, 'db' | 'storage' | 'settings'>,
  { clase, file, nombre }: Enviado,
): Promise<{ ok: true; archivo: ArchivoDeEdicion } | { ok: false; reason: MotivoDeArchivo; message: string }> {
  const folder = dirname(file)
  const { disponible } = await readEspacio(folder, services.settings.piso)
  if (disponible < (await stat(file)).size) throw new Rechazo('sinEspacio', MENSAJES_DE_SUBIDA.sinEspacio)
  const limpio = join(folder, `${randomUUID()}.limpio`)
  try {
    const abierto = await openSent(clase, file, limpio)
    if (!abierto.ok)
      return { ok: false, reason: abierto.motivo, message: mensajeDeArchivo(clase, abierto.motivo, nombre) }
    const { tipo, medidas } = abierto
    return { ok: true, archivo: await saveArchivo(services, { tipo, medidas, file: limpio }) }
  } finally {
    await rm(limpio, { force: true })
  }
}

/**
 * Opens a file in a process apart: the one door through which a file comes into an edition.
 * @param limpio where it is left clean, if it is taken
 * @throws Rechazo sinEspacio; Saturado when too many are being opened
 */
export async function openSent(clase: ClaseDeArchivo, file: string, limpio: string): Promise<Abierto> {
  const { painted, outcome, said } = await inTurn('panel', '', () =>
    runAparte(ABRIR, undefined, [clase, file, limpio], clase === 'logo' ? DRAWING_MS : undefined),
  )
  return outcome === 'hecho' ? (JSON.parse(painted.toString()) as Abierto) : endedAs(clase, said)
}

/** The process was ended: it took more memory or time than there is, or the disk was full. @throws for the disk */
function endedAs(clase: ClaseDeArchivo, said: string): Abierto {
  if (said.includes('ENOSPC')) throw new Rechazo('sinEspacio', MENSAJES_DE_SUBIDA.sinEspacio)
  return { ok: false, motivo: ENDED_FOR[clase] }
}
