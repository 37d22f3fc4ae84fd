import { quantity } from '#app/core/text/quantity.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import type { DiskSpace } from '#app/core/uploads/disk-space.server.ts'
import type { Diagnosis, HealthLevel, PlannedDeletion } from './schema.ts'

/** Size of a phone's photograph. With less space above the reserve, the disk counts as full. */
const ONE_PHOTO_BYTES = 16 * 1024 ** 2

/**
 * Returns a disk's level. If the space above the reserve does not suffice for a photograph, the disk is `full`; if it is at most
 * half as large as the reserve, the disk is `low`.
 */
export const diskLevelOf = ({
  reserveBytes,
  availableBytes,
}: Pick<DiskSpace, 'reserveBytes' | 'availableBytes'>): 'ample' | 'low' | 'full' =>
  availableBytes < ONE_PHOTO_BYTES ? 'full' : availableBytes <= reserveBytes / 2 ? 'low' : 'ample'

const GIB = 1024 ** 3
/** Returns a size in Spanish: «5.3 GB», «300 MB». */
const formatBytes = (bytes: number): string =>
  bytes >= GIB
    ? `${(bytes / GIB).toLocaleString('es-MX', { maximumFractionDigits: 1 })} GB`
    : `${Math.max(0, Math.round(bytes / 1024 ** 2)).toLocaleString('es-MX')} MB`

export const diskSpaceInWords = (space: Pick<DiskSpace, 'totalBytes' | 'freeBytes'>): string =>
  `Quedan ${formatBytes(space.freeBytes)} de ${formatBytes(space.totalBytes)}.`

/** Returns a Spanish notice for the panel and the mail, or undefined while there is ample space. */
export function diskSpaceNotice(
  space: Pick<DiskSpace, 'freeBytes' | 'reserveBytes' | 'availableBytes'>,
): string | undefined {
  const level = diskLevelOf(space)
  if (level === 'ample') return undefined
  const [free, reserve] = [formatBytes(space.freeBytes), formatBytes(space.reserveBytes)]
  const remedy = 'Borra las inscripciones que sobran, o pide más disco a quien cuida el servidor.'
  return level === 'full'
    ? `El disco está lleno: quedan ${free} y el sitio guarda ${reserve} para la votación, las entradas y los borrados. No recibe registros. ${remedy}`
    : `El disco casi se llena: quedan ${free}. Con ${reserve} el sitio deja de recibir registros. ${remedy}`
}

/** Describes a planned deletion in Spanish: «36 inscripciones con sus documentos … de la edición 2025». */
export function plannedDeletionInWords({ edition, entryCount, accountCount, firstDueAt }: PlannedDeletion): string {
  const parts = [
    entryCount > 0 && `${quantity(entryCount, 'inscripción', 'inscripciones')} con sus documentos`,
    accountCount > 0 && `${quantity(accountCount, 'cuenta de votante', 'cuentas de votantes')}`,
  ].filter((part) => part !== false)
  return `${parts.join(' y ')} de la edición ${edition}, a partir del ${formatLongDateTimeWithZone(firstDueAt)}`
}

export const plannedDeletionNotice = (plannedDeletion: PlannedDeletion): string =>
  `Se van a borrar, porque venció su plazo, ${plannedDeletionInWords(plannedDeletion)}. Si todavía hacen falta, deténlo en «Privacidad».`

export const faultsNotice = (faults: number): string =>
  `${faults === 1 ? 'Algo del sitio no funciona' : `${faults} cosas del sitio no funcionan`}. Míralo en «Estado», donde dice qué hacer.`

/** Checks whose remedies the committee can apply. All others need the server's operator. */
const COMMITTEE_CHECKS = new Set(['espacio', 'borrados', 'imagenes', 'freno'])

/** Returns a remedy in Spanish for the committee, which says if it is for the server's operator. */
export const remedyForCommittee = (de: string, remedy: string): string =>
  COMMITTEE_CHECKS.has(de) ? remedy : `Para quien cuida el servidor: ${remedy}`

const LEVEL_LABELS: Record<HealthLevel, string> = { ok: 'ok   ', aviso: 'AVISO', falla: 'FALLA' }

/** Returns the diagnoses as the command `estado` prints them: a table, and a last line that sums it up. */
export function statusReport(diagnoses: readonly Diagnosis[]): { table: string[]; line: string } {
  const table = diagnoses.flatMap(({ titulo, nivel, dice, remedio }) => [
    `${LEVEL_LABELS[nivel]}  ${titulo}: ${dice}`,
    ...(remedio && nivel !== 'ok' ? [`         → ${remedio}`] : []),
  ])
  const countOf = (level: HealthLevel) => diagnoses.filter(({ nivel }) => nivel === level).length
  const [faults, notices] = [countOf('falla'), quantity(countOf('aviso'), 'aviso', 'avisos')]
  const isDown = diagnoses.some(({ de, nivel }) => de === 'version' && nivel === 'falla')
  if (isDown) return { table, line: 'El sitio NO atiende a nadie. Arriba dice qué hacer.' }
  if (faults > 0)
    return {
      table,
      line: `Hay ${quantity(faults, 'falla', 'fallas')} y ${notices}: arriba dice qué hacer con cada uno.`,
    }
  return { table, line: countOf('aviso') > 0 ? `El sitio está bien, con ${notices}.` : 'El sitio está bien.' }
}
