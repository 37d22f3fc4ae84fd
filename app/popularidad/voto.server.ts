import { createHash } from 'node:crypto'
import type { RequestFacts, Services } from '#app/platform/services.server.ts'
import { loadEleccion } from './data.server.ts'
import { castVote } from './mutations.server.ts'
import { isVotacionAbierta, readVoto } from './rules.ts'
import type { RespuestaDeVoto } from './schema.ts'

/** Casts the vote of a form, for whoever is signed in. */
export async function castForm(
  services: Services,
  { client }: Pick<RequestFacts, 'client'>,
  sesion: { userId: string; correo: string } | undefined,
  form: FormData | URLSearchParams,
): Promise<RespuestaDeVoto> {
  if (!sesion) return { ok: false, reason: 'sesion' }
  const said = form.getAll('vote').map((one) => ['vote', String(one).slice(0, 20)])
  const [reto, respuesta] = [form.get('reto'), form.get('respuesta')]
  return castVote(
    services,
    await loadEleccion(),
    { userId: sesion.userId, correo: sesion.correo, client },
    {
      vote: readVoto(new URLSearchParams(said)),
      intento: form.get('intento'),
      prueba: typeof reto === 'string' && typeof respuesta === 'string' ? { reto, respuesta } : undefined,
    },
  )
}

/** How many orders of the candidates there are. */
export const ordenes = (candidatas: number) => candidatas * (candidatas - 1)
/** The order that was drawn for this answer (server/shared.ts). Nothing is kept on the device: the privacy notice says so. */
export const ORDEN_HEADER = 'x-orden'

/** What a visit to the contest's page depends on, beyond who is signed in. */
export function estadoDe(
  request: Request,
  { client }: Pick<RequestFacts, 'client'>,
  { fechas, candidatas }: { fechas: { cierreVotacion: string }; candidatas: readonly unknown[] },
  now: Date,
) {
  const n = candidatas.length
  const drawn = request.headers.get(ORDEN_HEADER)
  const visitor = createHash('sha256')
    .update(`${client} ${request.headers.get('user-agent')}`)
    .digest()
  return {
    abierta: isVotacionAbierta(fechas.cierreVotacion, now),
    vote: readVoto(new URL(request.url).searchParams),
    ajena: isAjena(request),
    /** Which order of the candidates: the one that was drawn, else one of this network and browser. */
    suerte: (drawn !== null && /^\d{1,4}$/.test(drawn) ? Number(drawn) : visitor.readUInt32BE(0)) % ordenes(n),
  }
}

/** Whether the link was followed on another site. @source decision 24 */
function isAjena({ url, headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'cross-site'
  // Browsers that do not say it, and all of them without TLS, may still say which page it was.
  const from = URL.parse(headers.get('referer') ?? '')
  return from !== null && from.origin !== new URL(url).origin && from.host !== headers.get('host')
}
