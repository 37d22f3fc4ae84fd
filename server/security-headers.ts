/** Every answer has these headers. */
const ALWAYS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), autoplay=(self), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self), usb=(), browsing-topics=()',
}

/** Returns the headers of every answer. @param hsts value of Strict-Transport-Security; undefined: the header is not sent */
export const securityHeaders = (hsts: string | undefined): Record<string, string> =>
  hsts === undefined ? ALWAYS : { ...ALWAYS, 'strict-transport-security': hsts }

interface Inline {
  /** `scripts` and `styles` are sources such as 'sha256-…' or 'nonce-…', without quotes. */
  scripts: string[]
  styles: string[]
  /** Whether the screen shows the site's own documents in a frame: an entry's PDFs. */
  hasFrames?: boolean
  /** Whether the document may register a service worker (it has the header `service-worker-allowed`). */
  hasWorker?: boolean
}

/** Returns the content security policy of a document: nothing but the site's own files and the inline pieces named here. */
export function contentSecurityPolicy({ scripts, styles, hasFrames, hasWorker }: Inline, secure: boolean): string {
  const quoted = (sources: string[]) => sources.map((source) => ` '${source}'`).join('')
  return [
    // Firefox knows only this directive for prefetches (`<link rel=prefetch>`); all others are named below.
    "default-src 'self'",
    `script-src 'self'${quoted(scripts)}`,
    `style-src 'self'${quoted(styles)}`,
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
    // «default» is React's policy for script elements (app/core/browser-resilience/hydration-recovery.client.ts): two texts, neither code.
    `trusted-types default${hasWorker ? ' sin-linea' : ''}`,
    ...(secure ? ['upgrade-insecure-requests'] : []),
  ].join('; ')
}
