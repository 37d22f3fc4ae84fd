import type { Letter } from '#app/mail/schema.ts'
import { plannedDeletionInWords, remedyForCommittee } from './rules.ts'
import type { Diagnosis, PlannedDeletion } from './schema.ts'

/** Mail about a disk that is full, or nearly full, in the panel's words. */
export const diskSpaceLetter = (aviso: string): Letter => ({
  kind: 'espacio',
  palabras: ({ nombre, anio }, site) => ({
    subject: `Al sitio de ${nombre} ${anio} se le acaba el disco`,
    preheader: aviso,
    titulo: 'Se acaba el disco',
    cuerpo: [{ parrafo: aviso }, { enlace: `${site}/organizadores?estado=rechazada`, rotulo: 'Ver las rechazadas' }],
    nota: 'Recibes este correo porque tienes una cuenta de organización. Llega una vez al día mientras falte disco.',
  }),
})

const WHY_RECEIVED = 'Recibes este correo porque tienes una cuenta de organización.'

/** Mail about an announced deletion by retention. */
export const plannedDeletionLetter = (plannedDeletion: PlannedDeletion): Letter => ({
  kind: 'borrado',
  palabras({ nombre }, site) {
    const said = `Porque venció su plazo se van a borrar ${plannedDeletionInWords(plannedDeletion)}.`
    return {
      subject: `${nombre}: se van a borrar datos de la edición ${plannedDeletion.edicion}`,
      preheader: said,
      titulo: 'Lo que se va a borrar',
      cuerpo: [
        { parrafo: said },
        { parrafo: 'Si está bien, no hagas nada. Si todavía hacen falta, deténlo en el panel, en «Privacidad».' },
        { enlace: `${site}/organizadores/privacidad`, rotulo: 'Ver lo que se va a borrar' },
      ],
      nota: WHY_RECEIVED,
    }
  },
})

/** Mail about a new fault of the site. */
export const faultLetter = ({ de, titulo, dice, remedio }: Diagnosis): Letter => ({
  kind: 'falla',
  palabras: ({ nombre }, site) => ({
    subject: `${nombre}: algo del sitio no funciona (${titulo})`,
    preheader: dice,
    titulo: `No funciona: ${titulo}`,
    cuerpo: [
      { parrafo: dice },
      ...(remedio ? [{ parrafo: remedyForCommittee(de, remedio) }] : []),
      { enlace: `${site}/organizadores/estado`, rotulo: 'Ver el estado del sitio' },
    ],
    nota: `${WHY_RECEIVED} Llega una vez por cada falla, y otra cuando se compone.`,
  }),
})

/** Mail about a resolved fault. */
export const faultResolvedLetter = ({ titulo, dice }: Diagnosis): Letter => ({
  kind: 'compuesto',
  palabras: ({ nombre }, site) => ({
    subject: `${nombre}: ya funciona (${titulo})`,
    preheader: dice,
    titulo: `Ya funciona: ${titulo}`,
    cuerpo: [{ parrafo: dice }, { enlace: `${site}/organizadores/estado`, rotulo: 'Ver el estado del sitio' }],
    nota: WHY_RECEIVED,
  }),
})
