import type { EntryType } from '#app/entries/definitions/document-kinds.ts'
import type { Letter } from '#app/mail/schema.ts'

const DE_QUE: Readonly<Record<EntryType, { registro: string; datos: string; siNo: string }>> = {
  candidata: { registro: 'tu registro', datos: 'Tus datos y tus documentos', siNo: 'Si no te registraste' },
  traje: {
    registro: 'tu registro de traje típico',
    datos: 'Los datos y los archivos de tu traje típico',
    siNo: 'Si no registraste un traje',
  },
}

/** Letter with the folio of a stored registration. */
export const entryReceivedLetter = (type: EntryType, folio: string): Letter => ({
  kind: 'inscripcion',
  palabras: ({ nombre, anio }, site) => ({
    subject: `Recibimos ${DE_QUE[type].registro} para ${nombre} ${anio}`,
    preheader: `Tu folio es ${folio}. Guárdalo: con él ves cómo va tu registro.`,
    titulo: 'Recibimos tu registro',
    cuerpo: [
      {
        parrafo: `${DE_QUE[type].datos} ya están con el comité de ${nombre} ${anio}.`,
      },
      { dato: 'Tu folio es', valor: folio },
      {
        parrafo:
          'Con él puedes ver qué recibimos y cómo va tu registro. Si el comité necesita un documento otra vez, ahí mismo lo subes:',
      },
      { enlace: `${site}/folio#${folio}`, rotulo: 'Consultar mi folio' },
    ],
    nota: `El folio es personal: quien lo tenga puede ver el estado de tu registro. ${DE_QUE[type].siNo}, ignora este correo.`,
  }),
})
