import * as v from 'valibot'

const voteCount = v.pipe(v.number(), v.integer(), v.minValue(1))

/** The rules by which votes are flagged. The edition's content states them, and a record publishes them. */
export const OriginRulesSchema = v.strictObject({
  /** One registrable domain may have this many votes in the whole edition; one more vote flags all its votes. */
  dominio: voteCount,
  /** All alias services together may have this many votes. If absent, they have no threshold. */
  servicio: v.optional(voteCount),
  /** The thresholds `dominio` and `servicio` grow to one in this many of all sealed votes. If absent, they do not grow. */
  unoDeCada: v.optional(voteCount),
  /** All domains whose mail one server receives may have this many votes. Only records of earlier versions state it. */
  receptor: v.optional(voteCount),
  /** Hosted domains may have this many votes from one network. Only records of earlier versions state it. */
  alojamientoPorRed: v.optional(voteCount),
  /** One network may have this many votes from providers' addresses within ten minutes; one more flags the burst. */
  rafagaPorRed: voteCount,
  /** One IPv6 /32 block may have this many votes from providers' addresses within ten minutes, not counting its networks' bursts. */
  rafagaPorBloque: voteCount,
  /** Once a network has more sealed votes than this, each further vote takes a proof of work, but is not flagged for it. */
  trabajoPorRed: voteCount,
  /** Once a registrable domain has more votes than this, each further vote takes a proof of work. */
  trabajoPorDominio: voteCount,
  /** Whether a withdrawn candidate's votes count. Older records state nothing, which means `nulos`. */
  retiro: v.optional(v.picklist(['nulos', 'cuentan'])),
  /** Domains at which every person may have an address, so that votes are not counted for the domain. */
  proveedores: v.array(v.string()),
  /** Domains of hosting companies' mail servers, for `alojamientoPorRed`. Only records of earlier versions state them. */
  alojamientos: v.optional(v.array(v.string())),
})

export type OriginRules = v.InferOutput<typeof OriginRulesSchema>

/**
 * Returns how many votes an origin may have before they are flagged. The threshold grows with the number of sealed votes.
 * @param threshold the published threshold, which is the minimum
 */
export const grownThreshold = (
  threshold: number,
  { unoDeCada = Number.POSITIVE_INFINITY }: OriginRules,
  sealedCount: number,
): number => Math.max(threshold, Math.floor(sealedCount / unoDeCada))
