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
import { requireOrganiserForFile, textRefusalResponse } from '#app/panel/guards.server.ts'
import { parseId, readField, readMessageDraft } from '#app/panel/rules.ts'
import type { Route } from './+types/letter.resource'

/**
 * Forbids scripts and requests of the letter. `allow-scripts` lets only accessibility tools look into the frame, since
 * default-src forbids the letter's own scripts. Its links work only if the letter is opened by its own URL: in the frame the
 * panel's frame-src and the frame-ancestors of their targets block them.
 */
const LETTER_POLICY =
  "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

/**
 * Serves a letter for a frame. With `id`, it is the letter that this entry would get now; without `id`, the texts come from
 * the query and the placeholders have example values. A message (`ocasion=mensaje`) has the texts of the query and the values of
 * the entry `id`. `forma=texto` asks for plain text. Texts with a fault, and an entry that gets no letter, are a 404.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganiserForFile(request, context, 'mensajes')
  const { db, settings, clock } = servicesOf(context).services
  const params = new URL(request.url).searchParams
  const letter = await (params.get('ocasion') === 'mensaje'
    ? buildMessageLetter()
    : params.has('id')
      ? readEntryLetter()
      : buildSampleLetter())
  if (!letter) return textRefusalResponse('Esta carta no se puede mostrar: recarga la página.', 404)
  const { html, text } = await composeMail(letter, settings.publicUrl, await loadEditionCard())
  return new Response(params.get('forma') === 'texto' ? plainTextPage(text) : html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': LETTER_POLICY,
    },
  })

  async function readEntryLetter() {
    const [recipient] = await listRecipients(db, [parseId(params.get('id'))])
    return (
      recipient?.occasion &&
      noticeLetter(recipient.occasion, await readTemplate(db, recipient.occasion), placeholderValuesOf(recipient))
    )
  }
  async function buildMessageLetter() {
    const [recipient] = await listRecipients(db, [parseId(params.get('id'))])
    const messageCheck = checkMessage(readMessageDraft(params), clock.now())
    if (!recipient || !messageCheck.ok) return undefined
    return messageLetter(messageCheck.message, placeholderValuesOf(recipient), 'la-de-cada-persona')
  }
  function buildSampleLetter() {
    const occasion = parseOccasion(params.get('ocasion'))
    const texts = {
      asunto: readField(params, 'asunto'),
      titulo: readField(params, 'titulo'),
      texto: readField(params, 'texto'),
    }
    if (!occasion || checkLetterTexts(occasion, texts).length > 0) return undefined
    return noticeLetter(occasion, texts, EXAMPLE_VALUES)
  }
}

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const plainTextPage = (
  text: string,
) => `<!doctype html><html lang="es-MX"><head><meta charset="utf-8"><title>Carta</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body style="margin:0;background:#120c0f;color:#f7f0e6"><pre style="margin:0;padding:20px;font:15px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(text)}</pre></body></html>`
