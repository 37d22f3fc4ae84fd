import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import type { Letter } from '#app/mail/schema.ts'

const ENTRY_WORDS: Readonly<Record<EntryType, { registration: string; data: string; ifNotYou: string }>> = {
  candidata: { registration: 'tu registro', data: 'Tus datos y tus documentos', ifNotYou: 'Si no te registraste' },
  traje: {
    registration: 'tu registro de traje típico',
    data: 'Los datos y los archivos de tu traje típico',
    ifNotYou: 'Si no registraste un traje',
  },
}

export const entryReceivedLetter = (type: EntryType, folio: string): Letter => ({
  kind: 'inscripcion',
  words: ({ nombre, anio }, site) => ({
    subject: `Recibimos ${ENTRY_WORDS[type].registration} para ${nombre} ${anio}`,
    preheader: `Tu folio es ${folio}. Guárdalo: con él ves cómo va tu registro.`,
    title: 'Recibimos tu registro',
    body: [
      {
        paragraph: `${ENTRY_WORDS[type].data} ya están con el comité de ${nombre} ${anio}.`,
      },
      { name: 'Tu folio es', value: folio },
      {
        paragraph:
          'Con él puedes ver qué recibimos y cómo va tu registro. Si el comité necesita un documento otra vez, ahí mismo lo subes:',
      },
      { link: `${site}/folio#${folio}`, label: 'Consultar mi folio' },
    ],
    note: `El folio es personal: quien lo tenga puede ver el estado de tu registro. ${ENTRY_WORDS[type].ifNotYou}, ignora este correo.`,
  }),
})
