import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import type { Services } from '#app/core/http/services.server.ts'

const dia = v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}$/))

/** A page of visits that was made for a sponsor: whoever has its address sees it, until a day. */
const InformeSchema = v.object({
  /** The sponsor's name, of whose mark the taps are shown. */
  p: v.pipe(v.string(), v.maxLength(200)),
  desde: dia,
  hasta: dia,
  /** The last day on which it opens. */
  vence: dia,
})
export type Informe = v.InferOutput<typeof InformeSchema>

const sealOf = ({ keyed }: Pick<Services, 'keyed'>, body: string) =>
  createHmac('sha256', keyed('informe de visitas')).update(body).digest('base64url').slice(0, 32)

/** @returns the path of the page */
export function direccionDeInforme(services: Pick<Services, 'keyed'>, informe: Informe): string {
  const body = Buffer.from(JSON.stringify(informe)).toString('base64url')
  return `/visitas/${body}.${sealOf(services, body)}`
}

/**
 * @param hoy the day that it is
 * @returns undefined for an address that this site did not make, or whose days are over
 */
export function readInforme(services: Pick<Services, 'keyed'>, clave: string, hoy: string): Informe | undefined {
  const [body = '', seal = ''] = clave.split('.')
  const [given, expected] = [Buffer.from(seal), Buffer.from(sealOf(services, body))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const read = v.safeParse(
    v.pipe(v.string(), v.parseJson(), InformeSchema),
    Buffer.from(body, 'base64url').toString('utf8'),
  )
  return read.success && read.output.vence >= hoy ? read.output : undefined
}
