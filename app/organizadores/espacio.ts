import type { Espacio } from '#app/platform/espacio.server.ts'

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
