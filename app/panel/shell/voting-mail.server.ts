import { readRemainingCodes, readUnusedCodes } from '#app/accounts/data.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { readMailAvailability } from '#app/mail/data.server.ts'

const WAITING_MAIL_NOTICE =
  'El servidor de correo no recibe mensajes ahora. Lo que el sitio manda espera y sale solo después; quien pide un código para votar lee que lo intente en unos minutos. Avisa a quien cuida el servidor.'

const NO_CODES_NOTICE =
  'Ya salieron todos los códigos para votar que caben en el correo de un día. Quien pide uno lee que lo intente más tarde; los recibos y los avisos siguen saliendo. En «Ajustes del año» dice cuántos van de cada clase y se cambia cuántos mensajes admite tu proveedor.'

/** Returns the warning about unused voting codes. @param counts as `readUnusedCodes` returns them */
const unusedCodesNotice = ({ sent, used }: { sent: number; used: number }) =>
  `Se piden códigos que nadie usa. En los últimos minutos ${sent === 1 ? 'salió' : 'salieron'} ${quantity(sent, 'código')} para votar y se ${used === 1 ? 'usó' : 'usaron'} ${formatThousands(used)}. Quizá alguien los pide para direcciones ajenas. El sitio ya lo frena: a una red que no usa los suyos le manda pocos. Los votos y el panel siguen igual.`

/** Reads whether the site has a mail server, and the notices about mail and voting codes, the most urgent first. */
export async function readVotingMail(services: Services): Promise<{ hasMailServer: boolean; notices: string[] }> {
  const [availability, remainingCodes, unusedCodes] = await Promise.all([
    readMailAvailability(services),
    readRemainingCodes(services.db),
    readUnusedCodes(services.db),
  ])
  const notices = [
    availability === 'waits' && WAITING_MAIL_NOTICE,
    remainingCodes.codes <= 0 && NO_CODES_NOTICE,
    unusedCodes && unusedCodesNotice(unusedCodes),
  ]
  return { hasMailServer: availability !== 'none', notices: notices.filter((notice) => typeof notice === 'string') }
}
