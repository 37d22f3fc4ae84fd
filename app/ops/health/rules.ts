import { enMexico } from '#app/core/time/mexico-dates.ts'
import type { DiskSpace } from '#app/core/uploads/disk-space.server.ts'
import type { PlannedDeletion } from './schema.ts'

/** With less than this above the floor, no photograph of a telephone finds room. */
const ONE_PHOTO_BYTES = 16 * 1024 ** 2

/** How a disk stands: with room, soon at its floor (half as much again is left), or at it. */
export const diskLevelOf = ({
  piso,
  disponible,
}: Pick<DiskSpace, 'piso' | 'disponible'>): 'holgado' | 'poco' | 'lleno' =>
  disponible < ONE_PHOTO_BYTES ? 'lleno' : disponible <= piso / 2 ? 'poco' : 'holgado'

const GB = 1024 ** 3
/** Bytes as people say them. */
const inWords = (bytes: number): string =>
  bytes >= GB
    ? `${(bytes / GB).toLocaleString('es-MX', { maximumFractionDigits: 1 })} GB`
    : `${Math.max(0, Math.round(bytes / 1024 ** 2)).toLocaleString('es-MX')} MB`

/** How a disk stands, in a few words. */
export const diskSpaceInWords = (space: Pick<DiskSpace, 'total' | 'libres'>): string =>
  `Quedan ${inWords(space.libres)} de ${inWords(space.total)}.`

/** What the panel and the mail say of a disk; undefined while there is room. */
export function diskSpaceNotice(space: Pick<DiskSpace, 'libres' | 'piso' | 'disponible'>): string | undefined {
  const level = diskLevelOf(space)
  if (level === 'holgado') return undefined
  const [free, piso] = [inWords(space.libres), inWords(space.piso)]
  const mend = 'Borra las inscripciones que sobran, o pide más disco a quien cuida el servidor.'
  return level === 'lleno'
    ? `El disco está lleno: quedan ${free} y el sitio guarda ${piso} para la votación, las entradas y los borrados. No recibe registros. ${mend}`
    : `El disco casi se llena: quedan ${free}. Con ${piso} el sitio deja de recibir registros. ${mend}`
}

const howMany = (number: number, una: string, plural: string) =>
  `${number.toLocaleString('es-MX')} ${number === 1 ? una : plural}`

/** What goes by time, of which edition and from when: «36 inscripciones con sus documentos … de la edición 2025». */
export function plannedDeletionInWords({ edicion, inscripciones, cuentas, desde }: PlannedDeletion): string {
  const said = [
    inscripciones > 0 && `${howMany(inscripciones, 'inscripción', 'inscripciones')} con sus documentos`,
    cuentas > 0 && `${howMany(cuentas, 'cuenta de votante', 'cuentas de votantes')}`,
  ].filter((one) => one !== false)
  return `${said.join(' y ')} de la edición ${edicion}, a partir del ${enMexico(desde)}`
}

/** What the panel's frame says of it. */
export const plannedDeletionNotice = (plannedDeletion: PlannedDeletion): string =>
  `Se van a borrar, porque venció su plazo, ${plannedDeletionInWords(plannedDeletion)}. Si todavía hacen falta, deténlo en «Privacidad».`

export const faultsNotice = (faults: number): string =>
  `${faults === 1 ? 'Algo del sitio no funciona' : `${faults} cosas del sitio no funcionan`}. Míralo en «Estado», donde dice qué hacer.`

/** What the committee mends by itself; the rest it hands on. */
const COMMITTEE_CHECKS = new Set(['espacio', 'borrados', 'imagenes', 'reloj'])

/** What to do, as the committee reads it. */
export const remedyForCommittee = (de: string, remedy: string): string =>
  COMMITTEE_CHECKS.has(de) ? remedy : `Para quien cuida el servidor: ${remedy}`
