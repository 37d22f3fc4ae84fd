import { statfs } from 'node:fs/promises'
import { data } from 'react-router'
import type { Services } from '#app/core/http/services.server.ts'
import { bytesDePiso, type Piso } from '#app/core/process/disk-reserve.ts'
import { isDiskFull } from '#app/core/process/durable-files.server.ts'

/** What is left of a disk, in bytes. */
export interface DiskSpace {
  total: number
  libres: number
  /** What is kept free. */
  piso: number
  /** What may still be taken in; less than 0 once something else has used up part of the floor. */
  disponible: number
}

export async function readDiskSpace(folder: string, piso: Piso): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const [total, free] = [blocks * bsize, bavail * bsize]
  const floor = bytesDePiso(piso, total)
  return { total, libres: free, piso: floor, disponible: free - floor }
}

/** HTTP's «Insufficient Storage». */
export const DISK_FULL_STATUS = 507

export const DISK_FULL_MESSAGE =
  'No se guardó nada: el disco del servidor está lleno. Lo que escribiste sigue aquí: avisa a quien cuida el servidor y vuelve a intentarlo cuando haya espacio.'

/** Said where opening something has to leave a line in the log first, and the line finds no room. */
export const DISK_FULL_ON_OPEN_MESSAGE =
  'El disco del servidor está lleno y no se puede anotar en la bitácora que esto se abre, así que no se abre. Avisa a quien cuida el servidor y vuelve a intentarlo cuando haya espacio.'

/** Runs a change, all of it or nothing. A full disk becomes a refusal. @throws every other fault */
export async function unlessFull<Done>(
  { log }: Pick<Services, 'log'>,
  change: () => Promise<Done>,
): Promise<Done | { ok: false; reason: 'sin-espacio' }> {
  try {
    return await change()
  } catch (error) {
    if (!isDiskFull(error)) throw error
    log.error({ err: error }, 'no room left on the disk: a change of the panel was refused')
    return { ok: false, reason: 'sin-espacio' }
  }
}

/** Runs work that a screen cannot be shown without. @throws a 507 with DISK_FULL_ON_OPEN_MESSAGE when the disk is full */
export async function orDiskFull<Done>(services: Pick<Services, 'log'>, work: () => Promise<Done>): Promise<Done> {
  const done = await unlessFull(services, async () => ({ ok: true as const, value: await work() }))
  if (!done.ok) throw data(DISK_FULL_ON_OPEN_MESSAGE, { status: DISK_FULL_STATUS })
  return done.value
}
