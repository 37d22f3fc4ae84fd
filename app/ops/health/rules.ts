import { enMexico } from '#app/core/time/mexico-dates.ts'
import type { Espacio } from '#app/core/uploads/disk-space.server.ts'
import type { BorradoPrevisto } from './schema.ts'

/** With less than this above the floor, no photograph of a telephone finds room. */
const UNA_FOTO_BYTES = 16 * 1024 ** 2

/** How a disk stands: with room, soon at its floor (half as much again is left), or at it. */
export const nivelDe = ({ piso, disponible }: Pick<Espacio, 'piso' | 'disponible'>): 'holgado' | 'poco' | 'lleno' =>
  disponible < UNA_FOTO_BYTES ? 'lleno' : disponible <= piso / 2 ? 'poco' : 'holgado'

const GB = 1024 ** 3
/** Bytes as people say them. */
const enPalabras = (bytes: number): string =>
  bytes >= GB
    ? `${(bytes / GB).toLocaleString('es-MX', { maximumFractionDigits: 1 })} GB`
    : `${Math.max(0, Math.round(bytes / 1024 ** 2)).toLocaleString('es-MX')} MB`

/** How a disk stands, in a few words. */
export const espacioEnPalabras = (espacio: Pick<Espacio, 'total' | 'libres'>): string =>
  `Quedan ${enPalabras(espacio.libres)} de ${enPalabras(espacio.total)}.`

/** What the panel and the mail say of a disk; undefined while there is room. */
export function avisoDeEspacio(espacio: Pick<Espacio, 'libres' | 'piso' | 'disponible'>): string | undefined {
  const nivel = nivelDe(espacio)
  if (nivel === 'holgado') return undefined
  const [libres, piso] = [enPalabras(espacio.libres), enPalabras(espacio.piso)]
  const mend = 'Borra las inscripciones que sobran, o pide más disco a quien cuida el servidor.'
  return nivel === 'lleno'
    ? `El disco está lleno: quedan ${libres} y el sitio guarda ${piso} para la votación, las entradas y los borrados. No recibe registros. ${mend}`
    : `El disco casi se llena: quedan ${libres}. Con ${piso} el sitio deja de recibir registros. ${mend}`
}

const cuantas = (number: number, una: string, varias: string) =>
  `${number.toLocaleString('es-MX')} ${number === 1 ? una : varias}`

/** What goes by time, of which edition and from when: «36 inscripciones con sus documentos … de la edición 2025». */
export function previstoEnPalabras({ edicion, inscripciones, cuentas, desde }: BorradoPrevisto): string {
  const said = [
    inscripciones > 0 && `${cuantas(inscripciones, 'inscripción', 'inscripciones')} con sus documentos`,
    cuentas > 0 && `${cuantas(cuentas, 'cuenta de votante', 'cuentas de votantes')}`,
  ].filter((one) => one !== false)
  return `${said.join(' y ')} de la edición ${edicion}, a partir del ${enMexico(desde)}`
}

/** What the panel's frame says of it. */
export const avisoDePrevisto = (previsto: BorradoPrevisto): string =>
  `Se van a borrar, porque venció su plazo, ${previstoEnPalabras(previsto)}. Si todavía hacen falta, deténlo en «Privacidad».`

export const avisoDeFallas = (fallas: number): string =>
  `${fallas === 1 ? 'Algo del sitio no funciona' : `${fallas} cosas del sitio no funcionan`}. Míralo en «Estado», donde dice qué hacer.`

/** What the committee mends by itself; the rest it hands on. */
const DEL_COMITE = new Set(['espacio', 'borrados', 'imagenes', 'reloj'])

/** What to do, as the committee reads it. */
export const remedioParaComite = (de: string, remedio: string): string =>
  DEL_COMITE.has(de) ? remedio : `Para quien cuida el servidor: ${remedio}`
