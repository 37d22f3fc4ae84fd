import * as v from 'valibot'
import { isBounded, MAX_ITEMS } from '#app/cms/schema/edits.ts'
import type { FieldFault } from '#app/cms/schema/faults.ts'
import type { Answer, ReceivedDocuments } from './draft-queue.ts'

const PathSchema = v.pipe(
  v.array(v.union([v.string(), v.pipe(v.number(), v.integer(), v.minValue(0))])),
  v.maxLength(12),
)

const place = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_ITEMS))

/** Only the size of a value is checked here; its shape is checked together with the whole document. */
const boundedValue = v.pipe(v.unknown(), v.check(isBounded))

const shared = {
  documento: v.string(),
  campo: PathSchema,
  vistos: v.pipe(v.array(boundedValue), v.maxLength(12)),
  dudoso: v.optional(v.boolean()),
}

export const EditsSchema = v.pipe(
  v.array(
    v.variant('que', [
      v.strictObject({
        que: v.literal('poner'),
        ...shared,
        antes: v.optional(boundedValue),
        ahora: v.optional(boundedValue),
      }),
      v.strictObject({ que: v.literal('agregar'), ...shared, en: place, largo: place, ahora: boundedValue }),
      v.strictObject({ que: v.literal('quitar'), ...shared, en: place, largo: place, antes: boundedValue }),
      v.strictObject({ que: v.literal('mover'), ...shared, en: place, a: place, antes: boundedValue }),
    ]),
  ),
  v.maxLength(500),
)

interface Updates {
  /** The stored draft has these faults in this screen's fields. */
  fallas: FieldFault[]
  /** The site's clock shows so many milliseconds since 1970. */
  ahora: number
  /** The account that asked has this email. */
  yo: string
}

/** A poll is answered with the documents that changed since the versions that the page named. */
export interface PollResponse extends Updates {
  ok: true
  documentos: ReceivedDocuments
}

export interface SendingResponse extends Updates, Answer {
  ok: true
}

/** After this answer nothing was saved. */
export interface SaveRefusal {
  ok: false
  reason: 'sesion' | 'peticion' | 'sin-espacio' | 'lleno'
  mensaje: string
}
