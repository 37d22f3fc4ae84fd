import type { Letter } from '#app/mail/schema.ts'
import type { BlockSummary } from '#app/voting/record/block-seal.ts'
import { recordPath } from '#app/voting/record/record-path.ts'
import { publicKeyStatement } from '#app/voting/record/signature.ts'
import { blockStatement } from '#app/voting/record/witness.ts'

/**
 * Returns the letter with a voter's receipt.
 * @param newestBlock newest block of the published chain; its seal in the mail reveals any later change to a vote in this or an
 *   earlier block
 * @param publicKey public key that verifies the closing record's signature; undefined if the record will not be signed
 */
export const receiptLetter = (
  receipt: string,
  newestBlock: BlockSummary | undefined,
  publicKey: string | undefined,
): Letter => ({
  kind: 'recibo',
  compose: ({ anio }, siteUrl) => ({
    subject: `Tu voto por Señorita Popularidad ${anio} quedó registrado`,
    preheader: `Tu recibo es ${receipt}.`,
    title: '¡Gracias por tu voto!',
    body: [
      { paragraph: 'Este es tu recibo:' },
      { code: receipt },
      { paragraph: 'Cuando cierre la votación, búscalo en el acta: ahí verás que tu voto está en la cuenta.' },
      { link: `${siteUrl}${recordPath(anio)}`, label: 'Ver el acta' },
      ...(newestBlock
        ? [
            {
              paragraph:
                'Guarda este correo: también es testigo de la cuenta. Los votos se van cerrando en cajas selladas, y ésta era la más reciente cuando te escribimos. Si alguien cambiara después uno solo de los votos de ella o de las anteriores, el acta tendría otro sello que tu correo.',
            },
            blockStatement(newestBlock),
          ]
        : []),
      ...(publicKey === undefined
        ? []
        : [
            { paragraph: 'Con esta llave firma el sitio su acta: un archivo que diga otra no es el que publicó.' },
            publicKeyStatement(publicKey),
          ]),
    ],
    note: 'Quien tenga tu recibo puede ver por quién votaste; por eso este correo no lo dice. Si no fuiste tú quien votó, avisa al comité organizador.',
  }),
})
