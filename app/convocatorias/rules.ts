import type { PeriodoDicho } from '#app/ajustes/schema.ts'

/** What an announcement says, and what it says instead until its registration has closed. */
interface Anunciado<Imagen> {
  titulo: string
  texto: string
  imagen: Imagen
  invitacion?: { titulo: string; texto: string; imagen: Imagen } | undefined
}

/**
 * An announcement as it stands now: it invites as long as its registration is open or about to be.
 * @param periodo of its registration; absent while that is not known, or where it has none
 * @returns `identidad`: the same whatever it says
 * @source specification §2.11; D33
 */
export function anuncioDeHoy<Imagen, Anuncio extends Anunciado<Imagen>>(
  anuncio: Anuncio,
  periodo: PeriodoDicho | null | undefined,
): Anuncio & { identidad: string } {
  const invites = periodo != null && periodo.estado !== 'despues'
  return { ...anuncio, ...(invites ? anuncio.invitacion : {}), identidad: anuncio.titulo }
}
