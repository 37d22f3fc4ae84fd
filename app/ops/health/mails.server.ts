import type { Letter } from '#app/mail/schema.ts'
import { plannedDeletionInWords, remedyForCommittee } from './rules.ts'
import type { Diagnosis, PlannedDeletion } from './schema.ts'

/** Returns the letter about a disk that is full or nearly full. @param notice the notice that the panel shows */
export const diskSpaceLetter = (notice: string): Letter => ({
  kind: 'espacio',
  compose: ({ nombre, anio }, site) => ({
    subject: `Al sitio de ${nombre} ${anio} se le acaba el disco`,
    preheader: notice,
    title: 'Se acaba el disco',
    body: [{ paragraph: notice }, { link: `${site}/organizadores?estado=rechazada`, label: 'Ver las rechazadas' }],
    note: 'Recibes este correo porque tienes una cuenta de organización. Llega una vez al día mientras falte disco.',
  }),
})

const WHY_RECEIVED = 'Recibes este correo porque tienes una cuenta de organización.'

export const plannedDeletionLetter = (plannedDeletion: PlannedDeletion): Letter => ({
  kind: 'borrado',
  compose({ nombre }, site) {
    const text = `Porque venció su plazo se van a borrar ${plannedDeletionInWords(plannedDeletion)}.`
    return {
      subject: `${nombre}: se van a borrar datos de la edición ${plannedDeletion.edition}`,
      preheader: text,
      title: 'Lo que se va a borrar',
      body: [
        { paragraph: text },
        { paragraph: 'Si está bien, no hagas nada. Si todavía hacen falta, deténlo en el panel, en «Privacidad».' },
        { link: `${site}/organizadores/privacidad`, label: 'Ver lo que se va a borrar' },
      ],
      note: WHY_RECEIVED,
    }
  },
})

export const faultLetter = ({ de, titulo, dice, remedio }: Diagnosis): Letter => ({
  kind: 'falla',
  compose: ({ nombre }, site) => ({
    subject: `${nombre}: algo del sitio no funciona (${titulo})`,
    preheader: dice,
    title: `No funciona: ${titulo}`,
    body: [
      { paragraph: dice },
      ...(remedio ? [{ paragraph: remedyForCommittee(de, remedio) }] : []),
      { link: `${site}/organizadores/estado`, label: 'Ver el estado del sitio' },
    ],
    note: `${WHY_RECEIVED} Llega una vez por cada falla, y otra cuando se compone.`,
  }),
})

export const faultResolvedLetter = ({ titulo, dice }: Diagnosis): Letter => ({
  kind: 'compuesto',
  compose: ({ nombre }, site) => ({
    subject: `${nombre}: ya funciona (${titulo})`,
    preheader: dice,
    title: `Ya funciona: ${titulo}`,
    body: [{ paragraph: dice }, { link: `${site}/organizadores/estado`, label: 'Ver el estado del sitio' }],
    note: WHY_RECEIVED,
  }),
})
