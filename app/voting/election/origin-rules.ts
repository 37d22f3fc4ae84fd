import * as v from 'valibot'

const votes = v.pipe(v.number(), v.integer(), v.minValue(1))

/** What marks the votes of an origin, as the edition says it and an act publishes it. */
export const RulesSchema = v.strictObject({
  /** Votes of one registrable domain in the whole edition; with one more all of them are marked. */
  dominio: votes,
  /** The same, of all services together that give one account many addresses; absent: they are no origin. */
  servicio: v.optional(votes),
  /** Both limits grow to one in so many of all votes; absent: they do not grow. */
  unoDeCada: v.optional(votes),
  /** As the rules of versions before had it: domains whose mail one server received, by what their owners said. */
  receptor: v.optional(votes),
  alojamientoPorRed: v.optional(votes),
  /** Votes within ten minutes from one network; with one more that burst is marked. */
  rafagaPorRed: votes,
  /** The same, from one IPv6 /32. */
  rafagaPorBloque: votes,
  /** Votes of the whole edition from one network, beyond which each one takes work; it marks none. */
  trabajoPorRed: votes,
  /** The same, of one registrable domain. */
  trabajoPorDominio: votes,
  /** What becomes of the votes of a candidate who is withdrawn; absent in acts from before that was asked: nulos. */
  retiro: v.optional(v.picklist(['nulos', 'cuentan'])),
  /** Domains at which anybody may have an address: they are no origin. */
  proveedores: v.array(v.string()),
  /** Of versions before, beside `receptor`. */
  alojamientos: v.optional(v.array(v.string())),
})

export type Rules = v.InferOutput<typeof RulesSchema>

/**
 * How many votes an origin may have, once so many are sealed, before they are marked.
 * @param limit its published limit, which holds however few votes there are
 */
export const grownLimit = (limit: number, { unoDeCada = Number.POSITIVE_INFINITY }: Rules, sealed: number): number =>
  Math.max(limit, Math.floor(sealed / unoDeCada))
