import { statfs } from 'node:fs/promises'
import { data } from 'react-router'
import type { Services } from '#app/core/http/services.server.ts'
import { type DiskReserve, diskReserveBytes } from '#app/core/process/disk-reserve.ts'
import { isDiskFull } from '#app/core/process/durable-files.server.ts'

export interface DiskSpace {
  totalBytes: number
  freeBytes: number
  /** Uploads must leave this space free. */
  reserveBytes: number
  /** Uploads may still take this space; it is negative once other data has used part of the reserve. */
  availableBytes: number
}

export async function readDiskSpace(folder: string, reserve: DiskReserve): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const [total, free] = [blocks * bsize, bavail * bsize]
  const floor = diskReserveBytes(reserve, total)
  return { totalBytes: total, freeBytes: free, reserveBytes: floor, availableBytes: free - floor }
}

/** HTTP calls this status «Insufficient Storage» (RFC 4918). */
export const DISK_FULL_STATUS = 507

export const DISK_FULL_MESSAGE =
  'No se guardó nada: el disco del servidor está lleno. Lo que escribiste sigue aquí: avisa a quien cuida el servidor y vuelve a intentarlo cuando haya espacio.'

/** The message is shown when opening something needs an entry in the audit log, and the disk has no room for the entry. */
export const DISK_FULL_ON_OPEN_MESSAGE =
  'El disco del servidor está lleno y no se puede anotar en la bitácora que esto se abre, así que no se abre. Avisa a quien cuida el servidor y vuelve a intentarlo cuando haya espacio.'

/** Runs a change that happens whole or not. A full disk becomes a refusal. @throws every other error */
export async function refuseIfDiskFull<Done>(
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

/** Runs work that a screen needs. @throws a 507 with DISK_FULL_ON_OPEN_MESSAGE when the disk is full */
export async function throwIfDiskFull<Done>(services: Pick<Services, 'log'>, work: () => Promise<Done>): Promise<Done> {
  const result = await refuseIfDiskFull(services, async () => ({ ok: true as const, value: await work() }))
  if (!result.ok) throw data(DISK_FULL_ON_OPEN_MESSAGE, { status: DISK_FULL_STATUS })
  return result.value
}
