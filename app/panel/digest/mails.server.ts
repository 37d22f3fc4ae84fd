import type { DigestCounts } from '#app/entries/states/digest-counts.server.ts'
import type { Letter } from '#app/mail/schema.ts'
import { DIGEST_FREQUENCIES, type DigestFrequency } from './frequency.ts'

const account = (number: number, una: string, plural: string) =>
  number === 1 ? `1 ${una}` : `${number.toLocaleString('es-MX')} ${plural}`

const sentenceList = (said: readonly string[]) =>
  said.length < 2 ? said.join('') : `${said.slice(0, -1).join(', ')} y ${said.at(-1)}`

/** The digest: counts of the news since the last one, never names. */
export const digestLetter = (
  { candidatas, trajes, repuestas, recibidas, enRevision, noLlegaron }: DigestCounts & { noLlegaron: number },
  when: DigestFrequency,
): Letter => ({
  kind: 'novedades',
  palabras({ nombre, anio }, site) {
    const newOnes = sentenceList(
      [
        candidatas > 0 && account(candidatas, 'candidata', 'candidatas'),
        trajes > 0 && account(trajes, 'traje típico', 'trajes típicos'),
      ].filter((one) => one !== false),
    )
    const said = [
      newOnes && `Inscripciones nuevas: ${newOnes}.`,
      repuestas > 0 && `Inscripciones con un documento que habían pedido de nuevo: ${repuestas}.`,
      noLlegaron > 0 && `Inscripciones a las que no les llegó su correo: ${noLlegaron}.`,
    ].filter((one): one is string => Boolean(one))
    return {
      subject: `Novedades de ${nombre} ${anio}`,
      preheader: said.join(' '),
      titulo: 'Qué hay de nuevo',
      cuerpo: [
        ...said.map((paragraph) => ({ parrafo: paragraph })),
        {
          parrafo: `Esperan al comité: ${account(recibidas, 'recibida', 'recibidas')} y ${enRevision} en revisión.`,
        },
        { enlace: `${site}/organizadores`, rotulo: 'Ver las inscripciones' },
        ...(noLlegaron > 0
          ? [{ enlace: `${site}/organizadores/mensajes#no-llegaron`, rotulo: 'Ver los correos que no llegaron' }]
          : []),
      ],
      nota: `Recibes este correo porque tienes una cuenta de organización y así lo elegiste: ${DIGEST_FREQUENCIES[when].toLowerCase()}. Cámbialo en el panel, en «Mi cuenta».`,
    }
  },
})
