import { quantity } from '#app/core/text/quantity.ts'
import type { DigestCounts } from '#app/entries/states/digest-counts.server.ts'
import type { Letter } from '#app/mail/schema.ts'
import { DIGEST_FREQUENCIES, type DigestFrequency } from './frequency.ts'

const joinWithAnd = (phrases: readonly string[]) =>
  phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} y ${phrases.at(-1)}`

/** Builds the digest from counts; it must never contain names or documents. */
export const digestLetter = (
  {
    candidateCount,
    costumeCount,
    newDocumentCount,
    receivedCount,
    underReviewCount,
    undeliveredCount,
  }: DigestCounts & { undeliveredCount: number },
  frequency: DigestFrequency,
): Letter => ({
  kind: 'novedades',
  compose({ nombre, anio }, site) {
    const newEntriesText = joinWithAnd(
      [
        candidateCount > 0 && quantity(candidateCount, 'candidata', 'candidatas'),
        costumeCount > 0 && quantity(costumeCount, 'traje típico', 'trajes típicos'),
      ].filter((text) => text !== false),
    )
    const sentences = [
      newEntriesText && `Inscripciones nuevas: ${newEntriesText}.`,
      newDocumentCount > 0 && `Inscripciones con un documento que habían pedido de nuevo: ${newDocumentCount}.`,
      undeliveredCount > 0 && `Inscripciones a las que no les llegó su correo: ${undeliveredCount}.`,
    ].filter((sentence): sentence is string => Boolean(sentence))
    return {
      subject: `Novedades de ${nombre} ${anio}`,
      preheader: sentences.join(' '),
      title: 'Qué hay de nuevo',
      body: [
        ...sentences.map((paragraph) => ({ paragraph })),
        {
          paragraph: `Esperan al comité: ${quantity(receivedCount, 'recibida', 'recibidas')} y ${underReviewCount} en revisión.`,
        },
        { link: `${site}/organizadores`, label: 'Ver las inscripciones' },
        ...(undeliveredCount > 0
          ? [{ link: `${site}/organizadores/mensajes#no-llegaron`, label: 'Ver los correos que no llegaron' }]
          : []),
      ],
      note: `Recibes este correo porque tienes una cuenta de organización y así lo elegiste: ${DIGEST_FREQUENCIES[frequency].toLowerCase()}. Cámbialo en el panel, en «Mi cuenta».`,
    }
  },
})
