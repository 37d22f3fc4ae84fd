import { statfs } from 'node:fs/promises'
import { data } from 'react-router'
import type { Services } from '#app/core/http/services.server.ts'
import { type DiskReserve, diskReserveBytes } from '#app/core/process/disk-reserve.ts'
import { isDiskFull } from '#app/core/process/durable-files.server.ts'

export interface DiskSpace {
  totalBytes: number
  freeBytes: number
  /** Uploads must leave this much space free. */
  reserveBytes: number
  /** Uploads may still take this much space. The number is negative once other data has used part of the reserve. */
  availableBytes: number
}

export async function readDiskSpace(folder: string, reserve: DiskReserve): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const totalBytes = blocks * bsize
  const freeBytes = bavail * bsize
  const reserveBytes = diskReserveBytes(reserve, totalBytes)
  return { totalBytes, freeBytes, reserveBytes, availableBytes: freeBytes - reserveBytes }
}

/** HTTP status Insufficient Storage (RFC 4918). */
export const DISK_FULL_STATUS = 507

/** Message for a change that was not saved. */
export const DISK_FULL_MESSAGE =
  'No se guardó nada: el disco del servidor está lleno. Lo que escribiste sigue aquí: avisa a quien cuida el servidor y vuelve a intentarlo cuando haya espacio.'

const DISK_FULL_MIDWAY_MESSAGE =
  'El disco del servidor se llenó a la mitad: abajo está lo que alcanzó a guardarse. Avisa a quien cuida el servidor y haz lo demás cuando haya espacio.'

/**
 * Returns the message for several changes, each a transaction of its own.
 * @param outcomes of the changes before the disk was full; a change with a reason was refused
 */
export const diskFullMidwayMessage = (outcomes: readonly { reason?: string }[]): string =>
  outcomes.some(({ reason }) => reason === undefined) ? DISK_FULL_MIDWAY_MESSAGE : DISK_FULL_MESSAGE

/** Message if the disk has no room for the line in the audit log without which a file or screen may not be opened. */
export const DISK_FULL_ON_OPEN_MESSAGE =
  'El disco del servidor está lleno y no se puede anotar en la bitácora que esto se abre, así que no se abre. Avisa a quien cuida el servidor y vuelve a intentarlo cuando haya espacio.'

/**
 * Runs a change. Only if it is one transaction does a refusal mean that nothing was saved.
 * @returns the result of the change, or a refusal if the disk is full
 * @throws every other error
 */
export async function withDiskFullRefusal<Result>(
  { log }: Pick<Services, 'log'>,
  change: () => Promise<Result>,
): Promise<Result | { ok: false; reason: 'sin-espacio' }> {
  try {
    return await change()
  } catch (error) {
    if (!isDiskFull(error)) throw error
    log.error({ err: error }, 'no room left on the disk: a change was refused')
    return { ok: false, reason: 'sin-espacio' }
  }
}

/** Runs work that a screen needs. @throws a response 507 with DISK_FULL_ON_OPEN_MESSAGE if the disk is full */
export async function throwIfDiskFull<Result>(
  services: Pick<Services, 'log'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const result = await withDiskFullRefusal(services, async () => ({ ok: true as const, value: await work() }))
  if (!result.ok) throw data(DISK_FULL_ON_OPEN_MESSAGE, { status: DISK_FULL_STATUS })
  return result.value
}
