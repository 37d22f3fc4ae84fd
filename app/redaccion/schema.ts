import * as v from 'valibot'
import type { FallaDeCampo } from '#app/edicion/fallas.ts'
import type { Recibidos, Respuesta } from './cola.ts'

const CaminoSchema = v.pipe(
  v.array(v.union([v.string(), v.pipe(v.number(), v.integer(), v.minValue(0))])),
  v.maxLength(12),
)

const lugar = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000))

const comun = {
  documento: v.string(),
  campo: CaminoSchema,
  vistos: v.array(v.unknown()),
  dudoso: v.optional(v.boolean()),
}

/** What a page sends of its changes. */
export const RetoquesSchema = v.pipe(
  v.array(
    v.variant('que', [
      v.strictObject({
        que: v.literal('poner'),
        ...comun,
        antes: v.optional(v.unknown()),
        ahora: v.optional(v.unknown()),
      }),
      v.strictObject({ que: v.literal('agregar'), ...comun, en: lugar, largo: lugar, ahora: v.unknown() }),
      v.strictObject({ que: v.literal('quitar'), ...comun, en: lugar, largo: lugar, antes: v.unknown() }),
      v.strictObject({ que: v.literal('mover'), ...comun, en: lugar, a: lugar, antes: v.unknown() }),
    ]),
  ),
  v.maxLength(500),
)

/** What the site says of a draft. */
interface Novedades {
  /** What is wrong with the fields of this screen, as the site has them. */
  fallas: FallaDeCampo[]
  /** Milliseconds, by the site's clock. */
  ahora: number
  /** Who asks: changes of the own account are nobody else's. */
  yo: string
}

/** Answer to a look at the draft: the documents that changed since. */
export interface RespuestaDeVistazo extends Novedades {
  ok: true
  documentos: Recibidos
}

/** Answer to a sending. */
export interface RespuestaDeEnvio extends Novedades, Respuesta {
  ok: true
}

/** Nothing was saved. */
export interface Negativa {
  ok: false
  reason: 'sesion' | 'peticion' | 'sin-espacio' | 'lleno'
  mensaje: string
}
