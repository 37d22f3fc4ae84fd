import * as v from 'valibot'

const votes = v.pipe(v.number(), v.integer(), v.minValue(1))

/** Rules hold the thresholds that flag the votes of an origin, as the edition states them and a record publishes them. */
export const RulesSchema = v.strictObject({
  /** One registrable domain may have this many votes in the whole edition; one more flags all of them. */
  dominio: votes,
  /**
   * `servicio` limits all alias services together, which give one account many addresses; if absent, alias services are no
   * origin.
   */
  servicio: v.optional(votes),
  /** The limits `dominio` and `servicio` grow to one in `unoDeCada` of all votes; if absent, the limits do not grow. */
  unoDeCada: v.optional(votes),
  /**
   * Only earlier versions state these limits: for domains whose mail one server received, and for hosted domains from one
   * network.
   */
  receptor: v.optional(votes),
  alojamientoPorRed: v.optional(votes),
  /** One network may have this many votes within ten minutes; one more flags the burst. */
  rafagaPorRed: votes,
  /** One IPv6 /32 block may have this many votes within ten minutes; one more flags the burst. */
  rafagaPorBloque: votes,
  /** One network may have this many votes in the whole edition; each further vote takes proof of work, but is not flagged. */
  trabajoPorRed: votes,
  /** One registrable domain may have this many votes; each further vote takes proof of work. */
  trabajoPorDominio: votes,
  /** `retiro` decides the fate of a withdrawn candidate's votes; absent in older records, which means nulos. */
  retiro: v.optional(v.picklist(['nulos', 'cuentan'])),
  /** Lists the domains at which every person may have an address: these domains are no origin. */
  proveedores: v.array(v.string()),
  /** Only earlier versions state `alojamientos`, together with `receptor`. */
  alojamientos: v.optional(v.array(v.string())),
})

export type Rules = v.InferOutput<typeof RulesSchema>

/**
 * Returns how many votes an origin may have before they are flagged, which grows with the number of sealed votes.
 * @param limit the published limit, below which the result never falls
 */
export const grownLimit = (limit: number, { unoDeCada = Number.POSITIVE_INFINITY }: Rules, sealed: number): number =>
  Math.max(limit, Math.floor(sealed / unoDeCada))
