import type { Novedades } from '#app/entries/states/digest-counts.server.ts'
import type { Carta } from '#app/mail/schema.ts'
import { CUANDO, type CuandoNovedades } from './frequency.ts'

const cuenta = (number: number, una: string, varias: string) =>
  number === 1 ? `1 ${una}` : `${number.toLocaleString('es-MX')} ${varias}`

const enLista = (said: readonly string[]) =>
  said.length < 2 ? said.join('') : `${said.slice(0, -1).join(', ')} y ${said.at(-1)}`

/** What is new since the last one: how many, never who. @param noLlegaron entries whose last message did not arrive */
export const cartaDeNovedades = (
  { candidatas, trajes, repuestas, recibidas, enRevision, noLlegaron }: Novedades & { noLlegaron: number },
  cuando: CuandoNovedades,
): Carta => ({
  kind: 'novedades',
  palabras({ nombre, anio }, sitio) {
    const nuevas = enLista(
      [
        candidatas > 0 && cuenta(candidatas, 'candidata', 'candidatas'),
        trajes > 0 && cuenta(trajes, 'traje típico', 'trajes típicos'),
      ].filter((one) => one !== false),
    )
    const said = [
      nuevas && `Inscripciones nuevas: ${nuevas}.`,
      repuestas > 0 && `Inscripciones con un documento que habían pedido de nuevo: ${repuestas}.`,
      noLlegaron > 0 && `Inscripciones a las que no les llegó su correo: ${noLlegaron}.`,
    ].filter((one): one is string => Boolean(one))
    return {
      subject: `Novedades de ${nombre} ${anio}`,
      preheader: said.join(' '),
      titulo: 'Qué hay de nuevo',
      cuerpo: [
        ...said.map((parrafo) => ({ parrafo })),
        {
          parrafo: `Esperan al comité: ${cuenta(recibidas, 'recibida', 'recibidas')} y ${enRevision} en revisión.`,
        },
        { enlace: `${sitio}/organizadores`, rotulo: 'Ver las inscripciones' },
        ...(noLlegaron > 0
          ? [{ enlace: `${sitio}/organizadores/mensajes#no-llegaron`, rotulo: 'Ver los correos que no llegaron' }]
          : []),
      ],
      nota: `Recibes este correo porque tienes una cuenta de organización y así lo elegiste: ${CUANDO[cuando].toLowerCase()}. Cámbialo en el panel, en «Mi cuenta».`,
    }
  },
})
