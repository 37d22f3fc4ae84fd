import * as v from 'valibot'

const votes = v.pipe(v.number(), v.integer(), v.minValue(1))

/** Thresholds that flag the votes of an origin, as the edition states them and a record publishes them. */
export const RulesSchema = v.strictObject({
  /** Votes of one registrable domain in the whole edition; one more flags all of them. */
  dominio: votes,
  /** The same for all alias services together, which give one account many addresses; absent: they are no origin. */
  servicio: v.optional(votes),
  /** The limits of `dominio` and `servicio` grow to one in so many of all votes; absent: they do not grow. */
  unoDeCada: v.optional(votes),
  /** Limits of earlier versions: domains whose mail one server received, and hosted domains from one network. */
  receptor: v.optional(votes),
  alojamientoPorRed: v.optional(votes),
  /** Votes within ten minutes from one network; one more flags the burst. */
  rafagaPorRed: votes,
  /** The same for one IPv6 /32 block. */
  rafagaPorBloque: votes,
  /** Votes of one network in the whole edition; each vote beyond takes proof of work, but is not flagged. */
  trabajoPorRed: votes,
  /** The same for one registrable domain. */
  trabajoPorDominio: votes,
  /** Fate of a withdrawn candidate's votes; absent in older records, which means nulos. */
  retiro: v.optional(v.picklist(['nulos', 'cuentan'])),
  /** Domains at which every person may have an address: they are no origin. */
  proveedores: v.array(v.string()),
  /** From earlier versions, together with `receptor`. */
  alojamientos: v.optional(v.array(v.string())),
})

export type Rules = v.InferOutput<typeof RulesSchema>

/**
 * Number of votes that an origin may have before they are flagged, by the number of sealed votes.
 * @param limit the published limit, which holds however few votes there are
 */
export const grownLimit = (limit: number, { unoDeCada = Number.POSITIVE_INFINITY }: Rules, sealed: number): number =>
  Math.max(limit, Math.floor(sealed / unoDeCada))
