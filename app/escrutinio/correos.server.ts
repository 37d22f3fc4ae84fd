import type { Carta } from '#app/correo/schema.ts'

/** Tells a voter the receipt, by which the own vote is found once the contest is closed. */
export const cartaDeRecibo = (recibo: string): Carta => ({
  kind: 'recibo',
  palabras: ({ anio }, sitio) => ({
    subject: `Tu voto por Señorita Popularidad ${anio} quedó registrado`,
    preheader: `Tu recibo es ${recibo}.`,
    titulo: '¡Gracias por tu voto!',
    cuerpo: [
      { parrafo: 'Este es tu recibo:' },
      { codigo: recibo },
      { parrafo: 'Cuando cierre la votación, búscalo en el acta: ahí verás que tu voto está en la cuenta.' },
      { enlace: `${sitio}/misspopularidad/acta`, rotulo: 'Ver el acta' },
    ],
    nota: 'Quien tenga tu recibo puede ver por quién votaste; por eso este correo no lo dice. Si no fuiste tú quien votó, avisa al comité organizador.',
  }),
})
