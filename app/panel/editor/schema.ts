import * as v from 'valibot'
import { isBounded, MAX_ITEMS } from '#app/cms/schema/edits.ts'
import type { FallaDeCampo } from '#app/cms/schema/faults.ts'
import type { Recibidos, Respuesta } from './draft-queue.ts'

const CaminoSchema = v.pipe(
  v.array(v.union([v.string(), v.pipe(v.number(), v.integer(), v.minValue(0))])),
  v.maxLength(12),
)

const lugar = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_ITEMS))

/** Part of a document; the rest of its shape is judged where the whole document is. */
const parte = v.pipe(v.unknown(), v.check(isBounded))

const comun = {
  documento: v.string(),
  campo: CaminoSchema,
  vistos: v.pipe(v.array(parte), v.maxLength(12)),
  dudoso: v.optional(v.boolean()),
}

/** What a page sends of its changes. */
export const RetoquesSchema = v.pipe(
  v.array(
    v.variant('que', [
      v.strictObject({
        que: v.literal('poner'),
        ...comun,
        antes: v.optional(parte),
        ahora: v.optional(parte),
      }),
      v.strictObject({ que: v.literal('agregar'), ...comun, en: lugar, largo: lugar, ahora: parte }),
      v.strictObject({ que: v.literal('quitar'), ...comun, en: lugar, largo: lugar, antes: parte }),
      v.strictObject({ que: v.literal('mover'), ...comun, en: lugar, a: lugar, antes: parte }),
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
