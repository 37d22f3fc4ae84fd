import type { Carta } from '#app/mail/schema.ts'
import { previstoEnPalabras, remedioParaComite } from './rules.ts'
import type { BorradoPrevisto, Diagnostico } from './schema.ts'

/** The disk is nearly full, or full. @param aviso as the panel says it */
export const cartaDeEspacio = (aviso: string): Carta => ({
  kind: 'espacio',
  palabras: ({ nombre, anio }, sitio) => ({
    subject: `Al sitio de ${nombre} ${anio} se le acaba el disco`,
    preheader: aviso,
    titulo: 'Se acaba el disco',
    cuerpo: [{ parrafo: aviso }, { enlace: `${sitio}/organizadores?estado=rechazada`, rotulo: 'Ver las rechazadas' }],
    nota: 'Recibes este correo porque tienes una cuenta de organización. Llega una vez al día mientras falte disco.',
  }),
})

const PORQUE = 'Recibes este correo porque tienes una cuenta de organización.'

/** Something will be deleted by time. */
export const cartaDeBorradoPrevisto = (previsto: BorradoPrevisto): Carta => ({
  kind: 'borrado',
  palabras({ nombre }, sitio) {
    const said = `Porque venció su plazo se van a borrar ${previstoEnPalabras(previsto)}.`
    return {
      subject: `${nombre}: se van a borrar datos de la edición ${previsto.edicion}`,
      preheader: said,
      titulo: 'Lo que se va a borrar',
      cuerpo: [
        { parrafo: said },
        { parrafo: 'Si está bien, no hagas nada. Si todavía hacen falta, deténlo en el panel, en «Privacidad».' },
        { enlace: `${sitio}/organizadores/privacidad`, rotulo: 'Ver lo que se va a borrar' },
      ],
      nota: PORQUE,
    }
  },
})

/** Something of the site broke. */
export const cartaDeFalla = ({ de, titulo, dice, remedio }: Diagnostico): Carta => ({
  kind: 'falla',
  palabras: ({ nombre }, sitio) => ({
    subject: `${nombre}: algo del sitio no funciona (${titulo})`,
    preheader: dice,
    titulo: `No funciona: ${titulo}`,
    cuerpo: [
      { parrafo: dice },
      ...(remedio ? [{ parrafo: remedioParaComite(de, remedio) }] : []),
      { enlace: `${sitio}/organizadores/estado`, rotulo: 'Ver el estado del sitio' },
    ],
    nota: `${PORQUE} Llega una vez por cada falla, y otra cuando se compone.`,
  }),
})

/** It works again. */
export const cartaDeCompuesto = ({ titulo, dice }: Diagnostico): Carta => ({
  kind: 'compuesto',
  palabras: ({ nombre }, sitio) => ({
    subject: `${nombre}: ya funciona (${titulo})`,
    preheader: dice,
    titulo: `Ya funciona: ${titulo}`,
    cuerpo: [{ parrafo: dice }, { enlace: `${sitio}/organizadores/estado`, rotulo: 'Ver el estado del sitio' }],
    nota: PORQUE,
  }),
})
