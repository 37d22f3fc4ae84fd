import type { Services } from '#app/core/http/services.server.ts'
import type { UltimaCaja } from '#app/voting/ballot/schema.ts'
import { dichaDe, isOwnCaja, listCajas } from '#app/voting/chain/published-blocks.server.ts'
import { loadEleccion } from '#app/voting/election/data.server.ts'
import { type CajaDicha, MIN_CAJA } from '#app/voting/record/block-seal.ts'
import type { Sellos } from '#app/voting/record/schema.ts'
import { readPublicKey } from './record-signature.server.ts'

/** How long a reading serves all who ask. */
const FRESH_MS = 2_000
const CACHE_SECONDS = 5

interface Leidas {
  cajas: CajaDicha[]
  /** Ballots in all of them. */
  votos: number
  body: string
  etag: string
}

/** The links that one process publishes while the vote is open. */
export interface SellosPublicos {
  /** Answers /misspopularidad/sellos.json; see `Sellos`. */
  answer(request: Request): Promise<Response>
  /** The newest link of the current edition; undefined while there is none. */
  newest(): Promise<UltimaCaja | undefined>
}

export function createSellos({ db, keyed, log }: Pick<Services, 'db' | 'keyed' | 'log'>): SellosPublicos {
  let kept: { edicion: number; cajas: CajaDicha[] } = { edicion: 0, cajas: [] }
  let reading: { leidas: Promise<Leidas>; untilMs: number } | undefined

  /** One reading serves all who ask meanwhile, and for a moment after. */
  function read(): Promise<Leidas> {
    if (reading && performance.now() < reading.untilMs) return reading.leidas
    const leidas = readNew()
    const mine = { leidas, untilMs: Number.POSITIVE_INFINITY }
    reading = mine
    leidas.then(
      () => {
        mine.untilMs = performance.now() + FRESH_MS
      },
      () => {
        if (reading === mine) reading = undefined
      },
    )
    return leidas
  }

  /** Asks the database only for links that are new, and for the last one known: another one in its place means all are. */
  async function readNew(): Promise<Leidas> {
    const { edicion } = await loadEleccion()
    let known = kept.edicion === edicion ? kept.cajas : []
    const last = known.at(-1)
    let rows = await listCajas(db, edicion, last?.numero ?? 1)
    if (last && rows[0]?.sello !== last.sello) {
      known = []
      rows = await listCajas(db, edicion)
    }
    // What this site did not close is not published; nor is anything behind it.
    const foreign = rows.findIndex((row) => !isOwnCaja({ keyed }, row))
    if (foreign >= 0) log.error({ edicion, caja: rows[foreign]!.numero }, 'a link was written without the site')
    const own = foreign < 0 ? rows : rows.slice(0, foreign)
    const cajas = [...known.slice(0, -1), ...own.map(dichaDe)]
    kept = { edicion, cajas }
    const said: Sellos = { edicion, minimo: MIN_CAJA, cajas, llave: await readPublicKey(db, edicion) }
    return {
      cajas,
      votos: cajas.reduce((sum, { papeletas }) => sum + papeletas, 0),
      body: JSON.stringify(said),
      etag: `"${edicion}-${cajas.length}-${cajas.at(-1)?.sello.slice(0, 16) ?? ''}"`,
    }
  }

  return {
    async answer(request) {
      const { body, etag } = await read()
      const headers = { 'cache-control': `public, max-age=${CACHE_SECONDS}`, etag }
      const known = request.headers.get('if-none-match') ?? ''
      if (known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
        return new Response(null, { status: 304, headers })
      return new Response(request.method === 'HEAD' ? null : body, {
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
      })
    },
    async newest() {
      const { cajas, votos } = await read()
      const caja = cajas.at(-1)
      return caja && { numero: caja.numero, sello: caja.sello, minimo: MIN_CAJA, votos }
    },
  }
}
