import type { DigestCounts } from '#app/entries/states/digest-counts.server.ts'
import type { Letter } from '#app/mail/schema.ts'
import { DIGEST_FREQUENCIES, type DigestFrequency } from './frequency.ts'

const countInWords = (number: number, singular: string, plural: string) =>
  number === 1 ? `1 ${singular}` : `${number.toLocaleString('es-MX')} ${plural}`

const joinWithAnd = (sentences: readonly string[]) =>
  sentences.length < 2 ? sentences.join('') : `${sentences.slice(0, -1).join(', ')} y ${sentences.at(-1)}`

/** Builds the digest from counts; it must never contain names or documents. */
export const digestLetter = (
  { candidates, costumes, withNewDocument, received, underReview, undelivered }: DigestCounts & { undelivered: number },
  frequency: DigestFrequency,
): Letter => ({
  kind: 'novedades',
  compose({ nombre, anio }, site) {
    const newEntriesText = joinWithAnd(
      [
        candidates > 0 && countInWords(candidates, 'candidata', 'candidatas'),
        costumes > 0 && countInWords(costumes, 'traje típico', 'trajes típicos'),
      ].filter((text) => text !== false),
    )
    const sentences = [
      newEntriesText && `Inscripciones nuevas: ${newEntriesText}.`,
      withNewDocument > 0 && `Inscripciones con un documento que habían pedido de nuevo: ${withNewDocument}.`,
      undelivered > 0 && `Inscripciones a las que no les llegó su correo: ${undelivered}.`,
    ].filter((sentence): sentence is string => Boolean(sentence))
    return {
      subject: `Novedades de ${nombre} ${anio}`,
      preheader: sentences.join(' '),
      title: 'Qué hay de nuevo',
      body: [
        ...sentences.map((paragraph) => ({ paragraph })),
        {
          paragraph: `Esperan al comité: ${countInWords(received, 'recibida', 'recibidas')} y ${underReview} en revisión.`,
        },
        { link: `${site}/organizadores`, label: 'Ver las inscripciones' },
        ...(undelivered > 0
          ? [{ link: `${site}/organizadores/mensajes#no-llegaron`, label: 'Ver los correos que no llegaron' }]
          : []),
      ],
      note: `Recibes este correo porque tienes una cuenta de organización y así lo elegiste: ${DIGEST_FREQUENCIES[frequency].toLowerCase()}. Cámbialo en el panel, en «Mi cuenta».`,
    }
  },
})
