import { servicesOf } from '#app/core/http/services.server.ts'
import { listDestinatarias, readPlantilla } from '#app/entries/messages/data.server.ts'
import { valoresDe } from '#app/entries/messages/mutations.server.ts'
import { cartaDeAviso, EJEMPLO, readOcasion, revisarPalabras } from '#app/entries/messages/rules.ts'
import { leerCarta } from '#app/mail/data.server.ts'
import { refused, requireOrganizador } from '#app/panel/guards.server.ts'
import { campoDe, toId } from '#app/panel/rules.ts'
import type { Route } from './+types/letter.resource'

/** Nothing runs in it, nothing is fetched, and no link of it leads anywhere. */
const POLICY =
  "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

/**
 * A letter as it arrives, in a frame: with `id`, what would go to that entry now; else the words of the address, with an
 * example in the place of everything that differs. With `forma=texto`, its plain text.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganizador(request, context, 'mensajes')
  const { db, settings } = servicesOf(context).services
  const params = new URL(request.url).searchParams
  const carta = params.has('id') ? await cartaPara() : deMuestra()
  if (!carta) return refused('Esta carta no se puede mostrar: recarga la página.', 404)
  const { html, text } = await leerCarta(carta, settings.publicUrl)
  return new Response(params.get('forma') === 'texto' ? enPlano(text) : html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': POLICY,
    },
  })

  async function cartaPara() {
    const [una] = await listDestinatarias(db, [toId(params.get('id'))])
    return una?.ocasion && cartaDeAviso(una.ocasion, await readPlantilla(db, una.ocasion), valoresDe(una))
  }
  function deMuestra() {
    const ocasion = readOcasion(params.get('ocasion'))
    const [asunto, titulo, texto] = ['asunto', 'titulo', 'texto'].map((campo) => campoDe(params, campo))
    const palabras = { asunto: asunto!, titulo: titulo!, texto: texto! }
    if (!ocasion || revisarPalabras(ocasion, palabras).length > 0) return undefined
    return cartaDeAviso(ocasion, palabras, EJEMPLO)
  }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const enPlano = (text: string) => `<!doctype html><html lang="es-MX"><head><meta charset="utf-8"><title>Carta</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body style="margin:0;background:#120c0f;color:#f7f0e6"><pre style="margin:0;padding:20px;font:15px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere">${escaped(text)}</pre></body></html>`
