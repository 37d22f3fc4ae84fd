import { svgWatermark } from '#app/entries/document-viewing/watermark.ts'

/** Side, in SVG units, of the square on which the watermark is drawn before it is scaled to the frame. */
const WATERMARK_SIDE = 1_000

/** Returns a page that shows a PDF in a frame, with the watermark over it and a notice. */
export function pdfUnderWatermark(pdfUrl: string): Response {
  const encodedWatermark = encodeURIComponent(svgWatermark(WATERMARK_SIDE, WATERMARK_SIDE))
  const html = `<!doctype html><html lang="es-MX"><head><meta charset="utf-8"><title>Solo para este certamen</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body { margin: 0; height: 100vh; display: flex; flex-direction: column; font: 15px/1.4 system-ui, sans-serif }
p { margin: 0; padding: 10px 14px; background: #7a0f3f; color: #fff }
div { position: relative; flex: 1 }
iframe { position: absolute; width: 100%; height: 100%; border: 0; background: #fff }
div::after { content: ''; position: absolute; inset: 0; pointer-events: none; background: url("data:image/svg+xml,${encodedWatermark}") center / cover }
</style></head><body><p><b>Solo para este certamen.</b> A este PDF no se le pudo poner la marca: se muestra tal como llegó.</p>
<div><iframe src="${pdfUrl.replaceAll('&', '&amp;')}#toolbar=0&amp;navpanes=0&amp;view=FitH" title="El PDF tal como llegó"></iframe></div></body></html>`
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; base-uri 'none'; frame-ancestors 'self'",
    },
  })
}
