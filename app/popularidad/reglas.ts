import * as v from 'valibot'

const votos = v.pipe(v.number(), v.integer(), v.minValue(1))

/** What marks the votes of an origin, as the edition says it and an act publishes it. */
export const ReglasSchema = v.strictObject({
  /** Votes of one registrable domain in the whole edition; with one more all of them are marked. */
  dominio: votos,
  /** The same, of all domains whose mail one server receives. */
  receptor: votos,
  /** The same, of domains at one great mail host, cast from one network. */
  alojamientoPorRed: votos,
  /** Votes within ten minutes from one network; with one more that burst is marked. */
  rafagaPorRed: votos,
  /** The same, from one IPv6 /32. */
  rafagaPorBloque: votos,
  /** Votes of the whole edition from one network, beyond which each one takes work; it marks none. */
  trabajoPorRed: votos,
  /** The same, of one registrable domain, or of all whose mail one server receives. */
  trabajoPorDominio: votos,
  /** What becomes of the votes of a candidate who is withdrawn; absent in acts from before that was asked: nulos. */
  retiro: v.optional(v.picklist(['nulos', 'cuentan'])),
  /** Domains at which anybody may have an address: they are no origin. */
  proveedores: v.array(v.string()),
  /** Great mail hosts: to be received by one is no origin by itself. */
  alojamientos: v.array(v.string()),
})

export type Reglas = v.InferOutput<typeof ReglasSchema>
