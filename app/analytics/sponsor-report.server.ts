import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import type { Services } from '#app/core/http/services.server.ts'

const DaySchema = v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}$/))

/** Content of a report's signed URL, which opens without a sign-in until `vence`. */
const SponsorReportSchema = v.object({
  /** Name of the sponsor whose taps the report shows. */
  p: v.pipe(v.string(), v.maxLength(200)),
  desde: DaySchema,
  hasta: DaySchema,
  /** Last day on which the URL opens, by Mexico City's date. */
  vence: DaySchema,
})
export type SponsorReport = v.InferOutput<typeof SponsorReportSchema>

const signatureOf = ({ keyed }: Pick<Services, 'keyed'>, body: string) =>
  createHmac('sha256', keyed('informe de visitas')).update(body).digest('base64url').slice(0, 32)

/** Returns the report's path. It contains the report's content and signature, so that the server need not store them. */
export function reportPath(services: Pick<Services, 'keyed'>, report: SponsorReport): string {
  const body = Buffer.from(JSON.stringify(report)).toString('base64url')
  return `/visitas/${body}.${signatureOf(services, body)}`
}

/**
 * Reads the report that a path contains.
 * @param key last part of the path
 * @param today such as 2025-09-12
 * @returns undefined if this site did not sign the report, or if it has expired or has another format
 */
export function readSponsorReport(
  services: Pick<Services, 'keyed'>,
  key: string,
  today: string,
): SponsorReport | undefined {
  const [body = '', signature = ''] = key.split('.')
  const [givenSignature, expectedSignature] = [Buffer.from(signature), Buffer.from(signatureOf(services, body))]
  if (givenSignature.length !== expectedSignature.length || !timingSafeEqual(givenSignature, expectedSignature))
    return undefined
  const parseResult = v.safeParse(
    v.pipe(v.string(), v.parseJson(), SponsorReportSchema),
    Buffer.from(body, 'base64url').toString('utf8'),
  )
  return parseResult.success && parseResult.output.vence >= today ? parseResult.output : undefined
}
