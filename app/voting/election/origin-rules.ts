import * as v from 'valibot'

const votes = v.pipe(v.number(), v.integer(), v.minValue(1))

/** Thresholds that flag the votes of an origin, stated in the edition and published in a record. */
export const RulesSchema = v.strictObject({
  /** Votes that one registrable domain may have in the whole edition; one more flags all of them. */
  dominio: votes,
  /**
   * Votes that all alias services together may have, since they give one account many addresses; if absent, they are no origin.
   */
  servicio: v.optional(votes),
  /** `dominio` and `servicio` grow to one in this many of all votes; if absent, they do not grow. */
  unoDeCada: v.optional(votes),
  /** Of earlier versions only: votes of all domains whose mail one server receives. */
  receptor: v.optional(votes),
  /** Of earlier versions only: votes of hosted domains from one network. */
  alojamientoPorRed: v.optional(votes),
  /** Votes that one network may have within ten minutes; one more flags the burst. */
  rafagaPorRed: votes,
  /** Votes that one IPv6 /32 block may have within ten minutes; one more flags the burst. */
  rafagaPorBloque: votes,
  /** Votes that one network may have in the whole edition without proof of work; further votes are not flagged. */
  trabajoPorRed: votes,
  /** Votes that one registrable domain may have without proof of work. */
  trabajoPorDominio: votes,
  /** Whether a withdrawn candidate's votes count; absent in older records, which means `nulos`. */
  retiro: v.optional(v.picklist(['nulos', 'cuentan'])),
  /** Domains at which every person may have an address, so they are no origin. */
  proveedores: v.array(v.string()),
  /** Of earlier versions only, which stated it together with `receptor`. */
  alojamientos: v.optional(v.array(v.string())),
})

export type Rules = v.InferOutput<typeof RulesSchema>

/**
 * Returns how many votes an origin may have before they are flagged. The limit grows with the number of sealed votes.
 * @param limit the published limit, the least that is returned
 */
export const grownLimit = (
  limit: number,
  { unoDeCada = Number.POSITIVE_INFINITY }: Rules,
  sealedCount: number,
): number => Math.max(limit, Math.floor(sealedCount / unoDeCada))
