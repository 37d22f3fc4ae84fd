const COMMON_HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), autoplay=(self), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self), usb=(), browsing-topics=()',
}

/** Returns the headers of every response. @param hsts value of Strict-Transport-Security; undefined to leave it out */
export const securityHeaders = (hsts: string | undefined): Record<string, string> =>
  hsts === undefined ? COMMON_HEADERS : { ...COMMON_HEADERS, 'strict-transport-security': hsts }

interface PolicyOptions {
  /** Sources of inline scripts, such as sha256-… or nonce-…, without quotes. */
  scriptSources: string[]
  styleSources: string[]
  hasFrames?: boolean
  /** Whether the document may register a service worker, as the header `service-worker-allowed` says. */
  hasWorker?: boolean
}

/**
 * Returns a document's content security policy: it allows the site's own files, the given inline elements, data: and blob:
 * pictures.
 */
export function contentSecurityPolicy(
  { scriptSources, styleSources, hasFrames, hasWorker }: PolicyOptions,
  isHttps: boolean,
): string {
  const quoted = (sources: string[]) => sources.map((source) => ` '${source}'`).join('')
  return [
    // In Firefox this directive applies to prefetches (`<link rel=prefetch>`).
    "default-src 'self'",
    `script-src 'self'${quoted(scriptSources)}`,
    `style-src 'self'${quoted(styleSources)}`,
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    `frame-src ${hasFrames ? "'self'" : "'none'"}`,
    "child-src 'none'",
    `worker-src ${hasWorker ? "'self'" : "'none'"}`,
    "object-src 'none'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // «default» lets React create empty script elements (app/core/browser-resilience/hydration-recovery.client.ts).
    `trusted-types default${hasWorker ? ' sin-linea' : ''}`,
    ...(isHttps ? ['upgrade-insecure-requests'] : []),
  ].join('; ')
}
