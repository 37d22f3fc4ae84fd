import type { Carta } from '#app/correo/schema.ts'

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
