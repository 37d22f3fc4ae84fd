import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { listRecipients, readTemplate } from '#app/entries/letters/data.server.ts'
import { placeholderValuesOf } from '#app/entries/letters/mutations.server.ts'
import {
  checkLetterTexts,
  checkMessage,
  EXAMPLE_VALUES,
  noticeLetter,
  parseOccasion,
} from '#app/entries/letters/rules.ts'
import { messageLetter } from '#app/entries/letters/written-messages.server.ts'
import { composeMail } from '#app/mail/template.server.tsx'
import { refuseWithText, requireOrganiser } from '#app/panel/guards.server.ts'
import { readField, readMessageDraft, toId } from '#app/panel/rules.ts'
import type { Route } from './+types/letter.resource'

/**
 * Under this policy the letter runs and fetches nothing: default-src lets no script of the letter run, and allow-scripts only lets
 * accessibility tools look into the frame. Its links are stopped by the panel's frame-src and by the frame-ancestors of their
 * targets; where the letter is opened by its own address, they work.
 */
const POLICY =
  "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

/**
 * Serves a letter as it arrives, for a frame: with `id`, the letter that this entry would get now; else the words in the query,
 * with example values for the placeholders. A message (`ocasion=mensaje`) has the words in the query and the values of the entry. `forma=texto` asks for plain text.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganiser(request, context, 'mensajes')
  const { db, settings, clock } = servicesOf(context).services
  const params = new URL(request.url).searchParams
  const letter = await (params.get('ocasion') === 'mensaje'
    ? buildMessageLetter()
    : params.has('id')
      ? readEntryLetter()
      : buildSampleLetter())
  if (!letter) return refuseWithText('Esta carta no se puede mostrar: recarga la página.', 404)
  const { html, text } = await composeMail(letter, settings.publicUrl, await loadEditionCard())
  return new Response(params.get('forma') === 'texto' ? writePlainTextPage(text) : html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': POLICY,
    },
  })

  async function readEntryLetter() {
    const [recipient] = await listRecipients(db, [toId(params.get('id'))])
    return (
      recipient?.occasion &&
      noticeLetter(recipient.occasion, await readTemplate(db, recipient.occasion), placeholderValuesOf(recipient))
    )
  }
  async function buildMessageLetter() {
    const [recipient] = await listRecipients(db, [toId(params.get('id'))])
    const checked = checkMessage(readMessageDraft(params), clock.now())
    if (!recipient || !checked.ok) return undefined
    return messageLetter(checked.message, placeholderValuesOf(recipient), 'la-de-cada-persona')
  }
  function buildSampleLetter() {
    const occasion = parseOccasion(params.get('ocasion'))
    const [subject, title, text] = ['asunto', 'titulo', 'texto'].map((field) => readField(params, field))
    const words = { asunto: subject!, titulo: title!, texto: text! }
    if (!occasion || checkLetterTexts(occasion, words).length > 0) return undefined
    return noticeLetter(occasion, words, EXAMPLE_VALUES)
  }
}

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const writePlainTextPage = (
  text: string,
) => `<!doctype html><html lang="es-MX"><head><meta charset="utf-8"><title>Carta</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body style="margin:0;background:#120c0f;color:#f7f0e6"><pre style="margin:0;padding:20px;font:15px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(text)}</pre></body></html>`
