import type { PeriodoDicho } from '#app/cms/settings/schema.ts'

/** An announcement's words, and those that it says instead until its registration has closed. */
interface Anunciado<Imagen> {
  titulo: string
  texto: string
  imagen: Imagen
  invitacion?: { titulo: string; texto: string; imagen: Imagen } | undefined
}

/**
 * An announcement as it stands now. It invites while its registration is open or still to open.
 * @param periodo of its registration; absent while it is not known, or where there is no registration
 * @returns `identidad`: a key that is the same for both wordings
 * @source §2.11; D33
 */
export function anuncioDeHoy<Imagen, Anuncio extends Anunciado<Imagen>>(
  anuncio: Anuncio,
  periodo: PeriodoDicho | null | undefined,
): Anuncio & { identidad: string } {
  const invites = periodo != null && periodo.estado !== 'despues'
  return { ...anuncio, ...(invites ? anuncio.invitacion : {}), identidad: anuncio.titulo }
}
